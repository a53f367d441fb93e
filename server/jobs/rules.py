"""What holds for jobs in either queue: when they are retried, and what ends with them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import and_, or_
from sqlalchemy.sql import ColumnElement

from server.jobs.models import Job

BACK_OFF = (
    timedelta(minutes=1),
    timedelta(minutes=5),
    timedelta(minutes=30),
    timedelta(hours=2),
    timedelta(hours=6),
)
"""The delays before a job is retried; after one more failed attempt it has failed."""
MAX_ATTEMPTS = len(BACK_OFF) + 1
SEALED = "sealed"
"""The name of what is encrypted in a payload; it is deleted when the job ends, done or failed."""
RESULT = "result"
"""The name in the payload under which a job leaves its result, if people wait for it."""
PARTS = "parts"
"""The name in a result under which a job names the keys of the jobs that do its work in parts."""
ERROR_LENGTH = 2000
IS_UNFINISHED = Job.finished_at.is_(None)
"""PostgreSQL has an index of these, which may be few among very many."""


@dataclass(frozen=True, slots=True)
class NewJob:
    """A job to add. While one with its `key` waits, that stands for both, at the earlier of their times."""

    kind: str
    payload: Mapping[str, Any]
    due_at: datetime
    key: str | None = None


@dataclass(frozen=True, slots=True)
class Claim:
    """A job that this worker owns, at this attempt; its payload has its id, too."""

    job_id: int
    attempt: int
    kind: str
    payload: Mapping[str, Any]


def is_due(now: datetime) -> ColumnElement[bool]:
    """Return the condition for jobs that a worker should run: they wait, or their worker is gone."""
    waits = and_(Job.state == "waiting", Job.due_at <= now)
    orphaned = and_(Job.state == "running", Job.leased_until < now)
    return and_(IS_UNFINISHED, or_(waits, orphaned))


def died(attempt: int) -> str:
    """Return the error of a job that ended its worker at every attempt."""
    return f"The worker stopped during attempt {attempt}."


def unsealed(payload: Mapping[str, Any]) -> dict[str, Any]:
    """Return a payload without what is encrypted in it."""
    return {name: value for name, value in payload.items() if name != SEALED}
