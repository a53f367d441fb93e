"""Which ranks of a board are real: intervals, tests of all pairs, clusters, rank ranges, stability.

All of it as plain values, so that `scorer board` and the site's job write the same bytes.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from scorer._version import __version__
from scorer.boards.board import Board, columns_of, official_columns, systems_of
from scorer.boards.board_data import LevelData, SystemData
from scorer.errors import RequestError
from scorer.inference.board_entries import collect_entries
from scorer.inference.board_intervals import board_intervals, count_resampled_columns
from scorer.inference.board_stability import board_stability
from scorer.inference.board_tests import TestOptions, board_tests, count_permutations
from scorer.statistics.intervals import DEFAULT_LEVEL, Resampling
from scorer.statistics.permutation import check_permutations, recommended_permutations

SCHEMA = "assay.inference/1"
Progress = Callable[[int], None]
"""Told how many steps were done since it was told last."""


@dataclass(frozen=True, slots=True)
class InferenceOptions:
    """How it is done; with the same options, board and files the bytes are the same.

    Parameters
    ----------
    b : int
        Resamples, 100 to 10 million.
    seed : int
        At least 0, of resamples and permutations.
    interval : "percentile" or "bca"
        Of values and totals; intervals of differences are percentile ones.
    level : float
        Their coverage.
    significance : bool
        Whether pairs are tested.
    permutations : int, optional
        How many; by default 20 times pairs / alpha.
    alpha : float
        The family-wise error of a column.
    """

    b: int = 10_000
    seed: int = 0
    interval: Literal["percentile", "bca"] = "bca"
    level: float = DEFAULT_LEVEL
    significance: bool = True
    permutations: int | None = None
    alpha: float = 0.05

    @property
    def resampling(self) -> Resampling:
        """How intervals are made."""
        return Resampling(self.b, self.seed, self.interval, self.level)

    def check(self) -> None:
        """Raise RequestError where these make no sense for any board."""
        if self.interval not in ("percentile", "bca"):
            raise RequestError(f'a board has percentile or bca intervals, not "{self.interval}"')
        self.resampling.check([])
        if self.significance:
            permutations = (
                recommended_permutations(0, self.alpha) if self.permutations is None else self.permutations
            )
            check_permutations(permutations, 0, self.alpha)

    @property
    def tests(self) -> TestOptions:
        """How pairs are tested."""
        return TestOptions(self.permutations, self.seed, self.alpha)


def infer_board(
    board: Board,
    levels: Sequence[LevelData],
    systems: Sequence[SystemData],
    options: InferenceOptions,
    progress: Progress = lambda _: None,
) -> dict[str, Any]:
    """Say of a board which of its ranks are real.

    Parameters
    ----------
    board : Board
        From `build_board`.
    levels : sequence of LevelData
        The gold of each of its levels.
    systems : sequence of SystemData
        The files of each of its rows.
    options : InferenceOptions
        How.
    progress : callable, optional
        Told of steps that are done, of those that `count_steps` says.

    Returns
    -------
    dict
        "systems" are the rows of the board in its order, and everything else names a system by its place
        there. "columns" are the levels by each metric and the totals: "intervals" of every row with a value;
        of official metrics and the official total "tests", "ranks" (rank, its range and its cluster) and
        "pairs" (difference, its interval, p, p adjusted by Holm, and who is better). "stability" is Kendall's
        tau with the order under other rules. Ends have six decimals.

    Raises
    ------
    RequestError
        If options make no sense, or a row or level has no data.
    """
    options.check()
    count_steps(board, options)
    entered = collect_entries(board, levels, systems)
    intervals = board_intervals(
        board, entered, options.resampling, pairs=options.significance, progress=progress
    )
    tested = board_tests(board, entered, intervals, options.tests, progress) if options.significance else {}
    sizes = {level_entries.slug: level_entries.n for level_entries in entered}
    return {
        "schema": SCHEMA,
        "scorer": __version__,
        "options": _options_dict(options),
        "systems": systems_of(board),
        "columns": [
            {
                "level": slug,
                "metric": metric,
                "n": None if slug is None else sizes[slug],
                "groups": intervals[slug, metric].units,
                "official": (slug, metric) in official_columns(board),
                "intervals": intervals[slug, metric].intervals,
                **tested.get((slug, metric), {}),
            }
            for slug, metric in columns_of(board)
        ],
        "stability": board_stability(board, entered) if options.significance else [],
    }


def count_steps(board: Board, options: InferenceOptions) -> int:
    """How much work it is: resamples of whole levels, and permutations.

    Raises
    ------
    RequestError
        If the permutations are too few for anything to be significant.
    """
    permutations = count_permutations(board, options.tests) if options.significance else 0
    return count_resampled_columns(board) * options.b + permutations


def _options_dict(options: InferenceOptions) -> dict[str, Any]:
    named = asdict(options)
    tests = {"test": "permutation", "alpha": options.alpha} if options.significance else {}
    return {name: named[name] for name in ("b", "seed", "interval", "level")} | tests
