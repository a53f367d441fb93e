"""A system on a leaderboard: its key in addresses, its row, and its difference from other systems.

Also its rank in each release of a phase.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import combinations
from typing import Literal, get_args

from scorer.boards.board import (
    Board,
    Cell,
    ColumnKey,
    Kind,
    Row,
    SystemKey as SystemKey,  # noqa: PLC0414  (for pages, which import no scorer)
    Total,
    rows_of,
)
from scorer.values import Undefined, number_or_none
from server.boards.inference_json import BoardInference, ComparedPair

SYSTEM_KINDS: tuple[Kind, ...] = get_args(Kind)


def format_system_key(kind: str, team: str, run: str) -> str:
    """Return the key of a system, to be encoded once, like any part of an address: a space stays a space.

    A slash in a name, which would divide it, is written *2F, and so are the signs that would be read back.
    """
    return "/".join(re.sub(r"[/*%]", lambda sign: f"*{ord(sign[0]):02X}", part) for part in (kind, team, run))


def parse_system_key(text: str) -> SystemKey | None:
    """Parse a key to kind, team and run; None for a text that is not a key."""
    parts = [_decode_part(part) for part in text.split("/")]
    kind = next((kind for kind in SYSTEM_KINDS if kind == parts[0]), None)
    return None if len(parts) != 3 or kind is None else (kind, parts[1], parts[2])


def _decode_part(part: str) -> str:
    return re.sub(r"\*(2F|2A|25)", lambda sign: chr(int(sign[1], 16)), part)


TestOutcome = Literal["ahead", "behind", "open", "untested"]
"""The outcome of a pair's test: one is better, or neither; or the two were not tested."""
NoIntervalReason = Literal["value", "rank", "levels", "test", "interval"]
"""Why a difference has no interval.

A system has no value; one is late or a baseline; they have values at different levels; the column was not
tested; or there are no resamples.
"""


@dataclass(frozen=True, slots=True)
class ComparedColumn:
    """A column to compare systems in: a level by its official metric, or (None) the official total."""

    level: str | None
    metric: str
    title: str | None
    """The title of the level."""

    @property
    def key(self) -> ColumnKey:
        """Its level and metric."""
        return self.level, self.metric


@dataclass(frozen=True, slots=True)
class SystemDifference:
    """One system's value minus another's, with its interval, and whether the difference is significant."""

    key: SystemKey
    other: SystemKey
    value: float | None
    """The difference; None: one of the systems has no value there."""
    low: float | None
    high: float | None
    adjusted: float | None
    verdict: TestOutcome
    same_levels: bool = True
    """Whether the two systems have values at the same levels, which a comparison on the total requires."""

    @property
    def lack(self) -> NoIntervalReason | None:
        """Why the difference has no interval, if it has none."""
        if self.value is None:
            return "value"
        if self.verdict == "untested":
            if not self.key[0] == self.other[0] == "official":
                return "rank"
            return "test" if self.same_levels else "levels"
        return "interval" if None in (self.low, self.high) else None


def rows_by_key(board: Board) -> dict[SystemKey, Row]:
    """Return every row of a leaderboard by its system, in the leaderboard's order."""
    return {row.key: row for row in rows_of(board)}


def columns_of(board: Board) -> list[ComparedColumn]:
    """List the columns with ranks: the official total, if there is one, and the levels."""
    totals = [ComparedColumn(None, column.name, None) for column in board.totals[:1]]
    return totals + [ComparedColumn(level.slug, level.metrics[0], level.title) for level in board.levels]


def other_metrics(board: Board) -> list[str]:
    """List the metrics of a leaderboard that are official nowhere."""
    official = {level.metrics[0] for level in board.levels}
    every = dict.fromkeys(name for level in board.levels for name in level.metrics)
    return [name for name in every if name not in official]


def choose_column(board: Board, level: str | None) -> ComparedColumn:
    """Return the column of this level, or else the first."""
    columns = columns_of(board)
    return next((column for column in columns if level and column.level == level), columns[0])


def list_systems_without_value(
    board: Board, keys: Iterable[SystemKey], column: ComparedColumn
) -> list[SystemKey]:
    """List those of the systems that have no value in a column."""
    cells = _cells_in_column(board, column)
    return [key for key in keys if _value(cells[key]) is None]


def _cells_in_column(board: Board, column: ComparedColumn) -> dict[SystemKey, Cell | Total | None]:
    return {row.key: board.cell(row, column.key) for row in rows_of(board)}


