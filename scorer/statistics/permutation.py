"""The paired permutation test of all pairs of systems at once, with shared masks.

Under the null hypothesis, two systems could swap their predictions on any item. For a correlation, the scores
of the systems (for Spearman, their ranks) are standardized first. Then each item is swapped with probability
one half, and the difference is computed again. A swap changes a sum of one system by the other system's sum
over the mask minus its own sum over the mask. So the sums over shared masks are enough for all pairs, and no
pair needs its own loop over the items.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from scorer.errors import RequestError
from scorer.statistics.adjustments import Adjustment
from scorer.statistics.multiple_testing import holm
from scorer.statistics.random_streams import MAX_UNITS, draw_masks, open_stream
from scorer.statistics.resampling import Progress
from scorer.statistics.samples import Array, Sample
from scorer.statistics.swap_rules import SWAPPED_VALUES
from scorer.statistics.swaps import make_swaps

TESTABLE_METRICS = tuple(SWAPPED_VALUES)
"""The metrics whose differences this test can test."""
_BATCH_CELLS = 2**19
_BATCH_DIFFERENCES = 2**21
_BATCH_MASKS = 1000
"""The maximum number of masks in a batch. With 1024, the differences of a mask compete for few cache sets."""


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
    rivals : int
        The number of systems, the last ones, that the others are compared with in families of their own.
    tested : bool
        Whether the level's pairs are tested, and not those of the total alone.
    """

    name: str
    metric: str
    sample: Sample
    systems: tuple[int, ...]
    weight: float = 1.0
    counts: bool = True
    rivals: int = 0
    tested: bool = True


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
    adjusted : float
        The p value adjusted for all pairs of the family.
    """

    first: int
    second: int
    difference: float
    extreme: int
    p: float
    adjusted: float


def pair_tests(
    columns: Sequence[LevelColumn],
    *,
    permutations: int,
    seed: int,
    adjust: Adjustment = "max-t",
    total: Collection[int] | None = None,
    progress: Progress = lambda _: None,
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
    adjust : "max-t" or "holm"
        How the p values of a family are adjusted. The pairs without rivals are one family of a column, and
        the pairs with each rival are another.
    total : collection of int, optional
        The systems whose total is tested, rivals included. By default, all systems.
    progress : callable, optional
        A callback. It is called with the number of permutations that were completed since its last call. With
        "max-t", the permutations are drawn twice.

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
    is conservative. For mean errors and accuracies, raw scores are swapped, by way of the items'
    errors or credits and the groups' credits.

    With "max-t", each difference is divided by the root of its mean square over the permutations, which makes
    pairs comparable. With the pairs of a family in descending order of these quotients, the adjusted p value
    of a pair is (1 + count) / (1 + permutations), made monotone; the count is of the permutations in which
    the largest quotient of this pair and those after it is at least the observed one. A swap without a value
    counts for its own pair alone. A pair whose differences are all rounding has p = 1 and is in no family.
    The masks are shared by all pairs, so the adjusted values use the dependence between them, and need no
    more permutations for more pairs. For two systems the test is exact; for more, a swap of two systems says
    nothing of the others, so the control of the family-wise error rate is asymptotic in the items.

    References
    ----------
    Deutsch, Dror & Roth (2021), "A Statistical Analysis of Summarization Evaluation Metrics Using Resampling
    Methods", TACL 9, 1132-1146, doi:10.1162/tacl_a_00417, PERM-BOTH. p: Phipson & Smyth (2010),
    doi:10.2202/1544-6115.1585. max-t: Westfall & Young (1993), "Resampling-Based Multiple Testing", Wiley,
    algorithm 4.1; Romano & Wolf (2005), "Exact and Approximate Stepdown Methods for Multiple Hypothesis
    Testing", JASA 100(469), 94-108, doi:10.1198/016214504000000539.

    Examples
    --------
    >>> from scorer.statistics.samples import make_sample
    >>> gold = [float(k) for k in range(10)]
    >>> sample = make_sample(gold, [[v + v % 2 for v in gold], [-v for v in gold]])
    >>> found, _ = pair_tests([LevelColumn("level", "pearson", sample, (0, 1))], permutations=999, seed=1)
    >>> found["level"][0].p, found["level"][0].adjusted
    (0.005, 0.005)
    """
    counts = permute_pairs(
        columns, permutations=permutations, seed=seed, adjust=adjust, total=total, progress=progress
    )
    tests = {name: pairs.tests(permutations, adjust) for name, pairs in counts.items()}
    whole = tests.pop(None)
    return {name: found for name, found in tests.items() if name is not None}, whole


