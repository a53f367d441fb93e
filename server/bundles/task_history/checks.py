"""Checks of a history whose rows are well formed: what cannot be, each with the place in the file."""

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterator

from scorer.baselines import BASELINES
from scorer.bundles.bundle import OWN_BASELINE, Bundle
from scorer.errors import ProofError
from scorer.proof.receipts import read_receipt
from scorer.proof.signing import has_valid_signature, read_signed
from scorer.typed_json import Fault
from server.bundles.task_history.history import Row, TaskHistory, find_counting, list_last_changes
from server.core.errors import InvalidFile
from server.core.zips import safe_filename
from server.runs.links import is_link, split_links
from server.tasks import kit_files, picture_process
from server.teams.service import name_key

_SALT = re.compile(r"[0-9a-f]{64}")
_PICTURE_NAME = re.compile(r"[a-z0-9-]+\.(png|jpg|webp)")


def check_name(place: str, name: str) -> Iterator[Fault]:
    """Yield a name that no page could show."""
    odd = not all(
        char.isprintable() or char in "\u200c\u200d" for char in name
    )  # joiners are parts of letters
    if odd or not name or name != " ".join(name.split()) or "/" in name or "\\" in name:
        yield place, "must be a name of one line, without controls, slashes and doubled blanks"


def check_task_files(history: TaskHistory) -> Iterator[Fault]:
    """Check that each file is what its row says, and that one picture is the logo at most."""
    for place, row in history.places("task_files"):
        is_picture = row.get("width") is not None
        yield from (_check_picture if is_picture else _check_kit_file)(history, place, row)
    logos = [row for row in history.rows["task_files"] if row["is_logo"]]
    if len(logos) > 1 or any(row.get("width") is None for row in logos):
        yield "task_files", "only one picture can be the logo"


def _check_picture(history: TaskHistory, place: str, row: Row) -> Iterator[Fault]:
    try:
        facts = picture_process.describe_picture(history.data(row["sha256"]))
    except picture_process.BadPicture:
        facts = None
    if facts != (row["content_type"], row["width"], row.get("height"), True):
        yield f"{place}.sha256", "the file is no such picture, or has metadata"
    if not _PICTURE_NAME.fullmatch(row["name"]):
        yield f"{place}.name", "must be lower-case letters, digits and hyphens, and the ending of a picture"


def _check_kit_file(history: TaskHistory, place: str, row: Row) -> Iterator[Fault]:
    try:
        content_type = kit_files.find_content_type(history.data(row["sha256"]))
    except InvalidFile:
        content_type = None
    if (content_type, None) != (row["content_type"], row.get("height")):
        yield f"{place}.sha256", "the file is neither such a text nor such a zip of texts"
    if safe_filename(row["name"]) != row["name"]:
        yield f"{place}.name", "must be letters, digits, dots, hyphens and underscores"


def check_terms(history: TaskHistory) -> Iterator[Fault]:
    """Check that the newest version is that of task.toml."""
    versions = history.rows["terms"]
    text = history.text(versions[-1]["text"]) if versions else ""
    if (text or None) != history.bundle.task.terms:
        yield "terms", "the newest version is not the text that task.toml has"


def check_gold(history: TaskHistory) -> Iterator[Fault]:
    """Check the salts, and that the versions in force are those of task.toml."""
    for place, version in history.places("gold"):
        if not _SALT.fullmatch(version["salt"]):
            yield f"{place}.salt", "must be 64 hexadecimal digits in lower case"
    published = [event for event in history.rows["gold_events"] if event["event"] == "published"]
    versions = [history.row("gold", event["gold_version"]) for event in published]
    in_force = {version["split"]: version["sha256"] for version in versions}
    for level in history.bundle.levels:
        for name, spec in level.splits.items():
            named = None if spec.gold is None else _hash_file(history.bundle, spec.gold)
            if named != in_force.get(f"{level.slug}/{name}"):
                yield "gold", f"task.toml has another file in force for {level.slug}, {name}"


def _hash_file(bundle: Bundle, path: str) -> str:
    return hashlib.sha256(bundle.read(path)).hexdigest()


def check_teams(history: TaskHistory) -> Iterator[Fault]:
    """Check that teams have valid names, and that those that were declined can read why."""
    for place, team in history.places("teams"):
        yield from check_name(f"{place}.name", team["name"])
        if team["name_key"] != name_key(team["name"]):
            yield f"{place}.name_key", "is not that of the name"
        if team["state"] == "declined" and not team.get("reason"):
            yield f"{place}.reason", "is missing; a declined team reads why"


def check_runs(history: TaskHistory) -> Iterator[Fault]:
    """Check that runs have valid names, numbers and links, and the baselines of task.toml."""
    numbers, primary = set(), set()
    for place, run in history.places("runs"):
        yield from check_name(f"{place}.name", run["name"])
        team = run["phase"], run["team"]
        if (*team, run["number"]) in numbers:
            yield place, "two rows have the same phase, team, number"
        numbers.add((*team, run["number"]))
        if run["is_primary"] and team in primary:
            name = history.row("teams", run["team"])["name"]
            yield "runs", f"{name} has two primary runs in {run['phase']}"
        primary |= {team} if run["is_primary"] else set()
        if run.get("baseline") not in (None, OWN_BASELINE, *BASELINES):
            yield f"{place}.baseline", f'there is no baseline "{run["baseline"]}"'
        if not all(is_link(link) for link in split_links(run["links"])):
            yield f"{place}.links", "each line is an address that begins with https://"
    bundle = history.bundle
    named = {
        (phase.slug, run.team, run.name, run.baseline)
        for phase in bundle.phases
        for run in bundle.runs
        if run.computed is not None and bundle.belongs(run, phase)
    }
    for phase_slug, team_name, name, _baseline in sorted(_list_baselines(history) ^ named):
        yield "runs", f"the baseline {team_name}, {name} in {phase_slug} is not as task.toml has it"


