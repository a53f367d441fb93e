"""The queue on PostgreSQL: Procrastinate's tables, with a note of ours for each job.

Jobs are deferred on the connection of the session, so that they are committed with their cause. Its functions
do that by themselves; it has none that renews or deletes a job on a given connection.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import column, delete, table, update
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

from server.core.config import load_extra
from server.jobs.models import Job, JobNote
from server.jobs.rules import ERROR_LENGTH, RESULT, SEALED, NewJob, unsealed

EXTRA = "cluster"
_JOBS = table(
    "procrastinate_jobs",
    column("id"),
    column("status"),
    column("scheduled_at"),
    column("attempts"),
    column("args", JSONB),
)


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
    for job_id, one in zip(ids, new, strict=True):
        extra = {SEALED: one.payload[SEALED]} if SEALED in one.payload else {}
        session.add(JobNote(job_id=job_id, key=one.key, extra=extra, created_at=now))
    session.flush()
    return ids


def renew(session: Session, job: Job, due_at: datetime, payload: Mapping[str, Any]) -> None:
    """Let a job that waits or failed run at another time, as if it were new."""
    session.execute(
        update(_JOBS)
        .where(_JOBS.c.id == job.id)
        .values(status="todo", scheduled_at=due_at, attempts=0, args=unsealed(payload))
    )
    note = session.get_one(JobNote, job.id)
    note.error, note.finished_at = None, None
    session.flush()
    session.expire(job)


def cancel(session: Session, job: Job, now: datetime) -> None:
    """Mark a job that waits as done."""
    _ask(session, "cancel_job_by_id", job_id=job.id)
    end_note(session, job.id, now)
    session.flush()
    session.expire(job)


def record_result(session: Session, job: Job, result: Mapping[str, Any]) -> None:
    """Record the result of a job."""
    note = session.get_one(JobNote, job.id)
    note.extra = {**note.extra, RESULT: dict(result)}
    session.flush()
    session.expire(job)


def delete_jobs(session: Session, ids: Collection[int]) -> None:
    """Delete jobs, with their notes."""
    session.execute(delete(_JOBS).where(_JOBS.c.id.in_(ids)))


def end_note(session: Session, job_id: int, now: datetime, error: str | None = None) -> None:
    """Note that a job ended."""
    note = session.get(JobNote, job_id)
    if note is not None:
        note.finished_at, note.error, note.extra = now, error and error[:ERROR_LENGTH], unsealed(note.extra)


def note_error(session: Session, job_id: int, error: str) -> None:
    """Note why an attempt failed, after which the job is retried."""
    note = session.get(JobNote, job_id)
    if note is not None:
        note.error = error[:ERROR_LENGTH]


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
