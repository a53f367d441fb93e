"""The audit log: who did what to what and when, each entry chained to the one before."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from sqlalchemy import JSON, ForeignKey, String, TypeDecorator
from sqlalchemy.engine import Dialect
from sqlalchemy.orm import Mapped, mapped_column

from server.core.db import Base, UtcDateTime


class Details(TypeDecorator[dict[str, Any]]):
    """JSON; SQLite's cells with invalid JSON are read as empty, so that a damaged entry can be shown."""

    impl = JSON
    cache_ok = True

    def result_processor(self, dialect: Dialect, coltype: object) -> Callable[[Any], Any]:  # noqa: D102
        read = super().result_processor(dialect, coltype)

        def process(value: Any) -> Any:
            try:
                return value if read is None else read(value)
            except (ValueError, RecursionError):
                return {}

        return process


class AuditEntry(Base):
    """One recorded action. People are opaque ids; entries never contain gold labels, secrets or contents."""

    __tablename__ = "audit_entry"

    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    at: Mapped[datetime] = mapped_column(UtcDateTime)
    actor: Mapped[str] = mapped_column(String(64))
    task_id: Mapped[int | None] = mapped_column(ForeignKey("task.id"), index=True)
    team_id: Mapped[int | None] = mapped_column(ForeignKey("team.id"), index=True)
    """The team that the action concerns, whose members may read the entry."""
    action: Mapped[str] = mapped_column(String(64))
    details: Mapped[dict[str, Any]] = mapped_column(Details)
    previous: Mapped[str] = mapped_column(String(64))
    sha256: Mapped[str] = mapped_column(String(64), unique=True)
