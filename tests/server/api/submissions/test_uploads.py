"""Uploads in the API: scored in the answer or rejected with every bad line, and counted once."""

import hashlib
import json
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from io import BytesIO
from pathlib import Path
from threading import Barrier
from zipfile import ZipFile

import pytest
from werkzeug.test import TestResponse

from server import bundles
from server.accounts.models import IdempotencyKey
from server.core import db
from server.core.actors import CONSOLE
from server.submissions import uploads
from server.submissions.models import Rejection, Submission
from server.web.rest.schemas import LineProblem
from tests.server.programs import Program
from tests.server.small_task import GOOD, TASK, variant, write_bundle
from tests.server.world import AFTER, DURING, LATE, OPENS, World

pytestmark = pytest.mark.one_database


def path(world: World, phase: str = "evaluation") -> str:
    return f"/runs/{world.run('one', phase).id}/files/p2s"


def count(world: World) -> int:
    return world.session.query(Submission).filter(Submission.submitted_by.is_not(None)).count()


def test_upload_answers_with_receipt_and_with_scores_if_the_phase_shows_them(world: World) -> None:
    bo = Program(world, "bo", "submit")
    answer = bo.upload(path(world), GOOD, "my run.tsv")
    assert answer.status_code == 201
    stored = answer.json["submission"]
    assert (answer.json["state"], answer.json["scores"], answer.json["counts"]) == ("stored", None, True)
    assert (stored["sha256"], stored["late"]) == (hashlib.sha256(GOOD).hexdigest(), False)
    assert (stored["arrived_at"], stored["run"]) == (DURING.isoformat(), "one")
    assert json.loads(answer.json["receipt"])["signed"]["receipt"] == stored["id"]
    scored = bo.upload(path(world, "practice"), b"1\n2\n3\n4\n").json
    assert scored["state"] == "scored"
    assert [(one["metric"], round(one["value"], 4)) for one in scored["scores"]] == [
        ("pearson", 0.9827),
        ("spearman", 1.0),
    ]
    world.set_clock(DURING + timedelta(minutes=1))
    again = bo.upload(path(world), GOOD)
    assert (again.status_code, again.json) == (200, {**answer.json, "new": False})
    world.set_clock(LATE)
    assert bo.upload(path(world), variant(1)).json["submission"]["late"] is True


def test_problem_code_says_why_an_upload_is_rejected(world: World, tmp_path: Path) -> None:
    bo, run = Program(world, "bo"), world.run()
    assert bo.post(f"/runs/{run.id}/withdraw").status_code == 204
    assert bo.upload(path(world), GOOD).json["code"] == "run_withdrawn"
    waits = TASK.replace('slug = "small"', 'slug = "waits"').replace(', gold = "s2p.test.gold"', "")
    plan = bundles.plan_import(write_bundle(tmp_path / "waits", waits))
    with db.writing(world.session):
        bundles.import_task(world.session, CONSOLE, plan, [world.user("ada")], OPENS, published=True)
    dee = Program(world, "dee")
    assert dee.post("/tasks/waits/teams", {"name": "alder"}).status_code == 201
    made = dee.post("/tasks/waits/phases/evaluation/runs", {"name": "one"}).json
    refused = dee.upload(f"/runs/{made['id']}/files/s2p", GOOD)
    assert (refused.status_code, refused.json["code"]) == (409, "no_gold")
    assert count(world) == 0


def test_every_bad_line_is_reported_and_nothing_is_stored(world: World) -> None:
    bo = Program(world, "bo")
    answer = bo.upload(path(world), b"0.5\nn/a\n\n3,5\n", "my run.tsv", key="bad")
    assert (answer.status_code, answer.mimetype) == (422, "application/problem+json")
    assert (answer.json["code"], answer.json["count"]) == ("refused", 3)
    assert [(one["source"], one["line"]) for one in answer.json["problems"]] == [
        ("my run.tsv", 2),
        ("my run.tsv", 3),
        ("my run.tsv", 4),
    ]
    assert (count(world), world.session.query(Rejection).count()) == (0, 1)
    assert bo.upload(path(world), GOOD, key="bad").status_code == 201


@pytest.mark.parametrize("whole", [False, True], ids=["file", "run"])
def test_unknown_parts_of_a_form_are_rejected(world: World, whole: bool) -> None:
    bo, where = Program(world, "bo"), path(world)
    where = where.rpartition("/")[0] if whole else where
    for name, value in (("level", "s2p"), ("other", (BytesIO(GOOD), "b.tsv"))):
        refused = bo.open(where, "POST", data={"file": (BytesIO(GOOD), "p2s.tsv"), name: value})
        assert (refused.status_code, refused.json["fields"][0]["in"]) == (422, "form")
        said = f"There is no field “{name}”. Known fields: sure, first_is_score, file."
        assert [one["detail"] for one in refused.json["fields"]] == [said]
    assert count(world) == 0


