"""The history of a task as an import reads it: the rows of `history.json`, and the files that they name."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from scorer.bundles.bundle import Bundle
from scorer.campaigns.config import CampaignConfig
from server.submissions.rules import SubmissionFacts, find_counting_id

HISTORY_FILE = "history.json"
Row = dict[str, Any]
"""The values of a row that are not null, by the name of their field."""


@dataclass(slots=True)
class TaskHistory:
    """The rows of a task by the name of their list. A row refers to another by its number, from 1."""

    bundle: Bundle
    files: Mapping[str, Path]
    """The files of the bundle by their SHA-256."""
    created_at: datetime = field(init=False)
    rows: dict[str, list[Row]] = field(default_factory=dict)
    campaigns: list[CampaignConfig] = field(default_factory=list)
    """The configurations of the campaigns, in the order of their rows."""

    def row(self, list_name: str, number: int) -> Row:
        """Return a row to which another one refers."""
        return self.rows[list_name][number - 1]

    def places(self, list_name: str) -> Iterator[tuple[str, Row]]:
        """Yield the rows of a list, each with its place."""
        for k, row in enumerate(self.rows[list_name]):
            yield f"{list_name}[{k}]", row

    def data(self, sha256: str) -> bytes:
        """Return the contents of the file with this hash."""
        return self.files[sha256].read_bytes()

    def text(self, sha256: str) -> str:
        """Return the text in the file with this hash."""
        return self.data(sha256).decode()

    def path(self, sha256: str) -> str:
        """Return the path in the bundle of the file with this hash."""
        return self.files[sha256].relative_to(self.bundle.folder).as_posix()

    def find_split(self, row: Row) -> str | None:
        """Return the key of the split that a file is for; None: its level has no items in its phase."""
        slug = self.row("runs", row["run"])["phase"]
        split = next(phase.split for phase in self.bundle.phases if phase.slug == slug)
        level = next(level for level in self.bundle.levels if level.slug == row["level"])
        return f"{level.slug}/{split}" if split in level.splits else None


def list_last_changes(rows: Sequence[Row], name: str) -> dict[int, bool]:
    """Return whether what was ever withdrawn is so in the end, by its number; `name` refers to it."""
    return {row[name]: row["withdrawn"] for row in rows}


def find_counting(history: TaskHistory) -> dict[tuple[int, str, bool], int]:
    """Return the numbers of the submissions that count, by run, level, and whether they are late."""
    withdrawn = list_last_changes(history.rows["withdrawals"], "submission")
    run_withdrawn = list_last_changes(history.rows["run_withdrawals"], "run")
    facts: dict[tuple[int, str], list[SubmissionFacts]] = defaultdict(list)
    for number, row in enumerate(history.rows["submissions"], start=1):
        gone = withdrawn.get(number, False) or run_withdrawn.get(row["run"], False)
        facts[row["run"], row["level"]].append(SubmissionFacts(number, row["late"], gone))
    return {
        (*key, late): newest
        for key, files in facts.items()
        for late in (False, True)
        if (newest := find_counting_id(files, late=late)) is not None
    }
