"""Teams send files: good ones, a broken one, one twice at once, one that they withdraw, late ones."""

import hashlib
import re
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

from tests.rehearsal.browser import Answer, Browser, find_form
from tests.rehearsal.invented import FIXED_LEVEL, LEVELS
from tests.rehearsal.play import ORGANIZE, TASK, Filed, Play, Team, require

PHASE = f"{ORGANIZE}/phases/evaluation"
LEAD = 3
"""Seconds until the phase closes; then as many more for all."""
LONG = 120
"""Seconds more for one team, which the organizer shortens once its file is there."""


def practise(play: Play) -> str:
    """Each team sends a file for the trial items and sees its scores."""

    def send(team: Team) -> Filed:
        data = play.invented.practice(team.number)
        found, page = upload(team.member, team.warm_up, FIXED_LEVEL, data)
        require(": scored</h1>" in page.text, f"{team.name} sees no scores of its practice")
        return Filed(team, "practice", "warm-up", FIXED_LEVEL, data, found)

    play.files += play.together(send)
    return f"{len(play.teams)} files, scored at once"


def refuse(play: Play) -> str:
    """An invalid file of each team is rejected with every bad line, and uses no quota."""

    def send(team: Team) -> None:
        (run_id, _), (data, bad) = team.runs[0], play.invented.broken(team.number)
        path = f"{TASK}/runs/{run_id}/{FIXED_LEVEL}/upload"
        before = _left(team.captain.get(path))
        page = team.captain.submit(path, {}, {"file": ("broken.tsv", data)}, expect=422)
        lines = [int(line) for line in re.findall(r"<strong>Line (\d+)</strong>", page.text)]
        require(lines == bad, f"{team.name}'s broken file: lines {lines} in place of {bad}")
        require(before == _left(team.captain.get(path)), f"{team.name}'s broken file cost something")

    play.together(send)
    return f"{len(play.teams)} files, each with its 3 bad lines named; no quota used"


def send_all(play: Play) -> str:
    """Each team sends its runs, the members in turn."""

    def send(team: Team) -> list[Filed]:
        files = []
        for run_id, run in team.runs:
            for place, (level, data) in enumerate(run.files.items()):
                browser = (team.captain, team.member)[place % 2]
                found, _ = upload(browser, run_id, level, data)
                files.append(Filed(team, "evaluation", run.name, level, data, found))
        return files

    sent = [one for files in play.together(send) for one in files]
    play.files += sent
    out = sum(len(LEVELS) - len(run.files) for team in play.teams for _, run in team.runs)
    return f"{len(sent)} files; {out} levels left out"


def change_minds(play: Play) -> str:
    """A file twice at once is one; a newer one counts; withdrawn, the one before it counts again."""

    def change(team: Team) -> Filed:
        run_id, run = team.runs[0]
        first, second = _twice_at_once(team, f"{TASK}/runs/{run_id}/{FIXED_LEVEL}/upload", run.other)
        require(first == second, f"{team.name}'s double click made two submissions")
        filed = Filed(team, "evaluation", run.name, FIXED_LEVEL, run.other, first)
        if team.number % 3 == 0:
            team.member.submit(f"{TASK}/submissions/{first}/withdraw", {})
            filed.withdrawn = True
        counts = _newest(play.files, filed) if filed.withdrawn else filed
        page = team.captain.get(f"{TASK}/submissions/{counts.submission}")
        require(
            "<strong>counts</strong>" in page.text,
            f"{team.name}: submission {counts.submission} does not count",
        )
        return filed

    sent = play.together(change)
    play.files += sent
    return f"{len(sent)} double clicks, one submission each; {sum(one.withdrawn for one in sent)} withdrawn"


