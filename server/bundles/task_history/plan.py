"""Planning the import of a history: it is read and checked, and every file is scored.

The database is not changed before.
"""

import hashlib
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from scorer.bundles.bundle import Bundle, LevelSpec, parse_gold_for
from scorer.errors import DataError
from scorer.files.reading import Gold, Items, Run, parse_run
from server.bundles.task_history.campaign_plan import CampaignPlan, plan_campaigns
from server.bundles.task_history.campaign_rows import list_moments
from server.bundles.task_history.checks import HistoryChecker
from server.bundles.task_history.records import GoldKey, GoldRecord, SubmissionRecord, TaskHistory
from server.bundles.task_history.release_checks import ReleaseChecker
from server.bundles.task_history.serialization import HISTORY_FILE, read_history
from server.core.errors import FileProblem, InvalidFile
from server.scoring.service import ItemsParts, RunResults, bad_lines, evaluate_run

MAX_PROBLEMS = 100
"""The number of problems that are shown."""


@dataclass(frozen=True, slots=True)
class HistoryPlan:
    """A checked history, the bundle's files by their hash, and the scores of each submission."""

    history: TaskHistory
    sha256: str
    files: dict[str, Path]
    texts: dict[str, str]
    """Terms, released leaderboards and receipts, by the name of their file."""
    campaigns: dict[str, CampaignPlan] = field(default_factory=dict)
    """The campaigns by their slugs."""
    scores: dict[int, list[tuple[GoldKey, RunResults]]] = field(default_factory=dict)


def plan_history(bundle: Bundle, name: str) -> HistoryPlan:
    """Read and check the history of a bundle, and score its files against every gold version of theirs.

    Raises:
        InvalidFile: with every problem, each naming the record or the file.
    """
    problems: list[FileProblem] = []
    data = bundle.read(name)
    history = read_history(data, problems)
    if history is None:
        raise bundle_rejection(problems)
    contents: dict[str, bytes] = {}
    HistoryChecker(bundle, history, problems, contents).check()
    ReleaseChecker(bundle, history, problems, contents).check()
    campaigns = plan_campaigns(bundle, history, problems)
    if problems:
        raise bundle_rejection(problems)
    texts = _decode_texts(history, contents)
    files = _files(bundle, history)
    for campaign in campaigns.values():
        files |= campaign.files
    plan = HistoryPlan(history, hashlib.sha256(data).hexdigest(), files, texts, campaigns)
    _SubmissionScorer(bundle, plan, problems).score()
    if problems:
        raise bundle_rejection(problems)
    return plan


FUTURE_FIELDS = {"closes"}
"""Fields of a history that may have times in the future."""


def require_past(plan: HistoryPlan, now: datetime) -> None:
    """Raise if a history has times in the future.

    Raises:
        InvalidFile: with every record whose time is in the future.
    """
    problems = []
    for part in (name for name in TaskHistory.__slots__ if name != "created_at"):
        for k, record in enumerate(getattr(plan.history, part)):
            for name in set(record.__slots__) - FUTURE_FIELDS:
                at = getattr(record, name)
                if isinstance(at, datetime) and at > now:
                    message = (
                        f"{part}[{k}].{name}: {at.isoformat()} is still to come, by the clock of this server"
                    )
                    problems.append(FileProblem(HISTORY_FILE, None, "future", message))
    for record in plan.history.campaigns:
        for where, at in list_moments(plan.campaigns[record.slug].rows):
            if at > now:
                message = f"{where}: {at.isoformat()} is still to come, by the clock of this server"
                problems.append(FileProblem(record.file, None, "future", message))
    if problems:
        raise bundle_rejection(problems)


def bundle_rejection(problems: list[FileProblem]) -> InvalidFile:
    """Return the error for a bundle with problems."""
    count = sum(problem.count for problem in problems)
    words = "problem" if count == 1 else "problems"
    return InvalidFile(f"The bundle has {count} {words}.", problems[:MAX_PROBLEMS], count)


def _files(bundle: Bundle, history: TaskHistory) -> dict[str, Path]:
    """Return the files for the store, by hash: gold files and submissions."""
    gold = {record.sha256: bundle.folder / record.file for record in history.gold}
    return gold | {record.sha256: bundle.folder / record.file for record in history.submissions}


