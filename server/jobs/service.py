"""The job queue, for everybody who adds jobs or asks about them; only this package reads its table.

A job is added in the transaction that causes it, so that both are saved or neither is.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from types import ModuleType
from typing import Any

from sqlalchemy import Row, Select, and_, bindparam, case, func, or_, select, true
from sqlalchemy.orm import Session, aliased, load_only
from sqlalchemy.sql import ColumnElement

from server.jobs import models, procrastinate_queue, rules, table_queue
from server.jobs.rules import IS_UNFINISHED, is_due

Job = models.Job
JobState = models.JobState
NewJob = rules.NewJob
BACK_OFF, MAX_ATTEMPTS, SEALED = rules.BACK_OFF, rules.MAX_ATTEMPTS, rules.SEALED
RESULT, PARTS, died = rules.RESULT, rules.PARTS, rules.died
LATE_AFTER = timedelta(minutes=5)
"""Workers look for due jobs twice a second, and one that died is replaced within 15 seconds."""
KEEP_DONE_FOR = timedelta(days=30)
"""How long finished jobs are kept."""
INTERRUPTED = "Interrupted: "
"""The prefix of the error of an attempt that was ended from outside, which is not a fault of the job."""
_WAITING_JOBS = select(Job).where(
    Job.key.in_(bindparam("keys", expanding=True)), Job.state == "waiting", IS_UNFINISHED
)
_NEWEST_JOB = (
    select(Job)
    .where(Job.key == bindparam("key"))
    .options(load_only(Job.state, Job.attempt, Job.error, Job.payload))
    .order_by(Job.id.desc())
    .limit(1)
)
About = Mapping[str, Select[int]]
"""Rows that jobs may be about: the ids by the name that has them in a payload."""


def add_job(
    session: Session,
    kind: str,
    payload: Mapping[str, Any],
    now: datetime,
    *,
    due_at: datetime | None = None,
    key: str | None = None,
) -> int:
    """Add a job as `add_jobs` does, due at once unless `due_at` is given; return the id of what now waits."""
    (job_id,) = add_jobs(session, [NewJob(kind, payload, now if due_at is None else due_at, key)], now)
    return job_id


def add_jobs(session: Session, new: Sequence[NewJob], now: datetime) -> list[int]:
    """Add many jobs at once, but for those whose key waits already; return the ids of what now waits."""
    keys = [one.key for one in new if one.key is not None]
    waiting = {job.key: job for job in session.scalars(_WAITING_JOBS, {"keys": keys})} if keys else {}
    added = [one for one in new if one.key is None or one.key not in waiting]
    ids = dict(zip(map(id, added), _queue(session).add(session, added, now), strict=True))
    for one in new:
        job = waiting.get(one.key)
        if job is not None and one.due_at < job.due_at:
            renew_job(session, job, one.due_at)
    return [ids[id(one)] if id(one) in ids else waiting[one.key].id for one in new]


def renew_job(session: Session, job: Job, due_at: datetime, payload: Mapping[str, Any] | None = None) -> None:
    """Let a job that waits or failed run at another time, as if it were new; None: with its own payload."""
    _queue(session).renew(session, job, due_at, job.payload if payload is None else payload)


def find_waiting(session: Session, key: str) -> Job | None:
    """Return the job with this key that waits."""
    return session.scalars(_WAITING_JOBS, {"keys": [key]}).one_or_none()


def find_known_keys(session: Session, keys: Collection[str]) -> set[str]:
    """Return those of the keys with which a job was ever added, unless it was deleted since."""
    return {key for key in session.scalars(select(Job.key).where(Job.key.in_(keys))) if key is not None}


def is_queued(session: Session, key: str) -> bool:
    """Whether a job with this key waits or runs."""
    query = select(Job.id).where(Job.key == key, Job.state.in_(("waiting", "running")), IS_UNFINISHED)
    return session.scalar(query.limit(1)) is not None


def find_error(session: Session, key: str) -> str | None:
    """Return why the newest job with this key, or a part of it, failed; None: none did, or not yet."""
    job = session.scalar(_NEWEST_JOB, {"key": key})
    if job is None:
        return None
    keys = job.payload.get(RESULT, {}).get(PARTS, ()) if job.state == "done" else ()
    parts = session.scalars(select(Job).where(Job.key.in_(keys), Job.error.is_not(None))) if keys else ()
    return next((error for each in (job, *parts) if (error := find_failure(each))), None)


def find_failure(job: Job) -> str | None:
    """Return the error of a job; None: it has none, or was interrupted once, which can happen to any job.

    If it is interrupted again, something may really be wrong, such as too little memory.
    """
    ended = job.attempt - (job.state == "running")
    interrupted = job.error is not None and job.error.startswith(INTERRUPTED)
    return None if job.state == "done" or (interrupted and ended < 2) else job.error


def find_job(session: Session, job_id: int) -> Job | None:
    """Return a job by its id."""
    return session.get(Job, job_id)


def find_oldest_due(session: Session, now: datetime) -> datetime | None:
    """Return since when the job that is due the longest waits; None: none is due."""
    since = case((Job.state == "running", Job.leased_until), else_=Job.due_at)
    oldest: datetime | None = session.scalar(select(func.min(since)).where(is_due(now)))
    return oldest


def count_jobs(session: Session) -> Sequence[Row[str, JobState, int]]:
    """Count the jobs by kind and state."""
    query = select(Job.kind, Job.state, func.count(Job.id)).group_by(Job.kind, Job.state)
    return session.execute(query).all()


def count_late_jobs(session: Session, now: datetime, about: About | None) -> Sequence[Row[str, int]]:
    """Count the jobs that are late, by kind: those about some rows, or all (None)."""
    late = select(Job.kind, func.count(Job.id)).where(is_due(now - LATE_AFTER), _is_about(about))
    return session.execute(late.group_by(Job.kind).order_by(Job.kind)).all()


def list_jobs(
    session: Session, about: About, state: JobState | None, limit: int, offset: int
) -> tuple[Sequence[Job], int]:
    """List jobs about some rows, the newest first, in one state or in any, and return the total number."""
    query = select(Job).where(_is_about(about))
    if state is not None:
        query = query.where(Job.state == state)
    total = session.scalar(query.with_only_columns(func.count(Job.id))) or 0
    return session.scalars(query.order_by(Job.id.desc()).offset(offset).limit(limit)).all(), total


def list_failing(session: Session, about: About | None, limit: int, *, but: str) -> Sequence[Job]:
    """List jobs that failed or wait after a failed attempt, the newest first; `but`: a kind to leave out."""
    return session.scalars(_select_failing(about).where(Job.kind != but).limit(limit)).all()


def find_failing(session: Session, job_id: int, about: About | None, *, but: str) -> Job | None:
    """Return the job with this id if `list_failing` would list it, however many there are."""
    return session.scalar(_select_failing(about).where(Job.kind != but, Job.id == job_id))


def list_jobs_for(session: Session, kind: str, name: str, number: int, *states: JobState) -> Sequence[Job]:
    """List the jobs of a kind about one record that are in one of the states, the oldest first."""
    return session.scalars(_select_for(kind, name, number, *states).order_by(Job.id)).all()


def find_newest(session: Session, kind: str, name: str, ids: Select[int]) -> dict[int, Job]:
    """Return the newest job of a kind about each of these records that has one, by their ids."""
    query = select(Job).where(Job.kind == kind, _is_about({name: ids})).order_by(Job.id)
    return {job.payload[name]: job for job in session.scalars(query)}


def cancel_jobs(session: Session, kind: str, name: str, number: int, now: datetime) -> None:
    """Mark the waiting jobs of a kind about one record as done, because there is nothing left to do."""
    for job in list_jobs_for(session, kind, name, number, "waiting"):
        _queue(session).cancel(session, job, now)


def find_result(session: Session, job_id: int) -> Mapping[str, Any] | None:
    """Return the result of a job; None: it has none yet."""
    job = find_job(session, job_id)
    return None if job is None else job.payload.get(RESULT)


def record_result(session: Session, job_id: int, result: Mapping[str, Any]) -> None:
    """Record the result of a job, which may run twice: the first one holds."""
    job = find_job(session, job_id)
    if job is not None and RESULT not in job.payload:
        _queue(session).record_result(session, job, result)


def select_ids(rows: Mapping[str, Select[int, int]], owner_id: int) -> dict[str, Select[int]]:
    """Select the ids of one owner's rows, from rows with the ids of their owners."""
    ids = {}
    for name, query in rows.items():
        row_id, owner = query.selected_columns
        ids[name] = query.where(owner == owner_id).with_only_columns(row_id)
    return ids


