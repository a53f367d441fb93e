"""Which neighbours the data tell apart, before and after something changed."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

System = tuple[str, str]
"""Team and run."""
Pair = frozenset[System]
_Verdicts = Mapping[Pair, System | None]


@dataclass(frozen=True, slots=True)
class ChangedVerdict:
    """Two systems that are next to each other, before or after, and who is better; None: neither."""

    level: str | None
    one: System
    other: System
    before: System | None
    after: System | None


def list_changed(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[ChangedVerdict]:
    """The neighbours of whom another is significantly better than before, or none is any more."""
    earlier = {(column["level"], column["metric"]): column for column in before["columns"]}
    found = []
    for column in after["columns"]:
        was = earlier.get((column["level"], column["metric"]))
        if was is None or "pairs" not in column or "pairs" not in was:
            continue
        old, new = _verdicts(before, was), _verdicts(after, column)
        pairs = dict.fromkeys([*_neighbours(after, column), *_neighbours(before, was)])
        for one, other in pairs:
            pair = frozenset((one, other))
            if old.get(pair) != new.get(pair):
                found.append(ChangedVerdict(column["level"], one, other, old.get(pair), new.get(pair)))
    return found


def _verdicts(values: Mapping[str, Any], column: Mapping[str, Any]) -> _Verdicts:
    """Who is better, by pair."""
    return {
        frozenset((_name(values, pair["a"]), _name(values, pair["b"]))): (
            None if pair["better"] is None else _name(values, pair["better"])
        )
        for pair in column["pairs"]
    }


def _neighbours(values: Mapping[str, Any], column: Mapping[str, Any]) -> Iterator[tuple[System, System]]:
    """Each two systems that follow each other in a column, in a fixed order of the two."""
    ranks = sorted(column.get("ranks") or (), key=lambda one: (one["rank"], one["system"]))
    for above, below in pairwise(_name(values, one["system"]) for one in ranks):
        yield min(above, below), max(above, below)


def _name(values: Mapping[str, Any], system: int) -> System:
    return values["systems"][system]["team"], values["systems"][system]["run"]
