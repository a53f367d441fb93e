"""People of imported tasks, who have no account here, and what they did."""

from datetime import datetime
from typing import Literal

from sqlalchemy import ForeignKey, Index, String
from sqlalchemy.orm import Mapped, mapped_column, relationship

from server.core.db import NumberedRow, UtcDateTime

AttributionPart = Literal[
    "acceptance",
    "announcement",
    "answer",
    "assignment-plan",
    "campaign",
    "captain",
    "consent-text",
    "decision",
    "exclusion",
    "extension",
    "gold",
    "gold-event",
    "member",
    "question",
    "rejection",
    "release",
    "release-naming",
    "round-event",
    "run-withdrawal",
    "submission",
    "terms",
    "unrelease",
    "withdrawal",
]
"""What a person did; the row is the object's, the team's, or the withdrawn release's."""


class ImportedPerson(NumberedRow):
    """A person of an imported task: a number, and a name only if the export had it."""

    __tablename__ = "imported_person"

    task_id: Mapped[int] = mapped_column(ForeignKey("task.id"), index=True)
    name: Mapped[str | None] = mapped_column(String(80))


class Attribution(NumberedRow):
    """What such a person did: `part` identifies the table of `row_id`; `at` is set if no row has the time."""

    __tablename__ = "attribution"
    __table_args__ = (Index(None, "task_id", "part"),)

    task_id: Mapped[int] = mapped_column(ForeignKey("task.id"))
    part: Mapped[AttributionPart] = mapped_column(String(24))
    row_id: Mapped[int]
    person_id: Mapped[int] = mapped_column(ForeignKey("imported_person.id"))
    at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    person: Mapped[ImportedPerson] = relationship()
