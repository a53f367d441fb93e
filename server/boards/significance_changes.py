"""Neighbouring systems between which the outcome of the significance test changed."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

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


def list_significance_changes(
    before: Mapping[str, Any], after: Mapping[str, Any]
) -> list[SignificanceChange]:
    """List the neighbours between which the significantly better one changed, or no longer exists."""
    earlier = {(column["level"], column["metric"]): column for column in before["columns"]}
    changes = []
    for column in after["columns"]:
        was = earlier.get((column["level"], column["metric"]))
        if was is None or "pairs" not in column or "pairs" not in was:
            continue
        old, new = _better_systems(before, was), _better_systems(after, column)
        pairs = dict.fromkeys([*_neighbour_pairs(after, column), *_neighbour_pairs(before, was)])
        for system, other in pairs:
            pair = frozenset((system, other))
            if old.get(pair) != new.get(pair):
                changes.append(
                    SignificanceChange(column["level"], system, other, old.get(pair), new.get(pair))
                )
    return changes


def _better_systems(values: Mapping[str, Any], column: Mapping[str, Any]) -> _BetterSystems:
    """Return the better system of each pair."""
    return {
        frozenset((_team_and_run(values, pair["a"]), _team_and_run(values, pair["b"]))): (
            None if pair["better"] is None else _team_and_run(values, pair["better"])
        )
        for pair in column["pairs"]
    }


def _neighbour_pairs(
    values: Mapping[str, Any], column: Mapping[str, Any]
) -> Iterator[tuple[TeamRun, TeamRun]]:
    """Yield each two systems that are neighbours in a column, in a fixed order of the two."""
    ranks = sorted(column.get("ranks") or (), key=lambda entry: (entry["rank"], entry["system"]))
    for above, below in pairwise(_team_and_run(values, entry["system"]) for entry in ranks):
        yield min(above, below), max(above, below)


def _team_and_run(values: Mapping[str, Any], system: int) -> TeamRun:
    return values["systems"][system]["team"], values["systems"][system]["run"]
