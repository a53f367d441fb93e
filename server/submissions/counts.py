"""What will count for a team: in each phase that matters now, run by run and level by level."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy.orm import Session

from server.access import tasks
from server.access.tasks import PhaseView
from server.phases.quotas import FilesLeft, Used, day_of, files_left
from server.runs.models import Run
from server.submissions import runs
from server.submissions.runs import RunState
from server.tasks.models import Level
from server.teams.models import Team

_LAST = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class LevelQuota:
    """What is left at a level for all runs of the team together."""

    level: Level
    left: FilesLeft


@dataclass(frozen=True, slots=True)
class PhaseCounts:
    """What a team has in a phase; `missing` are the levels of its runs that have no file on time."""

    view: PhaseView
    runs: tuple[RunState, ...]
    withdrawn: tuple[RunState, ...]
    missing: tuple[tuple[Run, Level], ...]
    quotas: tuple[LevelQuota, ...]
    next_day: datetime

    @property
    def expected(self) -> int:
        """One file for each run and level."""
        return sum(len(state.levels) for state in self.runs)

    @property
    def primary(self) -> RunState | None:
        """The run that stands for the team."""
        return next((state for state in self.runs if state.run.is_primary), None)


def list_counts(
    session: Session, team: Team, phases: Sequence[PhaseView], now: datetime
) -> list[PhaseCounts]:
    """The phases that take files, the nearest deadline first, and the one that closed last."""
    shown = _shown(phases)
    listed = runs.list_runs(session, team, [view.phase for view in shown], now)
    return [_phase_counts(view, listed[view.phase.id], now) for view in shown]


def _shown(phases: Sequence[PhaseView]) -> list[PhaseView]:
    taking = [view for view in phases if view.state in ("open", "grace")]
    over = [view for view in phases if view.state == "over"]
    newest = sorted(over, key=lambda view: view.window.closes or _LAST)[-1:]
    return sorted(taking, key=lambda view: view.window.grace_ends or _LAST) + newest


def _phase_counts(view: PhaseView, listed: Sequence[RunState], now: datetime) -> PhaseCounts:
    standing = tuple(state for state in listed if not state.withdrawn)
    missing = [(state.run, at.level) for state in standing for at in state.levels if at.on_time is None]
    return PhaseCounts(
        view=view,
        runs=standing,
        withdrawn=tuple(state for state in listed if state.withdrawn),
        missing=tuple(missing),
        quotas=_quotas(view, listed),
        next_day=day_of(now)[1],
    )


def _quotas(view: PhaseView, listed: Sequence[RunState]) -> tuple[LevelQuota, ...]:
    """The quota is the team's, so that each of its runs knows it; without runs, none of it is used."""
    phase = view.phase
    if listed:
        return tuple(LevelQuota(at.level, at.left) for at in listed[0].levels)
    left = files_left(Used(0, 0), phase.files_per_level, phase.files_per_day)
    return tuple(LevelQuota(level, left) for level in tasks.levels_of(phase))
