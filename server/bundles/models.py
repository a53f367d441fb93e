"""What came with an imported task about people who have no account here."""

from datetime import datetime
from typing import Literal

from sqlalchemy import ForeignKey, Index, String
from sqlalchemy.orm import Mapped, mapped_column, relationship

from server.core.db import Base, UtcDateTime

AttributionPart = Literal[
    "acceptance",
    "announcement",
    "captain",
    "extension",
    "gold",
    "gold-event",
    "member",
    "refusal",
    "release",
    "release-naming",
    "run-withdrawal",
    "submission",
    "terms",
    "unrelease",
    "withdrawal",
]
"""What somebody did; the row is that of the thing, of the team, or of the release that was withdrawn."""


class ImportedPerson(Base):
    """Somebody who took part elsewhere: a number, and a name only if the export gave it."""

    __tablename__ = "imported_person"

    id: Mapped[int] = mapped_column(primary_key=True)
    task_id: Mapped[int] = mapped_column(ForeignKey("task.id"), index=True)
    name: Mapped[str | None] = mapped_column(String(80))


class Attribution(Base):
    """What such a person did: `part` tells the table of `row_id`; `at` where no row has the time."""

    __tablename__ = "attribution"
    __table_args__ = (Index(None, "task_id", "part"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    task_id: Mapped[int] = mapped_column(ForeignKey("task.id"))
    part: Mapped[AttributionPart] = mapped_column(String(24))
    row_id: Mapped[int]
    person_id: Mapped[int] = mapped_column(ForeignKey("imported_person.id"))
    at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    person: Mapped[ImportedPerson] = relationship()
