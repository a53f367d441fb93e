"""Planning the import of a history: it is read and checked, and every file is scored.

The database is not changed before.
"""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeVar

from scorer.bundles.bundle import Bundle, LevelSpec, parse_gold_for
from scorer.errors import DataError
from scorer.files.reading import Gold, Items, Run, parse_run
from scorer.metrics import needs_sds
from scorer.typed_json import Fault
from server.bundles.task_history.history import HISTORY_FILE, Row, TaskHistory
from server.bundles.task_history.reading import read_history
from server.bundles.task_history.tables import TABLES
from server.core.errors import FileProblem, InvalidFile
from server.gold.rules import GoldLabels
from server.scoring.service import ItemsParts, RunResults, bad_lines, evaluate_run
from server.tasks import kit_files

Parsed = TypeVar("Parsed", Gold, Run)
MAX_PROBLEMS = 100
"""The number of problems that are shown."""


@dataclass(frozen=True, slots=True)
class HistoryPlan:
    """A checked history, the files for the store by their hash, and the results of each row of scores."""

    history: TaskHistory
    sha256: str
    stored: frozenset[str]
    scores: list[RunResults] = field(default_factory=list)


def plan_history(bundle: Bundle, name: str) -> HistoryPlan:
    """Read and check the history of a bundle, and score its files against every gold version of theirs.

    Raises:
        InvalidFile: with every problem, each naming the row or the file.
    """
    faults: list[Fault] = []
    data = bundle.read(name)
    history = read_history(bundle, data, faults)
    if history is not None:
        faults = [fault for table in TABLES.values() for fault in table.check(history)]
    if faults or history is None:
        raise _invalid_bundle([_problem(fault) for fault in faults])
    scorer = _FileScorer(history)
    scores = scorer.score()
    if scorer.problems:
        raise _invalid_bundle(scorer.problems)
    stored = {
        row[table.stored]
        for list_name, table in TABLES.items()
        if table.stored
        for row in history.rows[list_name]
    }
    return HistoryPlan(history, hashlib.sha256(data).hexdigest(), frozenset(stored), scores)


def require_past(history: TaskHistory, now: datetime) -> None:
    """Raise if a history has times in the future, other than deadlines.

    Raises:
        InvalidFile: with every row whose time is in the future.
    """
    faults = []
    for list_name, table in TABLES.items():
        names = [each.name for each in table.fields if each.is_moment and each.name != "closes"]
        for place, row in history.places(list_name) if names else ():
            times = ((name, row[name]) for name in names if name in row)
            faults += [
                (f"{place}.{name}", f"{at.isoformat()} is still to come, by the clock of this server")
                for name, at in times
                if at > now
            ]
    if faults:
        raise _invalid_bundle([_problem(fault) for fault in faults])


def _problem(fault: Fault) -> FileProblem:
    place, message = fault
    return FileProblem(HISTORY_FILE, None, "bad_history", f"{place}: {message}" if place else message)


def _invalid_bundle(problems: list[FileProblem]) -> InvalidFile:
    count = sum(problem.count for problem in problems)
    words = "problem" if count == 1 else "problems"
    return InvalidFile(f"The bundle has {count} {words}.", problems[:MAX_PROBLEMS], count)


class _FileScorer:
    """Scores each submission against the gold versions against which it was scored."""

    def __init__(self, history: TaskHistory) -> None:
        self.history = history
        self.problems: list[FileProblem] = []
        self.splits: dict[str, tuple[LevelSpec, Items, ItemsParts]] = {}
        self.runs: dict[tuple[str, str, bool], Run] = {}

    def score(self) -> list[RunResults]:
        """Return the results of each row of scores; what files have wrong is added to `problems`."""
        used = {row["gold_version"] for row in self.history.rows["scores"]} | self._list_in_force()
        golds = [
            self._read(self._parse_gold, row) if number in used else None  # else of items that were replaced
            for number, row in enumerate(self.history.rows["gold"], start=1)
        ]
        self._check_kit(golds)
        runs = [self._read(self._parse_run, row) for row in self.history.rows["submissions"]]
        if self.problems:
            return []
        scores = []
        for row in self.history.rows["scores"]:
            gold, run = golds[row["gold_version"] - 1], runs[row["submission"] - 1]
            level, _, parts = self._read_split(self.history.row("gold", row["gold_version"])["split"])
            if gold is not None and run is not None:
                scores.append(evaluate_run(gold, run, level.metrics, parts))
        return scores

    def _check_kit(self, golds: Sequence[Gold | None]) -> None:
        """Add a problem for each file of the starter kit that contains hidden gold."""
        hidden = []
        for row, gold in zip(self.history.rows["gold"], golds, strict=True):
            level, items, _parts = self._read_split(row["split"])
            if gold is not None and not level.splits[row["split"].partition("/")[2]].public_gold:
                hidden.append((row["split"], GoldLabels(gold.values, items.ids)))
        for place, file in self.history.places("task_files"):
            data = self.history.data(file["sha256"])
            texts = [] if "width" in file else kit_files.list_texts(data)
            found = {split for split, labels in hidden if any(map(labels.are_in, texts))}
            self.problems += [
                _problem((f"{place}.sha256", f"the file contains hidden gold labels of {split}"))
                for split in sorted(found)
            ]

    def _list_in_force(self) -> set[int]:
        """Return the numbers of the gold versions in force and of candidates."""
        newest = {}
        for event in self.history.rows["gold_events"]:
            if event["event"] != "dropped":
                split = self.history.row("gold", event["gold_version"])["split"]
                newest[split, event["event"]] = event["gold_version"]
        return set(newest.values())

    def _read(self, parse: Callable[[Row], Parsed], row: Row) -> Parsed | None:
        try:
            return parse(row)
        except DataError as error:
            self.problems += bad_lines(error)
            return None

    def _read_split(self, key: str) -> tuple[LevelSpec, Items, ItemsParts]:
        """Read the items of a split, and which of them are public."""
        if key not in self.splits:
            bundle, (slug, _, split) = self.history.bundle, key.partition("/")
            level = next(level for level in bundle.levels if level.slug == slug)
            items = bundle.items(level, split)
            self.splits[key] = level, items, bundle.parts(level, split, items)
        return self.splits[key]

    def _parse_gold(self, row: Row) -> Gold:
        task, (level, items, _) = self.history.bundle.task, self._read_split(row["split"])
        data, path = self.history.data(row["sha256"]), self.history.path(row["sha256"])
        scale, with_sds = (task.scale.min, task.scale.max), needs_sds(level.metrics)
        return parse_gold_for(items, data, path, task.keyed, scale, with_sds=with_sds)

    def _parse_run(self, row: Row) -> Run:
        """Parse a file as it was parsed when it arrived; a baseline's is aligned, whatever the runs are."""
        baseline = "baseline" in self.history.row("runs", row["run"])
        key = row["sha256"], str(self.history.find_split(row)), baseline
        if key not in self.runs:
            task, (_, items, _) = self.history.bundle.task, self._read_split(key[1])
            self.runs[key] = parse_run(
                self.history.data(row["sha256"]),
                self.history.path(row["sha256"]),
                n=len(items),
                ids=items.ids,
                keyed=None if baseline else task.keyed,
                scale=(task.scale.min, task.scale.max),
                confidence_max=task.confidence_max,
                first_is_score=True,  # it was accepted
            )
        return self.runs[key]
