"""Runs: the systems of a team in a phase, and what it has filed for them."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime

from sqlalchemy import case, func, select
from sqlalchemy.orm import Session, joinedload

from server.domain.actors import Actor
from server.domain.quota import Left, Used, day_of, files_left
from server.errors import NameTaken, NotFound, QuotaUsed
from server.language import _, ngettext
from server.models import Level, Phase, Refusal, Run, Standing, Submission, Team
from server.services import access, audit, standings, tasks


@dataclass(frozen=True, slots=True)
class RunTexts:
    """What a team says of a run, for its pages and for the system table of the paper."""

    description: str = ""
    method: str = ""
    resources: str = ""
    links: str = ""
    authors: str = ""


@dataclass(frozen=True, slots=True)
class FiledFile:
    """A submission with its state: does it count now, was it withdrawn."""

    submission: Submission
    withdrawn: bool
    counts: bool


@dataclass(frozen=True, slots=True)
class LevelState:
    """What a run has at a level: what counts, everything ever filed (newest first), refusals, quota."""

    level: Level
    on_time: Submission | None
    late: Submission | None
    files: tuple[FiledFile, ...]
    refusals: tuple[Refusal, ...]
    left: Left


@dataclass(frozen=True, slots=True)
class RunState:
    """A run with its levels; a withdrawn one has nothing that counts."""

    run: Run
    levels: tuple[LevelState, ...]
    withdrawn: bool


def create_run(
    session: Session, actor: Actor, phase: Phase, name: str, texts: RunTexts, now: datetime
) -> Run:
    """Add a run to the team of the person who asks.

    Raises:
        Forbidden: the person is in no team of the task.
        Conflict: the team is not approved.
        PhaseShut: the phase takes no files now.
        QuotaUsed: the team has as many runs as it may.
        NameTaken: the team has a run of this name in the phase.
    """
    team = access.require_team(session, actor, phase.task)
    access.require_competing(team)
    access.require_taking(session, phase, team, now, "run")
    if _count_runs(session, team, phase) >= phase.runs_per_team:
        raise QuotaUsed(
            ngettext(
                "A team may have 1 run in %(phase)s; you can add no more.",
                "A team may have %(num)d runs in %(phase)s; you can add no more.",
                phase.runs_per_team,
                phase=phase.title,
            )
        )
    run = add_run(session, team, phase, name, texts.description, now)
    put_texts(run, texts)
    session.flush()
    audit.record(session, actor, now, "run.create", team.task_id, team.id, run=run.id)
    return run


def add_run(
    session: Session,
    team: Team,
    phase: Phase,
    name: str,
    description: str,
    now: datetime,
    baseline: str | None = None,
) -> Run:
    """A run, without asking whether the phase is open.

    Raises:
        NameTaken: the team has a run of this name in the phase.
    """
    name = free_name(session, team, phase, name)
    number = _count_runs(session, team, phase) + 1
    run = Run(
        team_id=team.id,
        phase_id=phase.id,
        number=number,
        name=name,
        description=description.strip(),
        position=number,
        baseline=baseline,
        created_at=now,
    )
    run.team, run.phase = team, phase
    session.add(run)
    session.flush()
    return run


def put_texts(run: Run, texts: RunTexts) -> None:
    """What is said of a run, each text without the blanks around it."""
    for name, text in asdict(texts).items():
        setattr(run, name, text.strip())


def free_name(session: Session, team: Team, phase: Phase, name: str) -> str:
    """The name in one line, if no run of the team in the phase has it.

    Raises:
        NameTaken: one has.
    """
    name = " ".join(name.split())
    same = select(Run.id).where(Run.team_id == team.id, Run.phase_id == phase.id, Run.name == name)
    if session.scalar(same) is not None:
        raise NameTaken(
            _('The team has a run "%(name)s" in this phase already; choose another name.', name=name)
        )
    return name


def get_run(session: Session, actor: Actor, run_id: int) -> Run:
    """A run of the person's own team.

    Raises:
        NotFound: there is none, or it is another team's.
    """
    options = joinedload(Run.team).joinedload(Team.task), joinedload(Run.phase)
    run = session.scalar(select(Run).where(Run.id == run_id).options(*options))
    if run is None:
        raise NotFound(_("There is no such run."))
    access.require_own_run_team(session, actor, run.team)
    return run


def read_run(session: Session, actor: Actor, task_id: int | None, run_id: int) -> Run:
    """A run of the task (None: of any), for its team and those who see all of the task.

    Raises:
        NotFound: there is none, or not for this person.
    """
    options = joinedload(Run.team).joinedload(Team.task), joinedload(Run.phase)
    run = session.scalar(select(Run).where(Run.id == run_id).options(*options))
    if run is None or task_id not in (None, run.team.task_id):
        raise NotFound(_("There is no such run."))
    access.require_reader(session, actor, run.team, "run")
    return run


def list_runs(
    session: Session, team: Team, phases: Sequence[Phase], now: datetime, refusals_shown: int = 100
) -> dict[int, list[RunState]]:
    """The runs of a team by the ids of their phases, in a number of queries that does not grow with them.

    Of refused uploads, so many for each phase, the newest; of files, all.
    """
    of_phases = Run.phase_id.in_([phase.id for phase in phases])
    runs = list(
        session.scalars(select(Run).where(Run.team_id == team.id, of_phases).order_by(Run.position, Run.id))
    )
    ids = [run.id for run in runs]
    files, refusals = _filed(session, ids), _refusals(session, ids, refusals_shown * len(phases))
    withdrawn = standings.withdrawn_run_ids(session, ids)
    return {
        phase.id: [
            RunState(run, levels, run.id in withdrawn)
            for run, levels in _levels(
                [run for run in runs if run.phase_id == phase.id], phase, files, refusals, now
            )
        ]
        for phase in phases
    }


def _levels(
    runs: Sequence[Run], phase: Phase, files: list[FiledFile], refusals: list[Refusal], now: datetime
) -> list[tuple[Run, tuple[LevelState, ...]]]:
    """The runs of one phase, with what was filed for them."""
    ids = {run.id for run in runs}
    files = [file for file in files if file.submission.run_id in ids]
    levels = tasks.levels_of(phase)
    left = {level.id: _left(phase, level, files, now) for level in levels}
    return [
        (run, tuple(_level_state(run, level, files, refusals, left[level.id]) for level in levels))
        for run in runs
    ]


def _left(phase: Phase, level: Level, files: list[FiledFile], now: datetime) -> Left:
    """What the phase's quotas leave at a level, of all that a team filed in the phase."""
    day, next_day = day_of(now)
    came = [file.submission.arrived_at for file in files if file.submission.level_id == level.id]
    used = Used(len(came), sum(day <= at < next_day for at in came))
    return files_left(used, phase.files_per_level, phase.files_per_day)


