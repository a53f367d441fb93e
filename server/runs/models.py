"""Runs: systems of a team in a phase."""

from datetime import datetime

from sqlalchemy import ForeignKey, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, relationship

from server.core.db import AuthoredRow, NumberedRow, UtcDateTime
from server.phases.models import Phase
from server.scoring.baselines import OWN_BASELINE
from server.teams.models import Team


class Run(NumberedRow):
    """One system of a team, with files for any of the levels; `baseline`: what computes it, or "own"."""

    __tablename__ = "run"
    __table_args__ = (UniqueConstraint("team_id", "phase_id", "name"),)

    team_id: Mapped[int] = mapped_column(ForeignKey("team.id"))
    phase_id: Mapped[int] = mapped_column(ForeignKey("phase.id"), index=True)
    number: Mapped[int]
    name: Mapped[str] = mapped_column(String(80))
    description: Mapped[str] = mapped_column(Text)
    method: Mapped[str] = mapped_column(Text, default="")
    resources: Mapped[str] = mapped_column(Text, default="")
    links: Mapped[str] = mapped_column(Text, default="")
    """Addresses, one a line."""
    authors: Mapped[str] = mapped_column(Text, default="")
    """The authors for the paper, who may differ from the team's members."""
    version: Mapped[str] = mapped_column(Text, default="", server_default="")
    """Version, licence and command are given by organizers, for baselines that are not computed."""
    licence: Mapped[str] = mapped_column(Text, default="", server_default="")
    command: Mapped[str] = mapped_column(Text, default="", server_default="")
    is_primary: Mapped[bool] = mapped_column(default=False)
    """Whether this is the primary run of its team in the phase."""
    position: Mapped[int]
    """The place in its team's list of runs in the phase."""
    baseline: Mapped[str | None] = mapped_column(String(16))
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    team: Mapped[Team] = relationship()
    phase: Mapped[Phase] = relationship()

    @property
    def is_computed(self) -> bool:
        """Whether the site computes its files."""
        return self.baseline not in (None, OWN_BASELINE)


class RunWithdrawal(AuthoredRow):
    """A run withdrawn with all its files, or (`withdrawn` false) restored; the newest row applies."""

    __tablename__ = "run_withdrawal"

    run_id: Mapped[int] = mapped_column(ForeignKey("run.id"), index=True)
    withdrawn: Mapped[bool]
