"""Editing a task's texts (title, description, licence, contact and terms) and its rules for teams."""

from dataclasses import dataclass, fields, replace
from datetime import datetime
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from scorer.bundles.bundle import TaskTexts
from server.access import service as access, terms
from server.audit import service as audit
from server.core.actors import Actor
from server.core.errors import Conflict
from server.core.storage import text_sha256
from server.tasks.contacts import has_contact
from server.tasks.models import Task
from server.tasks.rules import Registration
from server.teams.models import Membership

EDITED_COLUMNS = tuple(field.name for field in fields(TaskTexts))


@dataclass(frozen=True, slots=True)
class TaskEdit(TaskTexts):
    """The new texts of a task, and its new rules for teams."""

    terms: str
    team_size: int | None
    registration: Registration


def edit_of(task: Task, **changed: Any) -> TaskEdit:
    """Return an edit that changes only these fields of a task."""
    columns = {name: getattr(task, name) for name in EDITED_COLUMNS}
    now = TaskEdit(
        **columns, terms=task.terms or "", team_size=task.team_size, registration=task.registration
    )
    return replace(now, **changed)


def edit_task(session: Session, actor: Actor, task: Task, edit: TaskEdit, now: datetime) -> list[str]:
    """Change a task's texts and rules and return which. Changed terms are a new version.

    The audit log records hashes of the texts, and the values of the rules.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task.
        Conflict: the rules for teams change although a team is larger, or the task is archived; or a
            published task would lose its contact.
    """
    access.require_organizer(session, actor, task)
    _require_valid_team_rules(session, task, edit)
    _require_kept_contact(task, edit)
    changed: dict[str, Any] = {}
    for name in EDITED_COLUMNS:
        old, new = getattr(task, name), getattr(edit, name)
        if not _is_same_text(old, new):
            setattr(task, name, new)
            changed[name] = [text_sha256(old), text_sha256(new)]
    for name in ("team_size", "registration"):
        old, new = getattr(task, name), getattr(edit, name)
        if old != new:
            setattr(task, name, new)
            changed[name] = [old, new]
    session.flush()
    if changed:
        audit.record(session, actor, now, "task.edit", task.id, changed=changed)
    if _is_same_text(task.terms or "", edit.terms):
        return list(changed)
    version = terms.put_terms(session, actor, task, edit.terms, now)
    return list(changed) if version is None else [*changed, "terms"]


def _require_valid_team_rules(session: Session, task: Task, edit: TaskEdit) -> None:
    """Raise if a team has more members than it may have from now on, or the task takes no teams."""
    if (edit.team_size, edit.registration) == (task.team_size, task.registration):
        return
    access.require_not_archived(task)
    sizes = select(func.count()).where(Membership.task_id == task.id).group_by(Membership.team_id).subquery()
    largest = session.scalar(select(func.max(sizes.c[0]))) or 0
    if edit.team_size != task.team_size and edit.team_size is not None and edit.team_size < largest:
        raise Conflict.of_count(
            "A team already has %(num)d member. Enter at least %(num)d, or leave it empty.",
            "A team already has %(num)d members. Enter at least %(num)d, or leave it empty.",
            largest,
        )


def _require_kept_contact(task: Task, edit: TaskEdit) -> None:
    """Raise if a task that others can see would lose its organizers or its contact."""
    kept = edit.organizers.strip() and edit.contact.strip()
    if task.state != "draft" and has_contact(task) and not kept:
        raise Conflict.of(
            "A published task needs its organizers and a contact. Enter them; nothing was changed."
        )


def _is_same_text(old: str, new: str) -> bool:
    """Compare texts, ignoring the line ends, which browsers convert."""
    return old.replace("\r\n", "\n") == new.replace("\r\n", "\n")
