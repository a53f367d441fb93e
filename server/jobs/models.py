"""Jobs: work that does not belong in a request."""

from datetime import datetime
from typing import Any, Literal

from sqlalchemy import JSON, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from server.core.db import NumberedRow, UtcDateTime

JobState = Literal["waiting", "running", "done", "failed"]


class Job(NumberedRow):
    """One piece of work; `kind` names its handler. A worker owns it until its lease expires.

    On SQLite this is a table. On PostgreSQL it is a view of Procrastinate's jobs with our notes, for queries.
    """

    __tablename__ = "job"
    __table_args__ = (Index(None, "state", "due_at"), Index(None, "key", "state"))

    kind: Mapped[str] = mapped_column(String(32))
    payload: Mapped[dict[str, Any]] = mapped_column(JSON)
    key: Mapped[str | None] = mapped_column(String(64), index=True)
    """Identifies equal work: while a job with this key waits, no second one is added."""
    state: Mapped[JobState] = mapped_column(String(16))
    due_at: Mapped[datetime] = mapped_column(UtcDateTime)
    attempt: Mapped[int]
    leased_until: Mapped[datetime | None] = mapped_column(UtcDateTime)
    error: Mapped[str | None] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    finished_at: Mapped[datetime | None] = mapped_column(UtcDateTime)

    @property
    def numbers(self) -> dict[str, int]:
        """Return the numbers that the job is about, without lists of people."""
        return {name: value for name, value in self.payload.items() if isinstance(value, int)}
