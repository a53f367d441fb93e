"""Jobs run at a set time, by the worker of either database: on PostgreSQL, by Procrastinate's."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from typing import Any, TypeVar

from procrastinate import JobContext
from procrastinate.worker import Worker as ProcrastinateWorker
from sqlalchemy import text, update
from sqlalchemy.orm import Session

from server import cluster_worker, worker
from server.core import clock, db
from server.core.site_resources import Site
from server.job_handlers import HANDLERS, Handler
from server.jobs import table_queue
from server.jobs.models import Job, JobState
from server.jobs.procrastinate_queue import JOBS, NOTES

Result = TypeVar("Result")
STATUS = {"waiting": "todo", "running": "doing", "done": "succeeded", "failed": "failed"}
PICK = text("UPDATE procrastinate_jobs SET queue_name = :queue, scheduled_at = NULL WHERE id = :job")
"""Its clock is the database's, which knows no times of tests."""
RETRY = text(
    "SELECT procrastinate_retry_job_v2(id, :at, NULL, NULL, NULL) FROM procrastinate_jobs"
    " WHERE id = :job AND status = 'doing'"
)
"""What a worker does with the job of one without heartbeats."""


def change_job(
    session: Session, job_id: int, state: JobState, attempt: int = 0, error: str | None = None
) -> None:
    """Write to a job what no service would, such as that it failed; on PostgreSQL it is a view."""
    change_jobs(session, [job_id], state, attempt, error)


def change_jobs(
    session: Session,
    ids: Sequence[int],
    state: JobState,
    attempt: int = 0,
    error: str | None = None,
    finished_at: datetime | None = None,
) -> None:
    """Write to many jobs, as `change_job` does to one."""
    noted = {"error": error, "finished_at": finished_at}
    if session.get_bind().dialect.name == "sqlite":
        session.execute(update(Job).where(Job.id.in_(ids)).values(state=state, attempt=attempt, **noted))
    else:
        of_engine = {"status": STATUS[state], "attempts": attempt}
        session.execute(update(JOBS).where(JOBS.c.id.in_(ids)).values(of_engine))
        session.execute(update(NOTES).where(NOTES.c.job_id.in_(ids)).values(noted))
    session.expire_all()


def hasten(session: Session, ids: Sequence[int], at: datetime) -> None:
    """Let waiting jobs be due at this time, with the attempts that they have had."""
    if session.get_bind().dialect.name == "sqlite":
        session.execute(update(Job).where(Job.id.in_(ids)).values(due_at=at))
    else:
        session.execute(update(JOBS).where(JOBS.c.id.in_(ids)).values(scheduled_at=at))


def presume_dead(site: Site, job_id: int) -> None:
    """Let go of a job as if its worker had died; on SQLite its lease ends by the clock."""
    if site.engine.dialect.name == "postgresql":
        with site.writing() as session:
            session.execute(RETRY, {"job": job_id, "at": clock.now()})


def run_job(site: Site, job_id: int, handlers: Mapping[str, Handler] = HANDLERS) -> bool:
    """Run a job if it is due; False: it is not."""
    if site.engine.dialect.name == "sqlite":
        return worker.run_job(site, job_id, handlers)
    with site.reading() as session:
        due = job_id in table_queue.list_due_jobs(session, clock.now())
    return due and run_due(site, [job_id], handlers) == [job_id]


def run_due(site: Site, ids: Sequence[int], handlers: Mapping[str, Handler]) -> list[int]:
    """Run due jobs in this order, and return those that ran."""
    if site.engine.dialect.name == "sqlite":
        return [job_id for job_id in ids if worker.run_job(site, job_id, handlers)]
    ran = run_async(_run_picked(site, ids, handlers))
    db.end_reading(site.session())
    return ran


def run_async(work: Coroutine[Any, Any, Result]) -> Result:
    """Run a coroutine in a thread of its own: Playwright's loop may be running in this one."""
    with ThreadPoolExecutor(1) as threads:
        return threads.submit(asyncio.run, work).result()


async def _run_picked(site: Site, ids: Sequence[int], handlers: Mapping[str, Handler]) -> list[int]:
    """Run each of these jobs once unless another worker takes it first, and return those that ran."""
    app, ran = cluster_worker.make_app(site, handlers), list[int]()

    def run_once(call: Callable[[], Any], context: JobContext, running: ProcrastinateWorker) -> Any:
        assert context.job.id is not None
        ran.append(context.job.id)
        running.stop()
        return call()

    async with app.open_async():
        for job_id in ids:
            queue = f"picked {job_id}"
            with site.writing() as session:
                session.execute(PICK, {"queue": queue, "job": job_id})
            await app.run_worker_async(
                queues=[queue],
                listen_notify=False,
                install_signal_handlers=False,
                wait=False,
                task_middleware=[run_once],
            )
    return ran