def close(play: Play) -> str:
    """The organizer closes the phase soon, and extends it: for all, and for one team."""
    page = play.ada.submit(f"{PHASE}/edit", {"closes": _in(LEAD)})
    require("Saved: Closes" in page.text, "the new closing time is not saved")
    for team, seconds in (("all teams", 2 * LEAD), (play.teams[0].name, LONG)):
        _extend(play, team, seconds)
    run_id, _ = play.teams[1].runs[0]
    path = f"{TASK}/runs/{run_id}/{FIXED_LEVEL}/upload"
    play.teams[1].captain.wait_for(path, _is_late, LONG)
    return f"closed after {LEAD} s, {LEAD} s more for all, {LONG} s for {play.teams[0].name}"


def come_late(play: Play) -> str:
    """The team with more time is on time; others are late, for levels that they had left out."""
    first = play.teams[0]
    run_id, run = first.runs[0]
    data = play.invented.run(first.number, 0).files[LEVELS[1]].replace(b"\n", b" \n")
    found, page = upload(first.captain, run_id, LEVELS[1], data)
    require("<strong>on time</strong>" in page.text, f"{first.name}'s file is not on time in its extension")
    sent = [Filed(first, "evaluation", run.name, LEVELS[1], data, found)]

    def send(team: Team) -> Filed:
        (run_id, run), (level,) = team.runs[1], play.invented.left_out(team.number, 1)
        data = play.invented.late(team.number, level)
        found, page = upload(team.captain, run_id, level, data)
        require("This submission is <strong>late</strong>" in page.text, f"{team.name}'s file is not late")
        return Filed(team, "evaluation", run.name, level, data, found, late=True)

    late = play.together(send, play.teams[1::4])
    play.files += sent + late
    _extend(play, first.name, 2)
    first.captain.wait_for(f"{TASK}/runs/{run_id}/{FIXED_LEVEL}/upload", _is_late, LONG)
    return f"{len(late)} late files, shown apart; 1 on time in the extension"


def _extend(play: Play, team: str, seconds: int) -> None:
    reason = "the network was down"
    page = play.ada.submit(f"{PHASE}/extend", {"closes": _in(seconds), "team": team, "reason": reason})
    require("now closes for" in page.text, f"the deadline of {team} was not extended")


def _in(seconds: int) -> str:
    """So many seconds from now, or a little more, as forms take it."""
    return f"{datetime.now(UTC) + timedelta(seconds=seconds + 1):%Y-%m-%d %H:%M:%S}"


def upload(browser: Browser, run_id: int, level: str, data: bytes) -> tuple[int, Answer]:
    """Send a file: the submission's number and its page, which has the file's hash."""
    page = browser.submit(f"{TASK}/runs/{run_id}/{level}/upload", {}, {"file": (f"{level}.tsv", data)})
    found = re.fullmatch(rf"{TASK}/submissions/(\d+)", page.path)
    require(found, f"the upload led to {page.path}")
    require(hashlib.sha256(data).hexdigest() in page.text, f"{page.path} lacks the file's hash")
    return int(found[1]), page


def _twice_at_once(team: Team, path: str, data: bytes) -> list[int]:
    """Two posts of one form at the same time: the submissions that they lead to."""
    form = find_form(team.captain.get(path), {"file"}, "")

    def click(_: int) -> int:
        answer = team.captain.post(path, form.values, {"file": ("again.tsv", data)})
        return int(answer.headers["Location"].rsplit("/", 1)[1])

    with ThreadPoolExecutor(2) as clicks:
        return list(clicks.map(click, range(2)))


def _newest(files: list[Filed], like: Filed) -> Filed:
    """The newest file before one, of the same run and level."""
    same = [one for one in files if (one.team, one.run, one.level) == (like.team, like.run, like.level)]
    return max(same, key=lambda one: one.submission)


def _left(page: Answer) -> str:
    found = re.search(r"(\d+ of \d+) submissions left", page.text)
    require(found, f"{page.path} does not say how many files are left")
    return found[1]


def _is_late(page: Answer) -> bool:
    return "The deadline has passed." in page.text
