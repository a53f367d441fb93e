"""The times of a phase as they hold for one team: its own extension may close it later."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

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
    return {phase_id: _extended(window, newest.get(phase_id)) for phase_id, window in windows.items()}


def windows_by_team(session: Session, phase: Phase, teams: Sequence[Team]) -> dict[int, Window]:
    """The times of a phase for each of the teams, by their ids."""
    given = select(Extension).where(Extension.phase_id == phase.id, Extension.team_id.is_not(None))
    newest = {one.team_id: one.closes for one in session.scalars(given.order_by(Extension.id))}
    return {team.id: _extended(phase.window, newest.get(team.id)) for team in teams}


def last_end(session: Session, phase: Phase, *, grace: bool = False) -> datetime | None:
    """The last deadline of all phases on the items of `phase`, teams' own too; None: there is none.

    With `grace`: when the last late file on these items is taken.
    """
    query = select(Phase).where(Phase.task_id == phase.task_id, Phase.split == phase.split)
    phases = list(session.scalars(query.where(Phase.closes.is_not(None))))
    given = select(Extension).where(Extension.phase_id.in_([one.id for one in phases]))
    own: dict[int, dict[int | None, datetime]] = defaultdict(dict)
    for one in session.scalars(given.where(Extension.team_id.is_not(None)).order_by(Extension.id)):
        own[one.phase_id][one.team_id] = one.closes
    ends = [_extended(one.window, closes) for one in phases for closes in (None, *own[one.id].values())]
    return max((end for one in ends if (end := one.grace_ends if grace else one.closes)), default=None)


def baselines_held_until(session: Session, phase: Phase, now: datetime) -> datetime | None:
    """The deadline that keeps baselines out of a phase's released boards; None: nothing does."""
    last = None if phase.baselines == "always" else last_end(session, phase)
    return None if last is None or last < now else last


def _extended(window: Window, closes: datetime | None) -> Window:
    """The window with a later deadline, if it is later."""
    if closes is None or window.closes is None or closes <= window.closes:
        return window
    return replace(window, closes=closes)
