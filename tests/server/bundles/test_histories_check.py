"""An untrusted history is rejected as a whole: each invalid record is named, and nothing is changed."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import fields
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select

from server import bundles
from server.access import terms
from server.bundles.models import Attribution
from server.bundles.task_history.records import TaskHistory
from server.bundles.task_history.tables import TABLES
from server.core import db
from server.core.actors import CONSOLE
from server.core.errors import InvalidFile
from server.core.site_resources import Site
from server.runs import editing as run_editing
from server.runs import withdrawals as run_withdrawals
from server.runs.models import Run
from server.submissions import eligibility
from server.submissions import service as submissions
from server.submissions.eligibility import ReceivedFile
from server.submissions.models import Submission
from server.tasks.models import Task
from server.teams.models import Team
from tests.server.round_trip import bring, packed, unpack
from tests.server.small_task import variant
from tests.server.world import AFTER, DURING, LATE, World

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
            world.storage,
            actor,
            ReceivedFile(
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
        'submissions[4].file: "history/files/',
    ),
    "outside": (
        set_to("submissions", OLDER, "file", "../../secret"),
        'submissions[4].file: "../../secret" lies outside the bundle',
    ),
    "absolute": (set_to("gold", 0, "file", "/etc/passwd"), 'gold[0].file: "/etc/passwd" lies outside'),
    "no file": (set_to("releases", 0, "file", "history"), 'releases[0].file: there is no file "history"'),
    "unknown person": (set_to("gold", 3, "made_by", "person 9"), 'gold[3].made_by: "person 9" is not in'),
    "person twice": (twice("people", 0), "people[3]: occurs twice"),
    "unknown team": (set_to("members", 0, "team", "elm"), 'members[0].team: there is no team "elm"'),
    "member twice": (twice("members", 0), "members[2]: occurs twice"),
    "team twice": (
        lambda values: values["teams"].append({**values["teams"][1], "name": "BIRCH"}),
        "teams[2]: occurs twice",
    ),
    "slash": (set_to("teams", 1, "name", "a/b"), "teams[1].name: must be a name of one line"),
    "unknown phase": (set_to("runs", 0, "phase", "later"), 'runs[0].phase: there is no phase "later"'),
    "flag of nothing": (
        lambda values: values["flags"].append(
            {"submission": 99, "code": "odd", "words": "", "made_at": "2026-03-10T12:00:00Z"}
        ),
        "flags[0]: there is no such submission",
    ),
    "announced to nobody": (
        lambda values: values["announcements"].append(
            {"title": "T", "text": "", "made_at": "2026-03-10T12:00:00Z", "phase": "later"}
        ),
        'announcements[0].phase: there is no phase "later"',
    ),
    "reminded nobody": (
        lambda values: values["reminders"].append(
            {
                "phase": "evaluation",
                "team": "elm",
                "closes": "2026-03-10T12:00:00Z",
                "hours": 1,
                "sent_at": "2026-03-10T12:00:00Z",
            }
        ),
        'reminders[0].team: there is no team "elm"',
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
    "run twice": (twice("runs", 2), "runs[4]: occurs twice"),
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
    "ids out of order": (set_to("submissions", 1, "id", 9), "submissions[2].id: ids grow in the order"),
    "file with a name that is too long": (
        set_to("submissions", 0, "file", "x" * 300),
        "submissions[0].file: there is no file",
    ),
    "gold numbers": (set_to("gold", 2, "number", 7), "gold of s2p, test: its numbers must be 1, 2, 3"),
    "gold of nowhere": (
        set_to("gold", 0, "split", "training"),
        "gold[0]: there is no level p2s with a split",
    ),
    "gold left out": (gone("gold", 3), "gold: task.toml has another file in force for s2p, test"),
    "terms left out": (gone("terms", 0), "terms: the newest version is not the text that task.toml has"),
    "acceptance of nothing": (
        lambda values: values["acceptances"].append(
            {"number": 2, "person": "person 1", "accepted_at": "2026-03-10T12:00:00Z"}
        ),
        "acceptances[0].number: there is no such version of the terms",
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
        set_to("releases", 0, "withdrawn_at", "2026-03-20T00:00:00Z"),
        "releases[0]: a withdrawal has a time and a reason",
    ),
    "withdrawn before its release": (
        lambda values: values["releases"][0].update(
            withdrawn_at="2026-03-02T00:00:00Z", withdrawn_reason="early"
        ),
        "releases[0].withdrawn_at: is before the release",
    ),
    "gold in force": (gone("gold_events", -1), "gold: task.toml has another file in force for s2p, test"),
    "gold event": (set_to("gold_events", 0, "event", "lost"), "gold_events[0].event: must be one of"),
    "event of no gold": (set_to("gold_events", 0, "number", 9), "gold_events[0]: there is no such gold"),
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
        "releases[0].rules.feedback.step: must be from 0",
    ),
    "gold published as a run": (
        lambda values: values["releases"][0]["published"]["files"][0].update(
            sha256=values["gold"][0]["sha256"]
        ),
        "releases[0].published[0].sha256: no run of this history has such a file",
    ),
    "published outside": (
        lambda values: values["releases"][0]["published"]["files"][0].update(path="../up/p2s.tsv"),
        "releases[0].published[0].path: must be TEAM/RUN/FILE",
    ),
    "names of nothing": (
        set_to("releases", 0, "named_at", "2026-03-30T00:00:00Z"),
        "releases[0].named_file: is missing",
    ),
    "team name that turns the text": (
        set_to("teams", 0, "name", "ash \u202e gnp"),
        "teams[0].name: must be a name of one line, without controls",
    ),
    "pseudonym of no team": (
        lambda values: values.update(pseudonyms=[{"phase": "evaluation", "team": "elm", "name": "Team A"}]),
        "pseudonyms[0]: there is no such phase, or no such team",
    ),
}


def test_impossible_history_record_is_named(exported: Path, second_site: Site) -> None:
    path, wrong = exported / "history.json", {}
    whole = path.read_bytes()
    for name, (edit, message) in CHANGES.items():
        change(exported, edit)
        told = rejection(second_site, exported)
        if not any(line.startswith(f"history.json: {message}") for line in told):
            wrong[name] = told
        path.write_bytes(whole)
    assert wrong == {}


def test_history_with_different_json_layout_is_accepted(exported: Path, second_site: Site) -> None:
    """Guards the test above: what it changes the history with changes nothing else."""
    change(exported, lambda values: values.update(values))
    assert bring(second_site, exported).slug == "small"


def test_every_history_list_except_people_is_checked_against_its_table() -> None:
    lists = {item.name for item in fields(TaskHistory)} - {"created_at"}
    assert set(TABLES) == lists - {"people"}


def test_every_invalid_record_is_named_at_once(exported: Path, second_site: Site) -> None:
    change(exported, set_to("gold", 0, "file", "nowhere"))
    change(exported, set_to("members", 0, "team", "elm"))
    change(exported, set_to("withdrawals", 0, "submission", 99))
    told = "\n".join(rejection(second_site, exported))
    assert "gold[0].file" in told
    assert "members[0].team" in told
    assert "withdrawals[0].submission" in told


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
    (told,) = rejection(second_site, exported)
    assert told.startswith(f"history.json: {message}")


def test_file_changed_after_the_export_is_rejected(exported: Path, second_site: Site) -> None:
    (exported / "runs" / "evaluation" / "birch" / "one" / "p2s.tsv").write_text("4\n3\n2\n1\n", "utf-8")
    (told,) = rejection(second_site, exported)
    assert "is not the file that was exported: its SHA-256 differs" in told


def test_symlink_to_outside_the_history_is_rejected(
    exported: Path, second_site: Site, tmp_path: Path
) -> None:
    (path,) = exported.glob("history/gold/test/*")
    (tmp_path / "secret").write_bytes(path.read_bytes())
    path.unlink()
    path.symlink_to(tmp_path / "secret")
    assert any("lies outside the bundle" in line for line in rejection(second_site, exported))


def rehash(folder: Path, part: str, number: int, data: bytes) -> None:
    """Put other bytes in a record's file, with their hash."""
    values = json.loads((folder / "history.json").read_text(encoding="utf-8"))
    record = values[part][number]
    (folder / record["file"]).write_bytes(data)
    change(folder, set_to(part, number, "sha256", hashlib.sha256(data).hexdigest()))


