"""Phases of a task: the split, the dates, the feedback to teams, and extensions."""

from datetime import datetime

from sqlalchemy import JSON, ForeignKey, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, relationship

from server.core.db import AuthoredRow, NumberedRow, UtcDateTime
from server.phases.feedback import Feedback
from server.phases.rules import BaselinesShown, BoardMode, Window
from server.tasks.models import Task
from server.teams.models import Team


class Phase(NumberedRow):
    """A period in which a task accepts runs for one split."""

    __tablename__ = "phase"
    __table_args__ = (UniqueConstraint("task_id", "slug"),)

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
    """The minimum improvement of a score that the Ladder shows."""
    board: Mapped[BoardMode] = mapped_column(String(16))
    """Whether an organizer releases the leaderboard, or each change does while the phase takes files."""
    baselines: Mapped[BaselinesShown] = mapped_column(String(16), default="after")
    """Whether released leaderboards show baselines only after the last deadline on the items."""
    runs_public: Mapped[bool]
    runs_per_team: Mapped[int]
    files_per_level: Mapped[int | None]
    files_per_day: Mapped[int | None]
    """The maximum number of scored files of a team and level in one day of UTC."""
    reminders: Mapped[list[int]] = mapped_column(JSON)
    """The hours before the deadline at which teams with incomplete runs are reminded."""
    task: Mapped[Task] = relationship()

    @property
    def window(self) -> Window:
        """The times of the phase as a value."""
        return Window(self.opens, self.closes, self.grace_hours)


class Extension(AuthoredRow):
    """A later deadline, for all teams or for one; the newest of each applies."""

    __tablename__ = "extension"

    phase_id: Mapped[int] = mapped_column(ForeignKey("phase.id"), index=True)
    team_id: Mapped[int | None] = mapped_column(ForeignKey("team.id"))
    """None: for all teams; the phase's own deadline has changed with it."""
    closes: Mapped[datetime] = mapped_column(UtcDateTime)
    reason: Mapped[str] = mapped_column(Text)
    phase: Mapped[Phase] = relationship()
    team: Mapped[Team | None] = relationship()
