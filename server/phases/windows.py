"""The times of a phase for one team: its own extension may give it a later deadline."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session

from server.phases import rules as phases
from server.phases.feedback import Feedback
from server.phases.models import Extension, Phase
from server.teams.models import Membership, Team

NEWEST_EXTENSION = select(Extension.closes).order_by(Extension.id.desc()).limit(1)
"""Selects the newest extension's deadline; callers restrict it to a team or a phase."""
_EXTENSION_OF_TEAM = NEWEST_EXTENSION.where(Extension.team_id == bindparam("team_id"))
_EXTENSION_OF_TEAM_IN_PHASE = _EXTENSION_OF_TEAM.where(Extension.phase_id == bindparam("phase_id"))
TEAM_DEADLINE_IN_PHASE = _EXTENSION_OF_TEAM_IN_PHASE.scalar_subquery()
"""A team's own deadline in a phase, as a column for other queries."""
TEAM_DEADLINES = _EXTENSION_OF_TEAM.where(Extension.phase_id == Phase.id).correlate(Phase).scalar_subquery()
"""A team's own deadline in each of the phases of a query."""
MEMBER_DEADLINES = (
    NEWEST_EXTENSION.where(Extension.team_id == Membership.team_id, Extension.phase_id == Phase.id)
    .correlate(Phase, Membership)
    .scalar_subquery()
)
"""The deadline in each phase of a query, of the team that the person of the query is in."""


def window_of(session: Session, phase: Phase, team: Team | None) -> phases.Window:
    """Return the times of a phase for a team; None: for teams without an extension."""
    if team is None or phase.window.closes is None:
        return phase.window
    return extend_window(
        phase.window, session.scalar(_EXTENSION_OF_TEAM_IN_PHASE, {"team_id": team.id, "phase_id": phase.id})
    )


def windows_by_team(session: Session, phase: Phase, teams: Sequence[Team]) -> dict[int, phases.Window]:
    """Return the times of a phase for each of the teams, by their ids."""
    query = select(Extension).where(Extension.phase_id == phase.id, Extension.team_id.is_not(None))
    newest = {
        extension.team_id: extension.closes for extension in session.scalars(query.order_by(Extension.id))
    }
    return {team.id: extend_window(phase.window, newest.get(team.id)) for team in teams}


def find_last_deadline(session: Session, phase: Phase, *, grace: bool = False) -> datetime | None:
    """Return the last deadline of all phases on the items, including teams' own; None: there is none.

    With `grace`: when the last late file on these items is accepted.
    """
    ends = [window for window, _ in _windows_on_items(session, phase)]
    return max(
        (end for item_window in ends if (end := item_window.grace_ends if grace else item_window.closes)),
        default=None,
    )


def files_may_come(session: Session, phase: Phase, at: datetime) -> bool:
    """Whether files on the phase's items may still arrive, so that facts about the items stay secret."""
    return phases.files_may_come(_windows_on_items(session, phase), at)


def list_phases_on_items(session: Session, task_id: int, split: str) -> list[Phase]:
    """List the phases on the items of a split."""
    query = select(Phase).where(Phase.task_id == task_id, Phase.split == split)
    return list(session.scalars(query.order_by(Phase.position)))


def _windows_on_items(session: Session, phase: Phase) -> list[tuple[phases.Window, Feedback]]:
    """List the times of all phases on the items, including teams' own, with the phase's feedback."""
    on_items = {row.id: row for row in list_phases_on_items(session, phase.task_id, phase.split)}
    query = select(Extension).where(Extension.phase_id.in_(on_items), Extension.team_id.is_not(None))
    team_deadlines: dict[int, dict[int | None, datetime]] = defaultdict(dict)
    for row in session.scalars(query.order_by(Extension.id)):
        team_deadlines[row.phase_id][row.team_id] = row.closes
    return [
        (extend_window(row.window, closes), row.feedback)
        for row in on_items.values()
        for closes in (None, *team_deadlines[row.id].values())
    ]


def baselines_hidden_until(session: Session, phase: Phase, now: datetime) -> datetime | None:
    """Return the deadline until which released leaderboards hide baselines; None: they show them."""
    last = None if phase.baselines == "always" else find_last_deadline(session, phase)
    return None if last is None or last < now else last


def extend_window(window: phases.Window, closes: datetime | None) -> phases.Window:
    """Return the window with a later deadline, if it is later."""
    if closes is None or window.closes is None or closes <= window.closes:
        return window
    return replace(window, closes=closes)