def delete_jobs(session: Session, ids: Collection[int]) -> None:
    """Delete jobs, but for those that run."""
    _delete(session, select(Job.id).where(Job.id.in_(ids), Job.state != "running"))


def delete_jobs_about(session: Session, about: About) -> None:
    """Delete the jobs whose payload names one of the rows, which are deleted themselves."""
    for name, ids in about.items():
        _delete(session, select(Job.id).where(_is_about({name: ids})))


def delete_jobs_for(session: Session, kind: str, name: str, number: int) -> None:
    """Delete the jobs of a kind about one record that failed or wait, because others take their place."""
    _delete(session, _select_for(kind, name, number, "failed", "waiting").with_only_columns(Job.id))


def delete_kinds(session: Session, *prefixes: str) -> None:
    """Delete all jobs of the kinds that begin like this."""
    _delete(session, select(Job.id).where(or_(*(Job.kind.startswith(prefix) for prefix in prefixes))))


def delete_done_jobs(session: Session, now: datetime) -> None:
    """Delete jobs that were done long ago; failed jobs are kept."""
    _delete(session, select(Job.id).where(Job.state == "done", Job.finished_at < now - KEEP_DONE_FOR))


def can_share(session: Session) -> bool:
    """Whether workers on several hosts may run the jobs of this site, so that large ones are divided."""
    return session.get_bind().dialect.name != "sqlite"


def _is_about(about: About | None) -> ColumnElement[bool]:
    """Return the condition for jobs whose payload names one of these rows, or for all (None)."""
    if about is None:
        return true()
    return or_(*(Job.payload[name].as_integer().in_(ids) for name, ids in about.items()))


def _select_for(kind: str, name: str, number: int, *states: JobState) -> Select[Job]:
    about = Job.payload[name].as_integer() == number
    return select(Job).where(Job.kind == kind, Job.state.in_(states), about)


def _select_failing(about: About | None) -> Select[Job]:
    """Select jobs that fail, but for those that a newer job has replaced."""
    newer = aliased(Job)
    replaced = select(newer.id).where(newer.key == Job.key, newer.id > Job.id).exists()
    failing = or_(Job.state == "failed", and_(Job.state == "waiting", Job.error.is_not(None)))
    return select(Job).where(failing, ~replaced, _is_about(about)).order_by(Job.id.desc())


def _delete(session: Session, ids: Select[int]) -> None:
    _queue(session).delete_jobs(session, list(session.scalars(ids)))


def _queue(session: Session) -> ModuleType:
    """Return the queue of this database, which adds and changes jobs; questions are the same in both."""
    return table_queue if session.get_bind().dialect.name == "sqlite" else procrastinate_queue
