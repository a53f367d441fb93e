"""Runs jobs: on PostgreSQL by Procrastinate, on SQLite by threads that poll their table.

A thread claims a job, runs it outside transactions, and records the result. A claim is a lease with the
number of the attempt, which another thread renews while the job runs; the job of a worker that died is
taken over when the lease ends. A worker that comes back late changes nothing, because its attempt is no
longer the newest. So a job may be run twice, and its handler must allow for that. An email is transmitted
only after the lease was renewed: a worker that was frozen until another one sent the email does not send
it again.

Idle threads only read. Claims are made in the site's one writing transaction at a time (`db.writing`), so
two workers never claim the same job.
"""

import logging
import os
import threading
from collections.abc import Collection, Mapping
from datetime import datetime

from server.core import child_processes, clock, db, logs
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
from server.jobs import table_queue
from server.jobs.rules import Claim

LOG = logging.getLogger("assay.worker")
POLL_SECONDS = 0.5
"""The delay between two queries for jobs if there are none."""
PERIOD_SECONDS = 60.0
RENEW_SECONDS = table_queue.LEASE.total_seconds() / 4


class Worker:
    """One thread that runs jobs: of the kinds `only`, or of all kinds except `but`."""

    def __init__(
        self,
        site: Site,
        handlers: Mapping[str, Handler] = HANDLERS,
        *,
        only: Collection[str] | None = None,
        but: Collection[str] = (),
    ) -> None:
        self._site, self._handlers = site, handlers
        self._only, self._but = only, but
        self._ticked: datetime | None = None

    def run(self, stopped: threading.Event) -> None:
        """Run jobs until stopped; errors are logged."""
        while not stopped.is_set():
            try:
                worked = self.step()
            except Exception as error:
                logs.report_error(error)
                LOG.exception("The worker could not go on; it tries again.")
                stopped.wait(5)
                continue
            finally:
                self._site.session.remove()
            if not worked:
                stopped.wait(POLL_SECONDS)

    def step(self) -> bool:
        """Run one due job; False: there is none."""
        if self._only is None:
            self._tick()
        session = self._site.session()
        with db.reading(session):
            due = table_queue.list_due_jobs(session, clock.now(), self._only, self._but)
        return any(run_job(self._site, job_id, self._handlers) for job_id in due)  # stops after one job

    def _tick(self) -> None:
        now = clock.now()
        if self._ticked is None or (now - self._ticked).total_seconds() >= PERIOD_SECONDS:
            self._ticked = now
            run_periodic_tasks(self._site, now)


def run_worker(
    site: Site,
    stopped: threading.Event,
    parent: int | None = None,
    handlers: Mapping[str, Handler] = HANDLERS,
) -> None:
    """Run jobs until stopped, or until the parent has ended; each lane has its own thread."""
    if site.engine.dialect.name == "postgresql":
        from server import cluster_worker  # noqa: PLC0415  (sites on SQLite do without)

        cluster_worker.run(site, stopped, parent, handlers)
    else:
        _run_threads(site, stopped, parent, handlers)


def _run_threads(
    site: Site, stopped: threading.Event, parent: int | None, handlers: Mapping[str, Handler]
) -> None:
    workers = [Worker(site, handlers, but=frozenset().union(*JOB_LANES.values()))]
    workers += [Worker(site, handlers, only=kinds) for kinds in JOB_LANES.values()]
    threads = [threading.Thread(target=worker.run, args=(stopped,)) for worker in workers]
    for thread in threads:
        thread.start()
    while not stopped.wait(POLL_SECONDS):
        if parent is not None and os.getppid() != parent:
            stopped.set()
    for thread in threads:
        while thread.is_alive():
            child_processes.cancel_running()  # they are interrupted, and their jobs are retried
            thread.join(POLL_SECONDS)


def run_job(site: Site, job_id: int, handlers: Mapping[str, Handler] = HANDLERS) -> bool:
    """Run a job if it is due and unclaimed; False: it is not."""
    with site.writing() as session:
        claim = table_queue.claim_job(session, job_id, clock.now())
    if claim is None:
        return False
    error = _run_claimed(site, claim, handlers)
    with db.writing(session):
        if error is None:
            is_ours = table_queue.finish_job(session, claim, clock.now())
        else:
            is_ours = table_queue.give_back_job(session, claim, clock.now(), error.text, final=error.final)
    if not is_ours:
        LOG.warning("Job %d (%s) was taken over by another worker.", claim.job_id, claim.kind)
    return True


def _run_claimed(site: Site, claim: Claim, handlers: Mapping[str, Handler]) -> JobError | None:
    """Call the job's handler while a thread renews the lease."""
    done = threading.Event()
    renewing = threading.Thread(target=_renew_lease, args=(site, claim, done), daemon=True)
    renewing.start()
    try:
        return call_handler(site, claim, handlers, lambda: _renew_claim(site, claim))
    finally:
        done.set()
        renewing.join()


def _renew_claim(site: Site, claim: Claim) -> None:
    with db.writing(site.session()):
        if not table_queue.renew_lease(site.session(), claim, clock.now()):
            raise ClaimLost


def _renew_lease(site: Site, claim: Claim, done: threading.Event) -> None:
    """Renew the job's lease while it runs, however long that takes."""
    try:
        while not done.wait(RENEW_SECONDS):
            try:
                _renew_claim(site, claim)
            except ClaimLost:
                return
            except Exception:
                LOG.exception("The lease of job %d (%s) was not renewed.", claim.job_id, claim.kind)
    finally:
        site.session.remove()
