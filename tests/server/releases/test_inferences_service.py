"""Which ranks are real: from what it is computed, when, by whom, and what becomes of it."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from sqlalchemy import select

from scorer.cli.__main__ import cli as scorer
from server.boards import service as boards
from server.boards.inference_json import BoardInference, read_inference
from server.core import db
from server.core.child_processes import ProcessFailed, ProcessInterrupted
from server.core.site_resources import Site
from server.inferences import inference_inputs, runner as inference_runner
from server.jobs import service as jobs
from server.jobs.models import Job
from server.planning import phase_editing
from server.releases import inference_job, inferences, live_boards, pseudonyms, service as releases
from server.releases.models import Inference
from server.runs.models import Run
from server.submissions import follow_up_jobs
from server.submissions.models import Submission
from server.tasks.models import Level
from server.worker import run_worker
from tests.server.job_runs import change_job, run_job
from tests.server.releases.test_releases_anonymous import NAMES, play
from tests.server.round_trip import bring, packed, unpack
from tests.server.small_task import GOOD
from tests.server.world import AFTER, DURING, LATE, World

SOON = AFTER + timedelta(minutes=3)


def rows(world: World) -> list[Inference]:
    world.session.expire_all()
    return list(world.session.scalars(select(Inference).order_by(Inference.id)))


def of_release(world: World, number: int = 0) -> Inference:
    return [row for row in rows(world) if row.release_id is not None][number]


def infer_again(world: World, payload: dict[str, int], at: datetime) -> None:
    with db.writing(world.session):
        jobs.add_job(world.session, inferences.INFERENCE_JOB, payload, at, key="again")
    world.infer(next(iter(payload)), at)


def systems(row: Inference) -> set[tuple[str, str, str]]:
    return set(read_inference(row.text).keys)


def test_inference_of_a_release_uses_its_files_and_gold(world: World) -> None:
    play(world)
    release = world.release()
    board = json.loads(release.board)
    world.upload(world.session.query(Run).filter_by(name="yew-nought").one(), "p2s", GOOD, LATE, "dee")
    world.fix_gold("p2s", b"3\n1\n2\n0\n", AFTER)
    world.infer()
    row = of_release(world)
    values = read_inference(row.text)
    expected = {
        (kind, one["team"], one["run"])
        for group, kind in (("official", "official"), ("late", "late"), ("baselines", "baseline"))
        for one in board[group]
    }
    assert set(values.keys) == expected
    assert len(expected) == 5
    for column in values.columns:
        for one in column.intervals:
            assert one.ends is None or -2 <= one.ends[0] <= one.ends[1] <= 2
    total = next(column for column in values.columns if column.level is None and column.official)
    assert {values.systems[one.system].run: one.rank for one in total.ranks} == {
        one["run"]: one["total"]["pearson"]["rank"]
        for one in board["official"]
        if one["total"]["pearson"]["rank"] is not None
    }
    text = row.text
    with db.writing(world.session):
        row.text = row.made_at = None
    infer_again(world, {"inference": row.id}, SOON)
    assert of_release(world).text == text  # the same inputs, the same bytes


def test_inference_uses_the_standard_deviations_beside_the_gold(world: World) -> None:
    with db.writing(world.session):
        for level in world.session.scalars(select(Level).where(Level.slug == "p2s")):
            level.metrics = ["pearson", "within_sd"]
    # LCS and the trial gold are not scored on this split.
    world.fix_gold("p2s", b"gold\tn\tsd\n0.5\t4\t1.2\n3.5\t4\t0.5\n2.5\t2\t0\n\t1\t\n")
    play(world)
    board = json.loads(world.release().board)
    values = {row["run"]: row["levels"]["p2s"]["within_sd"]["value"] for row in board["official"]}
    assert {values["Quick"], values["yew-nought"]} == {2 / 3}
    assert values["yew-constant"] == 1 / 3  # 1.5 away from .5 and from 3.5, and .5 away from 2.5
    world.infer()
    inference = read_inference(of_release(world).text)
    columns = {(column.level, column.metric): column for column in inference.columns}
    intervals = columns["p2s", "within_sd"].intervals
    assert {inference.systems[each.system].run for each in intervals} >= {"Quick", "yew-constant"}
    assert all(each.ends is not None and 0 <= each.ends[0] <= each.ends[1] <= 1 for each in intervals)


def test_release_takes_the_inference_of_an_equal_draft_by_the_same_scorer(world: World) -> None:
    play(world)
    world.infer("draft")
    (draft,) = [row for row in rows(world) if row.phase_id == world.phase().id]
    computed = draft.text
    with db.writing(world.session):
        draft.text = f" {computed}"
    world.release(SOON)
    world.infer(at=SOON + timedelta(minutes=3))
    row = of_release(world)
    assert row.text == f" {computed}"
    assert row.genres is not None
    with db.writing(world.session):
        row.text = row.made_at = None
        draft.text = json.dumps({**json.loads(computed), "scorer": "0.0.1"})
    infer_again(world, {"inference": row.id}, SOON)
    assert of_release(world).text == computed


def test_inference_is_found_by_the_board_of_the_newest_release(world: World) -> None:
    def found() -> str | None:
        _, phases = releases.read_task(world.session, world.actor("bo"), world.task.slug, AFTER)
        phase = next(one for one in phases if one.view.phase.id == world.phase().id)
        sha256 = None if phase.inference is None else phase.inference.sha256
        row = inferences.find_row(world.session, phase.newest.release.id, phase.newest.sha256)
        assert sha256 == (None if row is None else row.sha256)
        return sha256

    play(world)
    world.release(anonymous=True)
    assert found() is None
    world.infer()
    without_names = found()
    with db.writing(world.session):
        pseudonyms.reveal_names(world.session, world.actor("ada"), world.phase(), SOON)
    world.infer(at=SOON + timedelta(minutes=3))
    assert None not in (without_names, found())
    assert found() != without_names


def test_inference_uses_pseudonyms_until_names_are_revealed(world: World) -> None:
    play(world)
    world.release(anonymous=True)
    world.infer()
    anonymous = of_release(world).text
    assert [name for name in NAMES if name in anonymous] == []
    with db.writing(world.session):
        pseudonyms.reveal_names(world.session, world.actor("ada"), world.phase(), SOON)
    world.infer()
    named = of_release(world, 1)
    assert named.board_sha256 == named.release.named_sha256
    letters, names = read_inference(anonymous), read_inference(named.text)
    assert {"birch", "alder"} <= {one.team for one in names.systems}

    def intervals(values: BoardInference) -> set[object]:
        return {(column.key, one.low, one.high) for column in values.columns for one in column.intervals}

    assert intervals(letters) == intervals(names)


def test_many_changes_make_one_draft_and_an_older_draft_never_replaces_a_newer(world: World) -> None:
    play(world)
    waiting = world.session.query(Job).filter_by(kind=inferences.INFERENCE_JOB, state="waiting").all()
    phases = [world.phase(slug).id for slug in ("practice", "evaluation")]
    assert [job.payload for job in waiting] == [{"draft": phase_id} for phase_id in phases]
    world.infer("draft", LATE + timedelta(minutes=3))
    draft = rows(world)[-1]
    file, sha256 = boards.board_and_hash(world.session, world.phase())
    assert (draft.release_id, draft.board_sha256) == (None, sha256)
    assert {row.run for row in file.board.baselines} <= {run for _, _, run in systems(draft)}
    text, noted_at = draft.text, draft.noted_at
    world.fix_gold("p2s", b"3\n1\n2\n0\n", AFTER)
    assert (
        inferences.find_draft(
            world.session, world.phase(), boards.board_and_hash(world.session, world.phase())[1]
        ).state
        == "computing"
    )
    infer_again(world, {"draft": world.phase().id}, noted_at - timedelta(hours=1))
    assert rows(world)[-1].text == text
    world.infer("draft")
    assert rows(world)[-1].text != text


def test_removing_a_phase_does_not_break_its_inference_job(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    with db.writing(world.session):
        edit = phase_editing.PhaseEdit("Later", None, None, 0, 1, None, None, "hidden")
        later = phase_editing.add_phase(
            world.session, world.actor("ada"), world.task, "later", "test", edit, DURING
        )
        inferences.queue_draft(world.session, later, DURING)
        jobs.add_job(world.session, follow_up_jobs.RELEASE_JOB, {"phase": later.id}, DURING)
        own = {"draft": later.id}, {"phase": later.id}
        waiting = [one.id for one in world.session.query(Job) if one.payload in own]
        phase_editing.remove_phase(world.session, world.actor("ada"), later, DURING)
    world.set_clock(AFTER)
    assert [run_job(world.site, one) for one in waiting] == [True, True]
    world.session.expire_all()
    assert {world.session.get_one(Job, one).state for one in waiting} == {"done"}
    assert "Traceback" not in caplog.text


def test_site_upgraded_from_an_older_version_gets_drafts_without_changes(world: World) -> None:
    play(world)
    with db.writing(world.session):
        jobs.delete_kinds(world.session, "")
    for _ in range(2):
        inference_job.queue_missing(world.site, AFTER)
    noted = world.session.query(Job).filter_by(kind=inferences.INFERENCE_JOB).order_by(Job.id)
    assert [job.payload["draft"] for job in noted] == [
        world.phase(slug).id for slug in ("practice", "evaluation")
    ]
    with db.writing(world.session):
        for job in world.session.query(Job):
            change_job(world.session, job.id, state="failed")
    inference_job.queue_missing(world.site, AFTER)
    assert noted.count() == 2


def test_system_with_a_file_the_scorer_now_rejects_is_left_out(world: World) -> None:
    play(world)
    world.release()
    bad = world.storage.put(b"no run\n")
    with db.writing(world.session):
        file = world.session.scalars(select(Submission).order_by(Submission.id)).all()[-2]
        file.sha256 = bad
        gone = (file.run.team.name, file.run.name)
    world.infer()
    values = read_inference(of_release(world).text)
    (left_out,) = values.left_out
    assert (left_out.team, left_out.run) == gone
    assert (left_out.kind, *gone) not in values.keys


def test_failed_inference_is_shown_to_organizers_and_retried(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    play(world)
    world.release()
    monkeypatch.setitem(inference_job.OPTIONS, "b", 7)
    world.infer()
    world.infer("draft")
    world.session.expire_all()
    newest = releases.find_newest(world.session, world.phase())
    found = inferences.find_inference(world.session, newest.release.id, newest.sha256)
    assert (found.state, found.shown) == ("failed", None)
    assert "7 resamples" in found.error
    page = world.client("ada").get("/tasks/small/organize/boards/evaluation").text
    assert "7 resamples" in page
    assert "could not be computed" in world.client().get("/tasks/small/boards/evaluation").text
    monkeypatch.delitem(inference_job.OPTIONS, "b")
    world.infer(at=SOON + timedelta(hours=1))
    assert of_release(world).made_at is not None


@pytest.mark.parametrize(
    ("feedback", "gold_open", "baselines", "shown"),
    [
        ("scores", True, True, True),
        ("scores", True, False, True),
        ("scores", False, True, True),
        ("scores", False, False, False),
        ("rounded", True, True, False),
        ("ladder", True, True, False),
        ("public-part", True, True, False),
        ("hidden", True, True, False),
    ],
)
def test_live_board_shows_intervals_only_where_they_do_not_help_probing(
    feedback: Any, gold_open: bool, baselines: bool, shown: bool
) -> None:
    assert live_boards.may_show_intervals(feedback, gold_open=gold_open, baselines=baselines) is shown


def test_a_live_board_keeps_one_inference_of_its_newest_release(world: World) -> None:
    def make_live(at: Any) -> None:
        with db.writing(world.session):
            phase = world.phase("practice")
            phase.board = "live"
            live_boards.release_live_board(world.session, phase, at)

    world.upload(world.run("one", "practice"), "p2s")
    make_live(DURING)
    first = of_release(world).release_id
    world.upload(world.run("two", "practice"), "p2s", b"1\n2\n4\n3\n")
    make_live(DURING + timedelta(minutes=5))
    world.infer("live", DURING + timedelta(minutes=9))
    (row,) = [row for row in rows(world) if row.release_id is not None]
    assert row.release_id > first
    assert {run for _, _, run in systems(row)} == {"LCS", "one", "two"}
    assert {one.ranks for one in read_inference(row.text).stability} == {()}
    with db.writing(world.session):
        phase = world.phase()
        phase.board, phase.feedback = "live", "scores"
    world.upload(world.run(), "p2s")
    with db.writing(world.session):
        release = live_boards.release_live_board(world.session, world.phase(), DURING)
    assert inferences.find_inference(world.session, release.id, release.sha256) is None
    assert (
        "because they could reveal gold labels" in world.client().get("/tasks/small/boards/evaluation").text
    )


def test_inference_is_exported_with_its_release_and_imported_unchanged(
    world: World, second_site: Site, tmp_path: Path
) -> None:
    play(world)
    world.release()
    world.infer(at=AFTER)
    text = of_release(world).text
    folder = unpack(packed(world.site), tmp_path / "out")
    asked = ["--phase", "evaluation", "--bootstrap", "10000", "--significance", "--format", "json"]
    printed = CliRunner().invoke(scorer, ["board", str(folder), *asked])
    assert printed.exit_code == 0, printed.stderr
    assert json.loads(printed.stdout)["inference"] == json.loads(text)
    session = second_site.session()
    bring(second_site, folder)
    came = session.scalars(select(Inference).where(Inference.release_id.is_not(None))).one()
    assert (came.text, came.shown) == (text, of_release(world).shown)
    assert [one["team"] for one in came.inputs["systems"]] == [
        one["team"] for one in of_release(world).inputs["systems"]
    ]
    newest = releases.find_newest(session, came.phase)
    assert inferences.get_text(session, newest.release.id, newest.sha256) == text


REQUEST = {"board": "{}", "levels": [], "systems": [], "left_out": [], "options": {}}


def test_failed_computation_has_a_reason() -> None:
    with pytest.raises(ProcessFailed, match="is missing"):
        inference_runner.run_inference_process(REQUEST)


def test_killed_computation_is_distinguished_from_a_failed_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    killed = sys.executable, "-c", "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"
    monkeypatch.setattr(inference_runner, "COMMAND", killed)
    with pytest.raises(
        ProcessInterrupted,
        match="killed by SIGKILL; the operating system does this when memory",
    ):
        inference_runner.run_inference_process(REQUEST)


def test_inference_killed_once_is_still_pending_and_a_failed_one_is_not(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    play(world)
    release = world.release()

    def attempt(command: str, at: datetime) -> tuple[str, str | None]:
        monkeypatch.setattr(inference_runner, "COMMAND", (sys.executable, "-c", command))
        world.infer(at=at)
        world.session.expire_all()
        found = inferences.find_inference(world.session, release.id, release.sha256)
        return found.state, found.error

    killed, second = "import os, signal; os.kill(os.getpid(), signal.SIGKILL)", SOON + jobs.BACK_OFF[0]
    assert attempt(killed, SOON) == ("computing", None)
    assert attempt(killed, second - timedelta(seconds=1)) == ("computing", None)  # it rests
    state, why = attempt(killed, second)
    assert (state, "killed by SIGKILL; the operating system does this when memory runs out" in why) == (
        "failed",
        True,
    )
    third = second + jobs.BACK_OFF[1]
    assert attempt("import sys; sys.exit('no such metric')", third) == (
        "failed",
        "ProcessFailed: no such metric",
    )
    monkeypatch.undo()
    world.infer(at=third + jobs.BACK_OFF[2])
    assert inferences.find_inference(world.session, release.id, release.sha256).state == "there"


ASK = """
import json, sys
from server.inferences import runner
runner.run_inference_process(json.load(sys.stdin))
"""


def slow(world: World) -> dict[str, Any]:
    """A request that takes minutes."""
    session, phase = world.session, world.phase()
    with db.reading(session):
        text = boards.board_text(session, phase)
        inputs = inference_inputs.collect_inputs(session, phase)
        read = inference_inputs.read_inputs(session, phase, inputs)
    return {"board": text, "options": {"b": 10_000_000}, **read}


def children(pid: int) -> list[int]:
    found: list[int] = []
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(FileNotFoundError):  # of a thread that ended meanwhile
            found += map(int, path.read_text().split())
    return found


def gone(pid: int) -> bool:
    """Whether it has ended, buried or not."""
    path = Path(f"/proc/{pid}/stat")
    return not path.exists() or path.read_text().rsplit(")", 1)[1].split()[0] == "Z"


def await_that(what: Any, seconds: float = 20) -> Any:
    end = time.monotonic() + seconds
    while not (found := what()):
        assert time.monotonic() < end
        time.sleep(0.05)
    return found


@pytest.mark.one_database
def test_computation_has_a_lower_priority_and_ends_with_its_worker(world: World) -> None:
    play(world)
    asking = subprocess.Popen([sys.executable, "-c", ASK], stdin=subprocess.PIPE)
    try:
        asking.stdin.write(json.dumps(slow(world)).encode())
        asking.stdin.close()
        (child,) = await_that(lambda: children(asking.pid))
        await_that(lambda: os.getpriority(os.PRIO_PROCESS, child) == 5)
        environment = Path(f"/proc/{child}/environ").read_bytes()
        assert b"OPENBLAS_NUM_THREADS=1" in environment
        assert b"ASSAY_" not in environment
    finally:
        asking.send_signal(signal.SIGKILL)
        asking.wait()
    await_that(lambda: gone(child))


@pytest.mark.one_database
def test_a_worker_that_stops_does_not_wait_for_a_computation(world: World) -> None:
    play(world)
    request, others = slow(world), set(children(os.getpid()))
    with db.writing(world.session):
        jobs.add_job(world.session, inferences.INFERENCE_JOB, {}, DURING)
    stopped = threading.Event()

    def compute(_site: Site, _payload: Any, _now: Any) -> None:
        inference_runner.run_inference_process(request)

    working = threading.Thread(
        target=run_worker, args=(world.site, stopped, None, {inferences.INFERENCE_JOB: compute})
    )
    working.start()
    await_that(lambda: set(children(os.getpid())) - others)
    stopped.set()
    working.join(15)
    assert not working.is_alive()
    assert set(children(os.getpid())) <= others
    world.session.expire_all()
    (job,) = world.session.query(Job).filter(Job.attempt > 0, Job.kind == inferences.INFERENCE_JOB)
    assert (job.state, job.attempt) == ("waiting", 1)


def test_inference_request_is_written_one_system_at_a_time() -> None:
    systems = [{"run": name, "answers": {"p2s": {"scores": [0.1, 4.0]}}} for name in ("one", "größer", '"')]
    for some in (systems, systems[:1], []):
        request = {"board": "b", "levels": [], "systems": some, "left_out": [], "options": {}}
        pieces = list(inference_runner.encode_request(request))
        assert json.loads(b"".join(pieces)) == request
        assert len(pieces) == len(some) + 2
    assert json.loads(b"".join(inference_runner.encode_request({"systems": []}))) == {"systems": []}
