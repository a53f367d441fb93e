"""Every scored file of a task in one list, for those who see all of it."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.orm import Session, contains_eager, joinedload

from server.access import service as access
from server.core.actors import Actor
from server.phases.models import Phase
from server.runs.models import Run
from server.submissions.models import Submission
from server.tasks.models import Level, Task
from server.teams import service as teams
from server.teams.models import Team


@dataclass(frozen=True, slots=True)
class UploadFilter:
    """Which files are wanted, by ids; None: all."""

    team_id: int | None = None
    level_id: int | None = None
    phase_id: int | None = None


def list_uploads(
    session: Session, actor: Actor, task: Task, wanted: UploadFilter, page: int, per_page: int
) -> tuple[list[Submission], int]:
    """A page of the teams' scored files, the newest first; and how many there are.

    Raises:
        Forbidden, NotFound: `actor` does not see all of the task.
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


def list_senders(session: Session, task: Task) -> Sequence[tuple[int, str]]:
    """The competing teams of a task by name, with their ids."""
    own = teams.name_key(teams.ORGANIZERS)
    query = select(Team.id, Team.name).where(Team.task_id == task.id, Team.name_key != own)
    return [(row.id, row.name) for row in session.execute(query.order_by(Team.name_key))]


def find_level(task: Task, slug: str | None) -> Level | None:
    """The level that a filter names."""
    return next((level for level in task.levels if level.slug == slug), None)
