"""Which submissions count for a team in each phase, and which files are still missing."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session

from server.access import tasks
from server.access.tasks import PhaseView
from server.accounts.models import User
from server.core.dates import NEVER
from server.phases.models import Phase
from server.phases.quotas import FilesLeft, FilesUsed, files_left, utc_day
from server.runs import service as runs
from server.runs.models import Run
from server.runs.service import RunState
from server.submissions import standings
from server.submissions.models import Standing
from server.tasks.models import Level
from server.teams.models import Membership, Team, TeamState


class MissingFile(NamedTuple):
    """A run, and a level for which it has no file."""

    run: Run
    level: Level


@dataclass(frozen=True, slots=True)
class PhaseCompleteness:
    """The number of files that a team's runs need in a phase, and those that are missing.

    A late file does not replace a missing one; `late` counts the missing files that have a late one.
    """

    of: int
    missing: tuple[MissingFile, ...]
    late: int

    @property
    def counting(self) -> int:
        """How many of the files count."""
        return self.of - len(self.missing)


def check_completeness(own: Sequence[RunState]) -> PhaseCompleteness:
    """Check which files of a team's runs in a phase are on time, and which are missing or late."""
    run_levels = [(state.run, level) for state in own if not state.withdrawn for level in state.levels]
    gaps = [(run, at) for run, at in run_levels if at.on_time is None]
    missing = tuple(MissingFile(run, at.level) for run, at in gaps)
    return PhaseCompleteness(len(run_levels), missing, sum(at.late is not None for _run, at in gaps))


def find_first_missing(
    views: Sequence[PhaseView], outlooks: Mapping[int, PhaseCompleteness]
) -> MissingFile | None:
    """Return the run and the level to upload first, in the phases that are open."""
    missing_pairs = [
        pair for view in views if view.state == "open" for pair in outlooks[view.phase.id].missing
    ]
    return missing_pairs[0] if missing_pairs else None


@dataclass(frozen=True, slots=True)
class LevelQuota:
    """The files left at a level for all runs of the team together."""

    level: Level
    left: FilesLeft


@dataclass(frozen=True, slots=True)
class PhaseCounts:
    """The counts of a team in a phase; `missing` are the levels of its runs that have no file on time."""

    view: PhaseView
    runs: tuple[RunState, ...]
    withdrawn: tuple[RunState, ...]
    missing: tuple[MissingFile, ...]
    late: int
    """For how many of the missing files there is a late one."""
    quotas: tuple[LevelQuota, ...]
    next_day: datetime

    @property
    def expected(self) -> int:
        """The number of files that are needed: one for each run and level."""
        return sum(len(state.levels) for state in self.runs)

    @property
    def primary(self) -> RunState | None:
        """The primary run of the team."""
        return next((state for state in self.runs if state.run.is_primary), None)


def list_counts(
    session: Session, team: Team, phases: Sequence[PhaseView], now: datetime
) -> list[PhaseCounts]:
    """List the phases that accept files, the nearest deadline first, and the one that closed last."""
    shown = _list_shown_phases(phases)
    listed = runs.list_runs(session, team, [view.phase for view in shown], now)
    return [_phase_counts(view, listed[view.phase.id], now) for view in shown]


def _list_shown_phases(phases: Sequence[PhaseView]) -> list[PhaseView]:
    taking = [view for view in phases if view.state in ("open", "grace")]
    over = [view for view in phases if view.state == "over"]
    newest = sorted(over, key=lambda view: view.window.closes or NEVER)[-1:]
    return sorted(taking, key=lambda view: view.window.grace_ends or NEVER) + newest


def _phase_counts(view: PhaseView, listed: Sequence[RunState], now: datetime) -> PhaseCounts:
    completeness = check_completeness(listed)
    return PhaseCounts(
        view=view,
        runs=tuple(state for state in listed if not state.withdrawn),
        withdrawn=tuple(state for state in listed if state.withdrawn),
        missing=completeness.missing,
        late=completeness.late,
        quotas=_level_quotas(view, listed),
        next_day=utc_day(now)[1],
    )


def _level_quotas(view: PhaseView, listed: Sequence[RunState]) -> tuple[LevelQuota, ...]:
    """Return the quota of each level, which belongs to the team and is the same at each of its runs."""
    phase = view.phase
    if listed:
        return tuple(LevelQuota(at.level, at.left) for at in listed[0].levels)
    remaining_files = files_left(FilesUsed(0, 0), phase.files_per_level, phase.files_per_day)
    return tuple(LevelQuota(level, remaining_files) for level in tasks.levels_of(phase))


@dataclass(frozen=True, slots=True)
class RunGaps:
    """A run, and the levels that it lacks."""

    run: Run
    levels: tuple[Level, ...]


@dataclass(frozen=True, slots=True)
class TeamGaps:
    """A team with incomplete runs in a phase; a team without a run lacks everything."""

    team: Team
    runs: tuple[Run, ...]
    gaps: tuple[RunGaps, ...]


def list_gaps(session: Session, phase: Phase) -> list[TeamGaps]:
    """List the competing teams that lack a run in a phase, or a file on time of one of their runs."""
    levels = tasks.levels_of(phase)
    runs = _runs_by_team(session, phase)
    pairs_on_time = _files_on_time(session, phase)
    team_gaps = []
    for team in list_teams(session, phase.task_id, ("approved",)):
        team_runs = tuple(runs[team.id])
        lacks = [
            (run, tuple(lev for lev in levels if (run.id, lev.id) not in pairs_on_time)) for run in team_runs
        ]
        gaps = tuple(RunGaps(run, missing) for run, missing in lacks if missing)
        if gaps or not team_runs:
            team_gaps.append(TeamGaps(team, team_runs, gaps))
    return team_gaps


def list_teams(session: Session, task_id: int, states: Sequence[TeamState]) -> list[Team]:
    """List the teams, except the organizers', in one of these states, by name."""
    of_people = select(Membership.team_id).where(Membership.task_id == task_id)
    query = select(Team).where(Team.task_id == task_id, Team.state.in_(states), Team.id.in_(of_people))
    return list(session.scalars(query.order_by(Team.name_key)))


def list_members_by_team(session: Session, teams: Sequence[Team]) -> dict[int, list[User]]:
    """List the members of the teams, by the teams' ids, in the order in which they joined."""
    people: dict[int, list[User]] = {team.id: [] for team in teams}
    query = select(Membership.team_id, User).join(User, User.id == Membership.user_id)
    query = query.where(Membership.team_id.in_(people)).order_by(Membership.joined_at, User.id)
    for team_id, user in session.execute(query):
        people[team_id].append(user)
    return people


def _runs_by_team(session: Session, phase: Phase) -> dict[int, list[Run]]:
    query = select(Run).where(Run.phase_id == phase.id, Run.baseline.is_(None))
    runs = list(session.scalars(query.order_by(Run.position, Run.id)))
    withdrawn = standings.withdrawn_run_ids(session, [run.id for run in runs])
    by_team: dict[int, list[Run]] = defaultdict(list)
    for run in runs:
        if run.id not in withdrawn:
            by_team[run.team_id].append(run)
    return by_team


def _files_on_time(session: Session, phase: Phase) -> set[tuple[int, int]]:
    query = select(Standing.run_id, Standing.level_id).join(Run, Run.id == Standing.run_id)
    rows = session.execute(query.where(Run.phase_id == phase.id, Standing.late.is_(False)))
    return {(row.run_id, row.level_id) for row in rows}