def _value(cell: Cell | Total | None) -> float | None:
    return None if cell is None else number_or_none(cell.value)


def list_differences(
    board: Board, inference: BoardInference | None, key: SystemKey, column: ComparedColumn
) -> list[SystemDifference]:
    """List the differences of a system from all others with a value in a column, the best of them first."""
    comparison = _Comparison(board, inference, column)
    ranks = {other: None if cell is None else cell.rank for other, cell in comparison.cells.items()}
    differences = [comparison.compute(key, other) for other in ranks if other != key]
    return sorted(
        (difference for difference in differences if difference.value is not None),
        key=lambda difference: (ranks[difference.other] is None, ranks[difference.other] or 0),
    )


def list_pairs_among(
    board: Board, inference: BoardInference | None, keys: Sequence[SystemKey], column: ComparedColumn
) -> list[SystemDifference]:
    """List the difference of each two of some systems, in their order."""
    comparison = _Comparison(board, inference, column)
    return [comparison.compute(first, second) for first, second in combinations(keys, 2)]


class _Comparison:
    """The values of a leaderboard's systems in a column, and the pairs that were tested there."""

    def __init__(self, board: Board, inference: BoardInference | None, column: ComparedColumn) -> None:
        self.column, self.cells = column, _cells_in_column(board, column)
        self.rows = rows_by_key(board)
        self.pairs = {} if inference is None else _find_tested_pairs(inference, column)

    def compute(self, key: SystemKey, other: SystemKey) -> SystemDifference:
        """Compute one system's value minus another's."""
        first, second = _value(self.cells[key]), _value(self.cells[other])
        value = None if first is None or second is None else first - second
        if (key, other) not in self.pairs:
            same = not self.pairs or self.column.level is not None or self._same_levels(key, other)
            return SystemDifference(key, other, value, None, None, None, "untested", same)
        pair, in_order = self.pairs[key, other]
        low, high = pair.low, pair.high
        if low is not None and high is not None and not in_order:
            low, high = -high, -low
        verdict: TestOutcome = "open"
        if pair.better is not None:
            verdict = "ahead" if (pair.better == pair.a) == in_order else "behind"
        return SystemDifference(key, other, value, low, high, pair.adjusted, verdict)

    def _same_levels(self, key: SystemKey, other: SystemKey) -> bool:
        return _entered(self.rows[key]) == _entered(self.rows[other])


def _entered(row: Row) -> set[str]:
    """Return the levels at which a system has a value."""
    return {
        slug
        for slug, cells in row.cells.items()
        if not all(isinstance(cell.value, Undefined) for cell in cells.values())
    }


def _find_tested_pairs(
    inference: BoardInference, column: ComparedColumn
) -> dict[tuple[SystemKey, SystemKey], tuple[ComparedPair, bool]]:
    """Return the tested pairs of a column by their systems in either order, and whether it is the test's."""
    keys, tested = inference.keys, dict[tuple[SystemKey, SystemKey], tuple[ComparedPair, bool]]()
    pairs = next((entry.pairs for entry in inference.columns if entry.key == column.key), ())
    for pair in pairs:
        if pair.difference is not None:
            tested[keys[pair.a], keys[pair.b]] = pair, True
            tested[keys[pair.b], keys[pair.a]] = pair, False
    return tested


def official_ranks(board: Board) -> dict[SystemKey, int]:
    """Return the ranks of a leaderboard by its first column, the best first."""
    column = columns_of(board)[0].key
    cells = [(row.key, board.cell(row, column)) for row in board.official]
    ranks = {key: cell.rank for key, cell in cells if cell is not None and cell.rank is not None}
    return dict(sorted(ranks.items(), key=lambda pair: pair[1]))


@dataclass(frozen=True, slots=True)
class ReleasePlacement:
    """A release, and the system's cell in the first column of its leaderboard; None: it is not there."""

    number: int
    made_at: datetime
    cell: Cell | Total | None
    of: int
    """The number of ranked systems."""


def list_release_placements(
    releases: Sequence[tuple[int, datetime, Board]], key: SystemKey
) -> Iterator[ReleasePlacement]:
    """Yield a system's rank on each of the leaderboards, which have a number and a time."""
    for number, made_at, board in releases:
        row = rows_by_key(board).get(key)
        cell = None if row is None else board.cell(row, columns_of(board)[0].key)
        yield ReleasePlacement(number, made_at, cell, len(official_ranks(board)))
