"""What Procrastinate promises for jobs on PostgreSQL, and what we do where it does not."""

import os
import subprocess
import sys
from contextlib import suppress
from datetime import timedelta
from typing import Any

import psycopg
import pytest
from procrastinate import App, PsycopgConnector, RetryStrategy
from sqlalchemy import Engine, make_url, text

from server import cluster_worker
from server.activity import task_jobs
from server.core import db, migrate
from server.core.config import to_env
from server.jobs import engine_schema, service as jobs
from tests.server.databases import Databases
from tests.server.job_runs import change_job, run_async
from tests.server.jobs.test_worker import Notes, begun, wait_for
from tests.server.races import run_at_once
from tests.server.world import DURING, World

pytestmark = pytest.mark.skipif(not os.environ.get("TEST_DATABASE_URL"), reason="PostgreSQL is not running")

LATER = DURING + timedelta(hours=1)


def state_of(world: World, job_id: int) -> tuple[str, int, str | None]:
    world.session.rollback()
    job = jobs.find_job(world.session, job_id)
    assert job is not None
    return job.state, job.attempt, job.error


def test_job_is_committed_with_its_cause_or_not_at_all(world: World) -> None:
    with suppress(KeyError), db.writing(world.session):
        jobs.add_job(world.session, "note", {}, DURING, key="lost")
        raise KeyError
    assert not jobs.is_queued(world.session, "lost")


def test_two_requests_with_one_key_add_one_job_and_neither_fails(world: World) -> None:
    site = world.site

    def add(number: int) -> None:
        with site.writing() as session:
            jobs.add_job(session, "note", {"number": number}, DURING, key="same")
        site.session.remove()

    run_at_once(add, [(number,) for number in range(8)])
    assert len([job for job in world.session.query(jobs.Job) if job.key == "same"]) == 1


def test_queueing_lock_of_procrastinate_would_leave_a_failed_job_running_for_ever(world: World) -> None:
    """So keys are in our notes: a job that is retried may wait beside a newer one with its key."""
    app = App(connector=PsycopgConnector(conninfo=address_of(world)))

    @app.task(name="fails", retry=RetryStrategy(max_attempts=3), queueing_lock="same")
    async def fail() -> None:
        await fail.defer_async()  # while this one runs, the same work is due again
        raise OSError

    async def play() -> list[str | None]:
        async with app.open_async():
            await fail.defer_async()
            await app.run_worker_async(wait=False, install_signal_handlers=False, task_middleware=[once])
            return [job.status for job in await app.job_manager.list_jobs_async(task="fails")]

    async def once(call: Any, _context: Any, worker: Any) -> Any:
        worker.stop()
        return await call()

    assert run_async(play()) == ["doing", "todo"]


def test_retried_job_waits_beside_a_newer_one_with_its_key(world: World) -> None:
    def fail(*_: Any) -> None:
        with world.site.writing() as session:
            jobs.add_job(session, "note", {}, LATER, key="same")
        raise OSError

    with db.writing(world.session):
        first = jobs.add_job(world.session, "note", {}, DURING, key="same")
    world.work(DURING, {"note": fail})
    assert state_of(world, first) == ("waiting", 1, "OSError: ")
    notes = Notes()
    world.work(LATER, {"note": notes})
    assert len(notes.seen) == 2


def test_job_whose_workers_always_die_is_retried_and_in_the_end_failed(world: World) -> None:
    with db.writing(world.session):
        first, last = (jobs.add_job(world.session, "note", {}, DURING) for _ in range(2))
        change_job(world.session, first, "running")
        change_job(world.session, last, "running", jobs.MAX_ATTEMPTS - 1)

    async def look() -> None:
        app = cluster_worker.make_app(world.site)
        async with app.open_async():
            await app.tasks["periodic.retry_stalled"](timestamp=0)

    run_async(look())
    assert state_of(world, first) == ("waiting", 1, None)
    assert state_of(world, last) == ("failed", 6, "The worker stopped during attempt 6.")


def fail(*_: Any) -> None:
    raise KeyError(7)


