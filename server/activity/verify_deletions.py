"""Verifying deleted drafts against the audit log: each has an entry, and none was ever published."""

from sqlalchemy import select
from sqlalchemy.orm import Session

from server.audit.chain import ChainProblems
from server.audit.raw_rows import StoredEntry
from server.tasks.models import Task


class DeletionCheck:
    """Collects the entries of deleted and of published tasks."""

    def __init__(self, session: Session, problems: ChainProblems) -> None:
        self.problems = problems
        self.deleted = set(session.scalars(select(Task.id).where(Task.state == "deleted")))
        """The tasks whose files and releases no longer exist."""
        self.entered: set[int] = set()
        self.published: set[int] = set()

    def notice(self, _number: int, entry: StoredEntry) -> None:
        """Remember an entry about a task's state."""
        if entry.task_id is None:
            return
        if entry.action == "task.delete":
            self.entered.add(entry.task_id)
        at_once = entry.action == "task.import" and not entry.details.get("draft")
        if at_once or entry.action == "task.publish":
            self.published.add(entry.task_id)

    def finish(self) -> None:
        """Report deleted tasks that no entry deletes, or that were published."""
        for task_id in sorted(self.deleted - self.entered):
            self.problems.add(f"task number {task_id}: was deleted, but no entry says so")
        for task_id in sorted(self.deleted & self.published):
            self.problems.add(f"task number {task_id}: was deleted, although it was published")
