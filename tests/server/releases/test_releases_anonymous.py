"""Anonymous releases: random pseudonyms, no name anywhere, and named bytes ready to be revealed."""

import json
import secrets
from collections.abc import Callable
from io import BytesIO
from typing import Any
from zipfile import ZipFile

import pytest

from server.audit.models import AuditEntry
from server.boards import service as boards
from server.core import db
from server.core.errors import Conflict
from server.releases import pseudonyms, service as releases
from server.releases.models import Pseudonym
from server.runs import service as runs
from server.runs.models import Run
from server.teams.models import Team
from tests.server.small_task import GOOD
from tests.server.world import AFTER, DURING, LATE, World

NAMES = ("birch", "alder", "yew-nought", "yew-constant", "Quick", "run.tsv")
"""What would give a team away."""


def enter(world: World, team: Team, name: str, by: str, *files: bytes) -> Run:
    """A run with a file for each level."""
    with db.writing(world.session):
        run = runs.add_run(world.session, team, world.phase(), name, "", DURING)
    for level, data in zip(("p2s", "s2p"), files, strict=False):
        world.upload(run, level, data, by=by)
    return run


def play(world: World) -> None:
    """Two teams that tie, a run of one level, a constant one, a late one; files are to be published."""
    with db.writing(world.session):
        world.phase().runs_public = True
    enter(world, world.team, "Quick", "bo", GOOD, GOOD)
    enter(world, world.team, "yew-constant", "bo", b"2\n2\n2\n2\n")
    alder = world.found_team("dee", "alder")
    enter(world, alder, "yew-nought", "dee", GOOD, GOOD)
    world.upload(
        world.session.query(Run).filter_by(name="yew-nought").one(), "p2s", b"1\n2\n3\n4\n", LATE, "dee"
    )


def state(world: World) -> releases.ReleaseState:
    world.session.expire_all()
    newest = releases.find_newest(world.session, world.phase())
    assert newest is not None
    return newest


def lift(world: World) -> None:
    with db.writing(world.session):
        pseudonyms.reveal_names(world.session, world.actor("ada"), world.phase(), AFTER)


def renamed(board: dict[str, Any], names: Callable[[str, str], tuple[str, str]]) -> dict[str, Any]:
    """The oracle: a board with other names, its rows in the order of the total and then of these."""
    for kind in ("official", "late"):
        for row in board[kind]:
            row["team"], row["run"] = names(row["team"], row["run"])
        board[kind].sort(
            key=lambda row: (
                row["total"]["pearson"]["value"] is None,
                -round(row["total"]["pearson"]["value"] or 0, 12),
                row["team"].casefold(),
                row["run"],
            )
        )
    return board


def public_bytes(world: World) -> list[tuple[str, str]]:
    """Which names occur where, in everything a visitor can fetch of the release, its zip extracted."""
    here = "boards/evaluation/releases/1"
    files = state(world).files
    assert files is not None
    endings = (
        ".csv",
        ".tsv",
        ".json",
        ".md",
        ".tex",
        ".txt",
        ".bib",
        "/runs.zip",
        *(f"/runs/{file.path}" for file in files),
    )
    visitor, found = world.client(), []
    pages = ("", "boards/evaluation", "boards/evaluation.json", "releases.atom", here)
    for address in (*pages, *(here + ending for ending in endings)):
        response = visitor.get(f"/tasks/small/{address}")
        assert response.status_code == 200, address
        content = str(response.headers).encode() + response.data
        if address.endswith(".zip"):
            archive = ZipFile(BytesIO(response.data))
            content += b"".join(archive.read(name) + name.encode() for name in archive.namelist())
        found += [(address, name) for name in NAMES if name.encode() in content]
    kept = state(world).release
    return found + [("rules", name) for name in NAMES if name in json.dumps(kept.rules)]


