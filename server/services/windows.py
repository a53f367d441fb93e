"""The times of a phase as they hold for one team: its own extension may close it later."""

from collections.abc import Sequence
from dataclasses import replace

from sqlalchemy import select
from sqlalchemy.orm import Session

from server.domain.phases import Window
from server.models import Extension, Phase, Team


def window_of(session: Session, phase: Phase, team: Team | None) -> Window:
    """The times of a phase for a team; None: for everybody else."""
    return windows_of(session, [phase], team)[phase.id]


def windows_of(session: Session, phases: Sequence[Phase], team: Team | None) -> dict[int, Window]:
    """The times of the phases for a team, by their ids."""
    windows = {phase.id: phase.window for phase in phases}
    if team is None or not phases:
        return windows
    own = select(Extension).where(Extension.team_id == team.id, Extension.phase_id.in_(windows))
    newest = {one.phase_id: one.closes for one in session.scalars(own.order_by(Extension.id))}
    for phase_id, closes in newest.items():
        window = windows[phase_id]
        if window.closes is not None and window.closes < closes:
            windows[phase_id] = replace(window, closes=closes)
    return windows
