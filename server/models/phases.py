"""Phases of a task: which split, when, and what a team gets to see."""

from datetime import datetime

from sqlalchemy import ForeignKey, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, relationship

from server.db import Base, UtcDateTime
from server.domain.phases import Window
from server.models.tasks import Task


class Phase(Base):
    """A time in which a task takes runs for one split."""

    __tablename__ = "phase"
    __table_args__ = (UniqueConstraint("task_id", "slug"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    task_id: Mapped[int] = mapped_column(ForeignKey("task.id"))
    position: Mapped[int]
    slug: Mapped[str] = mapped_column(String(64))
    title: Mapped[str] = mapped_column(String(200))
    split: Mapped[str] = mapped_column(String(16))
    opens: Mapped[datetime | None] = mapped_column(UtcDateTime)
    closes: Mapped[datetime | None] = mapped_column(UtcDateTime)
    grace_hours: Mapped[int]
    feedback: Mapped[str] = mapped_column(String(16))
    runs_public: Mapped[bool]
    runs_per_team: Mapped[int]
    files_per_level: Mapped[int | None]
    task: Mapped[Task] = relationship()

    @property
    def window(self) -> Window:
        """The times of the phase as a value."""
        return Window(self.opens, self.closes, self.grace_hours)
