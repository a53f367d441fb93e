"""Lists of runs and submissions: in pages for programs, and of all teams for organizers."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

from sqlalchemy import Integer, Select, bindparam, case, cast, exists, extract, func, select
from sqlalchemy.orm import Session, aliased, contains_eager, joinedload

from server.access import service as access, tasks
from server.core.actors import Actor
from server.core.errors import NotFound, require_found
from server.core.i18n import _
from server.phases.models import Phase
from server.runs import service as runs
from server.runs.models import Run
from server.runs.service import SubmissionState
from server.submissions import standings
from server.submissions.models import Standing, Submission
from server.tasks.models import Level, Task
from server.teams import service as teams
from server.teams.models import Team

Rows = TypeVar("Rows", bound=Select[Any])

MAX_SHOWN_FILES = 200
"""How many submissions the charts of a team's scores have at most."""
_NEWEST_FILES = (
    select(Submission)
    .join(Submission.run)
    .where(Run.team_id == bindparam("team_id"), Run.phase_id.in_(bindparam("phase_ids", expanding=True)))
    .options(contains_eager(Submission.run), joinedload(Submission.level))
    .order_by(Submission.id.desc())
    .limit(MAX_SHOWN_FILES)
)


@dataclass(frozen=True, slots=True)
class ListingQuery:
    """Which rows to list: `limit` of them after `offset`, of a team, phase, run or level, or of all."""

    limit: int
    offset: int = 0
    team_id: int | None = None
    phase: str | None = None
    run_id: int | None = None
    level: str | None = None


@dataclass(frozen=True, slots=True)
class ListedRun:
    """A run, whether it is withdrawn, and its submissions that count."""

    run: Run
    withdrawn: bool
    counting: Sequence[Submission]


def list_runs(session: Session, actor: Actor, task: Task, asked: ListingQuery) -> tuple[list[ListedRun], int]:
    """List runs by team and position, and return how many there are in total.

    Raises:
        Forbidden: `actor` is not in a team, and may not see all of the task.
        NotFound: there is no such team or phase, or this person may not see it.
    """
    query = _filter_rows(session, actor, task, select(Run).join(Team), asked)
    total = session.scalar(query.with_only_columns(func.count(Run.id))) or 0
    ordered = query.order_by(Run.phase_id, Run.team_id, Run.position, Run.id)
    options = joinedload(Run.team), joinedload(Run.phase)
    listed_runs = list(session.scalars(ordered.options(*options).offset(asked.offset).limit(asked.limit)))
    ids = [run.id for run in listed_runs]
    withdrawn = standings.withdrawn_run_ids(session, ids)
    counting: dict[int, list[Submission]] = {run_id: [] for run_id in ids}
    standing = select(Submission).join(Standing, Standing.submission_id == Submission.id)
    levels = standing.where(Standing.run_id.in_(ids)).join(Level, Level.id == Submission.level_id)
    for submission in session.scalars(levels.order_by(Level.position, Submission.late)):
        counting[submission.run_id].append(submission)
    return [ListedRun(run, run.id in withdrawn, counting[run.id]) for run in listed_runs], total


def list_submissions(
    session: Session, actor: Actor, task: Task, asked: ListingQuery
) -> tuple[list[SubmissionState], int]:
    """List submissions with their states, the newest first, and return how many there are in total.

    Raises:
        Forbidden: `actor` is in no team, and does not see all of the task.
        NotFound: there is no such team, phase, run or level, or not for this person.
    """
    query = _filter_rows(session, actor, task, select(Submission).join(Run).join(Team), asked)
    if asked.run_id is not None:
        query = query.where(Submission.run_id == runs.read_run(session, actor, task.id, asked.run_id).id)
    if asked.level is not None:
        query = query.where(Submission.level_id == _get_level(task, asked.level).id)
    total = session.scalar(query.with_only_columns(func.count(Submission.id))) or 0
    options = (
        joinedload(Submission.run).joinedload(Run.team),
        joinedload(Submission.run).joinedload(Run.phase),
    )
    ordered = query.order_by(Submission.id.desc()).options(*options)
    submissions = list(session.scalars(ordered.offset(asked.offset).limit(asked.limit)))
    ids = [submission.id for submission in submissions]
    withdrawn = standings.withdrawn_ids(session, ids)
    counting = set(session.scalars(select(Standing.submission_id).where(Standing.submission_id.in_(ids))))
    return [SubmissionState(file, file.id in withdrawn, file.id in counting) for file in submissions], total


def _filter_rows(session: Session, actor: Actor, task: Task, query: Rows, asked: ListingQuery) -> Rows:
    """Restrict a query on runs and teams to rows that may be seen and were requested."""
    query = query.where(Team.task_id == task.id)
    if not access.sees_all(session, actor, task):
        own_team = access.require_team(session, actor, task)
        query = query.where(Run.team_id == own_team.id)
        if asked.team_id not in (None, own_team.id):
            raise NotFound.of("There is no such team in this task.")
    elif asked.team_id is not None:
        query = query.where(Run.team_id == teams.get_team(session, task, asked.team_id, own=True).id)
    if asked.phase is not None:
        query = query.where(Run.phase_id == tasks.get_phase(session, task, asked.phase).id)
    return query


