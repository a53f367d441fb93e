"""Neighbouring systems between which the outcome of the significance test changed."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

from server.boards.inference_json import BoardInference, InferredColumn, System

TeamRun = tuple[str, str]
"""A team and its run."""
TeamRunPair = frozenset[TeamRun]
_BetterSystems = Mapping[TeamRunPair, TeamRun | None]


@dataclass(frozen=True, slots=True)
class SignificanceChange:
    """Two systems that were or are neighbours, and who was and is better; None: neither."""

    level: str | None
    one: TeamRun
    other: TeamRun
    before: TeamRun | None
    after: TeamRun | None


def list_significance_changes(before: BoardInference, after: BoardInference) -> list[SignificanceChange]:
    """List the neighbours between which the significantly better one changed, or no longer exists."""
    earlier = {column.key: column for column in before.columns}
    changes = []
    for column in after.columns:
        was = earlier.get(column.key)
        if was is None or was.tests is None or column.tests is None:
            continue
        old, new = _better_systems(before, was), _better_systems(after, column)
        pairs = dict.fromkeys([*_neighbour_pairs(after, column), *_neighbour_pairs(before, was)])
        for system, other in pairs:
            pair = frozenset((system, other))
            if old.get(pair) != new.get(pair):
                changes.append(SignificanceChange(column.level, system, other, old.get(pair), new.get(pair)))
    return changes


def _better_systems(inference: BoardInference, column: InferredColumn) -> _BetterSystems:
    """Return the better system of each pair."""
    return {
        frozenset((_team_and_run(inference, pair.a), _team_and_run(inference, pair.b))): (
            None if pair.better is None else _team_and_run(inference, pair.better)
        )
        for pair in column.pairs
    }


def _neighbour_pairs(inference: BoardInference, column: InferredColumn) -> Iterator[tuple[TeamRun, TeamRun]]:
    """Yield each two systems that are neighbours in a column, in a fixed order of the two."""
    ranks = sorted(column.ranks, key=lambda entry: (entry.rank, entry.system))
    for above, below in pairwise(_team_and_run(inference, entry.system) for entry in ranks):
        yield min(above, below), max(above, below)


def _team_and_run(inference: BoardInference, system: System) -> TeamRun:
    return inference.systems[system].team, inference.systems[system].run
