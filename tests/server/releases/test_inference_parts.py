"""The parts of an inference, which several workers on PostgreSQL share."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import delete, select

from server.activity import task_jobs
from server.boards import service as boards
from server.core import db
from server.core.config import to_env
from server.inferences import inference_inputs, runner as inference_runner
from server.inferences.process import compute
from server.jobs import service as jobs
from server.jobs.models import Job
from server.releases import inference_job, inferences
from server.releases.inference_parts import PART_JOB
from server.releases.models import Inference
from server.runs.models import Run
from server.scoring import service as scoring
from server.submissions.follow_up_jobs import INFERENCE_DELAY, INFERENCE_JOB, draft_key
from server.submissions.models import Standing, Submission
from tests.server import world as worlds
from tests.server.job_runs import change_job, presume_dead, run_job
from tests.server.jobs.test_worker import begun, wait_for
from tests.server.races import run_at_once
from tests.server.releases.test_releases_anonymous import play
from tests.server.world import AFTER, LATE, World, compute_inference

pytestmark = pytest.mark.skipif(not os.environ.get("TEST_DATABASE_URL"), reason="PostgreSQL is not running")
AT = LATE + timedelta(minutes=3)
LATER = AT + timedelta(hours=1)


def compute_whole(world: World) -> str:
    """The inference of the current leaderboard, computed at once."""
    session, phase = world.session, world.phase()
    with db.reading(session):
        text = boards.board_text(session, phase)
        read = inference_inputs.read_inputs(session, phase, inference_inputs.collect_inputs(session, phase))
    (values,) = compute({"board": text, "options": {}, **read})
    return json.dumps(values, ensure_ascii=False) + "\n"


def find_draft(world: World) -> Inference | None:
    world.session.rollback()
    return world.session.scalar(select(Inference).where(Inference.phase_id == world.phase().id))


def list_jobs(world: World, kind: str = PART_JOB) -> list[Job]:
    """The jobs of the evaluation's draft, the oldest first."""
    world.session.rollback()
    named = world.session.query(Job).filter_by(kind=kind).order_by(Job.id)
    return [job for job in named if job.payload.get("draft") == world.phase().id]


def add_parts(world: World) -> list[Job]:
    """Let the job of the draft add its parts."""
    play(world)
    return run_draft_job(world)


def run_draft_job(world: World) -> list[Job]:
    world.set_clock(AT)
    run_job(world.site, list_jobs(world, INFERENCE_JOB)[-1].id)
    return list_jobs(world)


def look(world: World) -> inferences.InferenceView:
    sha256 = boards.board_and_hash(world.session, world.phase())[1]
    return inferences.find_draft(world.session, world.phase(), sha256)


def test_joined_parts_are_the_bytes_of_one_computation_and_leave_no_jobs(world: World) -> None:
    parts = add_parts(world)
    assert [part.payload["column"] for part in parts] == [
        [slug, metric] for slug in (None, "p2s", "s2p") for metric in ("pearson", "spearman")
    ]
    assert (find_draft(world), look(world).state) == (None, "computing")
    world.infer("draft", AT)
    draft = find_draft(world)
    assert draft is not None
    assert draft.text == compute_whole(world)
    assert list_jobs(world) == []


def test_system_with_a_rejected_file_is_left_out_of_the_parts_of_other_levels(world: World) -> None:
    play(world)
    with db.writing(world.session):
        world.task.board_rules = {**world.task.board_rules, "total": "none"}
        run_id = world.session.query(Run).filter_by(name="Quick").one().id
        files = world.session.query(Submission).filter_by(run_id=run_id).order_by(Submission.id)
        files[0].sha256 = world.storage.put(b"no run\n")
    assert len(run_draft_job(world)) == 4
    world.infer("draft", AT)
    draft = find_draft(world)
    assert draft is not None
    assert draft.text == compute_whole(world)
    assert [system["run"] for system in json.loads(draft.text)["left_out"]] == ["Quick"]