def files_used(session: Session, team: Team, phase: Phase, level: Level, now: datetime) -> Used:
    """How many files of a team, phase and level were scored, withdrawn or not: in all, and on this day."""
    day, next_day = day_of(now)
    today = case(((Submission.arrived_at >= day) & (Submission.arrived_at < next_day), 1), else_=0)
    query = (
        select(func.count(Submission.id), func.coalesce(func.sum(today), 0))
        .join(Run)
        .where(Run.team_id == team.id, Run.phase_id == phase.id, Submission.level_id == level.id)
    )
    in_all, of_day = session.execute(query).one()
    return Used(in_all, of_day)


def _count_runs(session: Session, team: Team, phase: Phase) -> int:
    query = select(func.count(Run.id)).where(Run.team_id == team.id, Run.phase_id == phase.id)
    return session.scalar(query) or 0


def _filed(session: Session, run_ids: Sequence[int]) -> list[FiledFile]:
    query = select(Submission).where(Submission.run_id.in_(run_ids)).order_by(Submission.id.desc())
    submissions = list(session.scalars(query))
    withdrawn = standings.withdrawn_ids(session, [submission.id for submission in submissions])
    counting = set(session.scalars(select(Standing.submission_id).where(Standing.run_id.in_(run_ids))))
    return [
        FiledFile(submission, submission.id in withdrawn, submission.id in counting)
        for submission in submissions
    ]


def _refusals(session: Session, run_ids: Sequence[int], most: int) -> list[Refusal]:
    query = select(Refusal).where(Refusal.run_id.in_(run_ids)).order_by(Refusal.id.desc()).limit(most)
    return list(session.scalars(query))


def _level_state(
    run: Run, level: Level, files: list[FiledFile], refusals: list[Refusal], left: Left
) -> LevelState:
    own = tuple(
        file for file in files if file.submission.run_id == run.id and file.submission.level_id == level.id
    )
    counting = [file.submission for file in own if file.counts]
    return LevelState(
        level=level,
        on_time=next((submission for submission in counting if not submission.late), None),
        late=next((submission for submission in counting if submission.late), None),
        files=own,
        refusals=tuple(r for r in refusals if r.run_id == run.id and r.level_id == level.id),
        left=left,
    )
