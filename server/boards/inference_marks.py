"""The marks that an inference adds to a leaderboard: intervals, rank ranges, clusters, the best baseline."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from math import comb

from scorer.boards.board import Board, ColumnKey, Row, SystemKey
from scorer.boards.serialization import BoardFile
from server.boards.inference_json import (
    BaselineTests,
    BoardInference,
    LeftOutSystem,
    RankingByRule,
    ResamplingOptions,
    SignificanceTests,
)

_ADVICE = "; percentile may work"
"""The end of a reason of the scorer: its user can choose another interval, and the reader of a page cannot.

The scorer's reasons stay as they are, because releases contain them and are recomputed byte for byte.
"""
_CLEARER_REASONS = {
    "BCa is undefined because the metric has no value without one of the items": "BCa is undefined, because "
    "without one of the items the metric has no value",
}


@dataclass(frozen=True, slots=True)
class Mark:
    """What an inference says about a value of a leaderboard."""

    interval: tuple[float, float] | None = None
    no_interval: str | None = None
    """Why it has no interval."""
    range: tuple[int, int] | None = None
    """The range of its rank."""
    cluster: int | None = None
    beats_baseline: bool | None = None
    """Whether the system is significantly better than the best baseline; None: it was not tested."""


NO_MARK = Mark()
Marks = Mapping[tuple[SystemKey, ColumnKey], Mark]


@dataclass(frozen=True, slots=True)
class BestBaseline:
    """The best baseline of a column, and how many systems were tested and are not better."""

    name: str
    tested: int
    untested: int
    not_better: int
    permutations: int
    alpha: float


@dataclass(frozen=True, slots=True)
class InferenceFacts:
    """Facts about an inference beside the marks."""

    options: ResamplingOptions
    stability: tuple[RankingByRule, ...]
    left_out: tuple[LeftOutSystem, ...]
    genres: tuple[str, ...]
    """The levels with values by genre."""
    tests: SignificanceTests | None
    """The tests of the total, or else of the first level that has any."""
    untested: int
    """The number of pairs of systems that these tests lack."""
    refused: str | None
    grouped: bool
    level_tests: Mapping[str, SignificanceTests]
    baselines: Mapping[str | None, BestBaseline]
    """The best baseline of each level, and (None) by the total."""


@dataclass(frozen=True, slots=True)
class MarkedBoard(Board):
    """A leaderboard as pages show it: with the marks of its inference, if it has one."""

    scorer: str
    """The version of the scorer that made it."""
    marks: Marks
    inference: InferenceFacts | None

    def mark(self, row: Row, column: ColumnKey) -> Mark:
        """Return the mark of a row's value in a column."""
        return self.marks.get((row.key, column), NO_MARK)


def mark_board(file: BoardFile, inference: BoardInference | None) -> MarkedBoard:
    """Add the marks of an inference to a leaderboard."""
    parts = {part.name: getattr(file.board, part.name) for part in fields(Board)}
    if inference is None:
        return MarkedBoard(**parts, scorer=file.scorer, marks={}, inference=None)
    return MarkedBoard(**parts, scorer=file.scorer, marks=_marks(inference), inference=_facts(inference))


def _facts(inference: BoardInference) -> InferenceFacts:
    columns = sorted(inference.columns, key=lambda column: column.level is not None)
    column_tests = [column.tests for column in columns if column.tests is not None]
    tested = [tests for tests in column_tests if tests.pairs and not tests.refused]
    return InferenceFacts(
        options=inference.options,
        stability=inference.stability if any(entry.tau is not None for entry in inference.stability) else (),
        left_out=inference.left_out,
        genres=inference.genres,
        tests=tested[0] if tested else None,
        untested=comb(tested[0].systems, 2) - tested[0].pairs if tested else 0,
        refused=next((tests.refused for tests in column_tests if tests.refused), None),
        grouped=any(column.groups is not None for column in columns),
        level_tests={
            column.level: column.tests
            for column in columns
            if column.level is not None and column.tests is not None and column.tests in tested
        },
        baselines={
            column.level: _best_baseline(inference, column.tests, column.baseline)
            for column in columns
            if column.baseline is not None and column.tests is not None
        },
    )


def _best_baseline(
    inference: BoardInference, pairs: SignificanceTests, baseline: BaselineTests
) -> BestBaseline:
    best = inference.systems[baseline.system]
    return BestBaseline(
        name=f"{best.team} {best.run}",
        tested=len(baseline.tests),
        untested=pairs.systems - len(baseline.tests),
        not_better=sum(not test.better for test in baseline.tests),
        permutations=baseline.permutations,
        alpha=pairs.alpha,
    )


def _marks(inference: BoardInference) -> Marks:
    keys = inference.keys
    marks: dict[tuple[SystemKey, ColumnKey], Mark] = defaultdict(Mark)
    for column in inference.columns:
        for entry in column.intervals:
            no_interval = entry.undefined and entry.ends is None and _explain(entry.undefined.reason)
            marks[keys[entry.system], column.key] = Mark(entry.ends, no_interval or None)
        for ranked in column.ranks:
            at = keys[ranked.system], column.key
            marks[at] = replace(marks[at], range=(ranked.low, ranked.high), cluster=ranked.cluster)
        for test in () if column.baseline is None else column.baseline.tests:
            at = keys[test.system], column.key
            marks[at] = replace(marks[at], beats_baseline=test.better)
    return marks


def _explain(reason: str) -> str:
    """Return a reason of the scorer in words for pages."""
    reason = reason.removesuffix(_ADVICE)
    return _CLEARER_REASONS.get(reason, reason)
