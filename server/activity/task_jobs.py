"""The jobs of a task, for people who may see all of it; a job belongs to the task of what it works on."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Row, Select, select
from sqlalchemy.orm import Session

from server.access import service as access
from server.accounts.account_mails import ACCOUNT_MAIL_JOB
from server.annotation.campaigns import service as campaigns
from server.annotation.models import Campaign
from server.audit import service as audit
from server.core.actors import Actor
from server.core.errors import require_found
from server.core.i18n import _
from server.gold.models import GoldVersion
from server.jobs import service as jobs
from server.mail.models import Announcement, Mail
from server.mail.service import SEND_JOB
from server.phases.models import Phase
from server.questions.models import Answer, Question
from server.releases.models import Inference, Release, ReleasePlan
from server.runs.models import Run
from server.submissions.models import Submission
from server.tasks.models import Level, Split, Task
from server.tasks.rules import HIDDEN_STATES
from server.teams.models import Team

MAX_SHOWN = 200


@dataclass(frozen=True, slots=True)
class FailingJob:
    """A job that failed, or waits to be tried again; `title`: its task, if there is one that may be named."""

    job: jobs.Job
    error: str
    title: str | None

    @property
    def can_retry(self) -> bool:
        """Whether it can be tried again; emails about accounts cannot, because their texts are deleted."""
        return _can_retry(self.job)


def list_jobs(
    session: Session, actor: Actor, task: Task, state: jobs.JobState | None, limit: int, offset: int
) -> tuple[Sequence[jobs.Job], int]:
    """List jobs, the newest first, in one state or in any, and return how many there are in total.

    Raises:
        Forbidden, NotFound: `actor` may not see all of the task.
    """
    access.require_observer(session, actor, task)
    return jobs.list_jobs(session, _task_row_ids(task), state, limit, offset)


def list_failing_jobs(session: Session, task: Task | None) -> list[FailingJob]:
    """List the jobs that fail, of a task, or of all (None); the caller checks who may see them.

    The emails of tasks are left out, because they are listed themselves. For all tasks, drafts are not named,
    and an error is shown up to its first colon: what follows may quote the data of a task.
    """
    failing = jobs.list_failing(session, _about(task), MAX_SHOWN, but=SEND_JOB)
    listed = [job for job in failing if jobs.find_failure(job)]
    if task is not None:
        return [FailingJob(job, job.error or "", task.title) for job in listed]
    titles = _find_titles(session, listed)
    return [FailingJob(job, (job.error or "").partition(": ")[0], titles.get(job.id)) for job in listed]


def count_late_jobs(session: Session, task: Task | None, now: datetime) -> Sequence[Row[str, int]]:
    """Count the late jobs of a task, or of all (None), by kind; the caller checks who may know."""
    return jobs.count_late_jobs(session, now, _about(task))


def retry_job(session: Session, actor: Actor, task: Task | None, job_id: int, now: datetime) -> None:
    """Retry a job that fails, at once: of a task, or as site administrator any.

    Raises:
        NotFound: there is no such job, or this person may not see it.
        Forbidden: `actor` may see the task, but not organize it.
    """
    access.require_organizer_or_admin(session, actor, task)
    job = jobs.find_failing(session, job_id, _about(task), but=SEND_JOB)
    job = require_found(
        job if job is not None and _can_retry(job) else None,
        _("This job cannot be retried. It may have been done in the meantime."),
    )
    jobs.renew_job(session, job, now)
    of_task = None if task is None else task.id
    audit.record(session, actor, now, "job.again", of_task, job=job.id, kind=job.kind)


def delete_jobs(session: Session, task: Task) -> None:
    """Delete the jobs of a task that is deleted itself."""
    jobs.delete_jobs_about(session, _task_row_ids(task))


def _can_retry(job: jobs.Job) -> bool:
    return job.kind != ACCOUNT_MAIL_JOB or job.state == "waiting"


def _about(task: Task | None) -> jobs.About | None:
    return None if task is None else _task_row_ids(task)


def _find_titles(session: Session, listed: Sequence[jobs.Job]) -> dict[int, str]:
    """Return the titles of the jobs' tasks, by the ids of the jobs."""
    tasks: dict[int, int] = {}
    for name, rows in _select_rows().items():
        named = {job.id: job.numbers[name] for job in listed if name in job.numbers}
        if named:
            found = session.execute(rows.where(rows.selected_columns[0].in_(named.values())))
            by_row = {row_id: task_id for row_id, task_id in found}  # noqa: C416  (rows, not pairs)
            tasks |= {job_id: by_row[row_id] for job_id, row_id in named.items() if row_id in by_row}
    shown = select(Task).where(Task.id.in_(tasks.values()), Task.state.not_in(HIDDEN_STATES))
    titles = {task.id: task.title for task in session.scalars(shown)}
    return {job_id: titles[task_id] for job_id, task_id in tasks.items() if task_id in titles}


def _task_row_ids(task: Task) -> dict[str, Select[int]]:
    """Return the ids that a job of the task may name, by the kind of row."""
    return jobs.select_ids(_select_rows(), task.id)


def _select_rows() -> dict[str, Select[int, int]]:
    """Select the ids of the rows that a job may name, each with that of its task, by the kind of row."""
    phases = select(Phase.id, Phase.task_id)
    inferences = select(Inference.id, Phase.task_id).select_from(Inference).join(Phase)
    return {
        "task": select(Task.id, Task.id.label("task_id")),
        "phase": phases,
        "draft": phases,
        "live": phases,
        "inference": inferences,
        "genres": inferences,
        "team": select(Team.id, Team.task_id),
        "version": select(GoldVersion.id, Level.task_id).select_from(GoldVersion).join(Split).join(Level),
        "submission": select(Submission.id, Phase.task_id).select_from(Submission).join(Run).join(Phase),
        "release": select(Release.id, Phase.task_id).select_from(Release).join(Phase),
        "plan": select(ReleasePlan.id, Phase.task_id).select_from(ReleasePlan).join(Phase),
        "announcement": select(Announcement.id, Announcement.task_id),
        "question": select(Question.id, Question.task_id),
        "answer": select(Answer.id, Question.task_id).select_from(Answer).join(Answer.question),
        **{name: _with_tasks(rows) for name, rows in campaigns.select_rows().items()},
        "mail": select(Mail.id, Mail.task_id),
    }


def _with_tasks(rows: Select[int, int]) -> Select[int, int]:
    """Select the same rows with the ids of their campaigns' tasks."""
    row_id, campaign_id = rows.subquery().columns
    return select(row_id, Campaign.task_id).join(Campaign, Campaign.id == campaign_id)