def test_history_file_that_is_not_a_run_is_rejected_with_its_line(exported: Path, second_site: Site) -> None:
    rehash(exported, "submissions", OLDER, b"1\nx\n2\n3\n")
    change(exported, set_to("submissions", OLDER, "receipt", None))
    change(exported, set_to("submissions", OLDER, "receipt_sha256", None))
    (told,) = rejection(second_site, exported)
    assert ':2: score "x" is not a number' in told


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
    records = json.loads((exported / "history.json").read_text(encoding="utf-8"))["submissions"]
    kept = [record["receipt"] for record in records if "receipt" in record]
    text = (exported / kept[0]).read_text(encoding="utf-8")
    text = (exported / kept[1]).read_text(encoding="utf-8") if new is None else text.replace(old, new, 1)
    (exported / kept[0]).write_text(text, encoding="utf-8")
    number = next(k for k, record in enumerate(records) if record.get("receipt") == kept[0])
    change(
        exported, set_to("submissions", number, "receipt_sha256", hashlib.sha256(text.encode()).hexdigest())
    )
    (told,) = rejection(second_site, exported)
    assert f"submissions[{number}].receipt: " in told
    assert words in told


def test_older_gold_versions_are_read_too(exported: Path, second_site: Site) -> None:
    rehash(exported, "gold", 2, b"1\n2\n3\n7\n")
    (told,) = rejection(second_site, exported)
    assert "history/gold/test/1-s2p.tsv: item News-4 has the gold label 7, which is outside the scale" in told


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
    whole = (exported / "history/releases/evaluation-1.json").read_text(encoding="utf-8")
    for name, break_it in BOARDS.items():
        board = json.loads(whole)
        break_it(board)
        rehash(exported, "releases", 0, json.dumps(board).encode())
        told, *others = rejection(second_site, exported)
        expected = "history.json: releases[0].file: is not a board as `scorer board"
        assert told.startswith(expected), name
        assert all(".seals[0]" in other for other in others)  # what was signed is another board


def test_import_plan_needs_no_database_and_files_are_stored_before_the_lock(
    exported: Path, second_site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = bundles.plan_import(exported)
    bundles.keep_files(second_site.storage, plan)
    kept = []
    monkeypatch.setattr(type(second_site.storage), "put", lambda _self, data: kept.append(data) or "0" * 64)
    assert plan.history is not None
    assert all(second_site.storage.has(sha256) for sha256 in plan.history.files)
    session = second_site.session()
    with db.writing(session):
        bundles.import_task(session, second_site.storage, CONSOLE, plan, [], AFTER, published=True)
    assert len(kept) == 3  # the items; every file of the history was there
