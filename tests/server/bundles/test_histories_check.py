"""An untrusted history is rejected as a whole: each invalid record is named, and nothing is changed."""

import hashlib
import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select

from server import bundles
from server.access import terms
from server.bundles.models import Attribution
from server.core import db
from server.core.actors import CONSOLE
from server.core.errors import InvalidFile
from server.core.site_resources import Site
from server.runs import editing as run_editing, withdrawals as run_withdrawals
from server.runs.models import Run
from server.submissions import eligibility, service as submissions
from server.submissions.models import Submission
from server.tasks.models import Task
from server.teams.models import Team
from tests.server.round_trip import bring, packed, unpack
from tests.server.small_task import variant
from tests.server.world import AFTER, DURING, LATE, World

# One process has these tests, so that each kind of database exports once.
pytestmark = pytest.mark.xdist_group("histories")

Change = Callable[[dict[str, Any]], object]


@pytest.fixture
def exported(world: World, tmp_path: Path, exports: dict[str, bytes]) -> Path:
    """What each kind of database exports, unpacked for this test."""
    kind = world.site.engine.dialect.name
    if kind not in exports:
        exports[kind] = export(world)
    return unpack(exports[kind], tmp_path / "exported")


@pytest.fixture(scope="module")
def exports() -> dict[str, bytes]:
    """The zips that were made, one for each kind of database."""
    return {}


def export(world: World) -> bytes:
    """A run with a withdrawn, a rejected and a late file, an older gold, terms, and a release."""
    run = world.run("one")
    world.run("two")
    world.upload(run, "p2s")
    data, actor = b"1\n", world.actor("bo")
    with pytest.raises(InvalidFile):
        submissions.prepare_file(
            world.session,
            actor,
            eligibility.ReceivedFile(
                eligibility.find_own_target(world.session, actor, run.id, "p2s", DURING), data, "bad.tsv"
            ),
            DURING,
        )
    with db.writing(world.session):
        run_editing.choose_primary(world.session, actor, run, DURING)
        for mark in (run_withdrawals.withdraw_run, run_withdrawals.restore_run):
            mark(world.session, actor, run, DURING)
    world.withdraw(world.upload(run, "p2s", variant(1)))
    world.upload(run, "p2s", variant(2), at=LATE)
    world.fix_gold("s2p", b"3\n\n2\n1\n", DURING + timedelta(hours=1))
    with db.writing(world.session):
        terms.put_terms(world.session, world.actor("ada"), world.task, "Be kind.", DURING)
        world.phase().runs_public = True
    world.release(AFTER - timedelta(days=1))
    world.add_picture()
    world.add_kit_file("start.py")
    return packed(world.site)


def change(folder: Path, edit: Change) -> None:
    path = folder / "history.json"
    values = json.loads(path.read_text(encoding="utf-8"))
    edit(values)
    path.write_text(json.dumps(values), encoding="utf-8")


def rejection(site: Site, folder: Path) -> list[str]:
    with pytest.raises(InvalidFile) as refused:
        bring(site, folder)
    for table in (Task, Team, Run, Submission, Attribution):
        assert site.session().scalar(select(func.count()).select_from(table)) == 0
    assert refused.value.count == len(refused.value.problems)
    return [str(problem) for problem in refused.value.problems]


def set_to(part: str, number: int, name: str, value: object) -> Change:
    return lambda values: values[part][number].update({name: value})


def without(part: str, number: int, name: str) -> Change:
    return lambda values: values[part][number].pop(name)


def twice(part: str, number: int) -> Change:
    return lambda values: values[part].append(values[part][number])


def gone(part: str, number: int) -> Change:
    return lambda values: values[part].pop(number)


OLDER, COUNTING, LATER = 4, 3, 5
"""Places of bo's submissions in the list: the withdrawn one, what counts, the late one."""

