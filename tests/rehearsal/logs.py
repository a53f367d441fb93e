"""Check the audit log: it lists all actions, each hash fits its entry, and teams see only their own."""

import hashlib
import json
import re
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from tests.rehearsal.invented import LEVELS
from tests.rehearsal.pages import words_of
from tests.rehearsal.play import ORGANIZE, TASK, Play, Team, require
from tests.rehearsal.site import Site

BASELINE = len(LEVELS) + 1
"""Files of the baseline: the test's, and one for practice."""


def read_log(play: Play) -> str:
    """The organizer's download: what was done and how often, and every hash recomputed."""
    text = play.ada.get(f"{ORGANIZE}/log.jsonl").text
    entries = [json.loads(line) for line in text.splitlines()]
    late = sum(one.late for one in play.files)
    counts = Counter(entry["action"] for entry in entries)
    for action, times in {
        "team.create": len(play.teams),
        "team.join": len(play.teams),
        "run.create": sum(len(team.runs) + 1 for team in play.teams),
        "submission.accept": len(play.files) - late + BASELINE,
        "submission.late": late,
        "submission.withdraw": sum(one.withdrawn for one in play.files),
        "phase.edit": 2,
        "phase.extend": 3,
        "gold.publish": 1,
        "gold.open": 1,
        "release.add": 2,
        "release.name": 1,
        "release.withdraw": 1,
    }.items():
        require(counts[action] == times, f"the log has {action} {counts[action]} times, not {times}")
    require(all(entry["sha256"] == hash_of(entry) for entry in entries), "a hash of the log is another")
    # labels have five decimals; the instants of entries have six
    leaked = play.invented.labels & set(re.findall(r"\d\.\d{5,}", text))
    require(not leaked, f"the log contains labels of the gold: {', '.join(sorted(leaked))}")
    require("@" not in text, "the log has an address")
    return f"{len(entries)} entries of the task, {len(counts)} kinds of acts"


def read_own_logs(play: Play) -> str:
    """Each team reads what concerns it, and no other team's name."""

    def read(team: Team) -> None:
        words = words_of(_own_log(team))
        others = [other.name for other in play.teams if other is not team]
        found = [name for name in others if re.search(rf"\b{name}\b", words)]
        require(not found, f"the log of {team.name} names {found}")
        require("withdrew release 1" in words, f"the log of {team.name} lacks the release's withdrawal")

    play.together(read)
    return f"{len(play.teams)} teams, each with its own"


def verify_chains(play: Play) -> str:
    """Verify the chains of all three sites, and receipts and evidence against their log."""
    kept = [play.folder / "evidence.zip", *sorted((play.folder / "receipts").iterdir())]
    against = [word for file in kept for word in ("--against", file)]

    def verify(site: Site) -> str:
        said = site.command("audit", "verify", *(() if site is play.second else against))
        return said.split(" entries", 1)[0]

    with ThreadPoolExecutor(2) as aside:
        first, second, third = aside.map(verify, (play.first, play.second, play.third))
    require(first == third, f"the restored site has {third} entries in place of {first}")
    witnesses = f"{len(kept) - 1} receipts and the evidence fit"
    return f"{first} entries, {second} on the second site, {third} restored; {witnesses}"


def _own_log(team: Team) -> str:
    """The log on a team's page, without the rest of the page."""
    return team.member.get(f"{TASK}/team/log").text.split("<main", 1)[1]


def hash_of(entry: dict[str, Any]) -> str:
    """The hash that an entry of the download has to have."""
    content = {name: value for name, value in entry.items() if name not in ("sha256", "words")}
    canonical = json.dumps(content, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()
