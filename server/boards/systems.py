"""A system on a leaderboard: its key in addresses, its row, and its difference from other systems.

Also its rank in each release of a phase.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, get_args
from urllib.parse import unquote

from scorer.boards.board import Kind
from server.boards.inference_marks import GROUP_KINDS

SYSTEM_KINDS: tuple[Kind, ...] = get_args(Kind)


def format_system_key(kind: str, team: str, run: str) -> str:
    """Return the key of a system, to be encoded once, like any part of an address: a space stays a space.

    A slash in a name, which would divide it, is written *2F, and so are the signs that would be read back.
    """
    return "/".join(re.sub(r"[/*%]", lambda sign: f"*{ord(sign[0]):02X}", part) for part in (kind, team, run))


def parse_system_key(text: str) -> tuple[Kind, str, str] | None:
    """Parse a key to kind, team and run; None for a text that is not a key.

    A key with a percent sign is from an older address, in which the parts were encoded separately.
    """
    decode = unquote if "%" in text else _decode_part
    parts = [decode(part) for part in text.split("/")]
    if len(parts) != 3 or parts[0] not in SYSTEM_KINDS:
        return None
    return parts[0], parts[1], parts[2]


def _decode_part(part: str) -> str:
    return re.sub(r"\*(2F|2A|25)", lambda sign: chr(int(sign[1], 16)), part)


SystemKey = tuple[str, str, str]
"""The kind, team and run of a system."""
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


def rows_by_key(board: Mapping[str, Any]) -> dict[SystemKey, Mapping[str, Any]]:
    """Return every row of a leaderboard by its system, in the leaderboard's order."""
    return {
        (kind, row["team"], row["run"]): row for group, kind in GROUP_KINDS.items() for row in board[group]
    }


def columns_of(board: Mapping[str, Any]) -> list[ComparedColumn]:
    """List the columns with ranks: the official total, if there is one, and the levels."""
    totals = [ComparedColumn(None, column["name"], None) for column in board["totals"][:1]]
    return totals + [
        ComparedColumn(column["slug"], column["metrics"][0], column["title"]) for column in board["levels"]
    ]


def ranking_column(board: Mapping[str, Any]) -> ComparedColumn | None:
    """Return the column that ranks the systems, like `scorer.Board.ranking`; None: each level does."""
    columns = columns_of(board)
    return columns[0] if board["totals"] or len(columns) == 1 else None


def other_metrics(board: Mapping[str, Any]) -> list[str]:
    """List the metrics of a leaderboard that are official nowhere."""
    official = {level["metrics"][0] for level in board["levels"]}
    every = dict.fromkeys(name for level in board["levels"] for name in level["metrics"])
    return [name for name in every if name not in official]


def choose_column(board: Mapping[str, Any], level: str | None) -> ComparedColumn:
    """Return the column of this level, or else the first."""
    columns = columns_of(board)
    return next((column for column in columns if level and column.level == level), columns[0])


def cell_at(row: Mapping[str, Any], column: ComparedColumn) -> Mapping[str, Any] | None:
    """Return a row's cell in a column."""
    cells = row["total"] if column.level is None else row["levels"].get(column.level, {})
    cell: Mapping[str, Any] | None = cells.get(column.metric)
    return cell


def list_systems_without_value(
    board: Mapping[str, Any], keys: Iterable[SystemKey], column: ComparedColumn
) -> list[SystemKey]:
    """List those of the systems that have no value in a column."""
    rows = rows_by_key(board)
    return [key for key in keys if (cell_at(rows[key], column) or {}).get("value") is None]


def list_differences(
    board: Mapping[str, Any], values: Mapping[str, Any] | None, key: SystemKey, column: ComparedColumn
) -> list[SystemDifference]:
    """List the differences of a system from all others with a value in a column, the best of them first."""
    rows = rows_by_key(board)
    pairs = _find_tested_pairs(values, column)
    differences = [compute_difference(rows, pairs, key, other, column) for other in rows if other != key]
    ranked = {other: (cell_at(row, column) or {}).get("rank") for other, row in rows.items()}
    defined_differences = [difference for difference in differences if difference.value is not None]
    return sorted(
        defined_differences,
        key=lambda difference: (ranked[difference.other] is None, ranked[difference.other] or 0),
    )


