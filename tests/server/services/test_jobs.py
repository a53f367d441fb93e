"""Jobs with a key: while one waits, it stands for all that are the same."""

from typing import Any

import pytest
from sqlalchemy import select

from server import db
from server.models import Job
from server.services import jobs
from tests.server.world import DURING, World


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


def test_a_waiting_job_is_found_in_as_many_steps_however_many_others_wait(world: World) -> None:
    if world.site.engine.dialect.name != "sqlite":
        pytest.skip("PostgreSQL chooses its index by how many rows there are")
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
                done=0,
                created_at=DURING,
            )
            for key, state in (*((None, "waiting"),) * 500, *(("same", "done"),) * 500)
        )
    assert steps(world) == few
    assert len(world.session.scalars(select(Job).where(Job.kind == "same")).all()) == 1
