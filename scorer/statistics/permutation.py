"""The paired permutation test of all pairs of systems at once, with shared masks.

Under the null hypothesis, two systems could swap their predictions on any item. For a correlation, the scores
of the systems (for Spearman, their ranks) are standardized first. Then each item is swapped with probability
one half, and the difference is computed again. A swap changes a sum of one system by the other system's sum
over the mask minus its own sum over the mask. So the sums over shared masks are enough for all pairs, and no
pair needs its own loop over the items.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import ceil

import numpy as np
from numpy.typing import NDArray

from scorer.errors import RequestError
from scorer.statistics.random_streams import MAX_UNITS, draw_masks, open_stream
from scorer.statistics.resampling import Progress
from scorer.statistics.samples import Array, Sample
from scorer.statistics.swap_rules import SWAPPED_VALUES
from scorer.statistics.swaps import make_swaps

TESTABLE_METRICS = tuple(SWAPPED_VALUES)
"""The metrics whose differences this test can test."""
HOLM_STEP_PARTS = 20
"""The recommended number of permutations is this multiple of the minimum for Holm's smallest step."""
MAX_PERMUTATIONS = 10_000_000
MIN_ALPHA = 1e-6
_BATCH_CELLS = 2**19


@dataclass(frozen=True, slots=True)
class LevelColumn:
    """A level with its gold and the systems that have a value for it.

    Parameters
    ----------
    name : str
        The level's slug.
    metric : str
        One of `TESTABLE_METRICS`.
    sample : Sample
        The gold and the scores of these systems. All items of a unit are swapped together.
    systems : (k,) tuple of int
        The system of each row of the sample, in ascending order.
    weight : float
        The weight of a difference in the total; 1 if the total is a sum.
    counts : bool
        Whether the level is part of the total.
    """

    name: str
    metric: str
    sample: Sample
    systems: tuple[int, ...]
    weight: float = 1.0
    counts: bool = True


@dataclass(frozen=True, slots=True)
class PairTest:
    """The test of one pair of systems in one column.

    Parameters
    ----------
    first, second : int
        The systems, first < second.
    difference : float
        The metric of the first system minus the metric of the second.
    extreme : int
        The number of permutations with a difference whose absolute value is at least as large.
    p : float
        The two-sided p value, (1 + extreme) / (1 + permutations).
    """

    first: int
    second: int
    difference: float
    extreme: int
    p: float


def recommended_permutations(pairs: int, alpha: float) -> int:
    """Return the recommended number of permutations for Holm's method over a number of pairs.

    Parameters
    ----------
    pairs : int
        The number of pairs in one column, at least 0.
    alpha : float
        The family-wise error rate, between 0 and 1.

    Returns
    -------
    int
        20 times pairs / alpha, at least 1000 and at most 10 million. The smallest p value after Holm's
        method is pairs / (permutations + 1), which should be well below alpha.

    Raises
    ------
    RequestError
        If alpha is out of range.

    Examples
    --------
    >>> recommended_permutations(703, 0.05)
    281200
    """
    _check_alpha(alpha)
    return min(MAX_PERMUTATIONS, max(1000, ceil(round(HOLM_STEP_PARTS * pairs / alpha, 6))))


def check_permutations(permutations: int, pairs: int, alpha: float) -> None:
    """Check that the number of permutations is within its bounds.

    Raises
    ------
    RequestError
        If there are too many permutations, or so few that no pair could be significant after Holm's method.
        The message has the minimum and the recommended number.
    """
    _check_alpha(alpha)
    if permutations > MAX_PERMUTATIONS:
        raise RequestError(f"{permutations} permutations; give at most {MAX_PERMUTATIONS}")
    if pairs / (permutations + 1) > alpha:
        fewest, good = ceil(round(pairs / alpha, 6)) - 1, recommended_permutations(pairs, alpha)
        if fewest > MAX_PERMUTATIONS:
            raise RequestError(f"alpha {alpha:g} is out of reach for {pairs} pairs; give a larger one")
        raise RequestError(
            f"with {permutations} permutations none of {pairs} pairs could reach {alpha:g} after Holm's "
            f"correction; give at least {max(fewest, 1)}, better {good}"
        )