def test_parts_that_cannot_be_joined_are_computed_again(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = [part.id for part in add_parts(world)]
    with monkeypatch.context() as patch:
        patch.setattr(inference_runner, "run_process", compute_inference)
        assert all(run_job(world.site, part) for part in parts)
    with db.writing(world.session):
        run_id = world.session.query(Run).filter_by(name="Quick").one().id
        files = world.session.query(Submission).filter_by(run_id=run_id).order_by(Submission.id)
        files[0].sha256 = world.storage.put(b"no run\n")
    world.infer("draft", AT)
    assert (find_draft(world), list_jobs(world), look(world).state) == (None, [], "failed")
    world.infer("draft", LATER)
    draft = find_draft(world)
    assert draft is not None
    assert draft.text == compute_whole(world)


HELD = """
import sys, threading, time
from pathlib import Path
from server.cli.common import open_site
from server.job_handlers import HANDLERS
from server.releases.inference_parts import PART_JOB
from server.submissions.follow_up_jobs import INFERENCE_JOB
from server.worker import run_worker

def hold(site, payload, now):
    Path(sys.argv[1]).write_text(str(payload["job"]))
    time.sleep(600)

with open_site() as site:
    handlers = {INFERENCE_JOB: HANDLERS[INFERENCE_JOB], PART_JOB: hold}
    run_worker(site, threading.Event(), None, handlers)
"""


def test_two_workers_share_a_board_and_one_takes_over_from_one_that_was_killed(
    world: World, tmp_path: Path
) -> None:
    play(world)
    whole, now, held = compute_whole(world), datetime.now(UTC), tmp_path / "held"
    world.set_clock(now)
    with db.writing(world.session):
        jobs.delete_kinds(world.session, "")
        key = draft_key(world.phase())
        jobs.add_job(world.session, INFERENCE_JOB, {"draft": world.phase().id}, now, key=key)
    env = {**to_env(world.site.config), "PYTHONPATH": os.getcwd()}  # noqa: PTH109  (where the tests run)
    with begun([sys.executable, "-c", HELD, str(held)], env=env) as first:
        wait_for(lambda: held.exists() and held.read_text())
        with begun([sys.executable, "-m", "server.cli", "worker"], env=env, stdout=subprocess.DEVNULL):
            wait_for(lambda: [part.state for part in list_jobs(world)].count("done") == 5)
            (own,) = [part for part in list_jobs(world) if part.state == "running"]
            assert own.id == int(held.read_text())
            assert look(world).state == "computing"
            first.kill()
            presume_dead(world.site, own.id)
            wait_for(lambda: find_draft(world) is not None)
    draft = find_draft(world)
    assert draft is not None
    assert draft.text == whole


def test_parts_that_are_begun_are_joined_though_gold_changes_and_then_the_new_draft_is_computed(
    world: World,
) -> None:
    begun_parts = [part.id for part in add_parts(world)]
    left, before = list_jobs(world)[0].payload, compute_whole(world)
    world.fix_gold("p2s", b"3\n1\n2\n0\n", AFTER)
    assert [part.id for part in run_draft_job(world)] == begun_parts
    world.infer("draft", AT)
    draft = find_draft(world)
    assert draft is not None
    assert draft.text == before
    assert list_jobs(world) == []
    with db.writing(world.session):  # it was still running when the parts were joined
        key = f"{draft_key(world.phase())}/0"
        job_id = jobs.add_job(world.session, PART_JOB, left, AT, key=key)
        jobs.record_result(world.session, job_id, {"column": "{}"})
        change_job(world.session, job_id, "done")
    world.infer("draft", AT + INFERENCE_DELAY)
    draft = find_draft(world)
    assert draft is not None
    assert draft.text == compute_whole(world) != before


def test_part_that_was_asked_for_by_another_version_of_the_scorer_is_asked_for_again(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(scoring, "VERSION", "0.0.1")
        add_parts(world)
    world.infer("draft", AT)
    assert find_draft(world) is None
    world.infer("draft", AT + INFERENCE_DELAY)
    draft = find_draft(world)
    assert draft is not None
    assert draft.text == compute_whole(world)


def test_last_two_parts_that_end_at_once_add_one_joining_job(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    payloads = [{**part.payload, "job": part.id} for part in add_parts(world)]
    monkeypatch.setattr(inference_runner, "run_process", compute_inference)
    site = world.site

    def run(payload: dict[str, Any]) -> None:
        inference_job.run_part(site, payload, AT)
        site.session.remove()

    run_at_once(run, [(payload,) for payload in payloads])
    assert [jobs.RESULT in part.payload for part in list_jobs(world)] == [True] * 6
    assert [job.state for job in list_jobs(world, INFERENCE_JOB)] == ["done", "waiting"]


def test_failed_part_is_listed_and_only_it_is_computed_again(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[dict[str, Any]] = []

    def note(command: Sequence[str], data: bytes) -> str:
        asked.append(json.loads(data))
        return compute_inference(command, data)

    monkeypatch.setattr(worlds, "compute_inference", note)
    failed, *others = (part.id for part in add_parts(world))
    with db.writing(world.session):
        change_job(world.session, failed, "failed", 6, "KeyError: 7")
    world.infer("draft", AT)
    assert (find_draft(world), look(world).state, look(world).error) == (None, "failed", "KeyError: 7")
    assert failed in [each.job.id for each in task_jobs.list_failing_jobs(world.session, world.task)]
    with db.writing(world.session):
        task_jobs.retry_job(world.session, world.actor("ada"), world.task, failed, LATER)
    world.infer("draft", LATER)
    board = boards.board_text(world.session, world.phase())
    own = [request["key"] for request in asked if "key" in request and request["board"] == board]
    levels = [[slug, metric] for slug in ("p2s", "s2p") for metric in ("pearson", "spearman")]
    assert own == [[None, "spearman"], *levels, [None, "pearson"]]
    draft = find_draft(world)
    assert draft is not None
    assert draft.text == compute_whole(world)
    assert not {*others} & {job.id for job in list_jobs(world)}


def test_parts_that_are_done_stay_if_the_draft_is_asked_for_again(world: World) -> None:
    failed, *finished = (part.id for part in add_parts(world))
    with db.writing(world.session):
        change_job(world.session, failed, "failed", 6, "KeyError: 7")
        for part in finished:
            jobs.record_result(world.session, part, {"column": "{}"})
            change_job(world.session, part, "done")
        inferences.queue_draft(world.session, world.phase(), AT)
    world.set_clock(LATER)
    run_job(world.site, list_jobs(world, INFERENCE_JOB)[-1].id)
    *kept, again = list_jobs(world)
    assert [part.id for part in kept] == finished
    assert (again.id > max(finished), again.state) == (True, "waiting")


def test_parts_that_failed_are_forgotten_when_nobody_needs_them(world: World) -> None:
    parts = [part.id for part in add_parts(world)]
    with db.writing(world.session):
        for part in parts:
            change_job(world.session, part, "failed", 6, "KeyError: 7")
        world.session.execute(delete(Standing))
        inferences.queue_draft(world.session, world.phase(), AT)
    world.infer("draft", LATER)
    assert list_jobs(world) == []


def test_parts_are_deleted_with_their_task_and_then_add_nothing(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = [{**part.payload, "job": part.id} for part in add_parts(world)]
    with db.writing(world.session):
        task_jobs.delete_jobs(world.session, world.task)
    assert list_jobs(world) == []
    monkeypatch.setattr(inference_runner, "run_process", compute_inference)
    for payload in parts:
        inference_job.run_part(world.site, payload, AT)
    assert list_jobs(world, INFERENCE_JOB) == []


@pytest.mark.one_database
def test_embedded_worker_computes_a_board_in_one_job(world: World) -> None:
    assert add_parts(world) == []
    draft = find_draft(world)
    assert draft is not None
    assert draft.text == compute_whole(world)
