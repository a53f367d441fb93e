"""Holding the files that came against the audit log: each has its entry, with the file's SHA-256."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from server.activity.entry_sentences import read_row_id
from server.audit import raw_rows
from server.audit.chain import BROKEN_LOG_HINT, ChainProblems
from server.audit.raw_rows import StoredEntry
from server.runs.models import Run
from server.submissions.models import Receipt, Submission
from server.tasks.models import Task
from server.teams.models import Team

BATCH = 500
ACCEPT_ACTIONS = ("submission.accept", "submission.late")
MAX_NAMED_FILES = 5
"""Files without an entry that are named for each task."""


class FileCheck:
    """Notices the entries of accepted files, and looks at their rows a batch at a time."""

    def __init__(self, session: Session, problems: ChainProblems) -> None:
        self.session, self.problems = session, problems
        self.count = 0
        self.seen = bytearray()
        """A bit for each file that has its entry."""
        self.imported: dict[int, int] = {}
        """How many files came with a task from elsewhere, which have no entries here."""
        self.batch: dict[int, tuple[int, dict[str, Any]]] = {}

    def notice(self, number: int, entry: StoredEntry) -> None:
        """Keep what an entry says of a file, or of a task that was imported."""
        if entry.action == "task.import" and entry.task_id is not None:
            self.imported[entry.task_id] = read_row_id(entry.details.get("submissions")) or 0
        if entry.action not in ACCEPT_ACTIONS:
            return
        file_id = read_row_id(entry.details.get("submission"))
        if file_id is None or file_id >= 2**31:
            self.problems.add(f"entry {number}: names no file")
        elif self._is_seen(file_id):
            self.problems.add(f"entry {number}: accepts file {file_id} a second time")
        else:
            self._see(file_id)
            self.batch[file_id] = (number, {**entry.details, "late": entry.action == "submission.late"})
            if len(self.batch) == BATCH:
                self.flush()

    def finish(self, *, broken: bool) -> None:
        """Look at the rest, and for files without an entry; `broken`: some entries are not as they were."""
        self.flush()
        lacking: defaultdict[int, list[int]] = defaultdict(list)
        counts: defaultdict[int, int] = defaultdict(int)
        for file_id, task_id in self._all_files():
            self.count += 1
            if not self._is_seen(file_id):
                counts[task_id] += 1
                if len(lacking[task_id]) < MAX_NAMED_FILES:
                    lacking[task_id].append(file_id)
        for task_id in sorted({*counts, *self.imported}):
            came = self.imported.get(task_id, 0)
            if counts[task_id] != came:
                named = lacking[task_id]
                self.problems.add(self._words(task_id, counts[task_id], came, named, broken=broken))

    def flush(self) -> None:
        """Hold the entries of a batch against the rows of their files."""
        dialect = self.session.get_bind().dialect.name
        sha256 = raw_rows.raw_cell(dialect, Submission.sha256).label("sha256")
        receipt = Receipt.submission_id.label("receipt")
        query = (
            select(Submission.id, Submission.run_id, Submission.late, sha256, receipt)
            .outerjoin(Receipt, Receipt.submission_id == Submission.id)
            .where(Submission.id.in_(self.batch))
        )
        rows = {row.id: row for row in self.session.execute(query)}
        for file_id, (number, details) in self.batch.items():
            row = rows.get(file_id)
            if row is None:
                self.problems.add(f"entry {number}: file {file_id}, which it accepts, is not there any more")
            elif bytes(row.sha256 or b"") != str(details.get("sha256")).encode():
                self.problems.add(f"entry {number}: file {file_id} has another SHA-256 than was accepted")
            elif (row.run_id, row.late) != (details.get("run"), details["late"]):
                self.problems.add(f"entry {number}: file {file_id} is of another run, or late otherwise")
            elif details.get("receipt") and row.receipt is None:
                self.problems.add(
                    f"entry {number}: file {file_id} has no receipt any more, though one was signed"
                )
        self.batch.clear()

    def _all_files(self) -> Iterator[tuple[int, int]]:
        query = select(Submission.id, Team.task_id).join(Run, Run.id == Submission.run_id).join(Team)
        for row in self.session.execute(query, execution_options={"yield_per": raw_rows.BATCH}):
            yield row.id, row.task_id

    def _words(self, task_id: int, count: int, came: int, named: list[int], *, broken: bool) -> str:
        slug = self.session.scalar(select(Task.slug).where(Task.id == task_id)) or f"number {task_id}"
        which = f" (such as {', '.join(map(str, named))})" if named else ""
        lacking = f"task {slug}: {count} of its files {'has' if count == 1 else 'have'} no entry{which}"
        if broken:
            return f"{lacking}{BROKEN_LOG_HINT}"
        return f"{lacking}, and its import brought {came}" if came else lacking

    def _is_seen(self, file_id: int) -> bool:
        return file_id // 8 < len(self.seen) and bool(self.seen[file_id // 8] & 1 << file_id % 8)

    def _see(self, file_id: int) -> None:
        self.seen.extend(bytes(max(0, file_id // 8 + 1 - len(self.seen))))
        self.seen[file_id // 8] |= 1 << file_id % 8
