"""Runs: systems of a team in a phase."""

from datetime import datetime

from sqlalchemy import ForeignKey, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, relationship

from server.db import Base, UtcDateTime
from server.models.phases import Phase
from server.models.teams import Team


class Run(Base):
    """One system of a team, with files for any of the levels; `baseline` names the computed ones."""

    __tablename__ = "run"
    __table_args__ = (UniqueConstraint("team_id", "phase_id", "name"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    team_id: Mapped[int] = mapped_column(ForeignKey("team.id"))
    phase_id: Mapped[int] = mapped_column(ForeignKey("phase.id"), index=True)
    number: Mapped[int]
    name: Mapped[str] = mapped_column(String(80))
    description: Mapped[str] = mapped_column(Text)
    baseline: Mapped[str | None] = mapped_column(String(16))
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    team: Mapped[Team] = relationship()
    phase: Mapped[Phase] = relationship()
