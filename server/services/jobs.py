"""Jobs: added in the transaction of their cause, so that there is one if and only if there is the other."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from server.models import Job


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
        waiting = session.scalar(select(Job).where(Job.key == key, Job.state == "waiting"))
        if waiting is not None:
            return waiting
    job = Job(
        kind=kind,
        payload=dict(payload),
        key=key,
        state="waiting",
        due_at=now if due_at is None else due_at,
        attempt=0,
        done=0,
        created_at=now,
    )
    session.add(job)
    session.flush()
    return job