CHANGES: dict[str, tuple[Change, str]] = {
    "unknown key": (set_to("runs", 0, "speed", 3), "runs[0].speed: unknown key"),
    "missing key": (without("runs", 0, "name"), "runs[0].name: is missing"),
    "wrong type": (set_to("submissions", 0, "late", 0), "submissions[0].late: must be true or false, not 0"),
    "number as text": (set_to("runs", 0, "number", "1"), "runs[0].number: must be a whole number, not '1'"),
    "flag as number": (set_to("runs", 0, "number", True), "runs[0].number: must be a whole number, not True"),
    "record as text": (lambda values: values["runs"].append("x"), "runs[4]: must be an object"),
    "list as text": (lambda values: values.update(runs="x"), "runs: must be a list"),
    "huge number": (set_to("runs", 0, "number", 2**31), "runs[0].number: must be from 0 to 2147483647"),
    "negative": (set_to("rejections", 0, "count", -1), "rejections[0].count: must be from 0"),
    "NUL": (set_to("runs", 0, "description", "a\0b"), "runs[0].description: has a character that no text"),
    "surrogate": (set_to("runs", 0, "description", "\ud800"), "runs[0].description: has a character"),
    "long name": (set_to("submissions", 0, "filename", "x" * 256), "submissions[0].filename: has 256"),
    "no hash": (set_to("submissions", 0, "sha256", "abc"), "submissions[0].sha256: must be 64 hexadecimal"),
    "no hash of a file that is not here": (
        set_to("rejections", 0, "sha256", "abc"),
        "rejections[0].sha256: must be 64 hexadecimal",
    ),
    "no time": (set_to("runs", 0, "created_at", "yesterday"), "runs[0].created_at: must be a date and time"),
    "no offset": (
        set_to("runs", 0, "created_at", "2026-03-01T00:00:00"),
        "runs[0].created_at: must have an offset",
    ),
    "far year": (
        set_to("runs", 0, "created_at", "9999-12-31T23:59:59Z"),
        "runs[0].created_at: must have an offset from UTC, and lie in the years 1970 to 9000",
    ),
    "other schema": (
        lambda values: values.update(schema="assay.history/2"),
        'schema: must be "assay.history/1"',
    ),
    "future": (
        set_to("runs", 0, "created_at", "2030-01-01T00:00:00Z"),
        "runs[0].created_at: 2030-01-01T00:00:00+00:00 is still to come",
    ),
    "other hash": (
        set_to("submissions", OLDER, "sha256", "0" * 64),
        "submissions[4].sha256: no file of the bundle has this SHA-256",
    ),
    "outside": (
        set_to("submissions", OLDER, "sha256", "../../secret"),
        "submissions[4].sha256: must be 64 hexadecimal digits",
    ),
    "absolute": (set_to("gold", 0, "sha256", "/etc/passwd"), "gold[0].sha256: must be 64 hexadecimal digits"),
    "no text": (
        set_to("releases", 0, "sha256", "0" * 64),
        "releases[0].sha256: no file of the bundle has this SHA-256",
    ),
    "other size": (set_to("submissions", OLDER, "size", 1), "submissions[4].size: is not that of the file"),
    "other kind of picture": (
        set_to("task_files", 0, "content_type", "image/svg+xml"),
        "task_files[0].sha256: the file is no such picture, or has metadata",
    ),
    "name of no picture": (
        set_to("task_files", 0, "name", "../lake.png"),
        "task_files[0].name: must be lower-case letters, digits and hyphens",
    ),
    "kit file of another kind": (
        set_to("task_files", 1, "content_type", "application/zip"),
        "task_files[1].sha256: the file is neither such a text nor such a zip of texts",
    ),
    "kit file outside": (
        set_to("task_files", 1, "name", "../start.py"),
        "task_files[1].name: must be letters, digits, dots, hyphens and underscores",
    ),
    "kit file as logo": (
        set_to("task_files", 1, "is_logo", True),
        "task_files: only one picture can be the logo",
    ),
    "kit file with hidden gold": (
        lambda values: values["task_files"][1].update(sha256=values["gold"][1]["sha256"]),
        "task_files[1].sha256: the file contains hidden gold labels of p2s/test",
    ),
    "unknown person": (
        set_to("gold", 3, "made_by", "person 9"),
        'gold[3].made_by: there is no person "person 9"',
    ),
    "person as number": (set_to("gold", 3, "made_by", 1), "gold[3].made_by: there is no person 1"),
    "unknown team": (set_to("members", 0, "team", 9), "members[0].team: there is no team 9"),
    "number zero": (set_to("members", 0, "team", 0), "members[0].team: there is no team 0"),
    "reference to a list": (set_to("members", 0, "team", [1]), "members[0].team: must be a number or a name"),
    "member twice": (twice("members", 0), "members[2]: two rows have the same user"),
    "team twice": (
        lambda values: values["teams"].append({**values["teams"][1], "name": "BIRCH"}),
        "teams[2]: two rows have the same name_key",
    ),
    "other key": (set_to("teams", 1, "name_key", "birch 2"), "teams[1].name_key: is not that of the name"),
    "slash": (set_to("teams", 1, "name", "a/b"), "teams[1].name: must be a name of one line"),
    "unknown phase": (set_to("runs", 0, "phase", "later"), 'runs[0].phase: there is no phase "later"'),
    "flag of nothing": (
        lambda values: values["flags"].append(
            {"submission": 99, "code": "odd", "words": "", "made_at": "2026-03-10T12:00:00Z"}
        ),
        "flags[0].submission: there is no submission 99",
    ),
    "announced to nobody": (
        lambda values: values["announcements"].append(
            {
                "title": "T",
                "text": "",
                "audience": "incomplete",
                "made_at": "2026-03-10T12:00:00Z",
                "phase": "later",
            }
        ),
        'announcements[0].phase: there is no phase "later"',
    ),
    "announced to no team": (
        lambda values: values["announcements"].append(
            {"title": "T", "text": "", "audience": "chosen", "made_at": "2026-03-10T12:00:00Z"}
        ),
        "announcements[0].audience: does not fit the teams",
    ),
    "reminded nobody": (
        lambda values: values["reminders"].append(
            {
                "phase": "evaluation",
                "team": 9,
                "closes": "2026-03-10T12:00:00Z",
                "hours": 1,
                "sent_at": "2026-03-10T12:00:00Z",
            }
        ),
        "reminders[0].team: there is no team 9",
    ),
    "unknown run": (set_to("submissions", OLDER, "run", 99), "submissions[4].run: there is no run 99"),
    "unknown level": (set_to("rejections", 0, "level", "x"), 'rejections[0].level: there is no level "x"'),
    "level not in phase": (
        set_to("submissions", 0, "level", "s2p"),
        "submissions[0].level: s2p has no items in the phase practice",
    ),
    "unknown baseline": (
        set_to("runs", 0, "baseline", "bert"),
        'runs[0].baseline: there is no baseline "bert"',
    ),
    "run twice": (twice("runs", 2), "runs[4]: two rows have the same team, phase, name"),
    "two primary": (set_to("runs", 3, "is_primary", True), "runs: birch has two primary runs in evaluation"),
    "no link": (set_to("runs", 0, "links", "javascript:x"), "runs[0].links: each line is an address"),
    "run withdrawn twice": (twice("run_withdrawals", 1), "run_withdrawals[2].withdrawn: changes nothing"),
    "withdrawal of no run": (
        set_to("run_withdrawals", 0, "run", 99),
        "run_withdrawals[0].run: there is no run 99",
    ),
    "baseline removed": (
        set_to("run_withdrawals", 0, "run", 1),
        "runs: the baseline organizers, LCS in practice is not as task.toml has it",
    ),
    "run withdrawn early": (
        set_to("run_withdrawals", 0, "made_at", "2026-02-02T00:00:00Z"),
        "run_withdrawals[0].made_at: is before the run was added",
    ),
    "withdrawn run counts": (
        gone("run_withdrawals", 1),
        "submissions: the file of birch, one at p2s in evaluation that counts is not the one",
    ),
    "run number twice": (
        lambda values: values["runs"].append({**values["runs"][2], "name": "other"}),
        "runs[4]: two rows have the same phase, team, number",
    ),
    "gold numbers": (set_to("gold", 2, "number", 7), "gold of s2p/test: its numbers must be 1, 2, 3"),
    "gold of nowhere": (
        set_to("gold", 0, "split", "p2s/training"),
        'gold[0].split: there is no split "p2s/training"',
    ),
    "gold left out": (gone("gold", 3), "gold_events[3].gold_version: there is no gold_version 4"),
    "salt": (set_to("gold", 3, "salt", "x"), "gold[3].salt: must be 64 hexadecimal digits"),
    "scored with other gold": (
        set_to("scores", 0, "gold_version", 3),
        "scores[0].gold_version: is of other items than the file",
    ),
    "never scored": (
        lambda values: values.update(
            scores=[row for row in values["scores"] if row["submission"] != OLDER + 1]
        ),
        "submissions[4]: was scored against no gold version",
    ),
    "terms left out": (gone("terms", 0), "terms: the newest version is not the text that task.toml has"),
    "acceptance of nothing": (
        lambda values: values["acceptances"].append(
            {"terms_version": 2, "user": "person 1", "accepted_at": "2026-03-10T12:00:00Z"}
        ),
        "acceptances[0].terms_version: there is no terms_version 2",
    ),
    "withdrawn twice": (twice("withdrawals", 0), "withdrawals[1].withdrawn: changes nothing"),
    "withdrawal of nothing": (
        set_to("withdrawals", 0, "submission", 99),
        "withdrawals[0].submission: there is no submission 99",
    ),
    "another counts": (
        gone("withdrawals", 0),
        "submissions: the file of birch, one at p2s in evaluation that counts is not the one",
    ),
    "late is not late": (
        set_to("submissions", LATER, "late", False),
        "submissions: the late file of birch, one at p2s in evaluation that counts is not the one",
    ),
    "baseline is none": (without("runs", 1, "baseline"), "runs: the baseline organizers, LCS in evaluation"),
    "rejection count": (
        set_to("rejections", 0, "count", 0),
        "rejections[0].count: is less than the problems",
    ),
    "release of nowhere": (set_to("releases", 0, "phase", "x"), 'releases[0].phase: there is no phase "x"'),
    "release numbers": (set_to("releases", 0, "number", 2), "releases of evaluation: its numbers must be 1"),
    "note": (
        set_to("releases", 0, "note", "x" * 1001),
        "releases[0].note: must have 1 to 1000 characters",
    ),
    "withdrawal without reason": (
        lambda values: values["release_withdrawals"].append(
            {"release": 1, "made_at": "2026-03-20T00:00:00Z"}
        ),
        "release_withdrawals[0].reason: is missing",
    ),
    "withdrawn before its release": (
        lambda values: values["release_withdrawals"].append(
            {"release": 1, "made_at": "2026-03-02T00:00:00Z", "reason": "early"}
        ),
        "release_withdrawals[0].made_at: is before the release",
    ),
    "release without a seal": (gone("release_seals", 0), "releases[0].sha256: has no signed statement"),
    "gold in force": (gone("gold_events", -1), "gold: task.toml has another file in force for s2p, test"),
    "gold event": (set_to("gold_events", 0, "event", "lost"), "gold_events[0].event: must be one of"),
    "event of no gold": (
        set_to("gold_events", 0, "gold_version", 9),
        "gold_events[0].gold_version: there is no gold_version 9",
    ),
    "rules of no metric": (
        lambda values: values["releases"][0]["rules"]["levels"][0].update(metrics=["magic"]),
        "releases[0].rules.levels[0].metrics: magic is no metric",
    ),
    "rules of an unknown kind": (
        lambda values: values["releases"][0]["rules"].update(schema="x"),
        "releases[0].rules.schema: must be",
    ),
    "ladder without end": (
        lambda values: values["releases"][0]["rules"]["feedback"].update(step=float("inf")),
        "releases[0].rules.feedback.step: must be a finite number, not inf",
    ),
    "gold published as a run": (
        lambda values: values["releases"][0]["files"][0].update(sha256=values["gold"][0]["sha256"]),
        "releases[0].files[0].submission: is not the submission with this file",
    ),
    "published file of nobody": (
        lambda values: values["releases"][0]["files"][0].update(submission=99),
        "releases[0].files[0].submission: is not the submission with this file",
    ),
    "published outside": (
        lambda values: values["releases"][0]["files"][0].update(path="../up/p2s.tsv"),
        "releases[0].files[0].path: must be TEAM/RUN/FILE",
    ),
    "names of nothing": (
        lambda values: values["release_namings"].append({"release": 1, "made_at": "2026-03-30T00:00:00Z"}),
        "release_namings[0].release: has no board with names",
    ),
    "team name that turns the text": (
        set_to("teams", 0, "name", "ash \u202e gnp"),
        "teams[0].name: must be a name of one line, without controls",
    ),
    "pseudonym of no team": (
        lambda values: values.update(pseudonyms=[{"phase": "evaluation", "team": 9, "name": "Team A"}]),
        "pseudonyms[0].team: there is no team 9",
    ),
}


