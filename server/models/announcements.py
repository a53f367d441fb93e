"""Word to the teams: announcements, and the reminders that went out."""

from datetime import datetime
from typing import Literal

from sqlalchemy import ForeignKey, String, Text
from sqlalchemy.orm import Mapped, mapped_column, relationship

from server.core.db import Base, UtcDateTime
from server.phases.models import Phase
from server.tasks.models import Task

Audience = Literal["all", "incomplete"]


class Announcement(Base):
    """What the organizers tell all teams, or those whose runs of a phase are incomplete. Never changed."""

    __tablename__ = "announcement"

    id: Mapped[int] = mapped_column(primary_key=True)
    task_id: Mapped[int] = mapped_column(ForeignKey("task.id"), index=True)
    audience: Mapped[Audience] = mapped_column(String(16))
    phase_id: Mapped[int | None] = mapped_column(ForeignKey("phase.id"))
    """Whose runs are meant by incomplete."""
    title: Mapped[str] = mapped_column(String(200))
    text: Mapped[str] = mapped_column(Text)
    made_by: Mapped[int | None] = mapped_column(ForeignKey("account.id"))
    made_at: Mapped[datetime] = mapped_column(UtcDateTime)
    task: Mapped[Task] = relationship()
    phase: Mapped[Phase | None] = relationship()


class Reminder(Base):
    """A reminder that went out to a team: so many hours before that deadline, once."""

    __tablename__ = "reminder"

    phase_id: Mapped[int] = mapped_column(ForeignKey("phase.id"), primary_key=True)
    team_id: Mapped[int] = mapped_column(ForeignKey("team.id"), primary_key=True)
    closes: Mapped[datetime] = mapped_column(UtcDateTime, primary_key=True)
    hours: Mapped[int] = mapped_column(primary_key=True)
    sent_at: Mapped[datetime] = mapped_column(UtcDateTime)
