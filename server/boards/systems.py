"""A system on a board: its row, its value in a column, and how far it is from each of the others there."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from server.boards.marked import KINDS

Key = tuple[str, str, str]
"""Kind, team and run."""
Verdict = Literal["ahead", "behind", "open", "untested"]
"""What the tests say of a pair: one is better, or it stays open; or the two were not tested."""
Lack = Literal["value", "rank", "test", "interval"]
"""Why a difference has no interval: a value is missing; late systems and baselines are not tested; the
column's pairs were not; or the resamples gave none."""


@dataclass(frozen=True, slots=True)
class ComparedColumn:
    """What systems are compared by: a level by its official metric, or (None) the official total."""

    level: str | None
    metric: str
    title: str | None
    """Of the level."""


@dataclass(frozen=True, slots=True)
class SystemDifference:
    """One system's value less another's, with its interval, and whether the data tell the two apart."""

    key: Key
    other: Key
    value: float | None
    """None: one of them has no value there."""
    low: float | None
    high: float | None
    adjusted: float | None
    verdict: Verdict

    @property
    def lack(self) -> Lack | None:
        """Why it has no interval, if it has none."""
        if self.value is None:
            return "value"
        if self.verdict == "untested":
            return "test" if self.key[0] == self.other[0] == "official" else "rank"
        return "interval" if None in (self.low, self.high) else None


def rows_by_key(board: Mapping[str, Any]) -> dict[Key, Mapping[str, Any]]:
    """Every row of a board by its system, in the board's order."""
    return {(kind, row["team"], row["run"]): row for group, kind in KINDS.items() for row in board[group]}


def columns_of(board: Mapping[str, Any]) -> list[ComparedColumn]:
    """The columns by which a board ranks: its official total, if it has one, and its levels."""
    totals = [ComparedColumn(None, one["name"], None) for one in board["totals"][:1]]
    return totals + [ComparedColumn(one["slug"], one["metrics"][0], one["title"]) for one in board["levels"]]


def ranking_column(board: Mapping[str, Any]) -> ComparedColumn | None:
    """The column that ranks the systems, as `scorer.Board.ranking` says; None: each level does."""
    columns = columns_of(board)
    return columns[0] if board["totals"] or len(columns) == 1 else None


def other_metrics(board: Mapping[str, Any]) -> list[str]:
    """The metrics of a board that are official nowhere."""
    official = {level["metrics"][0] for level in board["levels"]}
    every = dict.fromkeys(name for level in board["levels"] for name in level["metrics"])
    return [name for name in every if name not in official]


def choose_column(board: Mapping[str, Any], level: str | None) -> ComparedColumn:
    """The column of this level, or else the first."""
    columns = columns_of(board)
    return next((one for one in columns if level and one.level == level), columns[0])


def cell_at(row: Mapping[str, Any], column: ComparedColumn) -> Mapping[str, Any] | None:
    """What a row has in a column."""
    found = row["total"] if column.level is None else row["levels"].get(column.level, {})
    cell: Mapping[str, Any] | None = found.get(column.metric)
    return cell


def list_without(board: Mapping[str, Any], keys: Iterable[Key], column: ComparedColumn) -> list[Key]:
    """Those systems that have no value in a column."""
    rows = rows_by_key(board)
    return [key for key in keys if (cell_at(rows[key], column) or {}).get("value") is None]


def list_differences(
    board: Mapping[str, Any], values: Mapping[str, Any] | None, key: Key, column: ComparedColumn
) -> list[SystemDifference]:
    """A system's value less that of each other one that has one there, the best of them first."""
    rows = rows_by_key(board)
    pairs = _pairs(values, column)
    found = [difference(rows, pairs, key, other, column) for other in rows if other != key]
    ranked = {other: (cell_at(row, column) or {}).get("rank") for other, row in rows.items()}
    there = [one for one in found if one.value is not None]
    return sorted(there, key=lambda one: (ranked[one.other] is None, ranked[one.other] or 0))


def list_pairs_among(
    board: Mapping[str, Any], values: Mapping[str, Any] | None, keys: Sequence[Key], column: ComparedColumn
) -> list[SystemDifference]:
    """The difference of each two of some systems, in their order."""
    rows, pairs = rows_by_key(board), _pairs(values, column)
    return [
        difference(rows, pairs, first, second, column)
        for at, first in enumerate(keys)
        for second in keys[at + 1 :]
    ]


Pairs = Mapping[tuple[Key, Key], tuple[Mapping[str, Any], bool]]
"""A pair that was tested, by its two systems in either order; whether that is the order of the test."""


def difference(
    rows: Mapping[Key, Mapping[str, Any]], pairs: Pairs, key: Key, other: Key, column: ComparedColumn
) -> SystemDifference:
    """One system's value less another's."""
    ends = [(cell_at(rows[one], column) or {}).get("value") for one in (key, other)]
    value = None if None in ends else ends[0] - ends[1]  # type: ignore[operator]  # neither is None
    if (key, other) not in pairs:
        return SystemDifference(key, other, value, None, None, None, "untested")
    pair, in_order = pairs[key, other]
    low, high = pair["low"], pair["high"]
    if None not in (low, high) and not in_order:
        low, high = -high, -low
    verdict: Verdict = "open"
    if pair["better"] is not None:
        verdict = "ahead" if pair["better"] == pair["a" if in_order else "b"] else "behind"
    return SystemDifference(key, other, value, low, high, pair["adjusted"], verdict)


def _pairs(values: Mapping[str, Any] | None, column: ComparedColumn) -> Pairs:
    """The pairs of a column that were tested."""
    if values is None:
        return {}
    who = [(one["kind"], one["team"], one["run"]) for one in values["systems"]]
    return dict(_both_ways(who, _tested(values, column)))


def _tested(values: Mapping[str, Any], column: ComparedColumn) -> Sequence[Mapping[str, Any]]:
    for one in values["columns"]:
        if (one["level"], one["metric"]) == (column.level, column.metric):
            return one.get("pairs") or ()
    return ()


def _both_ways(
    who: Sequence[Key], pairs: Sequence[Mapping[str, Any]]
) -> Iterator[tuple[tuple[Key, Key], tuple[Mapping[str, Any], bool]]]:
    for pair in pairs:
        if pair["difference"] is not None:
            first, second = who[pair["a"]], who[pair["b"]]
            yield (first, second), (pair, True)
            yield (second, first), (pair, False)
