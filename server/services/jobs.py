"""Jobs: added in the transaction of their cause, so that there is one if and only if there is the other.

A worker claims a job for a while, with a number for the attempt. What it says of the job counts only while
that attempt is the newest: one that was taken for dead and comes back changes nothing.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, cast

from sqlalchemy import Table, and_, bindparam, delete, exists, insert, or_, select
from sqlalchemy.orm import Session
from sqlalchemy.sql import ColumnElement

from server.models import Job

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
AT_ONCE = 100
"""How many due jobs are looked up together."""
KEPT = timedelta(days=30)
"""How long a job that is done is kept."""
INTERRUPTED = "Interrupted: "
"""How the error of an attempt begins that was ended from outside, so that nothing is known to be wrong."""
_ERROR_LENGTH = 2000
_GIVEN = ("kind", "payload", "key", "state", "due_at", "attempt", "done", "created_at")
"""What a new job is written with."""
_TABLE = cast(Table, Job.__table__)
_COLUMNS = [column for column in _TABLE.c if column.name in _GIVEN]
_INSERT_UNLESS = insert(_TABLE).from_select(
    _COLUMNS,
    select(*(bindparam(column.name, type_=column.type) for column in _COLUMNS)).where(
        ~exists().where(Job.key == bindparam("key"), Job.state == "waiting")
    ),
)
_WAITING = select(Job).where(Job.key == bindparam("job_key"), Job.state == "waiting")


@dataclass(frozen=True, slots=True)
class Claim:
    """A job that is this worker's, at this attempt."""

    job_id: int
    attempt: int
    kind: str
    payload: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Left:
    """A job that is left to be done when it is due, unless one with its key waits."""

    kind: str
    payload: Mapping[str, Any]
    due_at: datetime
    key: str | None = None


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
    if key is not None:
        waiting = session.scalar(_WAITING, {"job_key": key})
        if waiting is not None:
            return waiting
    job = Job(**_columns(kind, payload, now if due_at is None else due_at, key, now))
    session.add(job)
    session.flush()
    return job


def leave_jobs(session: Session, left: Sequence[Left], now: datetime) -> None:
    """The same of jobs that nobody here speaks of again, in one go."""
    rows = [_columns(one.kind, one.payload, one.due_at, one.key, now) for one in left]
    if rows:
        session.execute(_INSERT_UNLESS, rows)


def list_due(
    session: Session, now: datetime, only: Collection[str] | None = None, but: Collection[str] = ()
) -> list[int]:
    """The ids of jobs that somebody should do now, the longest due first; of some kinds, or all but some."""
    query = select(Job.id).where(_is_due(now), Job.kind.not_in(but))
    if only is not None:
        query = query.where(Job.kind.in_(only))
    return list(session.scalars(query.order_by(Job.due_at, Job.id).limit(AT_ONCE)))


def claim_job(session: Session, job_id: int, now: datetime) -> Claim | None:
    """Make a job this worker's, if it is due and nobody's; None: there is nothing to do."""
    job = session.scalar(select(Job).where(Job.id == job_id, _is_due(now)))
    if job is None:
        return None
    if job.attempt >= MAX_ATTEMPTS:
        _fail(job, now, f"Its worker ended in the middle of it, at attempt {job.attempt}.")
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


def give_up_jobs(session: Session, kind: str, name: str, number: int, now: datetime) -> None:
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


def failure_of(job: Job) -> str | None:
    """Why a job went wrong; None: it did not, or was interrupted once, which may happen to any job.

    Interrupted again, something may be wrong after all, such as too little memory.
    """
    ended = job.attempt - (job.state == "running")
    interrupted = job.error is not None and job.error.startswith(INTERRUPTED)
    return None if job.state == "done" or (interrupted and ended < 2) else job.error


def forget_done(session: Session, now: datetime) -> int:
    """Remove jobs that were done long ago; those that failed stay."""
    old = (Job.state == "done", Job.finished_at < now - KEPT)
    gone = list(session.scalars(delete(Job).where(*old).returning(Job.id)))
    return len(gone)


def _columns(
    kind: str, payload: Mapping[str, Any], due_at: datetime, key: str | None, now: datetime
) -> dict[str, Any]:
    values = (kind, dict(payload), key, "waiting", due_at, 0, 0, now)
    return dict(zip(_GIVEN, values, strict=True))


def _fail(job: Job, now: datetime, error: str) -> None:
    job.state, job.leased_until, job.error, job.finished_at = "failed", None, error[:_ERROR_LENGTH], now


def _is_due(now: datetime) -> ColumnElement[bool]:
    waits = and_(Job.state == "waiting", Job.due_at <= now)
    return or_(waits, and_(Job.state == "running", Job.leased_until < now))


def _find_own(session: Session, claim: Claim) -> Job | None:
    own = (Job.id == claim.job_id, Job.state == "running", Job.attempt == claim.attempt)
    return session.scalar(select(Job).where(*own))
