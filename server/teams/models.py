"""Teams, their members, and their invitation links."""

from datetime import datetime
from typing import Literal

from sqlalchemy import ForeignKey, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, relationship

from server.core.db import Base, NumberedRow, UtcDateTime
from server.tasks.models import InvitationLink, Task

TeamState = Literal["approved", "waiting", "declined", "dissolved"]


class Team(NumberedRow):
    """People who submit together for one task. Baselines belong to the organizers' own team."""

    __tablename__ = "team"
    __table_args__ = (UniqueConstraint("task_id", "name_key"),)

    task_id: Mapped[int] = mapped_column(ForeignKey("task.id"))
    name: Mapped[str] = mapped_column(String(80))
    name_key: Mapped[str] = mapped_column(String(160))
    """The name with case folded, so that two teams cannot have names that look alike."""
    captain_id: Mapped[int | None] = mapped_column(ForeignKey("account.id"))
    affiliations: Mapped[str] = mapped_column(Text)
    """Where its members work, for the paper's table of systems."""
    state: Mapped[TeamState] = mapped_column(String(16))
    reason: Mapped[str | None] = mapped_column(Text)
    """Why it was declined."""
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    task: Mapped[Task] = relationship()


class Membership(Base):
    """One person in one team; each person can be in one team per task."""

    __tablename__ = "membership"

    task_id: Mapped[int] = mapped_column(ForeignKey("task.id"), primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("account.id"), primary_key=True)
    team_id: Mapped[int] = mapped_column(ForeignKey("team.id"), index=True)
    joined_at: Mapped[datetime] = mapped_column(UtcDateTime)
    team: Mapped[Team] = relationship()


class TeamInvitation(InvitationLink):
    """An invitation link by which people join a team for a limited time."""

    __tablename__ = "team_invitation"

    team_id: Mapped[int] = mapped_column(ForeignKey("team.id"), index=True)
    team: Mapped[Team] = relationship()