def test_impossible_history_record_is_named(exported: Path, second_site: Site) -> None:
    path, wrong = exported / "history.json", {}
    whole = path.read_bytes()
    for name, (edit, message) in CHANGES.items():
        change(exported, edit)
        messages = rejection(second_site, exported)
        if not any(line.startswith(f"history.json: {message}") for line in messages):
            wrong[name] = messages
        path.write_bytes(whole)
    assert wrong == {}


def test_history_with_different_json_layout_is_accepted(exported: Path, second_site: Site) -> None:
    """Guards the test above: what it changes the history with changes nothing else."""
    change(exported, lambda values: values.update(values))
    assert bring(second_site, exported).slug == "small"


def test_every_invalid_record_is_named_at_once(exported: Path, second_site: Site) -> None:
    change(exported, set_to("gold", 0, "sha256", "nowhere"))
    change(exported, set_to("members", 0, "team", 9))
    change(exported, set_to("runs", 0, "number", "one"))
    change(exported, set_to("withdrawals", 0, "submission", 99))
    messages = "\n".join(rejection(second_site, exported))
    assert "gold[0].sha256" in messages
    assert "members[0].team" in messages
    assert "runs[0].number" in messages
    assert "withdrawals[0].submission" in messages


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"{", "is not valid JSON: "),
        (b"\xff\xfe", "is not valid JSON: "),
        (b"[" * 100_000, "is not valid JSON: "),
        (b"[]", "schema: must be"),
        (b'{"schema": "assay.history/1", "created_at": ' + b"9" * 5000 + b"}", "is not valid JSON: "),
        (b"", "is not valid JSON: "),
    ],
    ids=["broken", "bytes", "deep", "list", "long number", "empty"],
)
def test_file_that_is_not_a_history_is_one_problem(
    exported: Path, second_site: Site, data: bytes, message: str
) -> None:
    (exported / "history.json").write_bytes(data)
    (problem,) = rejection(second_site, exported)
    assert problem.startswith(f"history.json: {message}")


