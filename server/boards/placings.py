"""Where a system stood in the releases of a phase."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from server.boards.systems import Key, cell_at, columns_of, rows_by_key


@dataclass(frozen=True, slots=True)
class Placing:
    """A release, and what the system had there by the first column of its board; None: it was not on it."""

    number: int
    made_at: datetime
    cell: Mapping[str, Any] | None
    of: int
    """How many systems were ranked."""


def list_placings(releases: Sequence[tuple[int, datetime, Mapping[str, Any]]], key: Key) -> Iterator[Placing]:
    """A system's place on each of the boards, which have a number and an instant."""
    for number, made_at, board in releases:
        rows, column = rows_by_key(board), columns_of(board)[0]
        cell = cell_at(rows[key], column) if key in rows else None
        yield Placing(number, made_at, cell, count_ranked(board))


def count_ranked(board: Mapping[str, Any]) -> int:
    """How many systems have a rank by the first column of a board."""
    cells = [cell_at(row, columns_of(board)[0]) for row in board["official"]]
    return sum(cell is not None and cell["rank"] is not None for cell in cells)
