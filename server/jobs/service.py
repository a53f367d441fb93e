"""The job queue. A job is added in the transaction that causes it, so that both are saved or neither is.

A worker claims a job for a limited time (a lease), with the number of the attempt. What it reports counts
only while that attempt is the newest: a worker whose lease expired cannot change the job.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Row, Select, and_, bindparam, case, delete, func, or_, select
from sqlalchemy.orm import Session, aliased, load_only
from sqlalchemy.sql import ColumnElement

from server.jobs.models import SEALED, Job, JobState

LEASE = timedelta(seconds=12)
"""How long a worker owns a job unless it renews its lease; then another worker can take over."""
BACK_OFF = (
    timedelta(minutes=1),
    timedelta(minutes=5),
    timedelta(minutes=30),
    timedelta(hours=2),
    timedelta(hours=6),
)
"""The delays before a job is retried; after one more failed attempt it has failed."""
MAX_ATTEMPTS = len(BACK_OFF) + 1
BATCH_SIZE = 100
"""How many due jobs are read at a time."""
LATE_AFTER = timedelta(minutes=5)
"""Workers look for due jobs twice a second, and one that died is replaced within 15 seconds."""
KEEP_DONE_FOR = timedelta(days=30)
"""How long finished jobs are kept."""
RESULT = "result"
"""The name in the payload under which a job leaves its result, if people wait for it."""
INTERRUPTED = "Interrupted: "
"""The prefix of the error of an attempt that was ended from outside, which is not a fault of the job."""
_ERROR_LENGTH = 2000
_WAITING_JOBS = select(Job).where(Job.key.in_(bindparam("keys", expanding=True)), Job.state == "waiting")
_NEWEST_JOB = (
    select(Job)
    .where(Job.key == bindparam("key"))
    .options(load_only(Job.state, Job.attempt, Job.error))
    .order_by(Job.id.desc())
    .limit(1)
)


@dataclass(frozen=True, slots=True)
class Claim:
    """A job that this worker owns, at this attempt; its payload has its id, too."""

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
    """Create a job for `add_jobs`, due at once unless `due_at` is given."""
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
    """Add a job, due at once unless `due_at` is given; if a job with its `key` is waiting, return that."""
    (job,) = add_jobs(session, [new_job(kind, payload, now, due_at=due_at, key=key)])
    return job


def add_jobs(session: Session, new: Sequence[Job]) -> list[Job]:
    """Add many jobs at once, skipping any whose key is already waiting; return the jobs that now wait."""
    keys = [job.key for job in new if job.key is not None]
    waiting = {job.key: job for job in session.scalars(_WAITING_JOBS, {"keys": keys})} if keys else {}
    added = [job if job.key is None else waiting.setdefault(job.key, job) for job in new]
    session.add_all(added)
    session.flush()
    return added


def list_due_jobs(
    session: Session, now: datetime, only: Collection[str] | None = None, but: Collection[str] = ()
) -> list[int]:
    """List the ids of due jobs, the longest due first: of the kinds `only`, or all kinds except `but`."""
    query = select(Job.id).where(_is_due(now), Job.kind.not_in(but))
    if only is not None:
        query = query.where(Job.kind.in_(only))
    return list(session.scalars(query.order_by(Job.due_at, Job.id).limit(BATCH_SIZE)))


def find_oldest_due(session: Session, now: datetime) -> datetime | None:
    """Return since when the job that is due the longest waits; None: none is due."""
    since = case((Job.state == "running", Job.leased_until), else_=Job.due_at)
    oldest: datetime | None = session.scalar(select(func.min(since)).where(_is_due(now)))
    return oldest


def count_jobs(session: Session) -> Sequence[Row[str, JobState, int]]:
    """Count the jobs by kind and state."""
    query = select(Job.kind, Job.state, func.count(Job.id)).group_by(Job.kind, Job.state)
    return session.execute(query).all()


def count_late_jobs(
    session: Session, now: datetime, *conditions: ColumnElement[bool]
) -> Sequence[Row[str, int]]:
    """Count the jobs that are late, by kind."""
    late = select(Job.kind, func.count(Job.id)).where(_is_due(now - LATE_AFTER), *conditions)
    return session.execute(late.group_by(Job.kind).order_by(Job.kind)).all()


def claim_job(session: Session, job_id: int, now: datetime) -> Claim | None:
    """Claim a job for this worker if it is due and unclaimed; None: it is not."""
    job = session.scalar(select(Job).where(Job.id == job_id, _is_due(now)))
    if job is None:
        return None
    if job.attempt >= MAX_ATTEMPTS:
        _end(job, "failed", now, f"The worker stopped during attempt {job.attempt}.")
        return None
    job.state, job.leased_until = "running", now + LEASE
    job.attempt += 1
    session.flush()
    return Claim(job.id, job.attempt, job.kind, {**job.payload, "job": job.id})


def renew_job(session: Session, claim: Claim, now: datetime) -> bool:
    """Renew the lease of a job; False: another worker owns it now."""
    job = _find_own(session, claim)
    if job is not None:
        job.leased_until = now + LEASE
    return job is not None


def finish_job(session: Session, claim: Claim, now: datetime) -> bool:
    """Mark a job as done; False: this worker no longer owns it."""
    job = _find_own(session, claim)
    if job is not None:
        _end(job, "done", now)
    return job is not None


def cancel_jobs(session: Session, kind: str, name: str, number: int, now: datetime) -> None:
    """Mark the waiting jobs of a kind about one record as done, because there is nothing left to do."""
    about = Job.payload[name].as_integer() == number
    for job in session.scalars(select(Job).where(Job.kind == kind, Job.state == "waiting", about)):
        _end(job, "done", now)


def list_unfinished_jobs(session: Session, kind: str, name: str, number: int) -> Sequence[Job]:
    """List the jobs of a kind about one record that wait or run."""
    about = Job.payload[name].as_integer() == number
    query = select(Job).where(Job.kind == kind, Job.state.in_(("waiting", "running")), about)
    return session.scalars(query.order_by(Job.id)).all()


def find_result(session: Session, job_id: int) -> Mapping[str, Any] | None:
    """Return the result of a job; None: it has none yet."""
    job = session.get(Job, job_id)
    return None if job is None else job.payload.get(RESULT)


def record_result(session: Session, job_id: int, result: Mapping[str, Any]) -> None:
    """Record the result of a job, which may run twice: the first one holds."""
    job = session.get(Job, job_id)
    if job is not None and RESULT not in job.payload:
        job.payload = {**job.payload, RESULT: dict(result)}


def give_back_job(session: Session, claim: Claim, now: datetime, error: str, *, final: bool = False) -> bool:
    """Put a failed job back to be retried, or mark it as failed; False: this worker no longer owns it.

    `final`: it will fail however often it is retried.
    """
    job = _find_own(session, claim)
    if job is None:
        return False
    if final or job.attempt >= MAX_ATTEMPTS:
        _end(job, "failed", now, error)
    else:
        job.state, job.leased_until, job.error = "waiting", None, error[:_ERROR_LENGTH]
        job.due_at = now + BACK_OFF[job.attempt - 1]
    return True


def find_failure(job: Job) -> str | None:
    """Return the error of a job; None: it has none, or was interrupted once, which can happen to any job.

    If it is interrupted again, something may really be wrong, such as too little memory.
    """
    ended = job.attempt - (job.state == "running")
    interrupted = job.error is not None and job.error.startswith(INTERRUPTED)
    return None if job.state == "done" or (interrupted and ended < 2) else job.error


def select_failing(*conditions: ColumnElement[bool]) -> Select[Job]:
    """Select jobs that failed or wait after a failed attempt, but for those that a newer job has replaced."""
    newer = aliased(Job)
    replaced = select(newer.id).where(newer.key == Job.key, newer.id > Job.id).exists()
    failing = or_(Job.state == "failed", and_(Job.state == "waiting", Job.error.is_not(None)))
    return select(Job).where(failing, ~replaced, *conditions).order_by(Job.id.desc())


def retry_job(job: Job, now: datetime) -> None:
    """Let a job that fails run at once, as if it were new."""
    job.state, job.due_at, job.attempt, job.error, job.finished_at = "waiting", now, 0, None, None


def is_queued(session: Session, key: str) -> bool:
    """Whether a job with this key waits or runs."""
    query = select(Job.id).where(Job.key == key, Job.state.in_(("waiting", "running")))
    return session.scalar(query.limit(1)) is not None


def find_error(session: Session, key: str) -> str | None:
    """Return why the newest job with this key failed; None: it did not, or not yet."""
    job = session.scalar(_NEWEST_JOB, {"key": key})
    return None if job is None else find_failure(job)


def delete_done_jobs(session: Session, now: datetime) -> None:
    """Delete jobs that were done long ago; failed jobs are kept."""
    session.execute(delete(Job).where(Job.state == "done", Job.finished_at < now - KEEP_DONE_FOR))


def is_about(name: str, ids: Select[int]) -> ColumnElement[bool]:
    """Return the condition for jobs whose payload names one of these rows."""
    about: ColumnElement[bool] = Job.payload[name].as_integer().in_(ids)
    return about


def select_ids(rows: Mapping[str, Select[int, int]], owner_id: int) -> dict[str, Select[int]]:
    """Select the ids of one owner's rows, from rows with the ids of their owners."""
    ids = {}
    for name, query in rows.items():
        row_id, owner = query.selected_columns
        ids[name] = query.where(owner == owner_id).with_only_columns(row_id)
    return ids


def delete_jobs_about(session: Session, rows: Mapping[str, Select[int]]) -> None:
    """Delete the jobs whose payload names one of the rows, which are deleted themselves."""
    for name, ids in rows.items():
        about = list(session.scalars(select(Job.id).where(is_about(name, ids))))
        session.execute(delete(Job).where(Job.id.in_(about)))


def _end(job: Job, state: JobState, now: datetime, error: str | None = None) -> None:
    job.state, job.leased_until, job.finished_at = state, None, now
    job.error = error and error[:_ERROR_LENGTH]
    job.payload = {name: value for name, value in job.payload.items() if name != SEALED}


def _is_due(now: datetime) -> ColumnElement[bool]:
    waits = and_(Job.state == "waiting", Job.due_at <= now)
    return or_(waits, and_(Job.state == "running", Job.leased_until < now))


def _find_own(session: Session, claim: Claim) -> Job | None:
    conditions = (Job.id == claim.job_id, Job.state == "running", Job.attempt == claim.attempt)
    return session.scalar(select(Job).where(*conditions))
