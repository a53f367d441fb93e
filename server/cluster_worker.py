"""Runs jobs on PostgreSQL: Procrastinate's workers, one for each lane, which call our handlers in threads.

Each kind of job is a task and a queue of that name. When a worker dies, its heartbeats end, and another one
retries its jobs within 15 seconds, so a job may be run twice. A worker that was frozen meanwhile sends no
email, because it asks before each one whether the job is still its own.
"""

import asyncio
import logging
import os
import threading
from collections.abc import Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import Any

from procrastinate import App, BaseRetryStrategy, JobContext, PsycopgConnector, RetryDecision
from procrastinate.exceptions import ConnectorException
from procrastinate.jobs import Job, Status
from sqlalchemy import make_url, text

from server.core import child_processes, clock, db
from server.core.site_resources import Site
from server.job_handlers import (
    HANDLERS,
    JOB_LANES,
    ClaimLost,
    Handler,
    JobError,
    call_handler,
    run_periodic_tasks,
)
from server.jobs import procrastinate_queue as queue, service as jobs
from server.jobs.rules import Claim

LOG = logging.getLogger("assay.worker")
PERIODIC = "periodic"
"""The queue of what is due by the clock: it has a lane of its own, since others may be busy."""
POLL_SECONDS = 1.0
"""How often a worker looks for jobs that became due; new ones are announced at once by LISTEN/NOTIFY."""
HEARTBEAT_SECONDS = 1.5
DEAD_AFTER_SECONDS = 6.0
"""After how long without a heartbeat a worker is presumed dead; the view of jobs says so, too."""
RESTART_SECONDS = 2.0
CONNECT_SECONDS = 5.0
"""How long a worker waits for a connection, which is how long it takes to stop while the database is away."""
_IS_OWN = text(
    "UPDATE procrastinate_workers SET last_heartbeat = now()"
    " WHERE id = (SELECT worker_id FROM procrastinate_jobs"
    " WHERE id = :job AND status = 'doing' AND attempts = :attempts AND worker_id = :worker) RETURNING id"
)


class JobFailed(Exception):
    """A handler reported an error, which is in the job's note; Procrastinate retries the job."""

    def __init__(self, error: JobError) -> None:
        super().__init__(error.text)
        self.final = error.final


class BackOff(BaseRetryStrategy):
    """Retries a job after ever longer delays, as often as jobs are retried on SQLite."""

    def get_retry_decision(self, *, exception: BaseException, job: Job) -> RetryDecision | None:
        """Decide when a job is retried; None: it has failed."""
        if getattr(exception, "final", False) or job.attempts + 1 >= jobs.MAX_ATTEMPTS:
            return None
        return RetryDecision(retry_at=clock.now() + jobs.BACK_OFF[job.attempts])


def make_app(site: Site, handlers: Mapping[str, Handler] = HANDLERS) -> App:
    """Make Procrastinate's app, with a task for each kind of job, and those that the clock starts."""
    logging.getLogger("procrastinate").setLevel(logging.WARNING)
    logging.getLogger("procrastinate.worker").addFilter(_is_news)
    address = make_url(site.config.database_url).set(drivername="postgresql")
    conninfo, options = address.render_as_string(hide_password=False), db.connect_options(address)
    connector = PsycopgConnector(
        conninfo=conninfo, kwargs=options, min_size=1, max_size=8, timeout=CONNECT_SECONDS
    )
    app = App(connector=connector)
    for kind in handlers:
        app.task(name=kind, queue=kind, pass_context=True, retry=BackOff())(partial(_run, site, handlers))

    @app.periodic(cron="* * * * *")
    @app.task(name="periodic.look", queue=PERIODIC)
    async def look(timestamp: int) -> None:  # noqa: ARG001
        await app.job_manager.delete_old_jobs(nb_hours=1, queue=PERIODIC, include_failed=True)
        await asyncio.to_thread(_look, site)

    @app.periodic(cron="* * * * * */3")
    @app.task(name="periodic.retry_stalled", queue=PERIODIC)
    async def retry_stalled(timestamp: int) -> None:  # noqa: ARG001
        for job in await app.job_manager.get_stalled_jobs(seconds_since_heartbeat=DEAD_AFTER_SECONDS):
            with suppress(ConnectorException):  # it ended meanwhile
                await _retry_stalled(app, site, job)

    return app


def run(site: Site, stopped: threading.Event, parent: int | None, handlers: Mapping[str, Handler]) -> None:
    """Run jobs until stopped, or until the parent has ended."""
    asyncio.run(_run_lanes(site, stopped, parent, handlers))