def test_file_changed_after_the_export_is_rejected(exported: Path, second_site: Site) -> None:
    (exported / "runs" / "evaluation" / "birch" / "one" / "p2s.tsv").write_text("4\n3\n2\n1\n", "utf-8")
    (problem,) = rejection(second_site, exported)
    assert f"submissions[{COUNTING}].sha256: no file of the bundle has this SHA-256" in problem


def test_symlink_to_outside_the_history_is_rejected(
    exported: Path, second_site: Site, tmp_path: Path
) -> None:
    first = json.loads((exported / "history.json").read_text(encoding="utf-8"))["gold"][2]["sha256"]
    path = exported / "history" / "files" / first
    (tmp_path / "secret").write_bytes(path.read_bytes())
    path.unlink()
    path.symlink_to(tmp_path / "secret")
    (problem,) = rejection(second_site, exported)
    assert problem.startswith("history.json: gold[2].sha256: no file of the bundle has this SHA-256")


def rehash(folder: Path, part: str, number: int, data: bytes, field: str = "sha256") -> str:
    """Add a file with other bytes in place of a row's file, and return its path."""
    sha256 = hashlib.sha256(data).hexdigest()
    (folder / "history" / "files" / sha256).write_bytes(data)
    change(folder, set_to(part, number, field, sha256))
    return f"history/files/{sha256}"