def test_upload_with_an_idempotency_key_is_stored_once_and_answered_the_same(world: World) -> None:
    bo = Program(world, "bo")
    first = bo.upload(path(world), GOOD, key="monday-1")
    bo.upload(path(world), variant(1))
    world.set_clock(AFTER - uploads.KEY_LIFETIME / 2)  # when the phase no longer accepts files
    again = bo.upload(path(world), GOOD, key="monday-1")
    assert (again.status_code, again.headers["Idempotency-Replayed"]) == (201, "true")
    assert again.json == {**first.json, "counts": False}
    assert "Idempotency-Replayed" not in first.headers
    for where, data in ((path(world), variant(2)), (path(world, "practice"), GOOD)):
        other = bo.upload(where, data, key="monday-1")
        assert (other.status_code, other.json["code"]) == (422, "key_reused")
    assert count(world) == 2
    assert Program(world, "cy").upload(path(world, "practice"), GOOD, key="monday-1").status_code == 201


@pytest.mark.parametrize("key", ["", "two words", "x" * 256, "é"])
def test_idempotency_key_is_visible_ascii(world: World, key: str) -> None:
    answer = Program(world, "bo").upload(path(world), GOOD, key=key)
    assert answer.status_code == 422
    assert answer.json["fields"][0]["field"] == "Idempotency-Key"


def test_expired_idempotency_key_can_be_reused_and_is_deleted(world: World) -> None:
    bo = Program(world, "bo")
    bo.upload(path(world, "practice"), GOOD, key="k")
    world.set_clock(DURING + uploads.KEY_LIFETIME)
    assert bo.upload(path(world, "practice"), variant(1), key="k").status_code == 201
    assert world.session.query(IdempotencyKey).count() == 1
    with db.writing(world.session):
        uploads.delete_expired_keys(world.session, DURING + 3 * uploads.KEY_LIFETIME)
    assert world.session.query(IdempotencyKey).count() == 0


@pytest.mark.parametrize(
    ("person", "scope", "status"),
    [("cy", "submit", 201), ("bo", "read", 403), ("dee", "submit", 404), ("ada", "organize", 403)],
)
def test_only_team_members_with_a_submit_token_may_upload(
    world: World, person: str, scope: str, status: int
) -> None:
    assert Program(world, person, scope).upload(path(world), GOOD).status_code == status


def test_cookie_does_not_authenticate_and_body_limit_depends_on_the_level(world: World) -> None:
    bo, where = world.client("bo"), f"/api/v1{path(world)}"
    assert (bo.upload(where, GOOD).status_code, count(world)) == (401, 0)
    limit = 64 * 1024 + 4 * 256
    answer = Program(world, "bo").upload(path(world), b"0" * (limit + 9000))
    assert (answer.status_code, answer.json["code"]) == (413, "too_large")
    answer = Program(world, "bo").upload(path(world), b"0" * (limit + 1))
    assert (answer.status_code, answer.json["code"]) == (413, "too_large")


def test_a_file_is_checked_as_an_upload_would_be_and_nothing_is_stored(world: World) -> None:
    bo, where = Program(world, "bo"), path(world)
    check = where.replace("/files", "/check")
    checked = bo.upload(check, b"2\n2\n2\n2\n", "my run.tsv").json
    assert (checked["level"], checked["filename"], checked["same"]) == ("p2s", "my run.tsv", False)
    assert "my run.tsv" in checked["warnings"][0]
    bad = bo.upload(check, b"0.5\nn/a\n", "my run.tsv")
    assert all(one.keys() == LineProblem().fields.keys() for one in bad.json["problems"])
    assert (count(world), world.session.query(Rejection).count()) == (0, 0)
    assert bo.upload(where, b"0.5\nn/a\n", "my run.tsv").json == bad.json
    (listed,) = bo.get(f"/runs/{world.run().id}/rejections").json["items"]
    assert (listed["filename"], listed["count"], listed["level"]) == ("my run.tsv", 2, "p2s")
    read = bo.get(f"/rejections/{listed['id']}").json
    assert [one["line"] for one in read["problems"]] == [one["line"] for one in bad.json["problems"]]
    assert bo.upload(where, GOOD).status_code == 201
    assert bo.upload(check, GOOD).json["same"] is True
    world.set_clock(AFTER)
    assert bo.upload(check, GOOD).json == bo.upload(where, GOOD).json


