"""Exports: a task as a bundle, from which it can be hosted again without loss."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Literal

from sqlalchemy import select
from sqlalchemy.orm import Session

from server.access import service as access
from server.audit import service as audit
from server.bundles import task_toml
from server.bundles.export_files import ExportFiles, StoredContent, text_file
from server.bundles.task_history import export as history_export
from server.bundles.task_history.serialization import HISTORY_FILE, write_history
from server.core.actors import Actor
from server.core.storage import Storage
from server.phases.models import Phase
from server.tasks.models import Task

People = Literal["ids", "names"]
"""How people appear in an export: as "person 1" and so on, or with the names of their accounts too."""


@dataclass(frozen=True, slots=True)
class Export:
    """The files of a bundle by name; those of the store are read when the zip is written."""

    slug: str
    people: People
    files: dict[str, bytes | StoredContent]

    def readers(self, storage: Storage) -> list[tuple[str, Callable[[], bytes]]]:
        """Return each file with the function that reads it."""
        return [(name, partial(_read, storage, content)) for name, content in sorted(self.files.items())]

    @property
    def sha256(self) -> str:
        """The SHA-256 of the history, which names every file that the leaderboard does not."""
        content = self.files[HISTORY_FILE]
        return content.sha256 if isinstance(content, StoredContent) else hashlib.sha256(content).hexdigest()


def collect_export(session: Session, actor: Actor, task: Task, people: People) -> Export:
    """Collect everything in a task, even gold files, in one snapshot and a constant number of queries.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task.
    """
    access.require_organizer(session, actor, task)
    files = ExportFiles()
    phases = list(session.scalars(select(Phase).where(Phase.task_id == task.id).order_by(Phase.position)))
    collected = history_export.collect_history(session, task, phases, files, with_names=people == "names")
    files.put("description.md", text_file(task.description))
    files.put("task.toml", task_toml.write_toml(task, phases, collected.runs, collected.gold, files))
    files.put(HISTORY_FILE, write_history(collected.history))
    return Export(task.slug, people, files.contents)


def record_export(session: Session, actor: Actor, task: Task, export: Export, now: datetime) -> None:
    """Record in the audit log who downloaded the task's gold files and submissions.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task.
    """
    access.require_organizer(session, actor, task)
    audit.record(
        session,
        actor,
        now,
        "task.export",
        task.id,
        people=export.people,
        files=len(export.files),
        history=export.sha256,
    )


def _read(storage: Storage, content: bytes | StoredContent) -> bytes:
    return storage.get(content.sha256) if isinstance(content, StoredContent) else content
