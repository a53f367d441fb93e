"""Scheduled releases: made once, on time, on behalf of their organizer; failures are reported."""

import os
import subprocess
import sys
import threading
import time
from datetime import UTC, datetime, timedelta

import pytest

from server.audit.models import AuditEntry
from server.core import db
from server.core.config import to_env
from server.core.errors import Conflict, Forbidden, InvalidDates
from server.jobs import service as jobs
from server.jobs.models import Job
from server.releases import (
    creation as release_creation,
    scheduling as release_scheduling,
    service as releases,
)
from server.releases.creation import DEFAULT_OPTIONS, ReleaseOptions
from server.releases.models import Release, ReleasePlan
from tests.server.job_runs import run_job
from tests.server.races import run_at_once
from tests.server.world import AFTER, CLOSES, DURING, World

DUE = AFTER + timedelta(hours=1)


def plan(
    world: World,
    due_at: datetime = DUE,
    manner: ReleaseOptions = DEFAULT_OPTIONS,
    by: str = "ada",
    now: datetime = AFTER,
) -> ReleasePlan:
    with db.writing(world.session):
        return release_scheduling.schedule_release(
            world.session, world.actor(by), world.phase(), due_at, now, manner
        )


def cancel(world: World) -> None:
    with db.writing(world.session):
        release_scheduling.cancel_plan(world.session, world.actor("ada"), world.phase(), AFTER)


def made(world: World) -> list[Release]:
    world.session.rollback()
    return [state.release for state in releases.list_releases(world.session, world.phase())]


def test_scheduled_release_is_made_on_time_even_if_its_organizer_left(world: World) -> None:
    world.upload(world.run(), "p2s")
    world.give_role("dee", "co-organizer")
    planned = plan(world, manner=ReleaseOptions(anonymous=True, note="Two labels were mended."), by="dee")
    with pytest.raises(Conflict, match=r"already scheduled for 19 Mar 2026, 17:00 UTC\. Cancel it first"):
        plan(world)
    world.end_role("dee")
    world.work(DUE - timedelta(seconds=1))
    assert made(world) == []
    world.upload(world.run("two"), "s2p")
    world.work(DUE)
    (release,) = made(world)
    world.session.refresh(planned)
    assert (release.anonymous, release.made_at, release.made_by) == (True, DUE, world.user("dee").id)
    assert release.note == "Two labels were mended."
    assert (planned.release_id, planned.ended_at, planned.outcome) == (release.id, DUE, None)
    assert '"run 2"' in release.board, "it is the board as it stands then"
    entries = world.session.query(AuditEntry).filter(AuditEntry.action.like("release.%"))
    assert [entry.action for entry in entries.order_by(AuditEntry.number)] == ["release.plan", "release.add"]
    none_scheduled = "No release of Evaluation is scheduled."
    with pytest.raises(Conflict, match=none_scheduled):
        cancel(world)


def test_only_organizers_schedule_only_future_releases_and_can_cancel_them(world: World) -> None:
    with pytest.raises(InvalidDates, match=r"is in the past\. Choose a time in the future, or release now"):
        plan(world, AFTER)
    with pytest.raises(Forbidden):
        plan(world, by="bo")
    plan(world)
    cancel(world)
    assert world.work(DUE) == [], "its job is given up with it"
    assert made(world) == []
    assert plan(world, DUE + timedelta(hours=1), now=DUE).ended_at is None, "another one may be made"


def test_failed_scheduled_release_is_shown_until_something_is_released(world: World) -> None:
    plan(world)
    world.release()
    world.work(DUE)
    failed = release_scheduling.list_failed(world.session, [world.phase()], DUE)
    later = DUE + release_scheduling.FAILURE_SHOWN + timedelta(seconds=1)
    assert release_scheduling.list_failed(world.session, [world.phase()], later) == {}
    assert failed[world.phase().id].outcome == "Release 1 already shows this leaderboard."
    assert len(made(world)) == 1
    plan(world, DUE + timedelta(hours=1), now=DUE)
    assert release_scheduling.list_failed(world.session, [world.phase()], DUE) == {}
    world.withdraw_release(at=DUE)
    world.work(DUE + timedelta(hours=1))
    assert [release.number for release in made(world)] == [2, 1], "a withdrawal does not end a plan"


