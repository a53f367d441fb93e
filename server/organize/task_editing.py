"""Editing a task's texts: title, description, licence, contact and terms."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy.orm import Session

from server.access import service as access
from server.access import terms
from server.audit import service as audit
from server.core.actors import Actor
from server.core.storage import text_sha256
from server.tasks.models import Task

EDITED_COLUMNS = ("title", "description", "licence", "organizers", "contact", "mailing_list")


@dataclass(frozen=True, slots=True)
class TaskEdit:
    """The new texts of a task."""

    title: str
    description: str
    licence: str
    organizers: str
    contact: str
    mailing_list: str
    terms: str


def edit_task(session: Session, actor: Actor, task: Task, edit: TaskEdit, now: datetime) -> list[str]:
    """Change a task's texts and return which; the audit log records hashes. Changed terms are a new version.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task.
    """
    access.require_organizer(session, actor, task)
    changed: dict[str, Any] = {}
    for name in EDITED_COLUMNS:
        old, new = getattr(task, name), getattr(edit, name)
        if not _is_same_text(old, new):
            setattr(task, name, new)
            changed[name] = [text_sha256(old), text_sha256(new)]
    session.flush()
    if changed:
        audit.record(session, actor, now, "task.edit", task.id, changed=changed)
    if _is_same_text(task.terms or "", edit.terms):
        return list(changed)
    version = terms.put_terms(session, actor, task, edit.terms, now)
    return list(changed) if version is None else [*changed, "terms"]


def _is_same_text(old: str, new: str) -> bool:
    """Compare texts, ignoring the line ends, which browsers convert."""
    return old.replace("\r\n", "\n") == new.replace("\r\n", "\n")