def _check_alpha(alpha: float) -> None:
    if not MIN_ALPHA <= alpha < 1:
        raise RequestError(f"alpha is {alpha:g}; it must be from {MIN_ALPHA:g} up and below 1, as 0.05 is")


def pair_tests(
    columns: Sequence[LevelColumn], *, permutations: int, seed: int, progress: Progress = lambda _: None
) -> tuple[dict[str, list[PairTest]], list[PairTest]]:
    """Test every pair of systems in each column, and for the total over the columns that count.

    Parameters
    ----------
    columns : sequence of LevelColumn
        The levels.
    permutations : int
        The number of permutations.
    seed : int
        The seed of the masks, at least 0. The masks depend only on the seed and the gold, and are
        independent between levels.
    progress : callable, optional
        A callback. It is called with the number of permutations that were completed since its last call.

    Returns
    -------
    by_column : dict
        The tests of each column by its name, with the pairs in the order of the systems.
    total : list of PairTest
        The tests of the total, for pairs of systems that are in exactly the same counting columns, and in at
        least one of them. The statistic is the sum of weight times difference over these columns.

    Raises
    ------
    RequestError
        If a metric has no permutation test, or there are too many units.

    Notes
    -----
    For Pearson, the scores x of each system are standardized over all items before they are swapped:
    a = (x - mean(x)) / sqrt(mean((x - mean(x))^2)). For Spearman, x are the ranks over all items, which are
    computed once. The reason is that a correlation ignores scale, so each system may have a different scale,
    and a swap of raw scores would mix two scales. As a result, p does not depend on the scale of a system. It
    can be larger or smaller than the p value of a test that swaps raw scores if the scores of two systems
    have different variances.

    With standardized scores a and b and a mask of the units to swap, the first system after the swap is
    a + mask (b - a): its sums of x, x x and x y change by the sum of b over the mask minus the sum of a over
    the mask. If a system is constant after a swap, the difference is undefined and counts as extreme, which
    is conservative. For mean errors and choice accuracies, raw scores are swapped, by way of the items'
    errors and the groups' credits.

    References
    ----------
    Deutsch, Dror & Roth (2021), "A Statistical Analysis of Summarization Evaluation Metrics Using Resampling
    Methods", TACL 9, 1132-1146, doi:10.1162/tacl_a_00417, PERM-BOTH. p: Phipson & Smyth (2010),
    doi:10.2202/1544-6115.1585.

    Examples
    --------
    >>> from scorer.statistics.samples import make_sample
    >>> gold = [float(k) for k in range(10)]
    >>> sample = make_sample(gold, [[v + v % 2 for v in gold], [-v for v in gold]])
    >>> found, _ = pair_tests([LevelColumn("level", "pearson", sample, (0, 1))], permutations=999, seed=1)
    >>> found["level"][0].p
    0.005
    """
    for column in columns:
        if column.metric not in TESTABLE_METRICS:
            raise RequestError(
                f"{column.metric} has no permutation test (these have: {', '.join(TESTABLE_METRICS)})"
            )
        if column.sample.size > MAX_UNITS:
            raise RequestError(
                f"{column.sample.size} units are more than can be swapped; {MAX_UNITS} is the most"
            )
    work = [_ColumnTally(column, seed) for column in columns]
    total_tally = _TotalTally(work)
    rows = max(16, min(1024, _BATCH_CELLS // max([column.sample.size for column in columns], default=1)))
    for start in range(0, permutations, rows):
        k = min(rows, permutations - start)
        for tally in work:
            tally.swap(k)
        for first in range(total_tally.systems):
            for tally in work:
                tally.count(first)
            total_tally.count(first)
        progress(k)
    return {tally.column.name: tally.tests(permutations) for tally in work}, total_tally.tests(permutations)


class _ColumnTally:
    """The state of one column during the permutations: the sums over the current masks, and the tally."""

    def __init__(self, column: LevelColumn, seed: int) -> None:
        self.column = column
        self.place = {system: place for place, system in enumerate(column.systems)}
        self.swaps = make_swaps(column.sample, column.metric)
        self.stream = open_stream(seed, column.sample.gold.tolist(), "permutation", column.sample.copy)
        k = len(column.systems)
        self.bounds = [np.abs(self.swaps.observed(i)) - self.swaps.noise(i) for i in range(k)]
        self.extreme = np.zeros((k, k), dtype=np.int64)
        self.differences: Array = np.empty((0, 0))

    @property
    def weight(self) -> float:
        """The weight of a difference between swapped systems in the total."""
        return self.column.weight * self.swaps.unit

    def swap(self, rows: int) -> None:
        """Draw the masks of a batch of permutations."""
        self.swaps.take(draw_masks(self.stream, rows, self.column.sample.size))

    def count(self, system: int) -> None:
        """Compute the differences between a system and all later systems, and count the extreme ones."""
        place = self.place.get(system)
        if place is None:
            return
        self.differences = self.swaps.differences(place)
        self.extreme[place, place + 1 :] += _count_extreme(self.differences, self.bounds[place])

    def tests(self, permutations: int) -> list[PairTest]:
        """Return the tests of all pairs."""
        pairs = combinations(range(len(self.column.systems)), 2)
        return [
            _pair_test(
                (self.column.systems[i], self.column.systems[j]),
                float(self.swaps.values[i] - self.swaps.values[j]),
                int(self.extreme[i, j]),
                permutations,
            )
            for i, j in pairs
        ]


class _TotalTally:
    """The state of the total: the pairs that entered the same columns, and how many sums were extreme."""

    def __init__(self, work: Sequence[_ColumnTally]) -> None:
        self.work = [tally for tally in work if tally.column.counts]
        self.systems = 1 + max((system for tally in work for system in tally.column.systems), default=-1)
        entered = [tuple(system in tally.place for tally in self.work) for system in range(self.systems)]
        self.others = [
            [j for j in range(i + 1, self.systems) if entered[i] == entered[j] and any(entered[i])]
            for i in range(self.systems)
        ]
        self.extreme = [np.zeros(len(others), dtype=np.int64) for others in self.others]
        self.observed = [np.zeros(len(others)) for others in self.others]
        noise = [np.zeros(len(others)) for others in self.others]
        with np.errstate(over="ignore"):
            for system in range(self.systems):
                for tally, place, later in self._places(system):
                    self.observed[system] += tally.weight * tally.swaps.observed(place)[later]
                    noise[system] += tally.weight * tally.swaps.noise(place)[later]
        self.bounds = [np.abs(values) - slack for values, slack in zip(self.observed, noise, strict=True)]

    def _places(self, system: int) -> Iterator[tuple[_ColumnTally, int, list[int]]]:
        """Yield each column that a system entered, its place, and the indices of the others after it."""
        for tally in self.work:
            if system in tally.place:
                place = tally.place[system]
                yield tally, place, [tally.place[other] - place - 1 for other in self.others[system]]

    def count(self, system: int) -> None:
        """Add up the last differences of this system over all columns, and count the extreme sums."""
        if not self.others[system]:
            return
        sums: Array = np.zeros(())
        with np.errstate(over="ignore", invalid="ignore"):
            for tally, _, later in self._places(system):
                sums = sums + tally.weight * tally.differences[later]
        self.extreme[system] += _count_extreme(sums, self.bounds[system])

    def tests(self, permutations: int) -> list[PairTest]:
        """Return the tests of all pairs that entered the same columns."""
        return [
            _pair_test((i, j), float(difference), int(extreme), permutations)
            for i, others in enumerate(self.others)
            for j, difference, extreme in zip(others, self.observed[i], self.extreme[i], strict=True)
        ]


def _count_extreme(differences: Array, bounds: Array) -> NDArray[np.int64]:
    """Count the values of each row whose absolute value is at least the row's bound, or that are NaN."""
    extreme: NDArray[np.int64] = np.count_nonzero(~(np.abs(differences) < bounds[:, None]), axis=1)
    return extreme


def _pair_test(pair: tuple[int, int], difference: float, extreme: int, permutations: int) -> PairTest:
    return PairTest(*pair, difference, extreme, (1 + extreme) / (1 + permutations))