def _decode_texts(history: TaskHistory, contents: dict[str, bytes]) -> dict[str, str]:
    terms = {record.file for record in history.terms}
    return {file: data.decode("utf-8-sig" if file in terms else "utf-8") for file, data in contents.items()}


class _SubmissionScorer:
    """Scores every submission against each of its gold versions."""

    def __init__(self, bundle: Bundle, plan: HistoryPlan, problems: list[FileProblem]) -> None:
        self.bundle = bundle
        self.plan = plan
        self.problems = problems
        self.levels = {level.slug: level for level in bundle.levels}
        self.phases = {phase.slug: phase for phase in bundle.phases}
        self.runs = {run.id: run for run in plan.history.runs}
        self.splits: dict[tuple[str, str], tuple[Items, ItemsParts]] = {}
        self.golds: dict[tuple[str, str], list[tuple[GoldRecord, Gold]]] = {}
        self.parsed: dict[tuple[str, str, str, bool], Run] = {}
        self.results: dict[tuple[str, GoldKey, bool], RunResults] = {}

    def score(self) -> None:
        self._read_gold()
        for k, submission in enumerate(self.plan.history.submissions):
            try:
                self._score(submission, f"submissions[{k}]")
            except DataError as error:
                self.problems += bad_lines(error)

    def _read_gold(self) -> None:
        scale = (self.bundle.task.scale.min, self.bundle.task.scale.max)
        for record in self.plan.history.gold:
            data = (self.bundle.folder / record.file).read_bytes()
            try:
                items, _ = self._read_split(self.levels[record.level], record.split)
                gold = parse_gold_for(items, data, record.file, self.bundle.task.keyed, scale)
            except DataError as error:
                self.problems += bad_lines(error)
                continue
            self.golds.setdefault((record.level, record.split), []).append((record, gold))

    def _read_split(self, level: LevelSpec, split: str) -> tuple[Items, ItemsParts]:
        """Read the items of a split, and which of them are public."""
        key = level.slug, split
        if key not in self.splits:
            items = self.bundle.items(level, split)
            self.splits[key] = items, self.bundle.parts(level, split, items)
        return self.splits[key]

    def _score(self, submission: SubmissionRecord, where: str) -> None:
        run = self.runs[submission.run]
        level, split = self.levels[submission.level], self.phases[run.phase].split
        baseline = run.baseline is not None
        answer = self._parse(submission, level, split, baseline=baseline)
        golds = self.golds.get((level.slug, split), [])
        scores = self.plan.scores[submission.id] = []
        for record, gold in _select_golds(golds, submission):
            key = (level.slug, split, record.number)
            if (submission.sha256, key, baseline) not in self.results:
                _, parts = self._read_split(level, split)
                results = evaluate_run(gold, answer, level.metrics, parts)
                self.results[submission.sha256, key, baseline] = results
            scores.append((key, self.results[submission.sha256, key, baseline]))
        if not scores and not baseline:
            message = f"{where}: {level.slug}, {split} has no gold that this file was scored against"
            self.problems.append(FileProblem(HISTORY_FILE, None, "no_gold", message))

    def _parse(self, submission: SubmissionRecord, level: LevelSpec, split: str, *, baseline: bool) -> Run:
        """Parse a file as it was parsed when it arrived; a baseline's is aligned, whatever the runs are."""
        key = (submission.sha256, level.slug, split, baseline)
        if key not in self.parsed:
            items, _ = self._read_split(level, split)
            data = (self.bundle.folder / submission.file).read_bytes()
            task = self.bundle.task
            keyed, scale = None if baseline else task.keyed, (task.scale.min, task.scale.max)
            self.parsed[key] = parse_run(
                data,
                submission.file,
                n=len(items),
                ids=items.ids,
                keyed=keyed,
                scale=scale,
                confidence_max=task.confidence_max,
            )
        return self.parsed[key]


def _select_golds(
    golds: Sequence[tuple[GoldRecord, Gold]], submission: SubmissionRecord
) -> Sequence[tuple[GoldRecord, Gold]]:
    """Select the gold versions of a submission: those it lists, or the one of its time and later ones."""
    if submission.golds:
        return [(record, gold) for record, gold in golds if record.number in submission.golds]
    met = bisect_right([record.made_at for record, _ in golds], submission.arrived_at)
    return golds[max(0, met - 1) :]
