"""Exports: a task as a bundle, from which it can be hosted again without loss."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Literal

from sqlalchemy import select
from sqlalchemy.orm import Session, joinedload

from server.access import service as access
from server.audit import service as audit
from server.bundles import task_toml
from server.bundles.export_files import ExportFiles, StoredContent, text_file
from server.bundles.task_history.history import HISTORY_FILE
from server.bundles.task_history.writing import write_history
from server.core.actors import Actor
from server.core.storage import Storage
from server.gold import versions as gold_versions
from server.phases.models import Phase
from server.runs.models import Run
from server.submissions import standings
from server.submissions.models import Standing, Submission
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
    runs = list_counting_runs(session, task, files, baselines=False)
    gold = add_gold_in_force(session, task, files)
    files.put("description.md", text_file(task.description))
    if task.terms:
        files.terms(task.terms)
    files.put("task.toml", task_toml.write_toml(task, phases, runs, gold, files))
    files.put(HISTORY_FILE, write_history(session, task, phases, files, with_names=people == "names"))
    return Export(task.short_name, people, files.contents)


def add_gold_in_force(session: Session, task: Task, files: ExportFiles) -> dict[int, str]:
    """Add the gold files in force, and return their names by the ids of their splits."""
    splits = [split for level in task.levels for split in level.splits]
    golds = gold_versions.list_golds(session, splits)
    return {split.id: files.gold(split, golds[split.id].sha256) for split in splits if split.id in golds}


def list_counting_runs(
    session: Session, task: Task, files: ExportFiles, *, baselines: bool
) -> list[task_toml.CountingRun]:
    """List the runs with the files that count, without removed baselines; `baselines`: these alone.

    Computed ones have files only if they are listed alone; otherwise an import computes them.
    """
    of_task = Run.phase_id.in_(select(Phase.id).where(Phase.task_id == task.id))
    query = select(Run).where(of_task, Run.baseline.is_(None) | standings.RUN_WITHDRAWN.is_not(True))
    query = query.options(joinedload(Run.team), joinedload(Run.phase)).order_by(Run.id)
    counting = {
        run.id: task_toml.CountingRun(run, {}, {})
        for run in session.scalars(query)
        if run.baseline is not None or not baselines
    }
    submissions = select(Submission).join(Standing, Standing.submission_id == Submission.id)
    submissions = submissions.join(Run, Run.id == Submission.run_id).where(of_task)
    for submission in session.scalars(
        submissions.options(joinedload(Submission.level)).order_by(Submission.id)
    ):
        each = counting.get(submission.run_id)
        if each is not None and (baselines or not each.run.is_computed):
            of_run = each.late_files if submission.late else each.files
            of_run[submission.level.slug] = files.counting(each.run, submission)
    return list(counting.values())


def record_export(session: Session, actor: Actor, task: Task, export: Export, now: datetime) -> None:
    """Record in the audit log who downloaded the task's gold files and submissions.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task.
    """
    access.require_organizer(session, actor, task)
    details = {"people": export.people, "files": len(export.files), "history": export.sha256}
    audit.record(session, actor, now, "task.export", task.id, **details)


def _read(storage: Storage, content: bytes | StoredContent) -> bytes:
    return storage.get(content.sha256) if isinstance(content, StoredContent) else content
