"""Tests of a board's official systems, by Holm's method per column: all pairs, and with the best baseline."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import comb
from typing import Any

from scorer._version import __version__
from scorer.boards.board import Board, Cell, ColumnKey, Row, Total, official_columns, rows_of
from scorer.inference.board_entries import LevelEntries
from scorer.inference.board_intervals import ColumnIntervals
from scorer.inference.clusters import cluster_numbers, rank_range
from scorer.metrics import METRICS
from scorer.statistics.multiple_testing import holm
from scorer.statistics.permutation import (
    TESTABLE_METRICS,
    LevelColumn,
    PairTest,
    check_permutations,
    pair_tests,
    recommended_permutations,
)
from scorer.statistics.swap_rules import SWAPPED_VALUES
from scorer.values import Undefined

MAX_SYSTEMS = 120
"""The maximum number of systems of a column whose pairs are tested."""


@dataclass(frozen=True, slots=True)
class TestOptions:
    """The options of the pairwise tests."""

    permutations: int | None
    """The number of permutations. None means the number that is recommended for Holm's method."""
    seed: int
    alpha: float


@dataclass(frozen=True, slots=True)
class _RankedSystems:
    """The official systems that have a value in a column, from best to worst, with their values and ranks."""

    order: list[int]
    values: Mapping[int, float]
    ranks: Mapping[int, int]
    higher_is_better: bool


def count_permutations(board: Board, options: TestOptions) -> int:
    """Return the number of permutations for a board's tests, or 0 if there is nothing to test.

    Raises
    ------
    RequestError
        If there are too few permutations for Holm's method to reject any hypothesis.
    """
    most = 0
    for key in official_columns(board):
        m = len(_rank_systems(board, key).order)
        if m <= MAX_SYSTEMS:
            most = max(most, comb(m, 2), m if _find_best_baseline(board, key) is not None else 0)
    if most == 0:
        return 0
    permutations = options.permutations
    if permutations is None:
        permutations = recommended_permutations(most, options.alpha)
    check_permutations(permutations, most, options.alpha)
    return permutations


def board_tests(
    board: Board,
    entered: Sequence[LevelEntries],
    intervals: Mapping[ColumnKey, ColumnIntervals],
    options: TestOptions,
    progress: Callable[[int], None],
) -> dict[ColumnKey, dict[str, Any]]:
    """Return the "tests", "ranks", "pairs" and perhaps "baseline" of each official column, as JSON values."""
    permutations = count_permutations(board, options)
    refusals = {key: _refusal(board, key) for key in official_columns(board)}
    columns = _level_columns(board, entered, refusals)
    by_level, total = pair_tests(columns, permutations=permutations, seed=options.seed, progress=progress)
    values_by_key = {}
    for key, refused in refusals.items():
        ranked = _rank_systems(board, key)
        tests = total if key[0] is None else by_level.get(key[0], [])
        tests = [test for test in tests if test.first in ranked.values and not refused]
        pairs = [test for test in tests if test.second in ranked.values]
        values_by_key[key] = _column_dict(ranked, pairs, refused, intervals[key], permutations, options)
        best = _find_best_baseline(board, key)
        against = [test for test in tests if test.second == best]
        if not pairs and not against:
            continue
        column = _column_signature(board, entered, key, intervals[key].units)
        method = f"permutations:{permutations}|holm:{options.alpha!r}|seed:{options.seed}|v:{__version__}"
        if pairs:
            values_by_key[key]["tests"]["signature"] = f"{column}|{method}"
        if best is not None and against:
            values_by_key[key]["baseline"] = {
                "system": best,
                "permutations": permutations,
                "tests": _baseline_tests(board, key, ranked, against, options.alpha),
                "signature": f"{column}|against:best-baseline|{method}",
            }
    return values_by_key


def _column_signature(
    board: Board, entered: Sequence[LevelEntries], key: ColumnKey, groups: int | None
) -> str:
    """Return the part of a signature that describes a column: the metric, the items, and what is swapped."""
    slug, metric = key
    if slug is None:
        metrics = [*board.totals[0].metrics.values()]
        column = f"{board.rules.total}:{metric}"
    else:
        metrics = [metric]
        n = next(level_entries.n for level_entries in entered if level_entries.slug == slug)
        column = f"{metric}|n:{n}" if groups is None else f"{metric}|n:{n}|groups:{groups}"
    swapped = "+".join(dict.fromkeys(SWAPPED_VALUES[used_metric] for used_metric in metrics))
    return f"{column}|test:permutation|swaps:{swapped}"


def _refusal(board: Board, key: ColumnKey) -> str | None:
    """Return the reason why a column is not tested, or None if it is tested."""
    slug, _ = key
    used = board.totals[0].metrics.values() if slug is None else [key[1]]
    m = len(_rank_systems(board, key).order)
    untested = [metric for metric in used if metric not in TESTABLE_METRICS]
    if m > MAX_SYSTEMS:
        return f"{m} systems, and pairs are tested of {MAX_SYSTEMS} at most; there are intervals only"
    if untested:
        return f"{untested[0]} has no permutation test; there are intervals only"
    return None


