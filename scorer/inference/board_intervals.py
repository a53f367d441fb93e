"""Confidence intervals for the values and totals of a board, and for the differences of official systems."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from scorer._version import __version__
from scorer.boards.board import Board, ColumnKey, TotalColumn, columns_of, official_columns, rows_of
from scorer.inference.board_entries import LevelEntries
from scorer.inference.board_pairs import rank_systems
from scorer.statistics.intervals import Interval, Resampling, interval_of, round_ends
from scorer.statistics.paired_bootstrap import difference_interval
from scorer.statistics.resampling import Replicates, bootstrap
from scorer.statistics.samples import Array, Sample
from scorer.values import number_or_none


@dataclass(frozen=True, slots=True)
class ColumnIntervals:
    """The confidence intervals of one column."""

    intervals: list[dict[str, Any]]
    """The intervals of the values, as JSON values."""
    differences: Mapping[tuple[int, int], tuple[float, float]]
    """The ends of the interval of each pair's difference, by the row indices of the pair."""
    units: int | None
    """The number of groups that were resampled, or None if items were resampled."""


def board_intervals(
    board: Board,
    entered: Sequence[LevelEntries],
    keys: Collection[ColumnKey],
    resampling: Resampling,
    *,
    pairs: bool,
    progress: Callable[[int], None],
) -> dict[ColumnKey, ColumnIntervals]:
    """Compute the intervals of some columns. A total is resampled within each of its levels.

    If `pairs` is true, the intervals of differences in official columns are computed too. The replicates of
    a level are discarded before those of the next level are computed, so that only the replicates of one
    level and one total are in memory.
    """
    work = _IntervalBuilder(board, {level.slug: level for level in entered}, resampling, pairs, progress)
    intervals: dict[ColumnKey, ColumnIntervals] = {}
    for place, column in enumerate(board.totals):
        if (None, column.name) not in keys:
            continue
        total = _TotalReplicates(board, column, place, resampling.b)
        for slug, metric in column.metrics.items():
            level = work.resample(slug, metric)
            if (slug, metric) in keys:
                intervals[slug, metric] = work.column((slug, metric), level)
            total.add(level, work.entered[slug].weight(board.rules))
        intervals[None, column.name] = work.column((None, column.name), total.finish())
    for key in keys:
        level_slug, metric = key
        if level_slug is not None and key not in intervals:
            intervals[key] = work.column(key, work.resample(level_slug, metric))
    return intervals


def count_resampled_columns(board: Board) -> int:
    """Count how many times a whole level is resampled, to show the progress."""
    inside = [key for column in board.totals for key in column.metrics.items()]
    rest = {key for key in columns_of(board) if key[0] is not None} - {*inside}
    return len(inside) + len(rest)


@dataclass(frozen=True, slots=True)
class _ColumnReplicates:
    """The replicates of some systems of a column. For a total, each system has jackknife values per level."""

    systems: Sequence[int]
    replicates: Replicates
    jackknives: Sequence[Sequence[Array]]
    signatures: Sequence[str]
    sample: Sample | None