def permute_pairs(
    columns: Iterable[LevelColumn],
    *,
    permutations: int,
    seed: int,
    adjust: Adjustment,
    total: Collection[int] | None = None,
    progress: Progress = lambda _: None,
) -> "dict[str | None, PairCounts]":
    """Permute like `pair_tests`, and return the counts of each column by its name, and of the total by None.

    With hundreds of systems, the tests of one column at a time take far less memory than all of them.
    """
    levels = [_LevelPairs(column) for column in columns]
    whole = _TotalPairs([level for level in levels if level.column.counts], total)
    for pairs, differences in _permute(levels, whole, permutations, seed, progress):
        pairs.observe(differences)
    if adjust == "max-t":
        for pairs in (*levels, whole):
            pairs.standardize(permutations)
        for pairs, differences in _permute(levels, whole, permutations, seed, progress):
            pairs.count_maxima(differences)
    return {level.column.name: level for level in levels if level.column.tested} | {None: whole}


def _check(column: LevelColumn) -> None:
    """Raise RequestError if a column cannot be permuted."""
    if column.metric not in TESTABLE_METRICS:
        raise RequestError(
            f"{column.metric} has no permutation test (these have: {', '.join(TESTABLE_METRICS)})"
        )
    if column.sample.size > MAX_UNITS:
        raise RequestError(
            f"{column.sample.size} units are more than can be swapped; {MAX_UNITS} is the most"
        )