def test_history_file_that_is_not_a_run_is_rejected_with_its_line(exported: Path, second_site: Site) -> None:
    rehash(exported, "submissions", OLDER, b"1\nx\n2\n3\n")
    change(exported, set_to("submissions", OLDER, "size", 8))
    change(exported, lambda values: values.update(receipts=[]))
    (problem,) = rejection(second_site, exported)
    assert ':2: score "x" is not a number' in problem


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('"late": false', '"late": true', "the signature of"),
        ('"schema": "assay.receipt/1"', '"schema": "assay.receipt/9"', "schema"),
        ("{", "[", "is no JSON"),
        ("", None, "is the receipt of another file"),
    ],
)
def test_receipt_not_issued_by_its_site_for_the_file_is_rejected(
    exported: Path, second_site: Site, old: str, new: str | None, words: str
) -> None:
    receipts = json.loads((exported / "history.json").read_text(encoding="utf-8"))["receipts"]
    texts = [
        (exported / "history" / "files" / receipt["text"]).read_text(encoding="utf-8") for receipt in receipts
    ]
    text = texts[1] if new is None else texts[0].replace(old, new, 1)
    rehash(exported, "receipts", 0, text.encode(), "text")
    (problem,) = rejection(second_site, exported)
    assert "receipts[0].text: " in problem
    assert words in problem


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"\xff", "the file with this SHA-256 is not UTF-8"),
        (b"Be\0kind.", "has a character that no text has"),
    ],
)
def test_file_that_is_no_text_is_rejected(
    exported: Path, second_site: Site, data: bytes, message: str
) -> None:
    rehash(exported, "terms", 0, data, "text")
    assert rejection(second_site, exported) == [f"history.json: terms[0].text: {message}"]


