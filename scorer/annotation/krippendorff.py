"""Krippendorff's alpha with missing ratings, and its bootstrap confidence interval."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Literal

import numpy as np

from scorer.annotation.ratings import Floats, Indices, Ratings
from scorer.errors import RequestError, UndefinedError
from scorer.statistics.intervals import Interval, Resampling, interval_of
from scorer.statistics.kernels import BATCH_CELLS
from scorer.statistics.random_streams import MAX_UNITS, open_stream
from scorer.statistics.resampling import Progress, Replicates, jackknife_values, resample_counts

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Scaling = Literal["nominal", "ordinal", "interval", "ratio"]
"""Stevens's levels of measurement."""
MAX_CELLS = 4_000_000
"""The maximum number of floats in an intermediate array, which then takes 32 MB."""
MAX_RATIO_VALUES = 5000
"""The maximum number of distinct values for intervals of ratio alpha: a table of all pairs takes 200 MB."""
_ROUNDING_ERROR = 1e-12
"""An alpha whose absolute value is below this becomes 0."""
AlphaKernel = Callable[[Floats], Floats]
"""A function from (u, r) counts of how often each unit was drawn to (r,) alphas; NaN means undefined."""


def krippendorff_alpha(ratings: Ratings, scaling: Scaling = "interval") -> float:
    """Compute Krippendorff's alpha: agreement beyond chance for any number of annotators and missing ratings.

    Parameters
    ----------
    ratings : Ratings
        N ratings of n units. Repeats are left out, and so are units with fewer than two ratings, which have
        nothing to compare.
    scaling : "nominal", "ordinal", "interval" or "ratio"
        The level of measurement, which determines the distance between two ratings. With "ratio", all
        ratings must have the same sign.

    Returns
    -------
    float
        At most 1, which is perfect agreement. 0 is agreement by chance, and values below 0 are systematic
        disagreement.

    Raises
    ------
    UndefinedError
        With the code "no_pairs" if no unit has two ratings, and "constant" if all ratings are the same,
        because then disagreement was not possible.
    RequestError
        If the scaling is unknown, or if it is "ratio" and there are ratings of both signs.

    Notes
    -----
    alpha = 1 - D_o / D_e. With m_u ratings of unit u, N pairable ratings in all and distance d between two of
    them, D_o = 1/N sum_u 1/(m_u - 1) sum_{i != j in u} d^2, and D_e = 1/(N (N - 1)) sum_{i != j} d^2. The
    distances are: nominal, 0 or 1; interval, the difference; ratio, the difference over the sum; ordinal, the
    difference of mid-ranks, which is Krippendorff's sum of the frequencies between. The implementation uses
    sums of squares instead of pairs, so time and memory grow linearly with the number of ratings. With
    "ratio", time grows with the square of the number of distinct ratings.

    References
    ----------
    Hayes & Krippendorff (2007), Answering the call for a standard reliability measure for coding data,
    Communication Methods and Measures 1(1), 77-89, doi:10.1080/19312450709336664.

    Examples
    --------
    >>> from scorer.annotation.ratings import ratings_of
    >>> round(krippendorff_alpha(ratings_of([[1, 1], [2, 2], [3, 4], [4, None]]), "interval"), 4)
    0.878
    """
    kernel, units = alpha_kernel(ratings, scaling)
    if units == 0:
        raise UndefinedError("no_pairs", "no unit has two ratings, so there is nothing to compare")
    alpha = float(kernel(np.ones((units, 1)))[0])
    if np.isnan(alpha):
        raise UndefinedError("constant", "all ratings are the same, so no disagreement is expected by chance")
    return alpha