def _permute(
    levels: "Sequence[_LevelPairs]", whole: "_TotalPairs", permutations: int, seed: int, progress: Progress
) -> "Iterator[tuple[PairCounts, Array]]":
    """Yield the differences of all pairs after each batch of swaps: of tested levels, then of the total."""
    streams = [
        open_stream(seed, level.column.sample.gold.tolist(), "permutation", level.column.sample.copy)
        for level in levels
    ]
    units = max([level.column.sample.size for level in levels], default=1)
    pairs = max([len(level.pairs) for level in levels], default=1)
    most = max(16, min(_BATCH_MASKS, _BATCH_CELLS // units, _BATCH_DIFFERENCES // max(1, pairs)))
    for start in range(0, permutations, most):
        rows = min(most, permutations - start)
        sums = np.zeros((len(whole.pairs), rows))
        for level, stream in zip(levels, streams, strict=True):
            differences = level.swap(draw_masks(stream, rows, level.column.sample.size))
            whole.add(sums, level, differences)
            if level.column.tested:
                yield level, differences
        yield whole, sums
        progress(rows)


class PairCounts:
    """Pairs of systems, their observed differences, and what was counted over the permutations.

    Parameters
    ----------
    pairs : (m,) list of pairs
        The systems of each pair.
    observed, noise : (m,) array of float
        The observed differences, and how much they can differ by rounding.
    rivals : collection of int
        The systems that others are compared with, each in a family of its own.
    """

    def __init__(
        self, pairs: list[tuple[int, int]], observed: Array, noise: Array, rivals: Collection[int]
    ) -> None:
        self.pairs = np.array(pairs, dtype=np.int64).reshape(-1, 2)
        self.observed, self.noise = observed, noise
        self._sizes = np.abs(observed)
        self._families = _find_families(pairs, rivals)
        self._extreme = np.zeros(len(pairs), dtype=np.int64)
        self._missing = np.zeros(len(pairs), dtype=np.int64)
        self._squares, self._largest = np.zeros(len(pairs)), np.zeros(len(pairs))
        least = np.finfo(float).tiny
        self._unit = np.divide(1.0, noise, out=np.zeros(len(pairs)), where=noise >= least)
        self._quotients, self._margins = np.zeros(len(pairs)), np.zeros(len(pairs))
        self._maxima = np.zeros(len(pairs), dtype=np.int64)

    def observe(self, differences: Array) -> None:
        """Count the extreme differences of each pair, and add up the squares."""
        sizes = np.abs(differences)
        self._extreme += np.count_nonzero(~(sizes < (self._sizes - self.noise)[:, None]), axis=1)
        missing = _find_missing(sizes)
        if missing is not None:
            sizes[missing] = 0.0
            self._missing += np.count_nonzero(missing, axis=1)
        np.maximum(self._largest, sizes.max(axis=1, initial=0.0), out=self._largest)
        sizes *= self._unit[:, None]
        self._squares += np.einsum("ij,ij->i", sizes, sizes)

    def standardize(self, permutations: int) -> None:
        """Find the observed quotients, and take pairs that have none out of their families."""
        mean_squares = self._squares / np.maximum(1, permutations - self._missing)
        varies = (mean_squares > 0) & (np.maximum(self._largest, self._sizes) >= self.noise)
        self._margins = np.divide(1.0, np.sqrt(mean_squares), out=self._margins, where=varies)
        self._quotients = self._sizes * self._unit * self._margins
        self._families = [
            family[np.argsort(self._quotients[family], kind="stable")]
            for family in (family[varies[family]] for family in self._families)
        ]

    def count_maxima(self, differences: Array) -> None:
        """Count where the largest quotient of a pair and those below it is at least the observed one.

        Quotients that differ by rounding alone count as equal, so each swapped one gets a margin.
        """
        sizes = np.abs(differences)
        missing = _find_missing(sizes)
        sizes *= (self._unit * self._margins)[:, None]
        sizes += self._margins[:, None]
        if missing is not None:
            sizes[missing] = -np.inf
        for family in self._families:
            maxima = sizes[family]
            np.maximum.accumulate(maxima, axis=0, out=maxima)
            reached = maxima >= self._quotients[family, None]
            if missing is not None:
                reached |= missing[family]
            self._maxima[family] += np.count_nonzero(reached, axis=1)

    def tests(self, permutations: int, adjust: Adjustment) -> list[PairTest]:
        """Return the tests of all pairs; those in no family have an adjusted p value of 1."""
        p = (1 + self._extreme) / (1 + permutations)
        adjusted = np.ones(len(self.pairs))
        for family in self._families:
            if adjust == "holm":
                adjusted[family] = holm(p[family].tolist())
            else:
                stepped = np.maximum.accumulate((1 + self._maxima[family[::-1]]) / (1 + permutations))
                adjusted[family[::-1]] = stepped
        return [
            PairTest(first, second, difference, int(extreme), float(one), float(other))
            for (first, second), difference, extreme, one, other in zip(
                self.pairs.tolist(), self._true_differences(), self._extreme, p, adjusted, strict=True
            )
        ]

    def _true_differences(self) -> list[float]:
        """Return the observed differences on the scale of the metric."""
        raise NotImplementedError


class _LevelPairs(PairCounts):
    """The pairs of the systems of a level."""

    def __init__(self, column: LevelColumn) -> None:
        _check(column)
        self.swaps = make_swaps(column.sample, column.metric)
        sample = replace(
            column.sample, preds=np.empty((0, 0)), confidences=None
        )  # the swaps have what they need
        self.column = replace(column, sample=sample)
        k = len(column.systems)
        self.place = {system: place for place, system in enumerate(column.systems)}
        self.rivals = column.systems[k - column.rivals :]
        self._starts = np.cumsum([0, *range(k - 1, 0, -1)])
        super().__init__(
            list(combinations(column.systems, 2)),
            np.concatenate([np.zeros(0), *(self.swaps.observed(place) for place in range(k))]),
            np.concatenate([np.zeros(0), *(self.swaps.noise(place) for place in range(k))]),
            self.rivals,
        )

    @property
    def weight(self) -> float:
        """The weight of a difference between swapped systems in the total."""
        return self.column.weight * self.swaps.unit

    def index(self, pair: tuple[int, int]) -> int:
        """Return the index of a pair of systems."""
        first, second = (self.place[system] for system in pair)
        return int(self._starts[first]) + second - first - 1

    def swap(self, masks: Array) -> Array:
        """Return the (m, rows) differences of all pairs after swaps by (u, rows) masks."""
        self.swaps.take(masks)
        differences = np.empty((len(self.pairs), masks.shape[1]))
        for place, start in enumerate(self._starts):
            after = self.swaps.differences(place)
            differences[start : start + len(after)] = after
        return differences

    def _true_differences(self) -> list[float]:
        values = self.swaps.values
        return [float(one - other) for one, other in combinations(values.tolist(), 2)]


class _TotalPairs(PairCounts):
    """The pairs of systems that are in the same levels, with the weighted sums of their differences."""

    def __init__(self, levels: Sequence[_LevelPairs], total: Collection[int] | None) -> None:
        systems = sorted({system for level in levels for system in level.column.systems})
        systems = [system for system in systems if total is None or system in total]
        entered = {system: tuple(system in level.place for level in levels) for system in systems}
        pairs = [(one, other) for one, other in combinations(systems, 2) if entered[one] == entered[other]]
        self._indices = {
            level: (
                _as_slice([k for k, pair in enumerate(pairs) if pair[0] in level.place]),
                _as_slice([level.index(pair) for pair in pairs if pair[0] in level.place]),
            )
            for level in levels
        }
        self._scale = max([level.weight for level in levels], default=1.0)
        self._signed, noise = np.zeros(len(pairs)), np.zeros(len(pairs))
        for level in levels:
            self.add(self._signed, level, level.observed)
            self.add(noise, level, level.noise)
        rivals = {system for level in levels for system in level.rivals}
        super().__init__(pairs, self._signed, noise, sorted(rivals))

    def add(self, sums: Array, level: _LevelPairs, differences: Array) -> None:
        """Add the weighted differences of a level to the sums, on the scale of the largest weight."""
        if level in self._indices:
            here, there = self._indices[level]
            with np.errstate(invalid="ignore"):
                sums[here] += level.weight / self._scale * differences[there]

    def _true_differences(self) -> list[float]:
        with np.errstate(over="ignore"):
            return [self._scale * difference for difference in self._signed.tolist()]


def _as_slice(indices: list[int]) -> slice | NDArray[np.intp]:
    """Return ascending indices, as a slice if they have no gaps, because slices of arrays are not copied."""
    if indices and indices[-1] - indices[0] == len(indices) - 1:
        return slice(indices[0], indices[-1] + 1)
    return np.array(indices, dtype=np.intp)


def _find_families(pairs: Sequence[tuple[int, int]], rivals: Collection[int]) -> list[NDArray[np.intp]]:
    """Return the indices of the pairs of each family: those without rivals, and those with each rival."""
    of_pairs = [[system for system in pair if system in rivals] for pair in pairs]
    families = [[], *([rival] for rival in rivals)]
    found = [[k for k, of_pair in enumerate(of_pairs) if of_pair == family] for family in families]
    return [np.array(family, dtype=np.intp) for family in found]


def _find_missing(sizes: Array) -> NDArray[np.bool_] | None:
    """Return where there is no value, or None if there is one everywhere."""
    return None if np.isfinite(sizes.sum()) else ~np.isfinite(sizes)
