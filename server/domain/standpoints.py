"""A system beside its neighbours on a board, and all pairs that were tested."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Neighbour:
    """The next ranked system above or below one's own, and whether the data tell the two apart."""

    above: bool
    team: str
    run: str
    difference: float | None
    """How much the upper one is ahead of the lower one."""
    low: float | None
    high: float | None
    adjusted: float | None
    told_apart: bool


@dataclass(frozen=True, slots=True)
class Standpoint:
    """A system in one column: its rank, the range of it, of how many, and its neighbours."""

    level: str | None
    metric: str
    rank: int
    low: int
    high: int
    of: int
    neighbours: tuple[Neighbour, ...]


def list_standpoints(values: Mapping[str, Any], team: str, run: str) -> list[Standpoint]:
    """Where an official system stands, by each column with tests, the total first."""
    key = {"kind": "official", "team": team, "run": run}
    own = next((k for k, one in enumerate(values["systems"]) if key.items() <= one.items()), None)
    columns = [column for column in values["columns"] if column.get("ranks")]
    columns.sort(key=lambda column: column["level"] is not None)
    found = [None if own is None else _standpoint(values, column, own) for column in columns]
    return [one for one in found if one is not None]


def _standpoint(values: Mapping[str, Any], column: Mapping[str, Any], own: int) -> Standpoint | None:
    ranks = sorted(column["ranks"], key=lambda one: (one["rank"], one["system"]))
    at = next((k for k, one in enumerate(ranks) if one["system"] == own), None)
    if at is None:
        return None
    pairs = {(pair["a"], pair["b"]): pair for pair in column.get("pairs") or ()}
    near = [(k, k < at) for k in (at - 1, at + 1) if 0 <= k < len(ranks)]
    neighbours = [_neighbour(values, pairs, own, ranks[k]["system"], above) for k, above in near]
    mine = ranks[at]
    return Standpoint(
        column["level"],
        column["metric"],
        mine["rank"],
        mine["low"],
        mine["high"],
        len(ranks),
        tuple(one for one in neighbours if one is not None),
    )


def _neighbour(
    values: Mapping[str, Any],
    pairs: Mapping[tuple[int, int], Mapping[str, Any]],
    own: int,
    other: int,
    above: bool,
) -> Neighbour | None:
    upper, lower = (other, own) if above else (own, other)
    pair, sign = (pairs[upper, lower], 1) if (upper, lower) in pairs else (pairs.get((lower, upper)), -1)
    if pair is None:
        return None
    ends = pair["low"], pair["high"]
    turned = ends if sign > 0 or None in ends else (-ends[1], -ends[0])
    difference = pair["difference"]
    return Neighbour(
        above=above,
        team=values["systems"][other]["team"],
        run=values["systems"][other]["run"],
        difference=None if difference is None else sign * difference,
        low=turned[0],
        high=turned[1],
        adjusted=pair["adjusted"],
        told_apart=pair["better"] is not None,
    )


PAIRS_HEAD = (
    "level", "metric", "team", "run", "other_team", "other_run", "difference", "low", "high", "p", "adjusted",
    "better",
)  # fmt: skip


def list_pairs(values: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """A row under PAIRS_HEAD for each pair that was tested; "better" is first, second or neither."""
    names = [(one["team"], one["run"]) for one in values["systems"]]
    rows = []
    for column in values["columns"]:
        for pair in column.get("pairs") or ():
            better = {pair["a"]: "first", pair["b"]: "second"}.get(pair["better"], "")
            numbers = (pair[name] for name in ("difference", "low", "high", "p", "adjusted"))
            written = tuple("" if number is None else repr(number) for number in numbers)
            at = column["level"] or "total", column["metric"]
            rows.append((*at, *names[pair["a"]], *names[pair["b"]], *written, better))
    return rows