def alpha_interval(
    ratings: Ratings, scaling: Scaling, resampling: Resampling, progress: Progress = lambda _: None
) -> Interval:
    """Compute a bootstrap interval of alpha. Units are drawn with replacement, each with all its ratings.

    Parameters
    ----------
    ratings : Ratings
        The ratings, as for `krippendorff_alpha`.
    scaling : "nominal", "ordinal", "interval" or "ratio"
        The level of measurement.
    resampling : Resampling
        The options of the bootstrap; the type of interval must be "bca" or "percentile".
    progress : callable, optional
        A callback. It is called with the number of resamples that were completed since its last call.

    Returns
    -------
    Interval
        Undefined, with a reason, if alpha is undefined or all resamples are degenerate.

    Raises
    ------
    RequestError
        If b, level, seed or the type of interval is not valid, or if there are too many distinct values for
        "ratio".

    References
    ----------
    Krippendorff (2004), Measuring the reliability of qualitative text analysis data, Quality & Quantity 38,
    787-800, doi:10.1007/s11135-004-8107-7, explains that units are to be resampled. Efron & Tibshirani
    (1993), An Introduction to the Bootstrap, chapter 14.
    """
    resampling.check(["alpha"])
    kernel, u = alpha_kernel(ratings, scaling)
    if u > MAX_UNITS:
        raise RequestError(f"{u} units are more than can be drawn from; {MAX_UNITS} is the most")
    estimate, deviations, jackknife = np.full(1, np.nan), np.full(resampling.b, np.nan), np.full(1, np.nan)
    if u:
        estimate = kernel(np.ones((u, 1)))
        stream = open_stream(resampling.seed, ratings.value.tolist(), f"alpha-{scaling}")
        alphas = list[Floats]()
        for counts in resample_counts(stream, u, resampling.b, BATCH_CELLS):
            alphas.append(kernel(counts))
            progress(counts.shape[1])
        deviations = np.concatenate(alphas) - estimate
    if u > 1 and resampling.interval == "bca":
        jackknife = jackknife_values(kernel, u)
    replicates = Replicates(estimate, deviations[None], jackknife[None], u, np.array([-np.inf, 1.0]))
    deviations[np.abs(deviations) <= replicates.noise] = 0.0
    return interval_of(replicates, [jackknife], 0, resampling, resampling.signature())


def alpha_kernel(ratings: Ratings, scaling: Scaling) -> tuple[AlphaKernel, int]:
    """Return a kernel that computes alpha on resampled units, and the number of units that it uses."""
    first = ratings.first()
    sizes = np.bincount(first.unit, minlength=len(ratings.units))
    pairable = first.take(sizes[first.unit] > 1)
    order = np.argsort(pairable.unit, kind="stable")
    unit = np.unique(pairable.unit[order], return_inverse=True)[1]
    values = pairable.value[order]
    if scaling == "ratio" and values.size and values.min() < 0 < values.max():
        raise RequestError("ratio distances need ratings of one sign; use interval")
    units = int(unit[-1]) + 1 if unit.size else 0
    make = {
        "nominal": _nominal_kernel, "ordinal": _ordinal_kernel,
        "interval": _interval_kernel, "ratio": _ratio_kernel,
    }[scaling]  # fmt: skip
    return make(unit, values, np.bincount(unit, minlength=units).astype(float)), units


def _alpha(observed: Floats, expected: Floats, n: Floats) -> Floats:
    """Compute alpha from sums of squared distances: within units (divided by m - 1), and over all pairs."""
    with np.errstate(divide="ignore", invalid="ignore"):
        alphas = 1 - observed * (n - 1) / expected
    alphas[np.abs(alphas) < _ROUNDING_ERROR] = 0.0
    return np.where(expected > 0, alphas, np.nan)


def _interval_kernel(unit: Indices, values: Floats, m: Floats) -> AlphaKernel:
    spread = float(np.ptp(values)) if values.size else 0.0
    centred = (values - values.mean()) / spread if spread else np.zeros_like(values)
    s1, s2 = np.bincount(unit, centred, m.size), np.bincount(unit, centred**2, m.size)
    within = 2 * np.maximum(m * s2 - s1**2, 0.0) / (m - 1)
    sums = np.stack([within, m, s1, s2])

    def kernel(counts: Floats) -> Floats:
        observed, n, t1, t2 = sums @ counts
        return _alpha(observed, _clear_rounding_error(2 * (n * t2 - t1**2), n * t2), n)

    return kernel


def _clear_rounding_error(difference: Floats, size: Floats) -> Floats:
    """Replace differences of sums that are due to rounding by zero."""
    return np.where(difference > 1e-13 * np.abs(size), difference, 0.0)


def _nominal_kernel(unit: Indices, values: Floats, m: Floats) -> AlphaKernel:
    _, table = _value_counts(unit, values, m.size)
    same = np.asarray(table.multiply(table).sum(axis=1)).ravel()
    sums = np.stack([(m**2 - same) / (m - 1), m])

    def kernel(counts: Floats) -> Floats:
        observed, n = sums @ counts
        count_parts = _count_values_in_parts(table, counts)
        same_anywhere = np.sum([(part**2).sum(axis=0) for part in count_parts], axis=0)
        return _alpha(observed, n**2 - same_anywhere, n)

    return kernel