async def _run_lanes(
    site: Site, stopped: threading.Event, parent: int | None, handlers: Mapping[str, Handler]
) -> None:
    lanes = {name: kinds & handlers.keys() for name, kinds in JOB_LANES.items()}
    lanes["other"] = frozenset(handlers.keys() - frozenset().union(*lanes.values()))
    lanes[PERIODIC] = frozenset({PERIODIC})
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(len(lanes) + 1))
    app = make_app(site, handlers)
    async with app.open_async():
        working = {
            asyncio.create_task(_work(app, stopped, name, kinds)) for name, kinds in lanes.items() if kinds
        }
        while not stopped.is_set():
            await asyncio.sleep(POLL_SECONDS / 2)
            if parent is not None and os.getppid() != parent:
                stopped.set()
        for lane in working:
            lane.cancel()
        while working:
            child_processes.cancel_running()  # they are interrupted, and their jobs are retried
            _, working = await asyncio.wait(working, timeout=POLL_SECONDS / 2)


async def _work(app: App, stopped: threading.Event, name: str, kinds: Collection[str]) -> None:
    """Run a worker for some kinds of jobs, again whenever it ended: it does so when the database is away.

    Then it also forgets that it was cancelled.
    """
    while not stopped.is_set():
        try:
            await app.run_worker_async(
                queues=sorted(kinds),
                name=name,
                concurrency=1,
                install_signal_handlers=False,
                fetch_job_polling_interval=POLL_SECONDS,
                update_heartbeat_interval=HEARTBEAT_SECONDS,
                stalled_worker_timeout=DEAD_AFTER_SECONDS,
            )
        except Exception:
            LOG.exception("The worker for %s could not go on; it tries again.", name)
            await asyncio.sleep(RESTART_SECONDS)


def _run(site: Site, handlers: Mapping[str, Handler], context: JobContext, **_arguments: Any) -> None:
    """Run a job, and note how that ended.

    Raises:
        JobFailed: it went wrong.
    """
    try:
        assert context.job.id is not None  # noqa: S101  (it was fetched)
        _run_noted(site, handlers, context.job, context.job.id)
    finally:
        site.session.remove()


def _run_noted(site: Site, handlers: Mapping[str, Handler], job: Job, job_id: int) -> None:
    with site.reading() as session:
        noted = jobs.find_job(session, job_id)
        if noted is None:
            return  # deleted meanwhile
        claim = Claim(job_id, job.attempts + 1, job.task_name, {**noted.payload, "job": job_id})
    error = call_handler(site, claim, handlers, lambda: _require_own(site, job))
    with site.writing() as session:
        noted = jobs.find_job(session, job_id)
        if noted is None:
            return
        if error is None or error.final or claim.attempt >= jobs.MAX_ATTEMPTS:
            queue.end(session, noted, clock.now(), None if error is None else error.text)
        else:
            queue.note_error(session, noted, error.text)
    if error is not None:
        raise JobFailed(error)


def _require_own(site: Site, job: Job) -> None:
    """Send a heartbeat, or raise if another worker may have the job.

    Raises:
        ClaimLost: another one has it, or this worker is presumed dead.
    """
    values = {"job": job.id, "attempts": job.attempts, "worker": job.worker_id}
    with site.writing() as session:
        if session.execute(_IS_OWN, values).first() is None:
            raise ClaimLost


async def _retry_stalled(app: App, site: Site, job: Job) -> None:
    """Let another worker run the job of a dead one, unless it has ended too many."""
    assert job.id is not None  # noqa: S101  (it is in the database)
    attempt = job.attempts + 1
    if attempt < jobs.MAX_ATTEMPTS:
        await app.job_manager.retry_job(job, retry_at=clock.now())
    else:
        await app.job_manager.finish_job(job, Status.FAILED, delete_job=False)
        await asyncio.to_thread(_note_dead, site, job.id, attempt)


def _note_dead(site: Site, job_id: int, attempt: int) -> None:
    try:
        with site.writing() as session:
            noted = jobs.find_job(session, job_id)
            if noted is not None:
                queue.end(session, noted, clock.now(), jobs.died(attempt))
    finally:
        site.session.remove()


def _is_news(record: logging.LogRecord) -> bool:
    """Whether we have not logged this already: the error of a job is logged where its handler is called."""
    return getattr(record, "action", None) != "job_error"


def _look(site: Site) -> None:
    try:
        run_periodic_tasks(site, clock.now())
    finally:
        site.session.remove()