def test_operator_sees_and_retries_jobs_by_procrastinates_own_commands(world: World) -> None:
    with db.writing(world.session):
        job_id = jobs.add_job(world.session, "note", {"number": 7}, DURING, key="seven")
        change_job(world.session, job_id, "waiting", jobs.MAX_ATTEMPTS - 1)
    world.work(DURING, {"note": fail})
    assert state_of(world, job_id) == ("failed", jobs.MAX_ATTEMPTS, "KeyError: 7")
    assert not jobs.is_queued(world.session, "seven")
    command = [sys.executable, "-m", "procrastinate", "--app=server.procrastinate_app.app", "shell"]
    env = {**to_env(world.site.config), "PYTHONPATH": os.getcwd()}  # noqa: PTH109  (where the tests run)
    for words in (["list_jobs", "status=failed"], ["retry", str(job_id)]):
        done = subprocess.run([*command, *words], env=env, capture_output=True, text=True, check=True)
        assert f"#{job_id} note" in done.stdout, done.stdout
    world.session.rollback()
    assert jobs.is_queued(world.session, "seven")
    (shown,) = task_jobs.list_failing_jobs(world.session, None)
    assert (shown.job.id, shown.job.state, shown.error) == (job_id, "waiting", "KeyError")


@pytest.mark.own_site
def test_newer_version_of_procrastinate_gets_its_tables_and_the_jobs_stay(world: World) -> None:
    with db.writing(world.session):
        job_id = jobs.add_job(world.session, "note", {}, DURING)
    engine = world.site.engine
    assert engine_schema.is_current(engine)
    older = "03.04.00_01_pre_add_retry_failed_job_procedure.sql"
    with db.connect_to_write(engine) as connection, connection.begin():
        connection.execute(text(f"COMMENT ON TABLE procrastinate_jobs IS '{older}'"))
        connection.execute(
            text("DROP FUNCTION procrastinate_trigger_function_status_events_update_v1 CASCADE")
        )
    assert not engine_schema.is_current(engine)
    engine_schema.upgrade(engine)
    assert engine_schema.is_current(engine)
    notes = Notes()
    assert world.work(DURING, {"note": notes}) == [job_id]
    assert state_of(world, job_id) == ("done", 1, None)


@pytest.mark.own_site
def test_worker_that_is_stopped_while_its_database_is_away_ends(world: World) -> None:
    engine = world.site.engine
    env = {**to_env(world.site.config), "PYTHONPATH": os.getcwd()}  # noqa: PTH109  (where the tests run)
    with begun([sys.executable, "-m", "server.cli", "worker"], env=env, stdout=subprocess.DEVNULL) as worker:
        wait_for(lambda: count_workers(engine) > 1)
        world.site.session.remove()
        engine.dispose()
        with psycopg.connect(address_of(world), dbname="postgres", autocommit=True) as connection:
            connection.execute(f"ALTER DATABASE {engine.url.database} ALLOW_CONNECTIONS false")  # type: ignore[call-overload]
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s",
                [engine.url.database],
            )
        worker.terminate()
        assert worker.wait(30) == 0


def count_workers(engine: Engine) -> int:
    with engine.connect() as connection:
        return int(connection.execute(text("SELECT count(*) FROM procrastinate_workers")).scalar_one())


BEFORE = """
    INSERT INTO job (kind, payload, key, state, due_at, attempt, done, error, created_at, finished_at) VALUES
    ('note', '{"task": 1}', 'same', 'waiting', '2026-03-10', 2, 0, 'OSError: ', '2026-03-09', NULL),
    ('mail', '{"until": "y", "sealed": "x"}', NULL, 'running', '2026-03-10', 1, 0, NULL, '2026-03-09', NULL),
    ('note', '{"task": 2, "result": {}}', NULL, 'done', '2026-03-10', 1, 0, NULL, '2026-03-09', '2026-03-11'),
    ('note', '{"task": 3}', NULL, 'failed', '2026-03-10', 6, 0, 'KeyError: 3', '2026-03-09', '2026-03-11')
"""
ROWS = text(
    "SELECT id, kind, payload, key, replace(state, 'running', 'waiting'), attempt, error, due_at, created_at,"
    " finished_at FROM job ORDER BY id"
)


def test_jobs_that_are_there_move_to_procrastinate_and_back(databases: Databases) -> None:
    engine = db.open_engine(databases.empty())
    migrate.migrate(engine, "0016_add_run_facts")
    with db.connect_to_write(engine) as connection, connection.begin():
        connection.execute(text(BEFORE))
        before = connection.execute(ROWS).all()
    migrate.migrate(engine)
    with db.connect_to_write(engine) as connection, connection.begin():
        there = connection.execute(ROWS).all()
        args = connection.execute(text("SELECT args FROM procrastinate_jobs ORDER BY id")).scalars().all()
    migrate.migrate(engine, "0016_add_run_facts")
    with engine.connect() as connection:
        back = connection.execute(ROWS).all()
    engine.dispose()
    assert there == back == before
    assert args[1:3] == [{"until": "y"}, {"task": 2}], "nothing that is encrypted is Procrastinate's"


def address_of(world: World) -> str:
    url = make_url(world.site.config.database_url).set(drivername="postgresql")
    return url.render_as_string(hide_password=False)
