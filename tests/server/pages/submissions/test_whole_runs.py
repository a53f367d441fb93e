import json
import threading
from datetime import timedelta
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZipFile

import pytest

from server.core import clock, db
from server.scoring.models import Score
from server.submissions.models import Receipt, Rejection, Submission
from tests.server.races import run_at_once
from tests.server.small_task import GOOD, variant
from tests.server.submissions.test_upload_faults import failing, rows
from tests.server.visitors import Visitor, words
from tests.server.world import AFTER, DURING, LATE, World, max_queries

pytestmark = pytest.mark.one_database

BAD = b"0.5\nn/a\n2\n3\n"


def path(world: World) -> str:
    return f"/tasks/small/runs/{world.run().id}/upload"


def send(world: World, *files: tuple[str, bytes], by: Visitor | None = None):
    sent = [(BytesIO(data), name) for name, data in files]
    return (by or world.client("bo")).post(path(world), {"file": sent})


def zipped(*files: tuple[str, bytes]) -> bytes:
    target = BytesIO()
    with ZipFile(target, "w", ZIP_DEFLATED) as archive:
        for name, data in files:
            archive.writestr(name, data)
    return target.getvalue()


def stored(world: World) -> dict[str, bytes]:
    world.session.rollback()
    found = world.session.query(Submission).filter_by(run_id=world.run().id).order_by(Submission.id)
    return {one.level.slug: world.storage.get(one.sha256) for one in found}


def test_page_shows_remaining_quota_per_level_and_file_naming(world: World) -> None:
    with db.writing(world.session):
        world.phase().files_per_level = 1
    world.upload(world.run(), "p2s")
    page = words(world.client("bo").get(path(world)))
    assert "Paragraph to sentence p2s no submissions left; a file for it is left out" in page
    assert "Sentence to phrase s2p 1 submission left, no submission yet" in page
    assert (
        "All files are checked first. If one has errors, none is stored and none counts against your quota."
        in page
    )


@pytest.mark.parametrize(
    "clutter", [None, "__MACOSX/one/._p2s.tsv", "one/__MACOSX/._p2s.tsv", "one/deep/__MACOSX/._p2s.tsv"]
)
def test_files_are_assigned_to_levels_by_name(world: World, clutter: str | None) -> None:
    files = (("one/p2s.tsv", GOOD), ("one/run.S2P.txt", variant(1)))
    bo = world.client("bo")
    archive = None if clutter is None else zipped(*files, (clutter, b"x"))
    answer = send(world, ("all.ZIP", archive), by=bo) if archive else send(world, *files, by=bo)
    assert stored(world) == {"p2s": GOOD, "s2p": variant(1)}
    page = words(bo.get(answer.headers["Location"]))
    assert "one: 2 files accepted" in page
    assert "All files are valid and were scored. They were on time and count." in page
    assert "Paragraph to sentence hidden p2s.tsv" in page
    for model in (Receipt, Score):
        assert world.session.query(model.submission_id).distinct().count() >= 2
    world.set_clock(DURING + timedelta(minutes=1))
    again = send(world, *files, by=bo).headers["Location"]
    assert again.startswith(answer.headers["Location"])
    assert "one: nothing new stored" in words(bo.get(again))
    page = words(bo.get(send(world, files[0], ("s2p.tsv", variant(2)), by=bo).headers["Location"]))
    for promise in (
        "one: 1 file accepted",
        "Paragraph to sentence unchanged hidden",
        "The unchanged file is the same as your current submission.",
    ):
        assert promise in page


def test_other_files_in_a_run_zip_are_ignored_and_named(world: World) -> None:
    beside = ("README.md", "p2s/README", "p2s/train.log", "p2s/paper.pdf", "s2p/LICENSE.txt", "s2p/x.json")
    clutter = [(name, b"x") for name in beside]
    bo = world.client("bo")
    data = zipped(("p2s/run.tsv", GOOD), ("s2p/out", variant(1)), *clutter)
    answer = send(world, ("all.zip", data), by=bo)
    assert stored(world) == {"p2s": GOOD, "s2p": variant(1)}
    page = words(bo.get(answer.headers["Location"]))
    assert "because they are not run files: README.md, p2s/README, p2s/paper.pdf, p2s/train.log," in page
    assert "s2p/LICENSE.txt and 1 more." in page


