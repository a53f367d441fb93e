"""Jobs with a key: while one waits, no other with the same key is added."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import select

from server.core import db
from server.jobs import service as jobs
from server.jobs.models import Job
from tests.server.job_runs import change_job
from tests.server.world import DURING, World

pytestmark = pytest.mark.both_databases


def steps(world: World) -> int:
    """How many steps SQLite takes to find the waiting job of a key."""
    session, taken = world.session, [0]

    def note() -> int:
        taken[0] += 1
        return 0

    with db.writing(session):
        driver: Any = session.connection().connection.driver_connection
        driver.set_progress_handler(note, 1)
        try:
            jobs.add_job(session, "same", {}, DURING, key="same")
        finally:
            driver.set_progress_handler(None, 0)
    return taken[0]


@pytest.mark.one_database
def test_finding_a_waiting_job_takes_constant_steps(world: World) -> None:
    with db.writing(world.session):
        jobs.add_job(world.session, "same", {}, DURING, key="same")
    few = steps(world)
    with db.writing(world.session):
        world.session.add_all(
            Job(
                kind="other",
                payload={},
                key=key,
                state=state,
                due_at=DURING,
                attempt=0,
                created_at=DURING,
            )
            for key, state in (*((None, "waiting"),) * 500, *(("same", "done"),) * 500)
        )
    assert steps(world) == few
    assert len(world.session.scalars(select(Job).where(Job.kind == "same")).all()) == 1


def test_job_with_a_key_is_enqueued_unless_one_is_already_waiting(world: World) -> None:
    later = DURING + timedelta(minutes=1)

    def leave(number: int, due_at: datetime) -> list[tuple[int, datetime]]:
        with db.writing(world.session):
            same = jobs.NewJob("same", {"n": number}, due_at, key="same")
            jobs.add_jobs(world.session, [same, jobs.NewJob("other", {"n": number}, DURING)], DURING)
        found = select(Job).where(Job.key == "same", Job.state == "waiting").order_by(Job.id)
        return [(job.payload["n"], job.due_at) for job in world.session.scalars(found)]

    assert leave(1, later) == [(1, later)]
    assert leave(2, later + timedelta(minutes=1)) == [(1, later)], "the one that waits stands for both"
    assert leave(3, DURING) == [(1, DURING)], "at the earlier time"
    with db.writing(world.session):
        (job,) = world.session.scalars(select(Job).where(Job.key == "same"))
        change_job(world.session, job.id, "running")
    assert leave(4, DURING) == [(4, DURING)], "one that is being done may not see what comes now"
    others = world.session.scalars(select(Job.payload).where(Job.kind == "other").order_by(Job.id))
    assert [payload["n"] for payload in others] == [1, 2, 3, 4], "one without a key is always left"