def test_anonymous_release_names_no_team_until_names_are_revealed_at_the_same_url(world: World) -> None:
    play(world)
    named = boards.board_text(world.session, world.phase())
    release = world.release(anonymous=True)
    letters = {one.team_id: one.name for one in world.session.query(Pseudonym)}
    assert sorted(letters.values()) == ["Team A", "Team B"]
    bo = letters[world.team.id]
    dee = next(name for team_id, name in letters.items() if team_id != world.team.id)
    expected = {
        ("birch", "Quick"): (bo, "run 1"),
        ("birch", "yew-constant"): (bo, "run 2"),
        ("alder", "yew-nought"): (dee, "run 1"),
    }
    oracle = renamed(json.loads(named), lambda team, run: expected[team, run])
    assert state(world).text == json.dumps(oracle, ensure_ascii=False, indent=1) + "\n"
    assert [row["team"] for row in oracle["official"][:2]] == ["Team A", "Team B"]  # they tie
    assert [row["run"] for row in oracle["baselines"]] == ["LCS"]
    assert [found for found in public_bytes(world) if found[1] in NAMES] == []

    lift(world)
    now = state(world)
    assert (now.text, now.anonymous, now.release.number) == (named, False, 1)
    names = {name for _, name in public_bytes(world)}
    assert names == {"birch", "alder", "yew-nought", "yew-constant", "Quick"}, "the search does find names"
    assert now.sha256 == release.named_sha256 != release.sha256
    assert world.client().get("/tasks/small/boards/evaluation.json").text == named
    last = world.session.query(AuditEntry).order_by(AuditEntry.number.desc()).first()
    assert last is not None
    assert (last.action, last.details["sha256"]) == ("release.name", now.sha256)
    for again in (lambda: lift(world), lambda: world.release(anonymous=True)):
        with pytest.raises(Conflict, match=r"has no anonymous release|would hide nothing"):
            again()


def test_files_of_an_anonymous_release_use_pseudonyms_until_names_are_revealed(world: World) -> None:
    play(world)
    world.release(anonymous=True)
    letter = pseudonyms.find_pseudonym(world.session, world.phase(), world.team.id)
    assert letter is not None
    files = state(world).files
    assert files is not None
    assert len({file.path.casefold() for file in files}) == len(files) == 8
    of_bo = [(file.path, file.level, file.late) for file in files if file.team == letter]
    folder = letter.replace(" ", "-")
    assert of_bo == [
        (f"{folder}/run-1/p2s.tsv", "p2s", False),
        (f"{folder}/run-1/s2p.tsv", "s2p", False),
        (f"{folder}/run-2/p2s.tsv", "p2s", False),
    ]
    lift(world)
    files = state(world).files
    assert files is not None
    assert [file.path for file in files] == [
        "alder/yew-nought/p2s.late.tsv",
        "alder/yew-nought/p2s.tsv",
        "alder/yew-nought/s2p.tsv",
        "birch/Quick/p2s.tsv",
        "birch/Quick/s2p.tsv",
        "birch/yew-constant/p2s.tsv",
        "organizers/LCS/p2s.tsv",
        "organizers/LCS/s2p.tsv",
    ]
    assert world.storage.get(files[0].sha256) == b"1\n2\n3\n4\n"
    assert files[0].size == 8


def test_second_anonymous_release_keeps_the_pseudonyms_and_a_named_one_is_allowed(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[list[int]] = []

    def shuffle(_self: object, new: list[int]) -> None:
        drawn.append(list(new))
        new.reverse()

    monkeypatch.setattr(secrets.SystemRandom, "shuffle", shuffle)
    play(world)
    world.release(anonymous=True)
    before = {one.team_id: one.name for one in world.session.query(Pseudonym)}
    assert before == {max(before): "Team A", min(before): "Team B"}, "as the lot said"
    with pytest.raises(Conflict, match="Release 1 already shows this leaderboard"):
        world.release(anonymous=True)
    with pytest.raises(
        Conflict, match=r"shows this leaderboard without names\. Reveal its team names instead"
    ):
        world.release()
    world.fix_gold("p2s", b"3\n2\n1\n0\n")
    assert world.release(anonymous=True).number == 2
    world.fix_gold("p2s", b"3\n2\n1\n0.5\n")
    assert not world.release().anonymous
    after = {one.team_id: one.name for one in world.session.query(Pseudonym)}
    assert (after, len(drawn[0])) == (before, 2)
    lift(world)
    assert [one.anonymous for one in releases.list_releases(world.session, world.phase())] == [False] * 3
    assert [pseudonyms.letters_of(number) for number in (0, 25, 26, 27, 701, 702)] == [
        "A",
        "Z",
        "AA",
        "AB",
        "ZZ",
        "AAA",
    ]
