"""Jobs: added in the transaction of their cause, so that there is one if and only if there is the other.

A worker claims a job for a while, with a number for the attempt. What it says of the job counts only while
that attempt is the newest: one that was taken for dead and comes back changes nothing.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import and_, delete, or_, select
from sqlalchemy.orm import Session
from sqlalchemy.sql import ColumnElement

from server.jobs.models import Job

LEASE = timedelta(seconds=12)
"""How long a worker owns a job unless it renews its claim; so soon is the job of a dead worker taken over."""
BACK_OFF = (
    timedelta(minutes=1),
    timedelta(minutes=5),
    timedelta(minutes=30),
    timedelta(hours=2),
    timedelta(hours=6),
)
"""How long a job rests after each attempt that went wrong; after one more it has failed."""
MAX_ATTEMPTS = len(BACK_OFF) + 1
BATCH_SIZE = 100
"""How many due jobs are looked up together."""
KEEP_DONE_FOR = timedelta(days=30)
"""How long a job that is done is kept."""
INTERRUPTED = "Interrupted: "
"""How the error of an attempt begins that was ended from outside, so that nothing is known to be wrong."""
_ERROR_LENGTH = 2000


@dataclass(frozen=True, slots=True)
class Claim:
    """A job that is this worker's, at this attempt."""

    job_id: int
    attempt: int
    kind: str
    payload: Mapping[str, Any]


def new_job(
    kind: str,
    payload: Mapping[str, Any],
    now: datetime,
    *,
    due_at: datetime | None = None,
    key: str | None = None,
) -> Job:
    """A job for `add_jobs`, due at once unless said otherwise."""
    return Job(
        kind=kind,
        payload=dict(payload),
        key=key,
        state="waiting",
        due_at=now if due_at is None else due_at,
        attempt=0,
        done=0,
        created_at=now,
    )


def add_job(
    session: Session,
    kind: str,
    payload: Mapping[str, Any],
    now: datetime,
    *,
    due_at: datetime | None = None,
    key: str | None = None,
) -> Job:
    """Add a job, due at once unless said otherwise; while one with its `key` waits, that one."""
    (job,) = add_jobs(session, [new_job(kind, payload, now, due_at=due_at, key=key)])
    return job


def add_jobs(session: Session, new: Sequence[Job]) -> list[Job]:
    """Add jobs; in place of one whose key a waiting job has, that one. Returns the jobs that now wait."""
    keys = [job.key for job in new if job.key is not None]
    query = select(Job).where(Job.key.in_(keys), Job.state == "waiting")
    waiting = {job.key: job for job in session.scalars(query)} if keys else {}
    added = [job if job.key is None else waiting.setdefault(job.key, job) for job in new]
    session.add_all(added)
    session.flush()
    return added


def list_due_jobs(
    session: Session, now: datetime, only: Collection[str] | None = None, but: Collection[str] = ()
) -> list[int]:
    """The ids of jobs that somebody should do now, the longest due first; of some kinds, or all but some."""
    query = select(Job.id).where(_is_due(now), Job.kind.not_in(but))
    if only is not None:
        query = query.where(Job.kind.in_(only))
    return list(session.scalars(query.order_by(Job.due_at, Job.id).limit(BATCH_SIZE)))


def claim_job(session: Session, job_id: int, now: datetime) -> Claim | None:
    """Make a job this worker's, if it is due and nobody's; None: there is nothing to do."""
    job = session.scalar(select(Job).where(Job.id == job_id, _is_due(now)))
    if job is None:
        return None
    if job.attempt >= MAX_ATTEMPTS:
        _fail(job, now, f"The worker stopped during attempt {job.attempt}.")
        return None
    job.state, job.leased_until = "running", now + LEASE
    job.attempt += 1
    session.flush()
    return Claim(job.id, job.attempt, job.kind, dict(job.payload))


def renew_job(session: Session, claim: Claim, now: datetime) -> bool:
    """Keep a job for another while; False: it is somebody else's now."""
    job = _find_own(session, claim)
    if job is not None:
        job.leased_until = now + LEASE
    return job is not None


def finish_job(session: Session, claim: Claim, now: datetime) -> bool:
    """Say that a job is done; False: it is no longer this worker's to say."""
    job = _find_own(session, claim)
    if job is not None:
        job.state, job.leased_until, job.error, job.finished_at = "done", None, None, now
    return job is not None


def cancel_jobs(session: Session, kind: str, name: str, number: int, now: datetime) -> None:
    """Say that the waiting jobs of a kind about one thing are done: there is nothing left to do."""
    about = Job.payload[name].as_integer() == number
    for job in session.scalars(select(Job).where(Job.kind == kind, Job.state == "waiting", about)):
        job.state, job.finished_at = "done", now


def give_back_job(session: Session, claim: Claim, now: datetime, error: str) -> bool:
    """Put a job back that went wrong: it rests and waits again, or has failed; False: not its own."""
    job = _find_own(session, claim)
    if job is None:
        return False
    if job.attempt >= MAX_ATTEMPTS:
        _fail(job, now, error)
    else:
        job.state, job.leased_until, job.error = "waiting", None, error[:_ERROR_LENGTH]
        job.due_at = now + BACK_OFF[job.attempt - 1]
    return True


def find_failure(job: Job) -> str | None:
    """Why a job went wrong; None: it did not, or was interrupted once, which may happen to any job.

    Interrupted again, something may be wrong after all, such as too little memory.
    """
    ended = job.attempt - (job.state == "running")
    interrupted = job.error is not None and job.error.startswith(INTERRUPTED)
    return None if job.state == "done" or (interrupted and ended < 2) else job.error


def delete_done_jobs(session: Session, now: datetime) -> int:
    """Remove jobs that were done long ago; those that failed stay."""
    old = (Job.state == "done", Job.finished_at < now - KEEP_DONE_FOR)
    gone = list(session.scalars(delete(Job).where(*old).returning(Job.id)))
    return len(gone)


def _fail(job: Job, now: datetime, error: str) -> None:
    job.state, job.leased_until, job.error, job.finished_at = "failed", None, error[:_ERROR_LENGTH], now


def _is_due(now: datetime) -> ColumnElement[bool]:
    waits = and_(Job.state == "waiting", Job.due_at <= now)
    return or_(waits, and_(Job.state == "running", Job.leased_until < now))


def _find_own(session: Session, claim: Claim) -> Job | None:
    conditions = (Job.id == claim.job_id, Job.state == "running", Job.attempt == claim.attempt)
    return session.scalar(select(Job).where(*conditions))