def list_pairs_among(
    board: Mapping[str, Any],
    values: Mapping[str, Any] | None,
    keys: Sequence[SystemKey],
    column: ComparedColumn,
) -> list[SystemDifference]:
    """List the difference of each two of some systems, in their order."""
    rows, pairs = rows_by_key(board), _find_tested_pairs(values, column)
    return [
        compute_difference(rows, pairs, first, second, column)
        for at, first in enumerate(keys)
        for second in keys[at + 1 :]
    ]


TestedPairs = Mapping[tuple[SystemKey, SystemKey], tuple[Mapping[str, Any], bool]]
"""A tested pair by its two systems in either order, and whether that is the order of the test."""


def compute_difference(
    rows: Mapping[SystemKey, Mapping[str, Any]],
    pairs: TestedPairs,
    key: SystemKey,
    other: SystemKey,
    column: ComparedColumn,
) -> SystemDifference:
    """Compute one system's value minus another's."""
    ends = [(cell_at(rows[system], column) or {}).get("value") for system in (key, other)]
    value = None if None in ends else ends[0] - ends[1]  # type: ignore[operator]  # neither is None
    if (key, other) not in pairs:
        same = not pairs or column.level is not None or _entered(rows[key]) == _entered(rows[other])
        return SystemDifference(key, other, value, None, None, None, "untested", same)
    pair, in_order = pairs[key, other]
    low, high = pair["low"], pair["high"]
    if None not in (low, high) and not in_order:
        low, high = -high, -low
    verdict: TestOutcome = "open"
    if pair["better"] is not None:
        verdict = "ahead" if pair["better"] == pair["a" if in_order else "b"] else "behind"
    return SystemDifference(key, other, value, low, high, pair["adjusted"], verdict)


def _entered(row: Mapping[str, Any]) -> set[str]:
    """Return the levels at which a system has a value."""
    levels: Mapping[str, Mapping[str, Any]] = row["levels"]
    return {
        slug for slug, cells in levels.items() if any(cell["value"] is not None for cell in cells.values())
    }


def _find_tested_pairs(values: Mapping[str, Any] | None, column: ComparedColumn) -> TestedPairs:
    """Return the pairs of a column that were tested."""
    if values is None:
        return {}
    systems = [(system["kind"], system["team"], system["run"]) for system in values["systems"]]
    return dict(_pairs_in_both_orders(systems, _column_pairs(values, column)))


def _column_pairs(values: Mapping[str, Any], column: ComparedColumn) -> Sequence[Mapping[str, Any]]:
    for candidate in values["columns"]:
        if (candidate["level"], candidate["metric"]) == (column.level, column.metric):
            return candidate.get("pairs") or ()
    return ()


def _pairs_in_both_orders(
    who: Sequence[SystemKey], pairs: Sequence[Mapping[str, Any]]
) -> Iterator[tuple[tuple[SystemKey, SystemKey], tuple[Mapping[str, Any], bool]]]:
    for pair in pairs:
        if pair["difference"] is not None:
            first, second = who[pair["a"]], who[pair["b"]]
            yield (first, second), (pair, True)
            yield (second, first), (pair, False)


@dataclass(frozen=True, slots=True)
class ReleasePlacement:
    """A release, and the system's rank in the first column of its leaderboard; None: it was not ranked."""

    number: int
    made_at: datetime
    cell: Mapping[str, Any] | None
    of: int
    """The number of ranked systems."""


def list_release_placements(
    releases: Sequence[tuple[int, datetime, Mapping[str, Any]]], key: SystemKey
) -> Iterator[ReleasePlacement]:
    """Yield a system's rank on each of the leaderboards, which have a number and a time."""
    for number, made_at, board in releases:
        rows, column = rows_by_key(board), columns_of(board)[0]
        cell = cell_at(rows[key], column) if key in rows else None
        yield ReleasePlacement(number, made_at, cell, count_ranked(board))


def count_ranked(board: Mapping[str, Any]) -> int:
    """Count the systems with a rank in the first column of a leaderboard."""
    cells = [cell_at(row, columns_of(board)[0]) for row in board["official"]]
    return sum(cell is not None and cell["rank"] is not None for cell in cells)
