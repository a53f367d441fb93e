"""The queue on PostgreSQL: Procrastinate's tables, with a note of ours for each job.

Jobs are deferred on the connection of the session, so that they are committed with their cause. Its functions
do that by themselves; it has none that renews or deletes a job on a given connection.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import JSON, column, delete, insert, table, update
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

from server.core.config import load_extra
from server.core.db import UtcDateTime
from server.jobs.models import Job
from server.jobs.rules import ERROR_LENGTH, RESULT, SEALED, NewJob, unsealed

EXTRA = "cluster"
JOBS = table(
    "procrastinate_jobs",
    column("id"),
    column("status"),
    column("scheduled_at"),
    column("attempts"),
    column("args", JSONB),
)
NOTES = table(
    "job_note",
    column("job_id"),
    column("key"),
    column("extra", JSON),
    column("error"),
    column("created_at", UtcDateTime),
    column("finished_at", UtcDateTime),
)
"""What we know of a job beside that; `extra` is a part of its payload."""


def add(session: Session, new: Sequence[NewJob], now: datetime) -> list[int]:
    """Add jobs, and return their ids."""
    if not new:
        return []
    make = load_extra("procrastinate.jobs", "A database on PostgreSQL", EXTRA).Job
    deferred = [
        make(
            queue=one.kind,
            task_name=one.kind,
            task_kwargs=unsealed(one.payload),
            scheduled_at=one.due_at,
            lock=None,
            queueing_lock=None,
        )
        for one in new
    ]
    ids = [job.id for job in _ask(session, "batch_defer_jobs", jobs=deferred)]
    notes = [
        {
            "job_id": job_id,
            "key": one.key,
            "extra": {SEALED: one.payload[SEALED]} if SEALED in one.payload else {},
            "created_at": now,
        }
        for job_id, one in zip(ids, new, strict=True)
    ]
    session.execute(insert(NOTES), notes)
    return ids


def renew(session: Session, job: Job, due_at: datetime, payload: Mapping[str, Any]) -> None:
    """Let a job that waits or failed run at another time, as if it were new."""
    values = {"status": "todo", "scheduled_at": due_at, "attempts": 0, "args": unsealed(payload)}
    session.execute(update(JOBS).where(JOBS.c.id == job.id).values(values))
    _change_note(session, job, error=None, finished_at=None)


def cancel(session: Session, job: Job, now: datetime) -> None:
    """Mark a job that waits as done."""
    _ask(session, "cancel_job_by_id", job_id=job.id)
    end(session, job, now)


def record_result(session: Session, job: Job, result: Mapping[str, Any]) -> None:
    """Record the result of a job."""
    kept = {SEALED: job.payload[SEALED]} if SEALED in job.payload else {}
    _change_note(session, job, extra={**kept, RESULT: dict(result)})


def delete_jobs(session: Session, ids: Collection[int]) -> None:
    """Delete jobs, with their notes."""
    session.execute(delete(JOBS).where(JOBS.c.id.in_(ids)))


def end(session: Session, job: Job, now: datetime, error: str | None = None) -> None:
    """Note that a job is done, or has failed; it may be retried then, by the engine's shell, too."""
    kept = {RESULT: job.payload[RESULT]} if RESULT in job.payload else {}
    done_at = now if error is None else None
    _change_note(session, job, finished_at=done_at, error=error and error[:ERROR_LENGTH], extra=kept)


def note_error(session: Session, job: Job, error: str) -> None:
    """Note why an attempt failed, after which the job is retried."""
    _change_note(session, job, error=error[:ERROR_LENGTH])


def _change_note(session: Session, job: Job, **values: Any) -> None:
    session.execute(update(NOTES).where(NOTES.c.job_id == job.id).values(values))
    session.expire(job)


def _ask(session: Session, function: str, **arguments: Any) -> Any:
    """Call a function of Procrastinate's job manager on the session's connection.

    Raises:
        OperationalError: the database is away.
    """
    manager, away = _manager()
    driver = session.connection().connection.driver_connection
    try:
        return getattr(manager, function)(connection=driver, **arguments)
    except away as error:
        raise OperationalError(None, None, error.__cause__ or error) from error


@cache
def _manager() -> tuple[Any, type[Exception]]:
    """Return a job manager that has no connections of its own, and what it raises if the database is away."""
    library = load_extra("procrastinate", "A database on PostgreSQL", EXTRA)
    manager = library.App(connector=library.SyncPsycopgConnector()).job_manager
    return manager, library.exceptions.ConnectorException
