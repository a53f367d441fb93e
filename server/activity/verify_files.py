"""Verifying submissions against the audit log: each has an entry with the file's SHA-256."""

from collections import defaultdict
from collections.abc import Sequence, Set
from typing import Any

from sqlalchemy import Row, select
from sqlalchemy.orm import Session

from server.activity.entry_sentences import read_row_id
from server.audit import raw_rows
from server.audit.chain import BROKEN_LOG_HINT, ChainProblems
from server.audit.models import AuditEntry
from server.runs.models import Run
from server.submissions.models import Receipt, Submission
from server.tasks.models import Task
from server.teams.models import Team

BATCH = 500
LATE_ACTION = "submission.late"
ACCEPT_ACTIONS = ("submission.accept", LATE_ACTION)
MAX_NAMED_FILES = 5
"""How many files without an entry are named for each task."""


class FileCheck:
    """Collects the entries of accepted files, and compares them with their rows in batches."""

    def __init__(self, session: Session, problems: ChainProblems, deleted: Set[int]) -> None:
        self.session, self.problems, self.deleted = session, problems, deleted
        self.count = 0
        self.seen: set[int] = set()
        """The submissions that have their entry."""
        self.imported: dict[int, int] = {}
        """How many files came with each imported task, which have no entries here."""
        self.batch: dict[int, AuditEntry] = {}
        self.missing: dict[int, int] = {}
        """The entries that accept a file which no longer exists, by the file's id."""
        self.removed: set[int] = set()
        """Files of baselines that were computed again for other items, metrics or scales."""

    def notice(self, entry: AuditEntry) -> None:
        """Remember an entry about a file, or about an imported task; the files of a deleted one are gone."""
        if entry.task_id in self.deleted:
            return
        if entry.action == "task.import" and entry.task_id is not None:
            self.imported[entry.task_id] = read_row_id(entry.details.get("submissions")) or 0
        self.removed.update(filter(None, map(read_row_id, entry.details.get("baselines") or ())))
        if entry.action not in ACCEPT_ACTIONS:
            return
        file_id = read_row_id(entry.details.get("submission"))
        if file_id is None or file_id >= 2**31:
            self.problems.add(f"entry {entry.number}: refers to no file")
        elif file_id in self.seen:
            self.problems.add(f"entry {entry.number}: accepts file {file_id} a second time")
        else:
            self.seen.add(file_id)
            self.batch[file_id] = entry
            if len(self.batch) == BATCH:
                self.flush()

    def finish(self, *, broken: bool) -> None:
        """Check the rest, and find files without an entry; `broken`: some entries were changed."""
        self.flush()
        for file_id in sorted(self.missing.keys() - self.removed):
            words = f"file {file_id}, which the entry accepts, no longer exists"
            self.problems.add(f"entry {self.missing[file_id]}: {words}")
        lacking: defaultdict[int, list[int]] = defaultdict(list)
        query = select(Submission.id, Team.task_id).join(Run, Run.id == Submission.run_id).join(Team)
        for row in self.session.execute(query, execution_options={"yield_per": raw_rows.BATCH}):
            self.count += 1
            if row.id not in self.seen:
                lacking[row.task_id].append(row.id)
        for task_id in sorted({*lacking, *self.imported}):
            came = self.imported.get(task_id, 0)
            if len(lacking[task_id]) != came:
                self.problems.add(self._describe_lacking(task_id, lacking[task_id], came, broken=broken))

    def flush(self) -> None:
        """Compare the entries of a batch with the rows of their files."""
        query = (
            select(Submission.id, Submission.run_id, Submission.late, Receipt.submission_id.label("receipt"))
            .add_columns(*raw_rows.raw_cells(self.session, sha256=Submission.sha256))
            .outerjoin(Receipt, Receipt.submission_id == Submission.id)
            .where(Submission.id.in_(self.batch))
        )
        rows = {row.id: row for row in self.session.execute(query)}
        for file_id, entry in self.batch.items():
            row = rows.get(file_id)
            if row is None:
                self.missing[file_id] = entry.number
            elif (fault := _find_fault(row, entry)) is not None:
                self.problems.add(f"entry {entry.number}: file {file_id}{fault}")
        self.batch.clear()

    def _describe_lacking(self, task_id: int, files: Sequence[int], came: int, *, broken: bool) -> str:
        slug = self.session.scalar(select(Task.slug).where(Task.id == task_id)) or f"number {task_id}"
        which = f" (such as {', '.join(map(str, files[:MAX_NAMED_FILES]))})" if files else ""
        count, have = len(files), "has" if len(files) == 1 else "have"
        lacking = f"task {slug}: {count} of its files {have} no entry{which}"
        if broken:
            return f"{lacking}{BROKEN_LOG_HINT}"
        return f"{lacking}, but its import only accounts for {came}" if came else lacking


def _find_fault(row: Row[Any], entry: AuditEntry) -> str | None:
    """Return how the row of a file differs from its entry, as words that follow the file's number."""
    details = entry.details
    if bytes(row.sha256 or b"") != str(details.get("sha256")).encode():
        return " has another SHA-256 than the entry"
    if (row.run_id, row.late) != (details.get("run"), entry.action == LATE_ACTION):
        return " belongs to another run, or differs in whether it is late"
    if details.get("receipt") and row.receipt is None:
        return " no longer has a receipt, although one was signed"
    return None