def test_gold_publication_can_only_be_scheduled_after_the_grace_period(world: World) -> None:
    grace_ends = CLOSES + timedelta(hours=72)
    with pytest.raises(
        Conflict, match="Submissions on the test items are accepted until 18 Mar 2026, 12:00 UTC"
    ):
        plan(world, grace_ends, ReleaseOptions(opens_gold=True), now=DURING)
    plan(world, grace_ends + timedelta(seconds=1), ReleaseOptions(opens_gold=True), now=DURING)
    with db.writing(world.session):
        world.phase().grace_hours = 100
    world.work(grace_ends + timedelta(seconds=1))
    failed = release_scheduling.list_failed(world.session, [world.phase()], DUE)
    assert "Submissions on the test items are accepted until" in (failed[world.phase().id].outcome or "")
    assert made(world) == [], "a release without its gold is not what was planned"


@pytest.mark.both_databases
def test_many_workers_make_a_scheduled_release_once(world: World) -> None:
    plan(world)
    world.set_clock(DUE)
    with db.writing(world.session):  # as if the queue and a dead worker's lease had delivered it twice
        job = world.session.query(Job).filter_by(kind=release_scheduling.MAKE_RELEASE).one()
        again_id = jobs.add_job(world.session, job.kind, job.payload, DUE)
        ids = [job.id, again_id] * 4
    gate, site = threading.Barrier(len(ids)), world.site

    def work(job_id: int) -> None:
        gate.wait()
        run_job(site, job_id)
        site.session.remove()

    run_at_once(work, [(job_id,) for job_id in ids])
    assert [release.number for release in made(world)] == [1]


def test_failure_leaves_the_scheduled_release_for_the_next_attempt(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned, whole = plan(world, manner=ReleaseOptions(opens_gold=True)), release_creation.add_release

    def fault(*arguments: object, **named: object) -> Release:
        whole(*arguments, **named)  # type: ignore[arg-type]  # as it was called
        raise OSError(
            "The site’s database or disk is not available. Nothing was counted. Try again in a minute."
        )

    with monkeypatch.context() as patch:
        patch.setattr(release_creation, "add_release", fault)
        world.work(DUE)
    world.session.expire_all()
    assert (made(world), planned.ended_at) == ([], None)
    assert not any(
        split.public_gold for level in world.task.levels for split in level.splits if split.name == "test"
    )
    world.work(DUE + jobs.BACK_OFF[0])
    assert len(made(world)) == 1


def test_worker_processes_make_a_scheduled_release_once_and_on_time(world: World) -> None:
    """The real clock: of two workers one is killed before, and the release is there within two seconds."""
    with db.writing(world.session):
        jobs.delete_kinds(world.session, "")  # the drafts that wait would share the processors
    env = {**to_env(world.site.config), "PYTHONPATH": os.getcwd()}  # noqa: PTH109  (where the tests run)
    command = [sys.executable, "-u", "-m", "server.cli", "worker"]
    workers = [subprocess.Popen(command, env=env, stdout=subprocess.PIPE) for _ in range(2)]
    try:
        for worker in workers:
            assert worker.stdout is not None
            assert b"is running jobs" in worker.stdout.readline()
        now = datetime.now(UTC)
        due = now + timedelta(seconds=2)
        plan(world, due, now=now)
        workers[0].kill()
        while not (found := made(world)) and datetime.now(UTC) < due + timedelta(seconds=10):
            time.sleep(0.1)
        time.sleep(0.5)
    finally:
        for worker in workers:
            worker.kill()
            worker.communicate()
    assert [release.number for release in made(world)] == [1]
    assert timedelta(0) <= found[0].made_at - due < timedelta(seconds=2)