def test_older_gold_versions_are_read_too(exported: Path, second_site: Site) -> None:
    path = rehash(exported, "gold", 2, b"1\n2\n3\n7\n")
    (problem,) = rejection(second_site, exported)
    assert f"{path}: item News-4 has the gold label 7, which is outside the scale" in problem


BOARDS: dict[str, Change] = {
    "other schema": lambda board: board.update(schema="x"),
    "no levels": lambda board: board.pop("levels"),
    "value is text": lambda board: board["official"][0]["levels"]["p2s"]["pearson"].update(value="1"),
    "value is endless": lambda board: board["official"][0]["levels"]["p2s"]["pearson"].update(value=1e400),
    "value is vast": lambda board: board["official"][0]["levels"]["p2s"]["pearson"].update(value=10**400),
    "level without cells": lambda board: board["official"][0]["levels"].pop("s2p"),
    "no reason": lambda board: board["official"][0]["levels"]["s2p"]["pearson"].pop("undefined"),
    "no total": lambda board: board["official"][0]["total"].clear(),
    "odd rule": lambda board: board["rules"].update(total="max"),
    "no metrics": lambda board: board["levels"][0].update(metrics=[]),
    "team is a list": lambda board: board["late"][0].update(team=["x"]),
}


def test_release_that_is_not_a_board_is_rejected(exported: Path, second_site: Site) -> None:
    sha256 = json.loads((exported / "history.json").read_text(encoding="utf-8"))["releases"][0]["sha256"]
    whole = (exported / "history" / "files" / sha256).read_text(encoding="utf-8")
    for name, break_it in BOARDS.items():
        board = json.loads(whole)
        break_it(board)
        rehash(exported, "releases", 0, json.dumps(board).encode())
        first, *others = rejection(second_site, exported)
        expected = "history.json: releases[0].sha256: is not a board as `scorer board"
        assert first.startswith(expected), name
        assert all("sign" in other for other in others)  # what was signed is another board


def test_import_plan_needs_no_database_and_files_are_stored_before_the_lock(
    exported: Path, second_site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = bundles.plan_import(exported)
    bundles.keep_files(second_site.storage, plan)
    kept = []
    monkeypatch.setattr(type(second_site.storage), "put", lambda _self, data: kept.append(data) or "0" * 64)
    assert plan.history is not None
    assert all(second_site.storage.has(sha256) for sha256 in plan.history.stored)
    session = second_site.session()
    with db.writing(session):
        bundles.import_task(session, CONSOLE, plan, [], AFTER, published=True)
    assert len(kept) == 3  # the items; every file of the history was there