def _level_columns(
    board: Board, entered: Sequence[LevelEntries], refusals: Mapping[ColumnKey, str | None]
) -> list[LevelColumn]:
    """Return the columns to permute. A level with too many systems has only those whose total is tested.

    The best baseline of the level and that of the total are the last systems, if they have a value there.
    """
    columns = []
    total: Mapping[str, str] = {}
    if board.totals and refusals[None, board.totals[0].name] is None:
        total = board.totals[0].metrics
    for level, data in zip(board.levels, entered, strict=True):
        key, metric = (level.slug, level.metrics[0]), level.metrics[0]
        systems = sorted(_rank_systems(board, key).order)
        if refusals[key] is not None:
            with_total = _rank_systems(board, (None, board.totals[0].name)).values if total else {}
            systems = [system for system in systems if level.slug in total and system in with_total]
        systems += _list_baselines(board, key, in_total=level.slug in total)
        if systems and metric in TESTABLE_METRICS:
            sample, weight = data.sample(systems), data.weight(board.rules)
            columns.append(
                LevelColumn(level.slug, metric, sample, tuple(systems), weight, level.slug in total)
            )
    return columns


def _find_best_baseline(board: Board, key: ColumnKey) -> int | None:
    """Return the baseline with the best value in a column, the first of equal ones; None: there is none."""
    values = _baseline_values(board, key)
    sign = 1 if _is_higher_better(board, key) else -1
    return max(values, key=lambda system: sign * values[system], default=None)


def _list_baselines(board: Board, key: ColumnKey, *, in_total: bool) -> list[int]:
    """List the best baseline of a level and, if the level is in the total, that of the total."""
    keys = [key, (None, board.totals[0].name)] if in_total else [key]
    best = {_find_best_baseline(board, each) for each in keys}
    return [system for system in _baseline_values(board, key) if system in best]


def _baseline_values(board: Board, key: ColumnKey) -> dict[int, float]:
    """Return the values of the baselines that have one in a column."""
    values = {system: _cell(row, key).value for system, row in enumerate(rows_of(board))}
    return {
        system: value
        for system, value in values.items()
        if system >= len(board.official) + len(board.late) and not isinstance(value, Undefined)
    }


def _cell(row: Row, key: ColumnKey) -> Cell | Total:
    slug, metric = key
    return row.totals[0] if slug is None else row.cells[slug][metric]


def _is_higher_better(board: Board, key: ColumnKey) -> bool:
    slug, metric = key
    return board.totals[0].higher_is_better if slug is None else METRICS[metric].higher_is_better


def _rank_systems(board: Board, key: ColumnKey) -> _RankedSystems:
    cells_by_system = {system: _cell(row, key) for system, row in enumerate(board.official)}
    higher = _is_higher_better(board, key)
    values = {
        system: cell.value
        for system, cell in cells_by_system.items()
        if not isinstance(cell.value, Undefined)
    }
    ranks = {system: cells_by_system[system].rank or 0 for system in values}
    return _RankedSystems(sorted(values, key=lambda system: (ranks[system], system)), values, ranks, higher)


def _column_dict(
    ranked: _RankedSystems,
    tests: Sequence[PairTest],
    refused: str | None,
    intervals: ColumnIntervals,
    permutations: int,
    options: TestOptions,
) -> dict[str, Any]:
    adjusted = holm([test.p for test in tests])
    pairs = [
        _pair_dict(test, p, ranked, intervals, options.alpha) for test, p in zip(tests, adjusted, strict=True)
    ]
    better = {
        (pair["better"], pair["a"] + pair["b"] - pair["better"])
        for pair in pairs
        if pair["better"] is not None
    }
    order = ranked.order if refused is None else []
    clusters = cluster_numbers(order, better)
    ranges = [rank_range(system, order, better) for system in order]
    return {
        "tests": {
            "systems": len(ranked.order),
            "pairs": len(pairs),
            "permutations": permutations if pairs else 0,
            "alpha": options.alpha,
            "refused": refused,
        },
        "ranks": [
            {"system": system, "rank": ranked.ranks[system], "low": low, "high": high, "cluster": cluster}
            for system, (low, high), cluster in zip(order, ranges, clusters, strict=True)
        ],
        "pairs": pairs,
    }


def _baseline_tests(
    board: Board, key: ColumnKey, ranked: _RankedSystems, tests: Sequence[PairTest], alpha: float
) -> list[dict[str, Any]]:
    """Return the tests of systems against the best baseline, a family of their own, as JSON values."""
    baselines, adjusted = _baseline_values(board, key), holm([test.p for test in tests])
    differences = [ranked.values[test.first] - baselines[test.second] for test in tests]
    return [
        {
            "system": test.first,
            "difference": difference,
            "p": test.p,
            "adjusted": p,
            "better": p <= alpha and (difference > 0) == ranked.higher_is_better,
        }
        for test, p, difference in zip(tests, adjusted, differences, strict=True)
    ]


def _pair_dict(
    test: PairTest, adjusted: float, ranked: _RankedSystems, intervals: ColumnIntervals, alpha: float
) -> dict[str, Any]:
    first, second = test.first, test.second
    difference = ranked.values[first] - ranked.values[second]
    low, high = intervals.differences.get((first, second), (None, None))
    winner = first if (difference > 0) == ranked.higher_is_better else second
    return {
        "a": first,
        "b": second,
        "difference": difference,
        "low": low,
        "high": high,
        "p": test.p,
        "adjusted": adjusted,
        "better": winner if adjusted <= alpha else None,
    }
