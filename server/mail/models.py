"""Emails to people of a task, and their delivery state."""

from datetime import datetime
from typing import Literal

from sqlalchemy import Column, ForeignKey, Index, String, Table, Text, false
from sqlalchemy.orm import Mapped, mapped_column, relationship

from server.accounts.models import User
from server.core.db import AuthoredRow, Base, NumberedRow, UtcDateTime
from server.phases.models import Phase
from server.submissions.models import Receipt
from server.tasks.models import Task
from server.teams.models import Team

MailKind = Literal["confirmation", "announcement", "reminder", "question", "date", "release", "membership"]
MailState = Literal["waiting", "sent", "failed"]

mail_receipts = Table(
    "mail_receipt",
    Base.metadata,
    Column("submission_id", ForeignKey("receipt.submission_id"), primary_key=True),
    Column("mail_id", ForeignKey("mail.id"), nullable=False, index=True),
)
"""Which receipts are attached to which email: each to one."""


class Mail(NumberedRow):
    """One email to one person, written with the change that caused it; sending looks up the address."""

    __tablename__ = "mail"
    __table_args__ = (Index(None, "task_id", "state"),)

    task_id: Mapped[int] = mapped_column(ForeignKey("task.id"))
    user_id: Mapped[int] = mapped_column(ForeignKey("account.id"), index=True)
    kind: Mapped[MailKind] = mapped_column(String(16))
    subject: Mapped[str] = mapped_column(String(255))
    text: Mapped[str] = mapped_column(Text)
    html: Mapped[str] = mapped_column(Text)
    message_id: Mapped[str] = mapped_column(String(255))
    """The same at each attempt, so that mail programs show an email that was sent twice only once."""
    state: Mapped[MailState] = mapped_column(String(16))
    attempts: Mapped[int]
    error: Mapped[str | None] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    sent_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    useful_until: Mapped[datetime | None] = mapped_column(UtcDateTime)
    """The email is not sent after this time; None: it is always useful."""
    task: Mapped[Task] = relationship()
    user: Mapped[User] = relationship()
    receipts: Mapped[list[Receipt]] = relationship(secondary=mail_receipts, order_by=Receipt.submission_id)
    """Receipts that are attached."""


Audience = Literal["all", "incomplete", "chosen"]


class AnnouncementTeam(Base):
    """A team that an announcement is for, unless it is for all."""

    __tablename__ = "announcement_team"

    announcement_id: Mapped[int] = mapped_column(ForeignKey("announcement.id"), primary_key=True)
    team_id: Mapped[int] = mapped_column(ForeignKey("team.id"), primary_key=True, index=True)


class Announcement(AuthoredRow):
    """A message of the organizers to all teams, to those with incomplete runs, or to some."""

    __tablename__ = "announcement"

    task_id: Mapped[int] = mapped_column(ForeignKey("task.id"), index=True)
    audience: Mapped[Audience] = mapped_column(String(16))
    phase_id: Mapped[int | None] = mapped_column(ForeignKey("phase.id"))
    """The phase whose runs are incomplete."""
    title: Mapped[str] = mapped_column(String(200))
    text: Mapped[str] = mapped_column(Text)
    edited_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    """When its title or text was last changed."""
    pinned: Mapped[bool] = mapped_column(server_default=false())
    """Whether it stands above the others."""
    task: Mapped[Task] = relationship()
    phase: Mapped[Phase | None] = relationship()
    teams: Mapped[list[Team]] = relationship(secondary="announcement_team", order_by=Team.name_key)
    """The teams that it is for; empty if it is for all."""


class Reminder(Base):
    """A reminder to a team, once for each deadline and each number of hours before it."""

    __tablename__ = "reminder"

    phase_id: Mapped[int] = mapped_column(ForeignKey("phase.id"), primary_key=True)
    team_id: Mapped[int] = mapped_column(ForeignKey("team.id"), primary_key=True)
    closes: Mapped[datetime] = mapped_column(UtcDateTime, primary_key=True)
    hours: Mapped[int] = mapped_column(primary_key=True)
    sent_at: Mapped[datetime] = mapped_column(UtcDateTime)
