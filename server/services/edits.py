"""Edits: a task's texts, a phase's dates and rules. Lateness is a submission's own: no edit touches it."""

import hashlib
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from server.domain.actors import Actor
from server.errors import DatesCrossed
from server.models import Phase, Run, Submission, Task
from server.services import access, audit, terms


@dataclass(frozen=True, slots=True)
class TaskEdit:
    """The texts of a task as they are to be."""

    title: str
    description: str
    licence: str
    terms: str


@dataclass(frozen=True, slots=True)
class PhaseEdit:
    """Dates and rules of a phase as they are to be."""

    title: str
    opens: datetime | None
    closes: datetime | None
    grace_hours: int
    runs_per_team: int
    files_per_level: int | None
    files_per_day: int | None
    feedback: Literal["hidden", "scores"]


def edit_task(session: Session, actor: Actor, task: Task, edit: TaskEdit, now: datetime) -> list[str]:
    """Change a task's texts, and return which; the audit log gets hashes, changed terms are a new version.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task.
    """
    access.require_organizer(session, actor, task)
    changed: dict[str, Any] = {}
    for name in ("title", "description", "licence"):
        old, new = getattr(task, name), getattr(edit, name)
        if not _reads_alike(old, new):
            setattr(task, name, new)
            changed[name] = [_hash(old), _hash(new)]
    session.flush()
    if changed:
        audit.record(session, actor, now, "task.edit", task.id, changed=changed)
    if _reads_alike(task.terms or "", edit.terms):
        return list(changed)
    version = terms.put_terms(session, actor, task, edit.terms, now)
    return list(changed) if version is None else [*changed, "terms"]


def edit_phase(session: Session, actor: Actor, phase: Phase, edit: PhaseEdit, now: datetime) -> list[str]:
    """Change a phase's dates and rules, and return which; the audit log gets the old and the new ones.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task.
        DatesCrossed: the phase would close before it opens.
    """
    access.require_organizer(session, actor, phase.task)
    if edit.opens is not None and edit.closes is not None and edit.closes <= edit.opens:
        raise DatesCrossed("The phase has to close after it opens; correct one of the two.")
    changed: dict[str, Any] = {}
    for name, new in asdict(edit).items():
        old = getattr(phase, name)
        if _to_the_second(old) != _to_the_second(new):
            setattr(phase, name, new)
            changed[name] = [_hash(old), _hash(new)] if name == "title" else [_plain(old), _plain(new)]
    session.flush()
    if changed:
        audit.record(session, actor, now, "phase.edit", phase.task_id, phase=phase.slug, changed=changed)
    return list(changed)


def count_after(session: Session, phase: Phase, at: datetime) -> int:
    """How many files of teams came on time, and after `at`."""
    query = (
        select(func.count(Submission.id))
        .join(Run)
        .where(
            Run.phase_id == phase.id,
            Run.baseline.is_(None),
            Submission.late.is_(False),
            Submission.arrived_at > at,
        )
    )
    return session.scalar(query) or 0


def _to_the_second(value: Any) -> Any:
    """Forms show seconds: an instant that was not touched stays as it is, to the last digit."""
    return value.replace(microsecond=0) if isinstance(value, datetime) else value


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value


def _reads_alike(old: str, new: str) -> bool:
    """Browsers end lines in their own way, which is no change."""
    return old.replace("\r\n", "\n") == new.replace("\r\n", "\n")


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
