"""Verifying releases against the audit log: each has an entry with its board's SHA-256, and a statement."""

import hashlib
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Row, func, select, tuple_
from sqlalchemy.orm import Session

from server.activity.entry_sentences import read_row_id
from server.audit import raw_rows
from server.audit.chain import BROKEN_LOG_HINT, ChainProblems
from server.audit.models import AuditEntry
from server.phases.models import Phase
from server.releases.models import Release, ReleaseSeal
from server.tasks.models import Task

BATCH = 50
"""The number of releases whose leaderboards are in memory at once."""
RELEASE_ACTIONS = ("release.add", "release.live")
NAMING_ACTION = "release.name"
ReleaseKey = tuple[int, str, int]
"""The task's number, the phase and the release's number in it."""


class ReleaseCheck:
    """Collects the entries of releases, and compares them with their rows in batches."""

    def __init__(self, session: Session, problems: ChainProblems) -> None:
        self.session, self.problems = session, problems
        self.count = 0
        self.made: defaultdict[int, int] = defaultdict(int)
        """How many releases of each task have entries, or came with the task."""
        self.batch: list[tuple[AuditEntry, ReleaseKey]] = []

    def notice(self, entry: AuditEntry) -> None:
        """Remember an entry about a release, or about the releases of an imported task."""
        if entry.action == "task.import" and entry.task_id is not None:
            self.made[entry.task_id] += read_row_id(entry.details.get("releases")) or 0
        if entry.action != NAMING_ACTION and entry.action not in RELEASE_ACTIONS:
            return
        phase, release = entry.details.get("phase"), read_row_id(entry.details.get("number"))
        if entry.task_id is None or not isinstance(phase, str) or release is None or release >= 2**31:
            self.problems.add(f"entry {entry.number}: refers to no release")
            return
        self.batch.append((entry, (entry.task_id, phase, release)))
        if len(self.batch) == BATCH:
            self.flush()

    def finish(self, *, broken: bool) -> None:
        """Check the rest, and find releases without an entry; `broken`: some entries were changed."""
        self.flush()
        query = (
            select(Task.id, Task.slug, func.count())
            .join(Phase, Phase.task_id == Task.id)
            .join(Release, Release.phase_id == Phase.id)
            .group_by(Task.id, Task.slug)
            .order_by(Task.id)
        )
        for task_id, slug, count in self.session.execute(query):
            if count > self.made[task_id]:
                lacking = count - self.made[task_id]
                words = f"{lacking} of its releases {'has' if lacking == 1 else 'have'} no entry"
                self.problems.add(f"task {slug}: {words}{BROKEN_LOG_HINT if broken else ''}")

    def flush(self) -> None:
        """Compare the entries of a batch with the rows of their releases."""
        rows = self._rows()
        sealed = self._sealed_boards([row.id for row in rows.values()])
        for entry, key in self.batch:
            named = entry.action == NAMING_ACTION
            self.count += not named
            self.made[key[0]] += not named
            fault = _find_fault(rows.get(key), entry.details, sealed, named=named)
            if fault is not None:
                self.problems.add(f"entry {entry.number}: release {key[2]} of {key[1]} {fault}")
        self.batch.clear()

    def _rows(self) -> dict[ReleaseKey, Row[Any]]:
        key = (Phase.task_id, Phase.slug, Release.number)
        boards = {"board": Release.board, "sha256": Release.sha256}
        named = {"named_board": Release.named_board, "named_sha256": Release.named_sha256}
        query = (
            select(Release.id, *key, *raw_rows.raw_cells(self.session, **boards, **named))
            .join(Phase, Phase.id == Release.phase_id)
            .where(tuple_(*key).in_({key for _, key in self.batch}))
        )
        return {(row.task_id, row.slug, row.number): row for row in self.session.execute(query)}

    def _sealed_boards(self, release_ids: Sequence[int]) -> set[tuple[int, bytes]]:
        """Return the releases of a batch, each with the hash of the leaderboard in its statement."""
        board = raw_rows.raw_cells(self.session, board=ReleaseSeal.board_sha256)
        query = select(ReleaseSeal.release_id, *board).where(ReleaseSeal.release_id.in_(release_ids))
        return {(row.release_id, bytes(row.board or b"")) for row in self.session.execute(query)}


def _find_fault(
    row: Row[Any] | None, details: dict[str, Any], sealed: set[tuple[int, bytes]], *, named: bool
) -> str | None:
    """Return how a row differs from its entry, or its board from the hash; or what is missing."""
    if row is None:
        return "no longer exists"
    for of, board, sha256 in (
        ("leaderboard", row.board, row.sha256),
        ("leaderboard with names", row.named_board, row.named_sha256),
    ):
        if (board is None) != (sha256 is None) or (board is not None and _hash(board) != bytes(sha256)):
            return f"was changed: its {of} does not match the SHA-256 stored with it"
    sha256 = row.named_sha256 if named else row.sha256
    if sha256 is None or bytes(sha256) != str(details.get("sha256")).encode():
        return "was changed: its leaderboard has another SHA-256 than the entry"
    if details.get("statement") and (row.id, bytes(sha256)) not in sealed:
        return "no longer has a statement, although one was signed"
    return None


def _hash(board: Any) -> bytes:
    return hashlib.sha256(bytes(board)).hexdigest().encode()
