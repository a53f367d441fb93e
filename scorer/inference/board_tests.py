"""Tests of a board's official systems in each column: all pairs, and each system with the best baseline."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import comb
from typing import Any

from scorer._version import __version__
from scorer.boards.board import Board, ColumnKey, official_columns, rows_of
from scorer.inference.board_entries import LevelEntries
from scorer.inference.board_intervals import ColumnIntervals
from scorer.inference.board_pairs import RankedSystems, get_cell, rank_systems
from scorer.inference.clusters import cluster_numbers, rank_range
from scorer.statistics.adjustments import Adjustment, check_permutations, recommended_permutations
from scorer.statistics.multiple_testing import monte_carlo_interval
from scorer.statistics.permutation import TESTABLE_METRICS, LevelColumn, PairTest, permute_pairs
from scorer.statistics.swap_rules import SWAPPED_VALUES
from scorer.values import Undefined


@dataclass(frozen=True, slots=True)
class TestOptions:
    """The options of the pairwise tests."""

    permutations: int | None
    """The number of permutations. None means the number that is recommended for the adjustment."""
    seed: int
    alpha: float
    adjust: Adjustment


def count_permutations(board: Board, options: TestOptions) -> int:
    """Return the number of permutations for a board's tests, or 0 if there is nothing to test.

    Raises
    ------
    RequestError
        If there are too few permutations for any hypothesis to be rejected.
    """
    most = 0
    for key in official_columns(board):
        m = len(rank_systems(board, key).order)
        most = max(most, comb(m, 2), m if _find_best_baseline(board, key) is not None else 0)
    if most == 0:
        return 0
    permutations = options.permutations
    if permutations is None:
        permutations = recommended_permutations(most, options.alpha, options.adjust)
    check_permutations(permutations, most, options.alpha, options.adjust)
    return permutations


def board_tests(
    board: Board,
    entered: Sequence[LevelEntries],
    keys: Collection[ColumnKey],
    intervals: Mapping[ColumnKey, ColumnIntervals],
    options: TestOptions,
    progress: Callable[[int], None],
) -> dict[ColumnKey, dict[str, Any]]:
    """Return "tests", "ranks", "pairs" and perhaps "baseline" of the official columns in `keys`, as JSON."""
    official = [key for key in official_columns(board) if key in keys]
    if not official:
        return {}
    permutations = count_permutations(board, options)
    refusals = {key: _refusal(board, key) for key in official}
    counts = permute_pairs(
        _level_columns(board, entered, official),
        permutations=permutations,
        seed=options.seed,
        adjust=options.adjust,
        total=_list_totals(board),
        progress=progress,
    )
    values_by_key = {}
    for key, refused in refusals.items():
        ranked = rank_systems(board, key)
        tests = counts[key[0]].tests(permutations, options.adjust) if key[0] in counts else []
        tests = [test for test in tests if test.first in ranked.values and not refused]
        pairs = [test for test in tests if test.second in ranked.values]
        values_by_key[key] = _column_dict(ranked, pairs, refused, intervals[key], permutations, options)
        best = _find_best_baseline(board, key)
        against = [test for test in tests if test.second == best]
        if not pairs and not against:
            continue
        column = _column_signature(board, entered, key, intervals[key].units)
        method = f"permutations:{permutations}|{options.adjust}:{options.alpha!r}|seed:{options.seed}"
        if pairs:
            values_by_key[key]["tests"]["signature"] = f"{column}|{method}|v:{__version__}"
        if best is not None and against:
            values_by_key[key]["baseline"] = {
                "system": best,
                "permutations": permutations,
                "tests": _baseline_tests(board, key, ranked, against, permutations, options),
                "signature": f"{column}|against:best-baseline|{method}|v:{__version__}",
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
    untested = [metric for metric in used if metric not in TESTABLE_METRICS]
    return f"{untested[0]} has no permutation test; there are intervals only" if untested else None


def _level_columns(
    board: Board, entered: Sequence[LevelEntries], keys: Collection[ColumnKey]
) -> Iterator[LevelColumn]:
    """Yield the columns to permute for some official columns.

    The best baseline of the level and that of the total are the last systems, if they have a value there.
    """
    total: Mapping[str, str] = {}
    if board.totals and _refusal(board, (None, board.totals[0].name)) is None:
        total = board.totals[0].metrics
    added = total if board.totals and (None, board.totals[0].name) in keys else {}
    for level, data in zip(board.levels, entered, strict=True):
        key, metric = (level.slug, level.metrics[0]), level.metrics[0]
        if key not in keys and level.slug not in added:
            continue
        systems = sorted(rank_systems(board, key).order)
        baselines = _list_baselines(board, key, in_total=level.slug in total)
        if systems + baselines and metric in TESTABLE_METRICS:
            yield LevelColumn(
                level.slug,
                metric,
                data.sample(systems + baselines),
                (*systems, *baselines),
                data.weight(board.rules),
                counts=level.slug in added,
                rivals=len(baselines),
                tested=key in keys,
            )


def _list_totals(board: Board) -> set[int]:
    """List the official systems with a total, and the best baseline of the total."""
    if not board.totals:
        return set()
    key = (None, board.totals[0].name)
    best = _find_best_baseline(board, key)
    return {*rank_systems(board, key).values, *([] if best is None else [best])}


def _find_best_baseline(board: Board, key: ColumnKey) -> int | None:
    """Return the baseline with the best value in a column, the first of equal ones; None: there is none."""
    values = _baseline_values(board, key)
    sign = 1 if board.higher_is_better(key) else -1
    return max(values, key=lambda system: sign * values[system], default=None)


def _list_baselines(board: Board, key: ColumnKey, *, in_total: bool) -> list[int]:
    """List the best baseline of a level and, if the level is in the total, that of the total."""
    keys = [key, (None, board.totals[0].name)] if in_total else [key]
    best = {_find_best_baseline(board, each) for each in keys}
    return [system for system in _baseline_values(board, key) if system in best]


def _baseline_values(board: Board, key: ColumnKey) -> dict[int, float]:
    """Return the values of the baselines that have one in a column."""
    values = {system: get_cell(row, key).value for system, row in enumerate(rows_of(board))}
    return {
        system: value
        for system, value in values.items()
        if system >= len(board.official) + len(board.late) and not isinstance(value, Undefined)
    }


def _column_dict(
    ranked: RankedSystems,
    tests: Sequence[PairTest],
    refused: str | None,
    intervals: ColumnIntervals,
    permutations: int,
    options: TestOptions,
) -> dict[str, Any]:
    better = {
        (winner, test.first + test.second - winner)
        for test in tests
        if (winner := _find_winner(test, ranked, options.alpha)) is not None
    }
    order = ranked.order if refused is None else []
    clusters = cluster_numbers(order, better)
    ranges = [rank_range(system, order, better) for system in order]
    reported = {*ranked.reported_pairs}
    return {
        "tests": {
            "systems": len(ranked.order),
            "pairs": len(tests),
            "permutations": permutations if tests else 0,
            "alpha": options.alpha,
            "refused": refused,
        },
        "ranks": [
            {"system": system, "rank": ranked.ranks[system], "low": low, "high": high, "cluster": cluster}
            for system, (low, high), cluster in zip(order, ranges, clusters, strict=True)
        ],
        "pairs": [
            _pair_dict(test, ranked, intervals, permutations, options)
            for test in tests
            if (test.first, test.second) in reported
        ],
    }


def _baseline_tests(
    board: Board,
    key: ColumnKey,
    ranked: RankedSystems,
    tests: Sequence[PairTest],
    permutations: int,
    options: TestOptions,
) -> list[dict[str, Any]]:
    """Return the tests of systems against the best baseline, a family of their own, as JSON values."""
    baselines = _baseline_values(board, key)
    differences = [ranked.values[test.first] - baselines[test.second] for test in tests]
    return [
        {
            "system": test.first,
            "difference": difference,
            **_p_values(test, permutations, options),
            "better": test.adjusted <= options.alpha and (difference > 0) == ranked.higher_is_better,
        }
        for test, difference in zip(tests, differences, strict=True)
    ]


def _pair_dict(
    test: PairTest,
    ranked: RankedSystems,
    intervals: ColumnIntervals,
    permutations: int,
    options: TestOptions,
) -> dict[str, Any]:
    low, high = intervals.differences.get((test.first, test.second), (None, None))
    return {
        "a": test.first,
        "b": test.second,
        "difference": ranked.values[test.first] - ranked.values[test.second],
        "low": low,
        "high": high,
        **_p_values(test, permutations, options),
        "better": _find_winner(test, ranked, options.alpha),
    }


def _p_values(test: PairTest, permutations: int, options: TestOptions) -> dict[str, Any]:
    """Return p, p adjusted, and the Monte Carlo interval of a p value that was adjusted by counting."""
    p_values: dict[str, Any] = {"p": test.p, "adjusted": test.adjusted}
    if options.adjust == "max-t":
        p_values["adjusted_interval"] = monte_carlo_interval(test.adjusted, permutations)
    return p_values


def _find_winner(test: PairTest, ranked: RankedSystems, alpha: float) -> int | None:
    """Return the system of a pair that is significantly better, if one is."""
    if test.adjusted > alpha:
        return None
    difference = ranked.values[test.first] - ranked.values[test.second]
    return test.first if (difference > 0) == ranked.higher_is_better else test.second
