"""A system and its neighbours on a leaderboard, and all pairs of systems that were tested."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from server.boards.systems import SystemKey


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


def list_column_placements(values: Mapping[str, Any], team: str, run: str) -> list[ColumnPlacement]:
    """List the ranks of an official system in each column with tests, the total first."""
    key = ("official", team, run)
    systems = [(entry["kind"], entry["team"], entry["run"]) for entry in values["systems"]]
    if key not in systems:
        return []
    columns = sorted(values["columns"], key=lambda column: column["level"] is not None)
    placements = [
        _column_placement(systems, column, systems.index(key)) for column in columns if column.get("ranks")
    ]
    return [entry for entry in placements if entry is not None]


def _column_placement(
    systems: Sequence[SystemKey], column: Mapping[str, Any], own: int
) -> ColumnPlacement | None:
    ranks = sorted(column["ranks"], key=lambda entry: (entry["rank"], entry["system"]))
    at = next((k for k, entry in enumerate(ranks) if entry["system"] == own), None)
    if at is None:
        return None
    pairs = {frozenset((pair["a"], pair["b"])): pair for pair in column.get("pairs") or ()}
    near = [k for k in (at - 1, at + 1) if 0 <= k < len(ranks)]
    others = [(ranks[k]["system"], k < at) for k in near]
    return ColumnPlacement(
        level=column["level"],
        metric=column["metric"],
        rank=ranks[at]["rank"],
        low=ranks[at]["low"],
        high=ranks[at]["high"],
        of=len(ranks),
        neighbours=tuple(
            _neighbour(systems[other], pairs.get(frozenset((own, other))), above) for other, above in others
        ),
    )


def _neighbour(who: SystemKey, pair: Mapping[str, Any] | None, above: bool) -> Neighbour:
    """Return a neighbour with the difference by which the upper system is better, also for error metrics."""
    _, team, run = who
    if pair is None or pair["difference"] is None:
        return Neighbour(above, team, run, None, None, None, None, told_apart=False)
    ends = pair["low"], pair["high"]
    if pair["difference"] < 0 and None not in ends:
        ends = -ends[1], -ends[0]
    return Neighbour(
        above, team, run, abs(pair["difference"]), *ends, pair["adjusted"], pair["better"] is not None
    )


PAIRS_HEADER = (
    "level", "metric", "team", "run", "other_team", "other_run", "difference", "low", "high", "p", "adjusted",
    "better",
)  # fmt: skip


def list_pairs(values: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """Return a row under PAIRS_HEAD for each pair that was tested; "better" is first, second or neither."""
    names = [(system["team"], system["run"]) for system in values["systems"]]
    rows = []
    for column in values["columns"]:
        for pair in column.get("pairs") or ():
            better = {pair["a"]: "first", pair["b"]: "second"}.get(pair["better"], "neither")
            numbers = (pair[name] for name in ("difference", "low", "high", "p", "adjusted"))
            written = tuple("" if number is None else repr(number) for number in numbers)
            at = column["level"] or "total", column["metric"]
            rows.append((*at, *names[pair["a"]], *names[pair["b"]], *written, better))
    return rows
