"""The effect of context on ratings: a significance test for each unit, and the increase of the means."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from scorer.annotation.exact_arithmetic import UnitMoments, moments_of, remove_rounding_noise, unit_moments
from scorer.annotation.ratings import Floats, Indices, Ratings
from scorer.annotation.rounds import ratings_by_same_annotator
from scorer.errors import RequestError
from scorer.statistics.multiple_testing import benjamini_hochberg
from scorer.values import Undefined

TestName = Literal["independent", "welch", "paired"]
NoVarianceRule = Literal["count", "drop"]
"""Whether a unit that everybody changed alike counts with p = 0 or is left out."""
_MIN_RATINGS = 2
_TESTED, _FEW, _FEW_SHARED, _NO_DIFFERENCE, _NO_VARIANCE = range(5)
UNTESTED_REASONS: tuple[Undefined | None, ...] = (
    None,
    Undefined("too_few_ratings", "the test needs at least two ratings of the unit in each file"),
    Undefined("too_few_shared", "the test needs at least two annotators who rated the unit in both files"),
    Undefined("no_difference", "there is no difference at all, so there is nothing to test"),
    Undefined("no_variance", "the change is the same for everybody, so without variance t is infinite"),
)
"""The reasons why a unit has no t value. `ContextTests.reason` has indices into this tuple."""


@dataclass(frozen=True, slots=True)
class ContextTests:
    """The two-sided t tests of all units that can be tested.

    Parameters
    ----------
    name : "independent", "welch" or "paired"
        The test.
    place : (q,) array of int
        The indices of the units that have a p value, in ascending order.
    t, df, p : (q,) array of float
        The t statistics, which are above 0 if the ratings with context are higher; the degrees of freedom,
        above 0; and the p values, in [0, 1]. A unit that everybody changed alike has an infinite t and p = 0.
    adjusted : (q,) array of float
        The p values adjusted by Benjamini and Hochberg's method.
    reason : (n,) array of int
        For each unit, an index into `UNTESTED_REASONS`; 0 if it has a finite t.
    """

    name: TestName
    place: Indices
    t: Floats
    df: Floats
    p: Floats
    adjusted: Floats
    reason: Indices

    def significant(self, alpha: float, *, fdr: bool) -> list[int]:
        """Return the units whose p value, or adjusted p value if `fdr` is true, is at most alpha."""
        units: list[int] = self.place[(self.adjusted if fdr else self.p) <= alpha].tolist()
        return units

    def cells(self, unit: int) -> tuple[float | Undefined, ...]:
        """Return t, p and adjusted p of a unit, or instead of each the reason why it has none."""
        why, row = UNTESTED_REASONS[int(self.reason[unit])], np.searchsorted(self.place, unit)
        if why is not None and unit not in self.place[row : row + 1]:
            return why, why, why
        return why or float(self.t[row]), float(self.p[row]), float(self.adjusted[row])


def context_tests(
    free: Ratings,
    dependent: Ratings,
    name: TestName = "independent",
    no_variance: NoVarianceRule = "count",
) -> ContextTests:
    """Test for each unit whether its ratings with and without context differ, by a two-sided t test.

    Parameters
    ----------
    free, dependent : Ratings
        The ratings of n units without and with context, aligned by `align_rounds`. Repeats are left out.
    name : "independent", "welch" or "paired"
        Student's test of two samples with equal variances; Welch's test, which does not assume equal
        variances; or Student's test of the differences within annotators who rated the unit both times.
    no_variance : "count" or "drop"
        How to handle a unit that everybody changed alike. With "count", its p is 0, which is the limit if the
        variance becomes smaller. With "drop", it is not tested.

    Returns
    -------
    ContextTests
        The tests. A unit is not tested, and has a reason, if it has fewer than two ratings in either round
        (for paired tests, fewer than two annotators who rated it in both), or if its ratings in both rounds
        are all equal (for paired tests, if all differences are 0). It has a reason, too, if the ratings are
        equal within each round but not between them (for paired tests, if the differences are equal).

    Notes
    -----
    With k ratings, mean x and sum of squared deviations S on each side: independent, t = (x2 - x1) /
    sqrt((S1 + S2) / (k1 + k2 - 2) (1 / k1 + 1 / k2)) with k1 + k2 - 2 degrees of freedom; Welch, t = (x2 -
    x1) / sqrt(v1 + v2) with v = S / (k - 1) / k and (v1 + v2)^2 / (v1^2 / (k1 - 1) + v2^2 / (k2 - 1)) degrees
    of freedom; paired, the mean difference over its standard error, with k - 1 degrees of freedom. If the
    same people rated both, as in the Czech data set, the independent test (which that paper reports) treats
    the correlation between their ratings as noise, so it usually has less power.

    References
    ----------
    Student (1908), The probable error of a mean, Biometrika 6(1), 1-25, doi:10.1093/biomet/6.1.1; Welch
    (1947), The generalization of 'Student's' problem when several different population variances are
    involved, Biometrika 34(1-2), 28-35, doi:10.1093/biomet/34.1-2.28; Sido et al. (2024), Czech news dataset
    for semantic textual similarity, Language Resources and Evaluation, doi:10.1007/s10579-024-09795-z.

    Examples
    --------
    >>> from scorer.annotation.ratings import ratings_of
    >>> found = context_tests(ratings_of([[1, 2, 3], [1, 1, 1]]), ratings_of([[3, 5, 4], [2, 2, 2]]))
    >>> found.place.tolist(), found.t.round(4).tolist(), found.p.round(4).tolist(), found.reason.tolist()
    ([0, 1], [2.4495, inf], [0.0705, 0.0], [0, 4])
    """
    if name == "paired":
        unit, before, after = ratings_by_same_annotator(free, dependent)
        differences = moments_of(unit, remove_rounding_noise(after - before, after, before), len(free.units))
        return _paired(differences, no_variance)
    return _independent(unit_moments(free), unit_moments(dependent), name, no_variance)


def _paired(differences: UnitMoments, no_variance: NoVarianceRule) -> ContextTests:
    few = differences.count < _MIN_RATINGS
    reason = _reasons(few, _FEW_SHARED, differences.squares == 0, differences.mean)
    place = _tested_places(reason, no_variance)
    k = differences.count[place]
    square = differences.squares[place] / (k - 1) / k
    return _with_p_values("paired", place, differences.mean[place], square, (k - 1).astype(float), reason)


def _independent(
    free: UnitMoments, dependent: UnitMoments, name: TestName, no_variance: NoVarianceRule
) -> ContextTests:
    few = (free.count < _MIN_RATINGS) | (dependent.count < _MIN_RATINGS)
    reason = _reasons(few, _FEW, free.squares + dependent.squares == 0, subtract_means(dependent, free))
    place = _tested_places(reason, no_variance)
    k1, k2, s1, s2 = (
        column[place] for column in (free.count, dependent.count, free.squares, dependent.squares)
    )
    df = (k1 + k2 - 2).astype(float)
    square = (s1 + s2) / df * (1 / k1 + 1 / k2)
    if name == "welch":
        v1, v2 = s1 / (k1 - 1) / k1, s2 / (k2 - 1) / k2
        square = v1 + v2
        share = np.divide(v1, square, out=np.ones_like(square), where=square > 0)  # or any: then p is 0
        df = 1 / (share**2 / (k1 - 1) + (1 - share) ** 2 / (k2 - 1))
    return _with_p_values(name, place, (dependent.mean - free.mean)[place], square, df, reason)


def _reasons(few: NDArray[np.bool_], why: int, same: NDArray[np.bool_], difference: Floats) -> Indices:
    constant = np.where(difference == 0, _NO_DIFFERENCE, _NO_VARIANCE)
    return np.where(few, why, np.where(same, constant, _TESTED)).astype(np.intp)


def _tested_places(reason: Indices, no_variance: NoVarianceRule) -> Indices:
    return np.flatnonzero((reason == _TESTED) | ((reason == _NO_VARIANCE) & (no_variance == "count")))


def _with_p_values(
    name: TestName, place: Indices, difference: Floats, square: Floats, df: Floats, reason: Indices
) -> ContextTests:
    """Divide the differences by their standard errors, given as squares, and compute the p values."""
    from scipy.special import stdtr  # noqa: PLC0415  this import takes a fifth of a second

    t = np.copysign(np.inf, difference)
    np.divide(difference, np.sqrt(square), out=t, where=reason[place] == _TESTED)
    p = np.asarray(np.minimum(1.0, 2 * stdtr(df, -np.abs(t))), dtype=np.float64)
    return ContextTests(name, place, t, df, p, np.array(benjamini_hochberg(p.tolist())), reason)


def mean_increases(free: Ratings, dependent: Ratings) -> tuple[Indices, Floats]:
    """Compute how much higher the mean rating of each unit is with context than without.

    Parameters
    ----------
    free, dependent : Ratings
        The ratings without and with context, aligned by `align_rounds`. Repeats are left out.

    Returns
    -------
    place : (q,) array of int
        The indices of the units that have a rating in both rounds.
    increase : (q,) array of float
        The mean with context minus the mean without context.

    Examples
    --------
    >>> from scorer.annotation.ratings import ratings_of
    >>> place, increase = mean_increases(ratings_of([[1, 2], [1, None]]), ratings_of([[2, 2], [None, None]]))
    >>> place.tolist(), increase.tolist()
    ([0], [0.5])
    """
    before, after = unit_moments(free), unit_moments(dependent)
    place = np.flatnonzero((before.count > 0) & (after.count > 0))
    return place, subtract_means(after, before)[place]


def subtract_means(after: UnitMoments, before: UnitMoments) -> Floats:
    """Return the difference of the means of each unit, which is exactly 0 if they are equal."""
    return remove_rounding_noise(after.mean - before.mean, after.mean, before.mean)


def histogram(values: Floats, width: float) -> list[tuple[float, float, int]]:
    """Count the values in bins of equal width. A bin starts at a multiple of `width`, which it includes.

    Parameters
    ----------
    values : (q,) float
        The values, finite.
    width : float, above 0
        The width of a bin.

    Returns
    -------
    list of (float, float, int)
        The start, the end and the count of each bin, from the bin of the minimum to the bin of the maximum,
        including empty bins.

    Raises
    ------
    RequestError
        If the width is not above 0, or there would be more than 10,000 bins.

    Notes
    -----
    A value that is less than a billionth of the width below the start of a bin is in that bin, because means
    have rounding errors.

    Examples
    --------
    >>> histogram(np.array([-0.1, 0.0, 0.3]), 0.25)
    [(-0.25, 0.0, 1), (0.0, 0.25, 1), (0.25, 0.5, 1)]
    """
    if not 0 < width < float("inf"):
        raise RequestError(f"the width of a bin is {width:g}; it has to be above 0")
    if not len(values):
        return []
    scaled = np.round(values / width, 9)
    if float(scaled.max() - scaled.min()) > _MAX_BINS:
        raise RequestError(f"bins of {width:g} are more than {_MAX_BINS}; make them wider")
    bins = np.floor(scaled).astype(np.int64)
    low = int(bins.min())
    counts = np.bincount(bins - low).tolist()
    return [(start * width, (start + 1) * width, count) for start, count in enumerate(counts, start=low)]


_MAX_BINS = 10_000
