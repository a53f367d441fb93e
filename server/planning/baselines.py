"""The baselines of a task's phases: listing, adding and removing them until results are released.

A removed baseline is a withdrawn run, so its files stay, and adding the baseline again restores them. Those
that the site does not compute have files from the organizers, and are named by the ids of their runs.
"""

import hashlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from server.access import service as access, tasks
from server.audit import service as audit
from server.core.actors import Actor
from server.core.errors import Conflict, require_found
from server.core.i18n import _
from server.levels import baseline_files
from server.levels.baseline_files import BaselineFile
from server.phases.models import Phase
from server.releases.models import Release
from server.runs import editing as run_editing, service as runs
from server.runs.models import Run, RunWithdrawal
from server.scoring.baselines import BASELINES, OWN_BASELINE, BaselineName, get_baseline_name
from server.submissions import follow_up_jobs, service as submissions, standings, whole_runs
from server.submissions.models import Standing, Submission
from server.tasks.models import Level, Task
from server.teams import service as teams
from server.teams.models import Team

BaselineKey = BaselineName | int
"""The name of a baseline that the site computes, or the id of the run of another one."""


@dataclass(frozen=True, slots=True)
class OwnBaseline:
    """A baseline that the site does not compute; `missing`: the titles of the levels without a file."""

    run: Run
    removed: bool
    missing: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PhaseBaselines:
    """The baselines that a phase has; `released`: they can no longer change."""

    phase: Phase
    names: tuple[BaselineName, ...]
    own: tuple[OwnBaseline, ...]
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
    query = select(Run.phase_id, Run.baseline).where(Run.phase_id.in_(ids), Run.baseline.in_(BASELINES))
    for phase_id, baseline in session.execute(query.where(standings.RUN_WITHDRAWN.is_not(True))):
        present[phase_id].add(baseline)
    own = _list_own(session, ids)
    released = set(session.scalars(select(Release.phase_id).where(Release.phase_id.in_(ids))))
    return [
        PhaseBaselines(
            phase,
            tuple(name for name in BASELINES if name in present[phase.id]),
            tuple(each for each in own if each.run.phase_id == phase.id),
            phase.id in released,
        )
        for phase in phases
    ]


def _list_own(session: Session, phase_ids: Sequence[int]) -> list[OwnBaseline]:
    """List the baselines of phases that the site does not compute, removed ones too."""
    of_phases = Run.phase_id.in_(phase_ids), Run.baseline == OWN_BASELINE
    entered = select(Standing.run_id, Standing.level_id).join(Run).where(*of_phases)
    counting = {(row[0], row[1]) for row in session.execute(entered)}
    query = select(Run, standings.RUN_WITHDRAWN).where(*of_phases).order_by(Run.id)
    return [
        OwnBaseline(
            run,
            bool(removed),
            tuple(level.title for level in tasks.levels_of(run.phase) if (run.id, level.id) not in counting),
        )
        for run, removed in session.execute(query)
    ]


def get_baselines(session: Session, actor: Actor, task: Task, phase_slug: str) -> PhaseBaselines:
    """Return the baselines of one phase.

    Raises:
        Forbidden, NotFound: `actor` may not see all of the task, or it has no such phase.
    """
    phase = tasks.get_phase(session, task, phase_slug)
    return next(entry for entry in list_baselines(session, actor, task) if entry.phase is phase)


def get_key(text: str) -> BaselineKey:
    """Return what the part of an address names.

    Raises:
        NotFound: neither a number, nor a baseline that the site computes.
    """
    return int(text) if text.isdecimal() and text.isascii() and len(text) < 10 else get_baseline_name(text)


def get_own(session: Session, phase: Phase, run_id: int) -> Run:
    """Return the run of a baseline of the phase that the site does not compute.

    Raises:
        NotFound: there is none.
    """
    query = select(Run).where(Run.id == run_id, Run.phase_id == phase.id, Run.baseline == OWN_BASELINE)
    return require_found(session.scalar(query), _("There is no such baseline."))


def find_own(session: Session, phase: Phase, name: str) -> Run | None:
    """Return the run of a baseline of the phase that the site does not compute, by its name."""
    query = select(Run).where(Run.phase_id == phase.id, Run.baseline == OWN_BASELINE)
    return session.scalar(query.where(Run.name == " ".join(name.split())))


def is_released(session: Session, phase: Phase) -> bool:
    """Whether results of a phase were released, so that its baselines no longer change."""
    return session.scalar(select(Release.id).where(Release.phase_id == phase.id).limit(1)) is not None


def get_title(session: Session, phase: Phase, key: BaselineKey) -> str:
    """Return the name of a baseline for people; raises as `get_own` does."""
    return get_own(session, phase, key).name if isinstance(key, int) else BASELINES[key]