@dataclass(frozen=True, slots=True)
class _IntervalBuilder:
    """Resamples levels and computes the intervals of columns, with the options that all columns share."""

    board: Board
    entered: Mapping[str, LevelEntries]
    resampling: Resampling
    pairs: bool
    progress: Callable[[int], None]

    def resample(self, slug: str, metric: str) -> _ColumnReplicates:
        cells = {system: row.cells[slug][metric] for system, row in enumerate(rows_of(self.board))}
        systems = [system for system, cell in cells.items() if number_or_none(cell.value) is not None]
        sample = self.entered[slug].sample(systems)
        replicates = bootstrap(
            sample,
            metric,
            b=self.resampling.b,
            seed=self.resampling.seed,
            jackknife=self.resampling.interval == "bca",
            progress=self.progress,
        )
        signatures = [cells[system].signature or "" for system in systems]
        return _ColumnReplicates(
            systems, replicates, [[estimates] for estimates in replicates.jackknife], signatures, sample
        )

    def column(self, key: ColumnKey, level: _ColumnReplicates) -> ColumnIntervals:
        resamples, sample = level.replicates, level.sample
        suffix = self.resampling.signature(sample)
        intervals = []
        for i, system in enumerate(level.systems):
            interval = interval_of(resamples, level.jackknives[i], i, self.resampling, suffix)
            estimate = float(resamples.estimates[i])
            intervals.append(_interval_dict(system, level.signatures[i], estimate, interval))
        with_pairs = self.pairs and key in official_columns(self.board)
        units = sample.size if sample is not None and sample.grouped else None
        return ColumnIntervals(intervals, self._differences(key, level) if with_pairs else {}, units)

    def _differences(
        self, key: ColumnKey, level: _ColumnReplicates
    ) -> dict[tuple[int, int], tuple[float, float]]:
        if level.replicates.units < 2:
            return {}
        place, intervals = {system: i for i, system in enumerate(level.systems)}, {}
        for pair in rank_systems(self.board, key).reported_pairs:
            i, j = (place[system] for system in pair)
            ends = difference_interval(level.replicates, i, j, self.resampling.level)
            if ends is not None:
                values = level.replicates.estimates[[i, j]].tolist()
                intervals[pair] = round_ends(*ends, values[0] - values[1], *values)
        return intervals


class _TotalReplicates:
    """Accumulates the replicates of a total level by level, for the rows that have a total."""

    def __init__(self, board: Board, column: TotalColumn, place: int, b: int) -> None:
        totals = [number_or_none(row.totals[place].value) for row in rows_of(board)]
        values = {system: total for system, total in enumerate(totals) if total is not None}
        self.systems, self.estimates = list(values), np.array(list(values.values()))
        m, rule = len(self.systems), board.rules.total
        self.signature = f"{rule}:{column.name}|v:{__version__}"
        self.averaged = rule != "sum"
        self.weights, self.bounds = np.zeros(m), np.zeros((m, 2))
        self.deviations: Any = np.zeros((m, b), dtype=np.float32)
        self.parts: list[list[tuple[float, Array]]] = [[] for _ in self.systems]
        self.units = 2

    def add(self, level: _ColumnReplicates, weight: float) -> None:
        place = {system: i for i, system in enumerate(level.systems)}
        self.units = min(self.units, level.replicates.units)
        if level.replicates.deviations.dtype != self.deviations.dtype:
            self.deviations = self.deviations.astype(float)
        for at, system in enumerate(self.systems):
            if system in place:
                i = place[system]
                with np.errstate(over="ignore"):
                    self.deviations[at] += level.replicates.deviations[i] * self.deviations.dtype.type(weight)
                self.bounds[at] += weight * level.replicates.bounds
                self.weights[at] += weight
                self.parts[at].append((weight, level.replicates.jackknife[i]))

    def finish(self) -> _ColumnReplicates:
        over = self.weights if self.averaged else np.ones_like(self.weights)
        self.deviations /= over[:, None].astype(self.deviations.dtype)
        for at, parts in enumerate(self.parts):
            for weight, values in parts:
                np.multiply(values, weight / over[at], out=values)  # no level needs them any more
        jackknives = [[values for _, values in parts] for parts in self.parts]
        self.bounds /= over[:, None]
        replicates = Replicates(self.estimates, self.deviations, np.empty((0, 0)), self.units, self.bounds)
        return _ColumnReplicates(
            self.systems, replicates, jackknives, [self.signature] * len(self.systems), None
        )


def _interval_dict(system: int, signature: str, estimate: float, interval: Interval) -> dict[str, Any]:
    head, _, version = signature.rpartition("|v:")
    undefined, low, high = interval.undefined, interval.low, interval.high
    if low is not None and high is not None:
        low, high = round_ends(low, high, estimate)
    return {
        "system": system,
        "low": low,
        "high": high,
        "degenerate": interval.degenerate,
        "undefined": None if undefined is None else asdict(undefined),
        "signature": f"{head}|{interval.signature}|v:{version}",
    }
