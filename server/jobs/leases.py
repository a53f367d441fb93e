"""How workers share the jobs of a table: a worker claims one for a limited time, the lease.

It claims with the number of the attempt, and what it reports counts only while that attempt is the newest: a
worker whose lease expired cannot change the job.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from server.jobs.models import Job
from server.jobs.service import BACK_OFF, ERROR_LENGTH, MAX_ATTEMPTS, end_job, is_due

LEASE = timedelta(seconds=12)
"""How long a worker owns a job unless it renews its lease; then another worker can take over."""
BATCH_SIZE = 100
"""How many due jobs are read at a time."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A job that this worker owns, at this attempt; its payload has its id, too."""

    job_id: int
    attempt: int
    kind: str
    payload: Mapping[str, Any]


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
        end_job(job, "failed", now, f"The worker stopped during attempt {job.attempt}.")
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
        end_job(job, "done", now)
    return job is not None


def give_back_job(session: Session, claim: Claim, now: datetime, error: str, *, final: bool = False) -> bool:
    """Put a failed job back to be retried, or mark it as failed; False: this worker no longer owns it.

    `final`: it will fail however often it is retried.
    """
    job = _find_own(session, claim)
    if job is None:
        return False
    if final or job.attempt >= MAX_ATTEMPTS:
        end_job(job, "failed", now, error)
    else:
        job.state, job.leased_until, job.error = "waiting", None, error[:ERROR_LENGTH]
        job.due_at = now + BACK_OFF[job.attempt - 1]
    return True


def _find_own(session: Session, claim: Claim) -> Job | None:
    conditions = (Job.id == claim.job_id, Job.state == "running", Job.attempt == claim.attempt)
    return session.scalar(select(Job).where(*conditions))