def _list_baselines(history: TaskHistory) -> set[tuple[str, str, str, str]]:
    """Return the phase, team, name and kind of each computed baseline that was not removed."""
    removed = list_last_changes(history.rows["run_withdrawals"], "run")
    return {
        (run["phase"], history.row("teams", run["team"])["name"], run["name"], run["baseline"])
        for number, run in enumerate(history.rows["runs"], start=1)
        if run.get("baseline") in BASELINES and not removed.get(number, False)
    }


def check_run_withdrawals(history: TaskHistory) -> Iterator[Fault]:
    """Check that each row changes something, and is not too early."""
    for place, row in history.places("run_withdrawals"):
        if row["made_at"] < history.row("runs", row["run"])["created_at"]:
            yield f"{place}.made_at", "is before the run was added"
    yield from _check_changes(history, "run_withdrawals", "run")


def check_withdrawals(history: TaskHistory) -> Iterator[Fault]:
    """Check that each row changes something."""
    yield from _check_changes(history, "withdrawals", "submission")


def _check_changes(history: TaskHistory, list_name: str, name: str) -> Iterator[Fault]:
    withdrawn: dict[int, bool] = defaultdict(bool)
    for place, row in history.places(list_name):
        if row["withdrawn"] == withdrawn[row[name]]:
            yield f"{place}.withdrawn", "changes nothing"
        withdrawn[row[name]] = row["withdrawn"]


def check_submissions(history: TaskHistory) -> Iterator[Fault]:
    """Check that files have items to be scored with, and that those of task.toml count."""
    for place, submission in history.places("submissions"):
        if submission["size"] != history.files[submission["sha256"]].stat().st_size:
            yield f"{place}.size", "is not that of the file"
        yield from _check_level(history, place, submission)
    yield from _check_counting(history)


def _check_level(history: TaskHistory, place: str, row: Row) -> Iterator[Fault]:
    """Check that the level has items in the phase of the run."""
    if history.find_split(row) is None:
        phase = history.row("runs", row["run"])["phase"]
        yield f"{place}.level", f"{row['level']} has no items in the phase {phase}"


def _check_counting(history: TaskHistory) -> Iterator[Fault]:
    """Check that what counts by the history is what task.toml names."""
    bundle, counting = history.bundle, set()
    for (run_number, level, late), number in find_counting(history).items():
        run = history.row("runs", run_number)
        if (kind := run.get("baseline")) not in BASELINES:
            team = history.row("teams", run["team"])["name"]
            sha256 = history.row("submissions", number)["sha256"]
            counting.add((run["phase"], team, run["name"], level, late, sha256, kind))
    named = {
        (phase.slug, run.team, run.name, level.slug, late, _hash_file(bundle, file), run.baseline)
        for phase in bundle.phases
        for run in bundle.runs
        for level in bundle.levels
        for late in (False, True)
        if bundle.belongs(run, phase) and (file := run.file(level.slug, late=late)) is not None
    }
    for phase, team, name, level, late, *_ in sorted(counting ^ named, key=str):
        what = f"the {'late ' if late else ''}file of {team}, {name} at {level} in {phase}"
        yield "submissions", f"{what} that counts is not the one that task.toml names"


def check_receipts(history: TaskHistory) -> Iterator[Fault]:
    """Check that each receipt is signed by its site for exactly this file."""
    for place, row in history.places("receipts"):
        source, submission = history.path(row["text"]), history.row("submissions", row["submission"])
        try:
            document = read_signed(history.data(row["text"]), source)
            receipt = read_receipt(document, source)
        except ProofError as error:
            yield f"{place}.text", str(error)
            continue
        values = receipt.file_sha256, receipt.level, receipt.arrived, receipt.late
        if not has_valid_signature(document):
            yield f"{place}.text", f'the signature of "{source}" is wrong: it was changed'
        elif values != tuple(submission[name] for name in ("sha256", "level", "arrived_at", "late")):
            yield f"{place}.text", f'"{source}" is the receipt of another file'


def check_scores(history: TaskHistory) -> Iterator[Fault]:
    """Check that every file but a baseline's was scored, and against gold of its own items."""
    scored = set()
    for place, row in history.places("scores"):
        submission, version = (
            history.row("submissions", row["submission"]),
            history.row("gold", row["gold_version"]),
        )
        scored.add(row["submission"])
        if version["split"] != history.find_split(submission):
            yield f"{place}.gold_version", "is of other items than the file"
    for number, (place, submission) in enumerate(history.places("submissions"), start=1):
        if number not in scored and history.row("runs", submission["run"]).get("baseline") is None:
            yield place, "was scored against no gold version"


def check_rejections(history: TaskHistory) -> Iterator[Fault]:
    """Check that levels have items, and that counts are not below the listed problems."""
    for place, row in history.places("rejections"):
        yield from _check_level(history, place, row)
        if row["count"] < len(row["problems"]):
            yield f"{place}.count", "is less than the problems that are listed"


def check_audiences(history: TaskHistory) -> Iterator[Fault]:
    """Check that announcements are for all teams, or for some."""
    for_some = {row["announcement"] for row in history.rows["announcement_teams"]}
    for number, (place, row) in enumerate(history.places("announcements"), start=1):
        if (row["audience"] == "all") == (number in for_some):
            yield f"{place}.audience", "does not fit the teams that it is for"