def test_each_file_of_a_rejected_run_has_the_problem_code_it_would_have_alone(world: World) -> None:
    bo, zipped = Program(world, "bo"), BytesIO()
    with ZipFile(zipped, "w") as package:
        package.writestr("../s2p.tsv", GOOD)

    def refused(*files: tuple[str, bytes]) -> list[tuple[str, str]]:
        sent = [(BytesIO(data), name) for name, data in files]
        answer = bo.open(f"/runs/{world.run().id}/files", "POST", data={"file": sent})
        assert (answer.status_code, answer.json["code"]) == (422, "run_refused")
        return [(one["filename"], one["code"]) for one in answer.json["files"]]

    large = b"0" * (64 * 1024 + 4 * 256 + 1)
    assert refused(("p2s.tsv", b"x"), ("s2p.tsv", large)) == [
        ("p2s.tsv", "refused"),
        ("s2p.tsv", "too_large"),
    ]
    assert refused(("a/p2s.tsv", GOOD), ("p2s.tsv", GOOD), ("p2s-s2p.tsv", GOOD), ("x.tsv", GOOD)) == [
        ("a/p2s.tsv", "level_twice"),
        ("p2s.tsv", "level_twice"),
        ("p2s-s2p.tsv", "no_level"),
        ("x.tsv", "no_level"),
    ]
    assert refused(("a.zip", zipped.getvalue()), ("b.zip", b"")) == [
        ("a.zip/../s2p.tsv", "outside"),
        ("b.zip", "refused"),
    ]
    for number in range(3):
        assert bo.upload(path(world), variant(number)).status_code == 201
    assert refused(("p2s.tsv", variant(3)), ("s2p.tsv", b"x")) == [
        ("p2s.tsv", "quota_used"),
        ("s2p.tsv", "refused"),
    ]


def test_whole_run_with_an_idempotency_key_is_stored_once(world: World) -> None:
    bo, where = Program(world, "bo"), f"/runs/{world.run().id}/files"

    def send(second: bytes, address: str = where, key: str = "night") -> TestResponse:
        files = [(BytesIO(GOOD), "p2s.tsv"), (BytesIO(second), "s2p.tsv")]
        return bo.open(address, "POST", headers={"Idempotency-Key": key}, data={"file": files})

    refused = send(b"x").json
    assert (refused["code"], [one["level"] for one in refused["files"]]) == ("run_refused", ["s2p"])
    double = send(GOOD, f"{where}/p2s")
    assert (double.status_code, double.json["fields"][0]["field"]) == (422, "file")
    first = send(GOOD)
    bo.upload(path(world), variant(1))
    again = send(GOOD)
    assert (again.status_code, again.headers["Idempotency-Replayed"], count(world)) == (201, "true", 3)
    assert [one["counts"] for one in again.json["files"]] == [False, True]
    first_files, replayed_files = (
        [{**one, "counts": True} for one in answer.json["files"]] for answer in (first, again)
    )
    assert first_files == replayed_files
    assert send(variant(2)).json["code"] == "key_reused"
    assert first.json["left_out"] == []
    with db.writing(world.session):
        world.phase().files_per_level = 2
    parts = [send(variant(2), key="part").json for _again in range(2)]
    assert parts[0] == parts[1]
    assert [one["submission"]["level"] for one in parts[0]["files"]] == ["s2p"]
    (left_out,) = parts[0]["left_out"]
    assert (left_out["filename"], left_out["level"], left_out["code"]) == ("p2s.tsv", "p2s", "quota_used")
    assert "2 of 2 submissions" in left_out["detail"]
    assert bo.upload(path(world), variant(2), key="night").json["code"] == "key_reused"


@pytest.mark.both_databases
def test_of_parallel_uploads_with_one_idempotency_key_one_is_stored(world: World) -> None:
    where, key = path(world), "rush"
    programs = [Program(world, "bo") for _number in range(4)]
    together = Barrier(len(programs))

    def send(program: Program) -> TestResponse:
        together.wait(60)
        return program.upload(where, GOOD, key=key)

    with ThreadPoolExecutor(len(programs)) as pool:
        answers = list(pool.map(send, programs))
    world.session.rollback()
    assert [answer.status_code for answer in answers] == [201] * len(programs)
    assert len({answer.json["submission"]["id"] for answer in answers}) == 1
    assert sum("Idempotency-Replayed" not in answer.headers for answer in answers) == 1
    assert (count(world), world.session.query(IdempotencyKey).count()) == (1, 1)
