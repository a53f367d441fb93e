"""The jobs of a task, for people who may see all of it; a job belongs to the task of what it works on."""

from sqlalchemy import Select, func, or_, select
from sqlalchemy.orm import Session

from server.access import service as access
from server.annotation.campaigns import service as campaigns
from server.annotation.models import Campaign
from server.core.actors import Actor
from server.gold.models import GoldVersion
from server.jobs import service as jobs
from server.jobs.models import Job, JobState
from server.mail.models import Announcement, Mail
from server.phases.models import Phase
from server.questions.models import Answer, Question
from server.releases.models import Inference, Release, ReleasePlan
from server.runs.models import Run
from server.submissions.models import Submission
from server.tasks.models import Level, Split, Task
from server.teams.models import Team


def list_jobs(
    session: Session, actor: Actor, task: Task, state: JobState | None, limit: int, offset: int
) -> tuple[list[Job], int]:
    """List jobs, the newest first, in one state or in any, and return how many there are in total.

    Raises:
        Forbidden, NotFound: `actor` may not see all of the task.
    """
    access.require_observer(session, actor, task)
    query = select(Job).where(or_(*(jobs.is_about(name, ids) for name, ids in _task_row_ids(task).items())))
    if state is not None:
        query = query.where(Job.state == state)
    total = session.scalar(query.with_only_columns(func.count(Job.id))) or 0
    newest = query.order_by(Job.id.desc()).offset(offset).limit(limit)
    return list(session.scalars(newest)), total


def delete_jobs(session: Session, task: Task) -> None:
    """Delete the jobs of a task that is deleted itself."""
    jobs.delete_jobs_about(session, _task_row_ids(task))


def _task_row_ids(task: Task) -> dict[str, Select[int]]:
    """Return the ids that a job of the task may name, by the kind of row."""
    phases = select(Phase.id).where(Phase.task_id == task.id)
    inferences = select(Inference.id).where(Inference.phase_id.in_(phases))
    levels = select(Level.id).where(Level.task_id == task.id)
    splits = select(Split.id).where(Split.level_id.in_(levels))
    return {
        "task": select(Task.id).where(Task.id == task.id),
        "phase": phases,
        "draft": phases,
        "live": phases,
        "inference": inferences,
        "genres": inferences,
        "team": select(Team.id).where(Team.task_id == task.id),
        "version": select(GoldVersion.id).where(GoldVersion.split_id.in_(splits)),
        "submission": select(Submission.id).join(Run).where(Run.phase_id.in_(phases)),
        "release": select(Release.id).where(Release.phase_id.in_(phases)),
        "plan": select(ReleasePlan.id).where(ReleasePlan.phase_id.in_(phases)),
        "announcement": select(Announcement.id).where(Announcement.task_id == task.id),
        "question": select(Question.id).where(Question.task_id == task.id),
        "answer": select(Answer.id).join(Answer.question).where(Question.task_id == task.id),
        **campaigns.select_row_ids(select(Campaign.id).where(Campaign.task_id == task.id)),
        "mail": select(Mail.id).where(Mail.task_id == task.id),
    }
