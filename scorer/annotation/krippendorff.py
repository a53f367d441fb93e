"""Krippendorff's alpha, with missing ratings, and its interval by resampling units."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from scorer.annotation.ratings import Floats, Indices, Ratings
from scorer.errors import RequestError, UndefinedError
from scorer.statistics.intervals import Interval, Resampling, interval_of
from scorer.statistics.kernels import BATCH_CELLS
from scorer.statistics.random_streams import MAX_UNITS, open_stream
from scorer.statistics.resampling import Replicates, jackknife_values, resample_counts

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Scaling = Literal["nominal", "ordinal", "interval", "ratio"]
SCALINGS: tuple[Scaling, ...] = get_args(Scaling)
"""Stevens's levels of measurement."""
MAX_CELLS = 4_000_000
"""Numbers that are worked on at once, 32 MB of them."""
MAX_RATIO_VALUES = 5000
"""Different values of which a table of all pairs is kept for ratio intervals, 200 MB of it."""
_ROUNDING_ERROR = 1e-12
"""An alpha closer to 0 is 0."""
AlphaKernel = Callable[[Floats], Floats]
"""How often each unit was drawn in each of r resamples, (u, r) -> alpha, (r,), NaN where it has no value."""


def krippendorff_alpha(ratings: Ratings, scaling: Scaling = "interval") -> float:
    """Agreement beyond chance among any number of annotators, some ratings missing.

    Parameters
    ----------
    ratings : Ratings
        N ratings of n units. Repeats are left out, and so are units with fewer than two ratings: nothing can
        be compared there.
    scaling : "nominal", "ordinal", "interval" or "ratio"
        How far two ratings are apart. Ratio needs ratings of one sign.

    Returns
    -------
    float
        At most 1, which is perfect agreement; 0 is what chance gives, and below 0 is systematic disagreement.

    Raises
    ------
    UndefinedError
        "no_pairs" if no unit has two ratings, "constant" if all ratings are the same: then nothing could have
        been disagreed on.
    RequestError
        If there is no such scaling, or it is ratio and ratings have both signs.

    Notes
    -----
    1 - D_o / D_e. With m_u ratings of unit u, N of all pairable ratings and distance d between two of them,
    D_o = 1/N sum_u 1/(m_u - 1) sum_{i != j in u} d^2, and D_e = 1/(N (N - 1)) sum_{i != j} d^2. Distances:
    nominal, 0 or 1; interval, the difference; ratio, the difference over the sum; ordinal, the difference of
    mid-ranks, which is Krippendorff's sum of the frequencies between. Sums of squares replace pairs: time and
    memory grow with the ratings; of ratio, time grows with the square of the different ones.

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
        raise UndefinedError("constant", "all ratings are the same, so agreement by chance is certain")
    return alpha


def alpha_interval(ratings: Ratings, scaling: Scaling, resampling: Resampling) -> Interval:
    """An interval of alpha, from units that are drawn with replacement, each with all its ratings.

    Parameters
    ----------
    ratings : Ratings
        As for `krippendorff_alpha`; u units have two ratings or more.
    scaling : "nominal", "ordinal", "interval" or "ratio"
    resampling : Resampling
        "bca" or "percentile".

    Returns
    -------
    Interval
        Undefined with a reason where alpha is, or where all resamples are degenerate.

    Raises
    ------
    RequestError
        If b, level, seed or the kind of interval are out of range, or ratio has too many different values.

    References
    ----------
    Krippendorff (2004), Measuring the reliability of qualitative text analysis data, Quality & Quantity 38,
    787-800, doi:10.1007/s11135-004-8107-7, says that units are what is sampled. Efron & Tibshirani (1993),
    An Introduction to the Bootstrap, chapter 14.
    """
    resampling.check(["alpha"])
    kernel, u = alpha_kernel(ratings, scaling)
    if u > MAX_UNITS:
        raise RequestError(f"{u} units are more than can be drawn from; {MAX_UNITS} is the most")
    estimate, deviations, jackknife = np.full(1, np.nan), np.full(resampling.b, np.nan), np.full(1, np.nan)
    if u:
        estimate = kernel(np.ones((u, 1)))
        stream = open_stream(resampling.seed, ratings.value.tolist(), f"alpha-{scaling}")
        batches = resample_counts(stream, u, resampling.b, BATCH_CELLS)
        deviations = np.concatenate([kernel(counts) for counts in batches]) - estimate
    if u > 1 and resampling.interval == "bca":
        jackknife = jackknife_values(kernel, u)
    replicates = Replicates(estimate, deviations[None], jackknife[None], u)
    return interval_of(replicates, [jackknife], 0, resampling, resampling.signature())


def alpha_kernel(ratings: Ratings, scaling: Scaling) -> tuple[AlphaKernel, int]:
    """What computes alpha of resampled units, and how many units with two ratings or more there are."""
    if scaling not in SCALINGS:
        raise RequestError(f'there is no scaling "{scaling}" (known: {", ".join(SCALINGS)})')
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
    """From sums of squared distances: within units over m - 1, and over all pairs."""
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
    """Zero where a difference of sums is rounding alone."""
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
    """The different values, and how often each unit has each; (v,) and (u, v), mostly zero."""
    from scipy.sparse import csr_array  # noqa: PLC0415  intervals of differences do not pay for it

    distinct_values, place = np.unique(values, return_inverse=True)
    table = csr_array((np.ones(values.size), (unit, place)), shape=(units, distinct_values.size))
    return distinct_values, table


def _count_values_in_parts(table: "csr_array", counts: Floats) -> Iterator[Floats]:
    """How often each value was drawn, (v, r), some values at a time."""
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
    """Of each unit, the sum of squared relative differences of its ordered pairs, over m - 1."""
    sums = np.zeros(m.size)
    for apart in range(1, int(m.max(initial=0))):
        together = unit[apart:] == unit[:-apart]
        squares = _squared_relative_difference(values[apart:][together], values[:-apart][together])
        sums += np.bincount(unit[apart:][together], 2 * squares, m.size)
    return sums / (m - 1)


def _relative_differences(these: Floats, those: Floats) -> Floats:
    return _squared_relative_difference(these[:, None], those[None, :])


def _squared_relative_difference(a: Floats, b: Floats) -> Floats:
    with np.errstate(invalid="ignore"):
        squares: Floats = np.nan_to_num(((a - b) / (a + b)) ** 2, nan=0.0)
    return squares
