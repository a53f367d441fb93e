"""The baselines of a task's phases: listing, adding and removing them until results are released.

A removed baseline is a withdrawn run, so its files stay, and adding the baseline again restores them.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from server.access import service as access, tasks
from server.audit import service as audit
from server.core.actors import Actor
from server.core.errors import Conflict
from server.phases.models import Phase
from server.releases.models import Release
from server.runs import service as runs
from server.runs.models import Run, RunWithdrawal
from server.scoring.baselines import BASELINES, BaselineName
from server.submissions import follow_up_jobs, standings
from server.submissions.models import Submission
from server.tasks.models import Task
from server.teams import service as teams
from server.teams.models import Team


@dataclass(frozen=True, slots=True)
class PhaseBaselines:
    """The baselines that a phase has; `released`: they can no longer change."""

    phase: Phase
    names: tuple[BaselineName, ...]
    released: bool


def list_baselines(session: Session, actor: Actor, task: Task) -> list[PhaseBaselines]:
    """List the baselines of each phase of a task, in order.

    Raises:
        Forbidden, NotFound: `actor` may not see all of the task.
    """
    access.require_observer(session, actor, task)
    phases = list(session.scalars(select(Phase).where(Phase.task_id == task.id).order_by(Phase.position)))
    ids = [phase.id for phase in phases]
    present = defaultdict(set)
    query = select(Run.phase_id, Run.baseline).where(Run.phase_id.in_(ids), Run.baseline.is_not(None))
    for phase_id, baseline in session.execute(query.where(standings.RUN_WITHDRAWN.is_not(True))):
        present[phase_id].add(baseline)
    released = set(session.scalars(select(Release.phase_id).where(Release.phase_id.in_(ids))))
    return [
        PhaseBaselines(
            phase,
            tuple(name for name in BASELINES if name in present[phase.id]),
            phase.id in released,
        )
        for phase in phases
    ]


def get_baselines(session: Session, actor: Actor, task: Task, phase_slug: str) -> PhaseBaselines:
    """Return the baselines of one phase.

    Raises:
        Forbidden, NotFound: `actor` may not see all of the task, or it has no such phase.
    """
    phase = tasks.get_phase(session, task, phase_slug)
    return next(entry for entry in list_baselines(session, actor, task) if entry.phase is phase)


def add_baseline(session: Session, actor: Actor, phase: Phase, name: BaselineName, now: datetime) -> None:
    """Add a baseline to a phase, or restore it; a job computes the files that it lacks.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task.
        Conflict: the phase has it, or its results are released; or a run has its name.
    """
    existing = _require_addable(session, actor, phase, name)
    if existing:
        _withdraw(session, actor, existing, now, withdrawn=False)
    else:
        runs.add_run(session, _get_team(session, phase.task, now), phase, BASELINES[name], "", now, name)
    follow_up_jobs.add_baseline_job(session, phase.task_id, now)
    follow_up_jobs.add_follow_up_jobs(session, phase, now)
    audit.record(session, actor, now, "baseline.add", phase.task_id, phase=phase.slug, baseline=name)


def remove_baseline(session: Session, actor: Actor, phase: Phase, name: BaselineName, now: datetime) -> None:
    """Remove a baseline from a phase.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task.
        Conflict: the phase does not have it, or its results are released.
    """
    _require_changeable(session, actor, phase)
    present = _list_runs(session, phase, name, withdrawn=False)
    if not present:
        raise Conflict.of(
            "%(phase)s does not have the baseline %(name)s.", phase=phase.title, name=BASELINES[name]
        )
    _withdraw(session, actor, present, now, withdrawn=True)
    follow_up_jobs.add_follow_up_jobs(session, phase, now)
    audit.record(session, actor, now, "baseline.remove", phase.task_id, phase=phase.slug, baseline=name)


def _require_changeable(session: Session, actor: Actor, phase: Phase) -> None:
    access.require_organizer(session, actor, phase.task)
    access.require_not_archived(phase.task)
    if session.scalar(select(Release.id).where(Release.phase_id == phase.id).limit(1)) is not None:
        raise Conflict.of(
            "Results of %(phase)s have been released, so its baselines can no longer be changed.",
            phase=phase.title,
        )


def _require_addable(session: Session, actor: Actor, phase: Phase, name: BaselineName) -> list[Run]:
    """Return the runs of the baseline if it was removed; none if the phase never had it."""
    _require_changeable(session, actor, phase)
    if _list_runs(session, phase, name, withdrawn=False):
        raise Conflict.of(
            "%(phase)s already has the baseline %(name)s.", phase=phase.title, name=BASELINES[name]
        )
    return _list_runs(session, phase, name, withdrawn=True)


def _list_runs(session: Session, phase: Phase, name: BaselineName, *, withdrawn: bool) -> list[Run]:
    is_gone = standings.RUN_WITHDRAWN.is_(True) if withdrawn else standings.RUN_WITHDRAWN.is_not(True)
    query = select(Run).where(Run.phase_id == phase.id, Run.baseline == name, is_gone)
    return list(session.scalars(query.order_by(Run.id)))


def _withdraw(
    session: Session, actor: Actor, changed: Sequence[Run], now: datetime, *, withdrawn: bool
) -> None:
    for run in changed:
        session.add(RunWithdrawal(run_id=run.id, withdrawn=withdrawn, made_by=actor.user_id, made_at=now))
        session.flush()
        levels = select(Submission.level_id).where(Submission.run_id == run.id).distinct()
        for level_id in session.scalars(levels.order_by(Submission.level_id)).all():
            standings.update_standing(session, run.id, level_id)


def _get_team(session: Session, task: Task, now: datetime) -> Team:
    team = teams.find_team_by_name(session, task, teams.ORGANIZERS)
    return teams.add_team(session, task, teams.ORGANIZERS, now) if team is None else team