def _value_counts(unit: Indices, values: Floats, units: int) -> "tuple[Floats, csr_array]":
    """Return the (v,) distinct values, and a sparse (u, v) table of how often each unit has each value."""
    from scipy.sparse import csr_array  # noqa: PLC0415  imported late: interval alpha does not need it

    distinct_values, place = np.unique(values, return_inverse=True)
    table = csr_array((np.ones(values.size), (unit, place)), shape=(units, distinct_values.size))
    return distinct_values, table


def _count_values_in_parts(table: "csr_array", counts: Floats) -> Iterator[Floats]:
    """Yield the (v, r) counts of how often each value was drawn, in blocks of values."""
    turned, rows = table.T.tocsr(), max(1, MAX_CELLS // counts.shape[1])
    for start in range(0, turned.shape[0], rows):
        yield turned[start : start + rows] @ counts


def _ordinal_kernel(unit: Indices, values: Floats, m: Floats) -> AlphaKernel:
    _, table = _value_counts(unit, values, m.size)
    distinct_count = table.shape[1]

    def part(counts: Floats) -> Floats:
        n_c = table.T @ counts
        n = n_c.sum(axis=0)
        ranks = (n_c.cumsum(axis=0) - n_c / 2 - n / 2) / np.maximum(n, 1)
        s1, s2 = table @ ranks, table @ ranks**2
        within = 2 * np.maximum(m[:, None] * s2 - s1**2, 0.0) / (m[:, None] - 1)
        t2 = (n_c * ranks**2).sum(axis=0)
        t1 = (n_c * ranks).sum(axis=0)
        return _alpha((within * counts).sum(axis=0), _clear_rounding_error(2 * (n * t2 - t1**2), n * t2), n)

    def kernel(counts: Floats) -> Floats:
        rows = max(1, MAX_CELLS // (m.size + distinct_count))
        parts = [part(counts[:, start : start + rows]) for start in range(0, counts.shape[1], rows)]
        return np.concatenate(parts)

    return kernel


def _ratio_kernel(unit: Indices, values: Floats, m: Floats) -> AlphaKernel:
    places, table = _value_counts(unit, values, m.size)
    sums = np.stack([_ratio_within(unit, values, m), m])
    distances = _relative_differences(places, places) if places.size <= MAX_RATIO_VALUES else None

    def expected(n_c: Floats) -> Floats:
        if distances is not None:
            return np.asarray((n_c * (distances @ n_c)).sum(axis=0))
        rows = max(1, MAX_CELLS // places.size)
        totals = np.zeros(n_c.shape[1])
        for part in (slice(start, start + rows) for start in range(0, places.size, rows)):
            totals += (n_c[part] * (_relative_differences(places[part], places) @ n_c)).sum(axis=0)
        return totals

    def kernel(counts: Floats) -> Floats:
        if distances is None and counts.shape[1] > 1:
            raise RequestError(
                f"{places.size} different ratings are too many for an interval of ratio alpha; "
                f"{MAX_RATIO_VALUES} is the most. Use interval, or ask for none"
            )
        observed, n = sums @ counts
        return _alpha(observed, expected(table.T @ counts), n)

    return kernel


def _ratio_within(unit: Indices, values: Floats, m: Floats) -> Floats:
    """Return for each unit the sum of the squared relative differences of its ordered pairs, over m - 1."""
    sums = np.zeros(m.size)
    for lag in range(1, int(m.max(initial=0))):
        in_same_unit = unit[lag:] == unit[:-lag]
        squares = _squared_relative_difference(values[lag:][in_same_unit], values[:-lag][in_same_unit])
        sums += np.bincount(unit[lag:][in_same_unit], 2 * squares, m.size)
    return sums / (m - 1)


def _relative_differences(rows: Floats, columns: Floats) -> Floats:
    return _squared_relative_difference(rows[:, None], columns[None, :])


def _squared_relative_difference(a: Floats, b: Floats) -> Floats:
    with np.errstate(invalid="ignore"):
        squares: Floats = np.nan_to_num(((a - b) / (a + b)) ** 2, nan=0.0)
    return squares