def test_one_bad_file_rejects_the_whole_run_and_every_problem_is_reported(world: World) -> None:
    answer = send(world, ("p2s.tsv", GOOD), ("s2p.tsv", BAD), ("p2s-s2p.tsv", GOOD), ("notes.txt", b"x"))
    assert answer.status_code == 422
    page = words(answer)
    for promise in (
        "Rejected: 3 files have problems.",
        "s2p.tsv → Sentence to phrase Line 2",
        "p2s-s2p.tsv Its name contains more than one level: p2s, s2p.",
        "notes.txt Its name contains no level. Leave it out, or add one of these to its name: p2s, s2p.",
        "Without errors, but not stored because of the other files: p2s.tsv.",
    ):
        assert promise in page
    assert stored(world) == {}
    (rejection,) = world.session.query(Rejection)
    assert (rejection.level.slug, rejection.filename, rejection.count) == ("s2p", "s2p.tsv", 1)


@pytest.mark.parametrize(
    ("files", "promise"),
    [
        (
            (("p2s.tsv", GOOD), ("p2s.txt", GOOD)),
            "Several files are for Paragraph to sentence: p2s.tsv, p2s.txt. Send one.",
        ),
        (
            (("p2s.tsv", GOOD), ("run.zip", zipped(("p2s.tsv", GOOD)))),
            "Several files are for Paragraph to sentence: p2s.tsv, p2s.tsv.",
        ),
        ((("run.zip", zipped(("../p2s.tsv", GOOD))),), "run.zip/../p2s.tsv Leads outside"),
        ((("run.zip", zipped(("p2s.tsv", b"1" * 2_000_000))),), "run.zip The zip unpacks to more than"),
        ((("run.zip", b"no"),), "run.zip This is not a zip file."),
        ((("run.zip", zipped(("p2s.tsv", GOOD))[:-9]),), "run.zip This zip file is truncated or damaged"),
        (
            (("run.zip", zipped(("p2s.tsv", GOOD), ("notes.txt", b"x"))),),
            "notes.txt Its name contains no level. Leave it out",
        ),
        (
            (("run.zip", zipped(("p2s/a.tsv", GOOD), ("p2s/b.txt", GOOD), ("p2s/README", b"x"))),),
            "Several files are for Paragraph to sentence: p2s/a.tsv, p2s/b.txt. Send one.",
        ),
        (
            (("run.zip", zipped(("p2s/a.out", GOOD), ("p2s/b", GOOD), ("README.md", b"x"))),),
            "p2s/a.out, p2s/b. Send one. Ignored in the zip because they are not run files: README.md.",
        ),
        ((("run.zip", b""),), "run.zip This file is empty. Create the zip again."),
        ((("run.zip", zipped()),), "No run file was sent."),
        (
            (("run.zip", zipped(("p2s.zip", zipped(("p2s.tsv", GOOD))))),),
            "run.zip/p2s.zip It is a zip within",
        ),
        ((("p2s.tsv", b"1" * 70_000),), "can have at most 66 kB"),
        ((), "Choose files first."),
    ],
)
def test_ambiguous_or_harmful_files_are_rejected_by_name(
    world: World, files: tuple[tuple[str, bytes], ...], promise: str
) -> None:
    answer = send(world, *files)
    assert (answer.status_code, promise in words(answer)) == (422, True), words(answer)
    assert stored(world) == {}


def test_rejected_files_of_whole_runs_are_rate_limited_like_single_files(world: World) -> None:
    bo = world.client("bo")
    for number in range(15):
        one, other = BAD * (2 * number + 2), BAD * (2 * number + 3)
        assert send(world, ("p2s.tsv", one), ("s2p.tsv", other), by=bo).status_code == 422
    answer = send(world, ("p2s.tsv", BAD), by=bo)
    assert (answer.status_code, "30 different invalid files" in words(answer)) == (429, True)
    assert answer.headers["Retry-After"] == "Tue, 10 Mar 2026 13:00:00 GMT"
    assert send(world, ("p2s.tsv", GOOD), by=bo).status_code == 302


