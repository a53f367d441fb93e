"""Statistical inference for a board: confidence intervals, pairwise tests, clusters, rank ranges, stability.

The result consists of JSON values, so that `scorer board` and the site's job write the same bytes.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from scorer._version import __version__
from scorer.boards.board import Board, ColumnKey, columns_of, official_columns, systems_of
from scorer.boards.board_data import LevelData, SystemData
from scorer.errors import RequestError
from scorer.inference.board_entries import LevelEntries, collect_entries, count_scored_units
from scorer.inference.board_intervals import board_intervals, count_resampled_columns
from scorer.inference.board_stability import board_stability
from scorer.inference.board_tests import TestOptions, board_tests, count_permutations
from scorer.statistics.adjustments import (
    ADJUSTMENT_NAMES,
    Adjustment,
    check_permutations,
    count_swaps,
    default_adjustment,
    recommended_permutations,
)
from scorer.statistics.intervals import DEFAULT_LEVEL, Resampling
from scorer.statistics.resampling import Progress

SCHEMA = "assay.inference/1"


@dataclass(frozen=True, slots=True)
class InferenceOptions:
    """The options of the inference. The same options, board and files give the same bytes.

    Parameters
    ----------
    b : int
        The number of bootstrap resamples, from 100 to 10 million.
    seed : int
        The seed of the resamples and permutations, at least 0.
    interval : "percentile" or "bca"
        The type of the confidence intervals of values and totals. Intervals of differences are always
        percentile intervals.
    level : float
        The coverage of the intervals.
    significance : bool
        Whether pairs of systems are tested.
    permutations : int, optional
        The number of permutations; by default 10,000, or for Holm's method 20 times pairs / alpha.
    alpha : float
        The family-wise error rate of a column.
    adjust : "max-t" or "holm", optional
        How p values are adjusted for the number of pairs. By default, `default_adjustment` of the official
        columns of the levels.
    """

    b: int = 10_000
    seed: int = 0
    interval: Literal["percentile", "bca"] = "bca"
    level: float = DEFAULT_LEVEL
    significance: bool = True
    permutations: int | None = None
    alpha: float = 0.05
    adjust: Adjustment | None = None

    @property
    def resampling(self) -> Resampling:
        """The options of the bootstrap intervals."""
        return Resampling(self.b, self.seed, self.interval, self.level)

    def check(self) -> None:
        """Raise RequestError if the options are not valid for any board."""
        if self.interval not in ("percentile", "bca"):
            raise RequestError(f'a board has percentile or bca intervals, not "{self.interval}"')
        self.resampling.check([])
        if self.significance:
            if self.adjust not in (None, *ADJUSTMENT_NAMES):
                raise RequestError(
                    f'p values are adjusted by {" or ".join(ADJUSTMENT_NAMES)}, not "{self.adjust}"'
                )
            permutations = (
                recommended_permutations(0, self.alpha) if self.permutations is None else self.permutations
            )
            check_permutations(permutations, 0, self.alpha)

    def settled(self, board: Board, levels: Sequence[LevelData]) -> "InferenceOptions":
        """Return these options with the default adjustment filled in."""
        units = {level.slug: count_scored_units(level) for level in levels}
        columns = [(level.metrics[0], units.get(level.slug, 0)) for level in board.levels]
        return self if self.adjust else replace(self, adjust=default_adjustment(columns))

    @property
    def tests(self) -> TestOptions:
        """The options of the pairwise tests."""
        return TestOptions(self.permutations, self.seed, self.alpha, self.adjust or "holm")


def infer_board(
    board: Board,
    levels: Sequence[LevelData],
    systems: Sequence[SystemData],
    options: InferenceOptions,
    progress: Progress = lambda _: None,
    columns: Sequence[Mapping[str, Any]] | None = None,
) -> dict[str, Any]:
    """Compute the statistical inference for a board.

    Parameters
    ----------
    board : Board
        The board, as `build_board` returns it.
    levels : sequence of LevelData
        The gold of each level of the board.
    systems : sequence of SystemData
        The runs of each row of the board.
    options : InferenceOptions
        The options of the resampling and of the tests.
    progress : callable, optional
        A callback. It is called with the number of steps that were completed since its last call;
        `count_steps` returns the number of all steps.
    columns : sequence of dict, optional
        All columns, in any order, if `infer_column` has computed them. The result is the same.

    Returns
    -------
    dict
        "systems" lists the rows of the board in order; everything else identifies a system by its index in
        this list. "columns" has an entry for each metric of each level and for each total. It has
        "intervals" for every row with a value. For official metrics and the official total, it also has
        "tests", "ranks" (rank, rank range and cluster) and "pairs" (difference, its interval, p, p adjusted,
        with "max-t" its 95 % Monte Carlo interval, and the better system; above 120 systems only of neighbors
        in the ranking). If a baseline has a value in such a column, "baseline" has the best one ("system"),
        and a test of each official system against it (difference, p, p adjusted over these tests alone, its
        interval, and whether the system is significantly better). "stability" has Kendall's tau between the
        official ranking and the rankings under other rules. The ends of intervals have six decimal places.

    Raises
    ------
    RequestError
        If an option is not valid, or there is no data for a row or a level.
    """
    options = _checked(board, levels, options)
    entered = collect_entries(board, levels, systems)
    if columns is None:
        columns = _infer_columns(board, entered, columns_of(board), options, progress)
    by_key = {(column["level"], column["metric"]): column for column in columns}
    return {
        "schema": SCHEMA,
        "scorer": __version__,
        "options": _options_dict(options),
        "systems": systems_of(board),
        "columns": [by_key[key] for key in columns_of(board)],
        "stability": board_stability(board, entered) if options.significance else [],
    }


def infer_column(
    board: Board,
    levels: Sequence[LevelData],
    systems: Sequence[SystemData],
    options: InferenceOptions,
    key: ColumnKey,
) -> dict[str, Any]:
    """Compute one of the columns of `infer_board`, with the same values.

    It needs the gold of all levels, but only the runs of its own level or, for a total, of the levels in it.
    """
    options = _checked(board, levels, options)
    (column,) = _infer_columns(board, collect_entries(board, levels, systems), [key], options, lambda _: None)
    return column


def _infer_columns(
    board: Board,
    entered: Sequence[LevelEntries],
    keys: Collection[ColumnKey],
    options: InferenceOptions,
    progress: Progress,
) -> list[dict[str, Any]]:
    with_tests = options.significance
    intervals = board_intervals(board, entered, keys, options.resampling, pairs=with_tests, progress=progress)
    tested = board_tests(board, entered, keys, intervals, options.tests, progress) if with_tests else {}
    sizes = {level_entries.slug: level_entries.n for level_entries in entered}
    return [
        {
            "level": slug,
            "metric": metric,
            "n": None if slug is None else sizes[slug],
            "groups": intervals[slug, metric].units,
            "official": (slug, metric) in official_columns(board),
            "intervals": intervals[slug, metric].intervals,
            **tested.get((slug, metric), {}),
        }
        for slug, metric in keys
    ]


def _checked(board: Board, levels: Sequence[LevelData], options: InferenceOptions) -> InferenceOptions:
    """Return options with the default adjustment filled in, if they are valid for this board."""
    options.check()
    options = options.settled(board, levels)
    count_steps(board, levels, options)
    return options


def count_steps(board: Board, levels: Sequence[LevelData], options: InferenceOptions) -> int:
    """Count the steps of the inference: the resamples of all levels and the permutations.

    Raises
    ------
    RequestError
        If there are too few permutations for any pair to be significant.
    """
    options = options.settled(board, levels)
    permutations = count_permutations(board, options.tests) if options.significance else 0
    return count_resampled_columns(board) * options.b + count_swaps(permutations, options.tests.adjust)


def _options_dict(options: InferenceOptions) -> dict[str, Any]:
    named = asdict(options)
    names = ("alpha", "adjust")
    tests = {"test": "permutation", **{name: named[name] for name in names}} if options.significance else {}
    return {name: named[name] for name in ("b", "seed", "interval", "level")} | tests
