"""Renaming and deleting a draft.

Nothing of a task that was published is ever deleted. The row of a deleted draft stays, without texts and
under another slug, because the audit log names it; so do teams that the log names.
"""

from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from server.access import service as access
from server.activity import task_jobs
from server.annotation.campaigns import service as campaigns
from server.audit import service as audit
from server.audit.models import AuditEntry
from server.core import dates
from server.core.actors import Actor
from server.core.belonging import list_belonging_rows
from server.core.db import Base
from server.core.errors import Conflict
from server.core.i18n import N_, _
from server.phases.models import Phase
from server.planning import task_editing
from server.releases.models import Release
from server.tasks.models import Task
from server.tasks.rules import draft_slug
from server.teams.models import Team

KEPT_TABLES = {"audit_entry", "task", "account"}
"""Tables from which nothing is deleted."""
FIXED_NAME = N_(
    "The task was published, or documents are signed under its short name, so only its title can change."
)


def rename_task(session: Session, actor: Actor, task: Task, slug: str, title: str, now: datetime) -> None:
    """Change the slug and the title of a draft.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task.
        Conflict: it is no draft; or its short name would change although others know it.
    """
    access.require_organizer(session, actor, task)
    if task.state != "draft":
        raise Conflict.of("Only a draft can be renamed.")
    if slug != (old := task.short_name):
        if has_fixed_name(session, task):
            raise Conflict.of(FIXED_NAME)
        task.slug = draft_slug(slug, task.id)
        session.flush()
        audit.record(session, actor, now, "task.rename", task.id, old=old, slug=slug)
    texts = task_editing.edit_of(task, title=title)
    task_editing.edit_task(session, actor, task, texts, now)


def has_fixed_name(session: Session, task: Task) -> bool:
    """Whether others know a task by its short name: from a publication, or from signed documents."""
    releases = select(Release.id).join(Phase, Phase.id == Release.phase_id).where(Phase.task_id == task.id)
    return task.slug == task.short_name or session.scalar(select(releases.exists())) or False


def delete_task(session: Session, actor: Actor, task: Task, now: datetime) -> None:
    """Delete a draft that was never published; its entries in the audit log stay.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task.
        Conflict: it is no draft, was published before, or annotators have answered in it.
    """
    access.require_organizer(session, actor, task)
    if (obstacle := find_deletion_obstacle(session, task)) is not None:
        raise Conflict(obstacle)
    audit.record(session, actor, now, "task.delete", task.id, slug=task.short_name)
    task_jobs.delete_jobs(session, task)
    _delete_rows(session, task)
    task.slug = draft_slug(task.short_name, task.id)
    task.title = task.description = task.licence = ""
    task.organizers = task.contact = task.mailing_list = task.citation = ""
    task.terms, task.labels, task.state = None, [], "deleted"
    session.flush()
    session.expire_all()


def find_deletion_obstacle(session: Session, task: Task) -> str | None:
    """Return why a task cannot be deleted, or None."""
    if task.state != "draft":
        return _("Only a draft can be deleted. You can archive a published task.")
    if task.published_at is not None:
        day = dates.day(task.published_at)
        return _("This task was published on %(day)s, so it cannot be deleted.", day=day)
    if campaigns.has_answers(session, task):
        return _("Annotators have answered in this task, so it cannot be deleted.")
    return None


def _delete_rows(session: Session, task: Task) -> None:
    """Delete the rows that belong to the task, those that refer to others first."""
    rows = list_belonging_rows(Base.metadata.tables[Task.__tablename__], task.id, KEPT_TABLES)
    named = select(AuditEntry.team_id).where(AuditEntry.team_id.is_not(None))
    for table, belongs in reversed(rows.items()):
        kept = [Team.id.not_in(named)] if table.name == Team.__tablename__ else []
        session.execute(table.delete().where(belongs, *kept))