def _get_level(task: Task, slug: str) -> Level:
    return require_found(find_level(task, slug), _("There is no such level in this task."))


@dataclass(frozen=True, slots=True)
class UploadFilter:
    """Which files to list, by ids; None: all."""

    team_id: int | None = None
    level_id: int | None = None
    phase_id: int | None = None


def list_uploads(
    session: Session, actor: Actor, task: Task, wanted: UploadFilter, page: int, per_page: int
) -> tuple[list[Submission], int]:
    """List a page of the teams' submissions, the newest first, and return how many there are.

    Raises:
        Forbidden, NotFound: `actor` may not see all of the task.
    """
    access.require_observer(session, actor, task)
    query = select(Submission).join(Submission.run).join(Run.team).join(Run.phase)
    query = query.where(Phase.task_id == task.id, Run.baseline.is_(None))
    for column, value in (
        (Run.team_id, wanted.team_id),
        (Submission.level_id, wanted.level_id),
        (Run.phase_id, wanted.phase_id),
    ):
        if value is not None:
            query = query.where(column == value)
    total = session.scalar(
        select(func.count()).select_from(query.with_only_columns(Submission.id).subquery())
    )
    path = contains_eager(Submission.run)
    query = query.options(path.contains_eager(Run.team), path.contains_eager(Run.phase))
    newest_first = query.options(joinedload(Submission.level)).order_by(Submission.id.desc())
    return list(session.scalars(newest_first.limit(per_page).offset((page - 1) * per_page))), total or 0


def list_shown_files(session: Session, team: Team, phases: Sequence[Phase]) -> list[Submission]:
    """List the newest submissions of a team in the phases that show scores, in the order of submission."""
    shown = [phase.id for phase in phases if phase.feedback != "hidden"]
    places = {"team_id": team.id, "phase_ids": shown}
    return list(session.scalars(_NEWEST_FILES, places))[::-1] if shown else []


def find_equal_files(session: Session, submissions: Sequence[Submission]) -> dict[int, list[str]]:
    """Return the names of other teams with the same file at the same level, by submission.

    Files of baselines are not compared; the caller checks the permission.
    """
    twin, level_ids = aliased(Submission), {submission.level_id for submission in submissions}
    query = (
        select(Submission.id, Team.name)
        .join(Submission.run)
        .join(twin, (twin.level_id == Submission.level_id) & (twin.sha256 == Submission.sha256))
        .join(other_run := aliased(Run), other_run.id == twin.run_id)
        .join(Team, Team.id == other_run.team_id)
        .where(Submission.id.in_([submission.id for submission in submissions]), twin.level_id.in_(level_ids))
        .where(Run.team_id != Team.id, Run.baseline.is_(None), other_run.baseline.is_(None))
        .distinct()
        .order_by(Team.name)
    )
    names: dict[int, list[str]] = {}
    for submission_id, name in session.execute(query):
        names.setdefault(submission_id, []).append(name)
    return names


def has_team_file(session: Session, task: Task, split: str | None = None) -> bool:
    """Whether a submission of a team was scored, on this split or any; baselines do not count."""
    query = select(Submission.id).join(Run).join(Run.phase)
    query = query.where(Phase.task_id == task.id, Run.baseline.is_(None))
    if split is not None:
        query = query.where(Phase.split == split)
    return bool(session.scalar(select(exists(query))))


def find_level(task: Task, slug: str | None) -> Level | None:
    """Return the level that a filter names."""
    return next((level for level in task.levels if level.slug == slug), None)


def count_uploads(
    session: Session, phases: Sequence[Phase], period: timedelta
) -> dict[int, dict[datetime, tuple[int, int]]]:
    """Count the teams' submissions on time and late, by phase and the start of each period."""
    seconds, width = extract("epoch", Submission.arrived_at), int(period.total_seconds())
    begin = cast(seconds - seconds % width, Integer).label("begin")
    late = func.sum(case((Submission.late, 1), else_=0))
    query = (
        select(Run.phase_id, begin, func.count(), late)
        .join(Run, Run.id == Submission.run_id)
        .where(Run.phase_id.in_([phase.id for phase in phases]), Run.baseline.is_(None))
        .group_by(Run.phase_id, begin)
    )
    counts: dict[int, dict[datetime, tuple[int, int]]] = {phase.id: {} for phase in phases}
    for phase_id, at, count, after in session.execute(query) if phases else ():
        counts[phase_id][datetime.fromtimestamp(at, UTC)] = count - after, after
    return counts
