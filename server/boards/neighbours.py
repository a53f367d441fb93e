"""A system and its neighbours on a leaderboard, and all pairs of systems that were tested."""

from collections.abc import Sequence
from dataclasses import dataclass

from scorer.boards.board import SystemKey
from server.boards.inference_json import BoardInference, ComparedPair, InferredColumn


@dataclass(frozen=True, slots=True)
class Neighbour:
    """The next ranked system above or below a system, and whether the two are significantly different."""

    above: bool
    team: str
    run: str
    ahead: float | None
    """The difference by which the upper system is better; None: they were not compared."""
    low: float | None
    high: float | None
    adjusted: float | None
    told_apart: bool


@dataclass(frozen=True, slots=True)
class ColumnPlacement:
    """A system in one column: its rank, the range of its rank, the number of systems, and its neighbours."""

    level: str | None
    metric: str
    rank: int
    low: int
    high: int
    of: int
    neighbours: tuple[Neighbour, ...]


def list_column_placements(inference: BoardInference, team: str, run: str) -> list[ColumnPlacement]:
    """List the ranks of an official system in each column with tests, the total first."""
    key: SystemKey = ("official", team, run)
    if key not in inference.keys:
        return []
    columns = sorted(inference.columns, key=lambda column: column.level is not None)
    own = inference.keys.index(key)
    placements = [_column_placement(inference.keys, column, own) for column in columns]
    return [entry for entry in placements if entry is not None]


def _column_placement(keys: Sequence[SystemKey], column: InferredColumn, own: int) -> ColumnPlacement | None:
    ranks = sorted(column.ranks, key=lambda entry: (entry.rank, entry.system))
    at = next((k for k, entry in enumerate(ranks) if entry.system == own), None)
    if at is None:
        return None
    pairs = {frozenset((pair.a, pair.b)): pair for pair in column.pairs}
    near = [k for k in (at - 1, at + 1) if 0 <= k < len(ranks)]
    others = [(ranks[k].system, k < at) for k in near]
    return ColumnPlacement(
        level=column.level,
        metric=column.metric,
        rank=ranks[at].rank,
        low=ranks[at].low,
        high=ranks[at].high,
        of=len(ranks),
        neighbours=tuple(
            _neighbour(keys[other], pairs.get(frozenset((ranks[at].system, other))), above)
            for other, above in others
        ),
    )


def _neighbour(key: SystemKey, pair: ComparedPair | None, above: bool) -> Neighbour:
    """Return a neighbour with the difference by which the upper system is better, also for error metrics."""
    _, team, run = key
    if pair is None or pair.difference is None:
        return Neighbour(above, team, run, None, None, None, None, told_apart=False)
    low, high = pair.low, pair.high
    if pair.difference < 0 and low is not None and high is not None:
        low, high = -high, -low
    return Neighbour(
        above, team, run, abs(pair.difference), low, high, pair.adjusted, pair.better is not None
    )


PAIRS_HEADER = (
    "level", "metric", "team", "run", "other_team", "other_run", "difference", "low", "high", "p", "adjusted",
    "better",
)  # fmt: skip


def list_pairs(inference: BoardInference) -> list[tuple[str, ...]]:
    """Return a row under PAIRS_HEADER for each tested pair; "better" is first, second or neither."""
    names = [(system.team, system.run) for system in inference.systems]
    rows = []
    for column in inference.columns:
        for pair in column.pairs:
            better = "neither" if pair.better is None else "first" if pair.better == pair.a else "second"
            numbers = pair.difference, pair.low, pair.high, pair.p, pair.adjusted
            written = tuple("" if number is None else repr(number) for number in numbers)
            at = column.level or "total", column.metric
            rows.append((*at, *names[pair.a], *names[pair.b], *written, better))
    return rows
