"""The official systems of a column in the order of their ranks, and the pairs that are reported."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations, pairwise

from scorer.boards.board import Board, Cell, ColumnKey, Row, Total
from scorer.values import Undefined

MAX_SYSTEMS = 120
"""The maximum number of systems of a column of which every pair is reported; beyond it only neighbors are."""


@dataclass(frozen=True, slots=True)
class RankedSystems:
    """The official systems that have a value in a column, from best to worst, with their values and ranks."""

    order: list[int]
    values: Mapping[int, float]
    ranks: Mapping[int, int]
    higher_is_better: bool

    @property
    def reported_pairs(self) -> list[tuple[int, int]]:
        """All pairs, or those of neighbors in the ranking if there are too many systems."""
        pairs = combinations(self.order, 2) if len(self.order) <= MAX_SYSTEMS else pairwise(self.order)
        return [(min(pair), max(pair)) for pair in pairs]


def get_cell(row: Row, key: ColumnKey) -> Cell | Total:
    """Return what a row has in a column."""
    slug, metric = key
    return row.totals[0] if slug is None else row.cells[slug][metric]


def rank_systems(board: Board, key: ColumnKey) -> RankedSystems:
    """Return the official systems of a column that have a value."""
    cells_by_system = {system: get_cell(row, key) for system, row in enumerate(board.official)}
    higher = board.higher_is_better(key)
    values = {
        system: cell.value
        for system, cell in cells_by_system.items()
        if not isinstance(cell.value, Undefined)
    }
    ranks = {system: cells_by_system[system].rank or 0 for system in values}
    return RankedSystems(sorted(values, key=lambda system: (ranks[system], system)), values, ranks, higher)