def test_deadline_and_end_of_phase_apply_to_every_file_of_a_run(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    bo = world.client("bo")
    monkeypatch.setattr(clock, "now", lambda: LATE)
    answer = send(world, ("p2s.tsv", GOOD), ("s2p.tsv", GOOD), by=bo)
    assert "They are late" in words(bo.get(answer.headers["Location"]))
    assert "no submission on time; late: " in words(bo.get(path(world)))
    assert {one.late for one in world.session.query(Submission).filter_by(run_id=world.run().id)} == {True}
    monkeypatch.setattr(clock, "now", lambda: AFTER)
    assert send(world, ("p2s.tsv", variant(1)), by=bo).status_code == 409


def test_late_file_after_a_release_appears_in_the_next_release(world: World) -> None:
    world.release(LATE - timedelta(minutes=1))
    world.set_clock(LATE)
    bo, run = world.client("bo"), world.run().id
    for page in (path(world), f"/tasks/small/runs/{run}/p2s/upload"):
        said = words(bo.get(page))
        assert "Scores of new submissions stay hidden until the next release." in said
        assert "until results are released" not in said
    result = send(world, ("p2s.tsv", GOOD), by=bo).headers["Location"]
    one = f"/tasks/small/submissions/{world.session.query(Submission).filter_by(run_id=run).one().id}"
    for page in (result, one):
        said = words(bo.get(page))
        assert "; the next release will include" in said
        assert "shown separately on the leaderboard" not in said


def test_file_for_a_level_with_a_used_up_quota_is_left_out_and_named_unless_another_is_bad(
    world: World,
) -> None:
    with db.writing(world.session):
        world.phase().files_per_level = 1
    world.upload(world.run(), "s2p", variant(2))
    bo, reason = world.client("bo"), "1 of 1 submission for Sentence to phrase in Evaluation"
    refused = send(world, ("p2s.tsv", BAD), ("s2p.tsv", variant(1)), by=bo)
    assert (refused.status_code, reason in words(refused)) == (422, True)
    assert stored(world) == {"s2p": variant(2)}
    run = ("run.zip", zipped(("p2s.tsv", GOOD), ("s2p.tsv", variant(1))))
    check = path(world).replace("upload", "check")
    checked = words(bo.post(check, {"file": [(BytesIO(run[1]), run[0])]}))
    assert "1 file, no errors This was only a check" in checked
    assert f"s2p.tsv would not be stored. Your team has used {reason}" in checked
    page = words(bo.get(send(world, run, by=bo).headers["Location"]))
    assert "one: 1 file accepted" in page
    assert f"s2p.tsv was not stored. Your team has used {reason}" in page
    assert stored(world) == {"s2p": variant(2), "p2s": GOOD}
    first, second = (json.loads(one.text)["signed"]["left_out"] for one in world.session.query(Receipt))
    assert (first, second) == ([], ["s2p"])


@pytest.mark.both_databases
def test_parallel_runs_never_exceed_the_quota_and_are_stored_whole(world: World) -> None:
    with db.writing(world.session):
        world.phase().files_per_level = 2
    world.upload(world.run(), "p2s", at=DURING - timedelta(hours=1))
    address, run_id = path(world), world.run().id
    clients = [world.client("bo") for _ in range(8)]
    for client in clients:
        client.token()
    world.session.rollback()
    barrier, statuses = threading.Barrier(len(clients)), list[int]()

    def upload(number: int, client: Visitor) -> None:
        files = [(BytesIO(variant(number)), f"{level}.tsv") for level in ("p2s", "s2p")]
        barrier.wait()
        statuses.append(client.post(address, {"file": files}).status_code)

    run_at_once(upload, enumerate(clients))
    assert set(statuses) <= {302, 409, 422}
    world.session.rollback()
    levels = [one.level.slug for one in world.session.query(Submission).filter_by(run_id=run_id)]
    assert levels.count("p2s") == 2
    assert levels.count("s2p") == statuses.count(302) <= 2  # one of them without p2s


@pytest.mark.both_databases
def test_failure_at_any_statement_stores_none_of_the_files(world: World) -> None:
    bo, address = world.client("bo"), path(world)
    bo.token()
    world.app.config["PROPAGATE_EXCEPTIONS"] = False
    before = rows(world)

    def status() -> int:
        files = [(BytesIO(GOOD), f"{level}.tsv") for level in ("p2s", "s2p")]
        return bo.post(address, {"file": files}).status_code

    for step in range(0, 1000, 7):
        with failing(world, step) as asked:
            if status() == 302:
                break
        assert rows(world) == before, asked[-1]
    assert "INSERT INTO submission" in "\n".join(asked)
    assert stored(world) == {"p2s": GOOD, "s2p": GOOD}
    before, at_commit = rows(world), None
    for step in range(len(asked) - 8, len(asked) + 8):
        files = [(BytesIO(variant(1)), "p2s.tsv"), (BytesIO(variant(1)), "s2p.tsv")]
        with failing(world, step) as asked:
            assert bo.post(address, {"file": files}).status_code == 500, asked[-1]
        assert rows(world) == before, asked[-1]
        if at_commit := asked[-1] == "COMMIT":
            break
    assert at_commit


def test_number_of_page_queries_is_independent_of_uploaded_levels(world: World) -> None:
    bo, address = world.client("bo"), path(world)
    bo.get(address)
    with max_queries(world, 60) as first:
        bo.get(address)
    world.upload(world.run(), "p2s")
    world.upload(world.run(), "s2p")
    with max_queries(world, len(first) + 3):
        bo.get(address)