def read_files(
    session: Session, actor: Actor, phase: Phase, sent: Sequence[whole_runs.SentFile], now: datetime
) -> Sequence[BaselineFile]:
    """Unpack the files of a baseline, and check each as a team's; reads no gold and writes nothing.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task.
        Conflict: results of the phase are released.
        InvalidRunFiles: a file is invalid, or names no level; with each fault.
    """
    _require_changeable(session, actor, phase)

    def read(file: whole_runs.SentFile, level: Level) -> BaselineFile:
        split = tasks.get_level_split(phase.task, level.slug, phase.split)[1]
        sure = file.first_is_score
        submissions.parse_file(
            session, actor, split, file.data, file.name, now, first_is_score=sure, baseline=True
        )
        return BaselineFile(level.slug, file.data, file.name)

    return whole_runs.read_files(phase, sent, read).files


def save_own(
    session: Session,
    actor: Actor,
    phase: Phase,
    run_id: int | None,
    name: str | None,
    texts: Mapping[str, str],
    files: Sequence[BaselineFile],
    now: datetime,
) -> Run:
    """Add a baseline that the site does not compute, or edit one: its texts at any time; return its run.

    Files replace those of their levels.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task, or there is no such baseline.
        NameTaken: another baseline of the phase has this name.
        Conflict: results of the phase are released, and more than the texts would change.
    """
    access.require_organizer(session, actor, phase.task)
    access.require_not_archived(phase.task)
    run = None if run_id is None else get_own(session, phase, run_id)
    if run is None or files or run_editing.is_renamed(run, name):
        _require_changeable(session, actor, phase)
    if run is None:
        team = _get_team(session, phase.task, now)
        run = runs.add_run(session, team, phase, name or "", "", now, OWN_BASELINE)
        runs.set_texts(run, runs.RunTexts(**texts))
        _record(session, actor, phase, "baseline.add", run.id, now)
    else:
        texts_now = runs.RunTexts(**{**runs.texts_of(run), **texts})
        run_editing.change_run(session, actor, run, name, texts_now, now)
    query = select(Level.slug, Submission.sha256).select_from(Standing).join(Standing.submission)
    query = query.join(Submission.level).where(Standing.run_id == run.id)
    counting = {(row[0], row[1]) for row in session.execute(query)}
    for file in files:
        if (file.level, hashlib.sha256(file.data).hexdigest()) not in counting:
            baseline_files.add_file(session, actor, run, file, now, "uploaded")
    follow_up_jobs.add_follow_up_jobs(session, phase, now)
    return run


def add_baseline(session: Session, actor: Actor, phase: Phase, key: BaselineKey, now: datetime) -> None:
    """Add a baseline to a phase, or restore it; a job computes the files that it lacks.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task; there is no run to restore.
        Conflict: the phase has it, or its results are released; or a run has its name.
    """
    existing = _require_addable(session, actor, phase, key)
    if existing:
        _withdraw(session, actor, existing, now, withdrawn=False)
    elif not isinstance(key, int):
        runs.add_run(session, _get_team(session, phase.task, now), phase, BASELINES[key], "", now, key)
    follow_up_jobs.add_baseline_job(session, phase.task_id, now)
    follow_up_jobs.add_follow_up_jobs(session, phase, now)
    _record(session, actor, phase, "baseline.add", key, now)


def remove_baseline(session: Session, actor: Actor, phase: Phase, key: BaselineKey, now: datetime) -> None:
    """Remove a baseline from a phase.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task.
        Conflict: the phase does not have it, or its results are released.
    """
    _require_changeable(session, actor, phase)
    title, present = get_title(session, phase, key), _list_runs(session, phase, key, withdrawn=False)
    if not present:
        raise Conflict.of("%(phase)s does not have the baseline %(name)s.", phase=phase.title, name=title)
    _withdraw(session, actor, present, now, withdrawn=True)
    follow_up_jobs.add_follow_up_jobs(session, phase, now)
    _record(session, actor, phase, "baseline.remove", key, now)


def _record(
    session: Session, actor: Actor, phase: Phase, action: str, key: BaselineKey, now: datetime
) -> None:
    what = {"baseline": OWN_BASELINE, "run": key} if isinstance(key, int) else {"baseline": key}
    audit.record(session, actor, now, action, phase.task_id, phase=phase.slug, **what)


def _require_changeable(session: Session, actor: Actor, phase: Phase) -> None:
    access.require_organizer(session, actor, phase.task)
    access.require_not_archived(phase.task)
    if is_released(session, phase):
        raise Conflict.of(
            "Results of %(phase)s have been released, so its baselines can no longer be changed.",
            phase=phase.title,
        )


def _require_addable(session: Session, actor: Actor, phase: Phase, key: BaselineKey) -> list[Run]:
    """Return the runs of the baseline if it was removed; none if the phase never had it."""
    _require_changeable(session, actor, phase)
    title = get_title(session, phase, key)
    if _list_runs(session, phase, key, withdrawn=False):
        raise Conflict.of("%(phase)s already has the baseline %(name)s.", phase=phase.title, name=title)
    return _list_runs(session, phase, key, withdrawn=True)


def _list_runs(session: Session, phase: Phase, key: BaselineKey, *, withdrawn: bool) -> list[Run]:
    is_gone = standings.RUN_WITHDRAWN.is_(True) if withdrawn else standings.RUN_WITHDRAWN.is_not(True)
    is_it = Run.id == key if isinstance(key, int) else Run.baseline == key
    query = select(Run).where(Run.phase_id == phase.id, is_it, is_gone)
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
