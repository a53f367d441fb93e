"""The queue on SQLite: a table, of whose jobs a worker claims one for a limited time, the lease.

It claims with the number of the attempt, and what it reports counts only while that attempt is the newest: a
worker whose lease expired cannot change the job.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from server.jobs.models import Job, JobState
from server.jobs.rules import (
    BACK_OFF,
    ERROR_LENGTH,
    MAX_ATTEMPTS,
    RESULT,
    Claim,
    NewJob,
    died,
    is_due,
    unsealed,
)

LEASE = timedelta(seconds=12)
"""How long a worker owns a job unless it renews its lease; then another worker can take over."""
BATCH_SIZE = 100
"""How many due jobs are read at a time."""


def add(session: Session, new: Sequence[NewJob], now: datetime) -> list[int]:
    """Add jobs, and return their ids."""
    added = [
        Job(
            kind=one.kind,
            payload=dict(one.payload),
            key=one.key,
            state="waiting",
            due_at=one.due_at,
            attempt=0,
            created_at=now,
        )
        for one in new
    ]
    session.add_all(added)
    session.flush()
    return [job.id for job in added]


def renew(session: Session, job: Job, due_at: datetime, payload: Mapping[str, Any]) -> None:  # noqa: ARG001
    """Let a job that waits or failed run at another time, as if it were new."""
    job.state, job.due_at, job.attempt, job.error, job.finished_at = "waiting", due_at, 0, None, None
    job.payload = dict(payload)


def cancel(session: Session, job: Job, now: datetime) -> None:  # noqa: ARG001
    """Mark a job that waits as done."""
    _end(job, "done", now)


def record_result(session: Session, job: Job, result: Mapping[str, Any]) -> None:  # noqa: ARG001
    """Record the result of a job."""
    job.payload = {**job.payload, RESULT: dict(result)}


def delete_jobs(session: Session, ids: Collection[int]) -> None:
    """Delete jobs."""
    session.execute(delete(Job).where(Job.id.in_(ids)))


def list_due_jobs(
    session: Session, now: datetime, only: Collection[str] | None = None, but: Collection[str] = ()
) -> list[int]:
    """List the ids of due jobs, the longest due first: of the kinds `only`, or all kinds except `but`."""
    query = select(Job.id).where(is_due(now), Job.kind.not_in(but))
    if only is not None:
        query = query.where(Job.kind.in_(only))
    return list(session.scalars(query.order_by(Job.due_at, Job.id).limit(BATCH_SIZE)))


def claim_job(session: Session, job_id: int, now: datetime) -> Claim | None:
    """Claim a job for this worker if it is due and unclaimed; None: it is not."""
    job = session.scalar(select(Job).where(Job.id == job_id, is_due(now)))
    if job is None:
        return None
    if job.attempt >= MAX_ATTEMPTS:
        _end(job, "failed", now, died(job.attempt))
        return None
    job.state, job.leased_until = "running", now + LEASE
    job.attempt += 1
    session.flush()
    return Claim(job.id, job.attempt, job.kind, {**job.payload, "job": job.id})


def renew_lease(session: Session, claim: Claim, now: datetime) -> bool:
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
        job.state, job.leased_until, job.error = "waiting", None, error[:ERROR_LENGTH]
        job.due_at = now + BACK_OFF[job.attempt - 1]
    return True


def _end(job: Job, state: JobState, now: datetime, error: str | None = None) -> None:
    job.state, job.leased_until = state, None
    job.finished_at = now if state == "done" else None
    job.error = error and error[:ERROR_LENGTH]
    job.payload = unsealed(job.payload)


def _find_own(session: Session, claim: Claim) -> Job | None:
    conditions = (Job.id == claim.job_id, Job.state == "running", Job.attempt == claim.attempt)
    return session.scalar(select(Job).where(*conditions))
