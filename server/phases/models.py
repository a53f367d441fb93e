"""Phases of a task: which split, when, what a team gets to see, and who got more time."""

from datetime import datetime

from sqlalchemy import JSON, ForeignKey, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, relationship

from server.core.db import Base, UtcDateTime
from server.phases.feedback import Feedback
from server.phases.rules import BaselinesShown, BoardMode, Window
from server.tasks.models import Task
from server.teams.models import Team


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
    feedback: Mapped[Feedback] = mapped_column(String(16))
    feedback_places: Mapped[int | None]
    """Decimal places of feedback that is rounded."""
    ladder_step: Mapped[float | None]
    """By how much a score has to grow before the ladder shows it."""
    board: Mapped[BoardMode] = mapped_column(String(16))
    """Whether an organizer releases the board, or each change while files are taken."""
    baselines: Mapped[BaselinesShown] = mapped_column(String(16), default="after")
    """Whether released boards have baselines only once no deadline on the items is to come."""
    runs_public: Mapped[bool]
    runs_per_team: Mapped[int]
    files_per_level: Mapped[int | None]
    files_per_day: Mapped[int | None]
    """Scored files of a team and level within a day of UTC."""
    reminders: Mapped[list[int]] = mapped_column(JSON)
    """How many hours before the deadline teams with incomplete runs are reminded."""
    task: Mapped[Task] = relationship()

    @property
    def window(self) -> Window:
        """The times of the phase as a value."""
        return Window(self.opens, self.closes, self.grace_hours)


class Extension(Base):
    """A later deadline, for all or for one team; the newest one of each decides."""

    __tablename__ = "extension"

    id: Mapped[int] = mapped_column(primary_key=True)
    phase_id: Mapped[int] = mapped_column(ForeignKey("phase.id"), index=True)
    team_id: Mapped[int | None] = mapped_column(ForeignKey("team.id"))
    """None: for all; the phase's own closing time has moved with it."""
    closes: Mapped[datetime] = mapped_column(UtcDateTime)
    reason: Mapped[str] = mapped_column(Text)
    made_by: Mapped[int | None] = mapped_column(ForeignKey("account.id"))
    made_at: Mapped[datetime] = mapped_column(UtcDateTime)
    phase: Mapped[Phase] = relationship()
    team: Mapped[Team | None] = relationship()
