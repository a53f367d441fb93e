"""Confidence intervals of a metric: percentile and BCa bootstrap, and Fisher's z for Pearson."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import atanh, floor, isfinite, isnan, sqrt, tanh
from statistics import NormalDist
from typing import Literal, get_args

import numpy as np

from scorer.errors import RequestError, UndefinedError
from scorer.metrics import pearson
from scorer.statistics.resampling import MAX_JACKKNIFE_VALUES, TOLERANCE, Progress, Replicates, bootstrap
from scorer.statistics.samples import Array, Sample, make_sample
from scorer.values import Undefined, round_by_size

IntervalMethod = Literal["percentile", "bca", "fisher"]
INTERVAL_METHODS: tuple[IntervalMethod, ...] = get_args(IntervalMethod)
MIN_RESAMPLES, MAX_RESAMPLES = 100, 10_000_000
"""Bounds of the number of resamples."""
DEFAULT_LEVEL = 0.95
END_DECIMALS = 6
"""The number of decimal places of the ends of intervals, unless the values are small."""
_NORMAL = NormalDist()


@dataclass(frozen=True, slots=True)
class Resampling:
    """The options of confidence intervals.

    Parameters
    ----------
    b : int
        The number of resamples, from 100 to 10 million. "fisher" ignores it.
    seed : int
        The seed of the resamples, at least 0.
    interval : "percentile", "bca" or "fisher"
        The type of interval.
    level : float
        The coverage, between 0 and 1.
    """

    b: int
    seed: int = 0
    interval: IntervalMethod = "bca"
    level: float = DEFAULT_LEVEL

    def check(self, metrics: Sequence[str]) -> None:
        """Raise RequestError if the options are not valid for intervals of these metrics."""
        if self.interval not in INTERVAL_METHODS:
            raise RequestError(
                f'there is no interval "{self.interval}" (known: {", ".join(INTERVAL_METHODS)})'
            )
        if not 0 < self.level < 1:
            raise RequestError(f"the level is {self.level}; it must be between 0 and 1, as 0.95 is")
        others = [metric for metric in metrics if metric != "pearson"]
        if self.interval == "fisher" and others:
            raise RequestError(
                f"Fisher's interval is Pearson's alone, not {others[0]}'s; use bca or percentile"
            )
        if self.interval != "fisher" and not MIN_RESAMPLES <= self.b <= MAX_RESAMPLES:
            raise RequestError(
                f"{self.b} resamples; give {MIN_RESAMPLES} to {MAX_RESAMPLES}, 10000 for instance"
            )
        if self.seed < 0:
            raise RequestError(f"the seed is {self.seed}; it must be 0 or more")

    def signature(self, sample: Sample | None = None) -> str:
        """Return the part of a signature that describes the interval."""
        parts = [f"ci:{self.interval}"]
        if self.level != DEFAULT_LEVEL:
            parts.append(f"level:{self.level!r}")
        if self.interval != "fisher":
            parts += [f"b:{self.b}", f"seed:{self.seed}"]
            parts += [f"groups:{sample.size}"] if sample is not None and sample.grouped else []
            blocks = sample is not None and sample.size > MAX_JACKKNIFE_VALUES and self.interval == "bca"
            parts += [f"blocks:{MAX_JACKKNIFE_VALUES}"] if blocks else []
        return "|".join(parts)


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval, or the reason why it is undefined.

    Parameters
    ----------
    low, high : float or None
        The ends of the interval, or None if it is undefined.
    degenerate : int
        The number of resamples without a value. The interval is computed from the other resamples.
    signature : str
        How the interval was computed. It is a part of the value's signature, after the metric and n.
    undefined : Undefined, optional
        Why the interval is undefined.
    """

    low: float | None
    high: float | None
    degenerate: int
    signature: str
    undefined: Undefined | None = None


def bootstrap_intervals(
    gold: Sequence[float],
    preds: Sequence[Sequence[float]],
    metric: str,
    resampling: Resampling,
    *,
    groups: Sequence[str | None] | None = None,
    confidences: Sequence[Sequence[float]] | None = None,
    sds: Sequence[float] | None = None,
    progress: Progress = lambda _: None,
) -> list[Interval]:
    """Compute confidence intervals of a metric for several systems, all from the same resamples.

    Parameters
    ----------
    gold : (n,) float
        The gold values, finite.
    preds : (m, n) float
        The predictions, finite. Each row is a system.
    metric : str
        A metric that has a kernel. With "fisher" intervals, it must be "pearson".
    resampling : Resampling
        The number of resamples, the seed, and the type and coverage of the interval.
    groups : (n,) str or None, optional
        The group of each item. Items of one group are drawn together; an item without a group is a unit of
        its own.
    confidences : (m, n) float, optional
        The confidences of the systems, for `weighted_pearson`.
    sds : (n,) float, optional
        The standard deviations of the ratings of the items, for `within_sd`.
    progress : callable, optional
        A callback. It is called with the number of resamples that were completed since its last call.

    Returns
    -------
    list of Interval
        An interval for each system, in order. It has a reason if the metric or the interval is undefined.

    Raises
    ------
    RequestError
        If the metric has no interval of this type, or if b, level or seed is out of range.

    Examples
    --------
    >>> gold, pred = [1, 2, 3, 4, 5, 6, 7, 8, 9], [2, 1, 4, 3, 6, 5, 9, 7, 8]
    >>> found = bootstrap_intervals(gold, [pred], "pearson", Resampling(1000, seed=1))[0]
    >>> round(found.low, 3), round(found.high, 3), found.degenerate, found.signature
    (0.669, 0.953, 0, 'ci:bca|b:1000|seed:1')
    """
    resampling.check([metric])
    if resampling.interval == "fisher" and groups is not None and any(groups):
        raise RequestError("Fisher's interval takes items as independent, and these have groups; use bca")
    sample = make_sample(gold, preds, groups, confidences, sds=sds)
    signature = resampling.signature(sample)
    if resampling.interval == "fisher":
        return [_fisher_or_undefined(list(gold), pred, resampling.level, signature) for pred in preds]
    bca = resampling.interval == "bca"
    replicates = bootstrap(
        sample, metric, b=resampling.b, seed=resampling.seed, jackknife=bca, progress=progress
    )
    return [
        interval_of(replicates, [replicates.jackknife[i]], i, resampling, signature)
        for i in range(len(preds))
    ]


def interval_of(
    replicates: Replicates, jackknives: Sequence[Array], i: int, resampling: Resampling, signature: str
) -> Interval:
    """Compute the interval of system `i` from its replicates and its jackknife values in each sample."""
    deviations = replicates.deviations[i]
    valid = deviations[~np.isnan(deviations)]
    degenerate = deviations.size - valid.size
    try:
        _require_values(float(replicates.estimates[i]), valid, replicates.units)
        low, high = _interval_ends(float(replicates.estimates[i]), valid, jackknives, resampling)
    except UndefinedError as error:
        return Interval(None, None, degenerate, signature, Undefined(error.code, error.reason))
    lowest, highest = replicates.bounds_of(i)
    return Interval(max(low, lowest), min(high, highest), degenerate, signature)


def _interval_ends(
    estimate: float, valid: Array, jackknives: Sequence[Array], resampling: Resampling
) -> tuple[float, float]:
    with np.errstate(over="ignore", invalid="ignore"):
        if resampling.interval == "percentile":
            low, high = percentile_ends(valid, resampling.level)
        else:
            low, high = bca_ends(valid, jackknives, resampling.level)
    if not (isfinite(estimate + low) and isfinite(estimate + high)):
        raise UndefinedError("overflow", "the values are too large for an interval")
    return estimate + low, estimate + high


def _require_values(estimate: float, valid: Array, units: int) -> None:
    if isnan(estimate):
        raise UndefinedError("no_value", "the metric has no value, so it has no interval")
    if units < 2:
        raise UndefinedError("one_unit", "there is one item or group, so nothing can be resampled")
    if valid.size == 0:
        raise UndefinedError("all_degenerate", "no resample has a value")


def percentile_ends(deviations: Array, level: float) -> tuple[float, float]:
    """Compute the ends of the percentile interval.

    Parameters
    ----------
    deviations : (b,) array of float
        The replicates minus the estimate, without those that are undefined.
    level : float
        The coverage.

    Returns
    -------
    low, high : float
        The ends minus the estimate. Quantiles are interpolated linearly between order statistics.

    References
    ----------
    Efron & Tibshirani (1993), An Introduction to the Bootstrap, chapter 13, doi:10.1201/9780429246593.
    """
    return _quantiles(deviations, (1 - level) / 2, (1 + level) / 2)


def bca_ends(deviations: Array, jackknives: Sequence[Array], level: float) -> tuple[float, float]:
    """Compute the ends of the bias-corrected and accelerated (BCa) interval.

    Parameters
    ----------
    deviations : (b,) array of float
        The replicates minus the estimate, without those that are undefined.
    jackknives : sequence of (u,) arrays of float
        For each independent sample from which the statistic is computed, the leave-one-out values: the
        statistic without each unit. A correlation has one sample; a total has one sample for each level.
    level : float
        The coverage.

    Returns
    -------
    low, high : float
        The ends minus the estimate.

    Raises
    ------
    UndefinedError
        With the code "infinite_bias" if all replicates are on one side of the estimate, and
        "no_acceleration" if the statistic is undefined without one of the units, or if the acceleration is
        too large.

    Notes
    -----
    z0 is the normal quantile of the share of replicates below the estimate; replicates that are equal to it
    count half. a = sum(d^3 / u^3) / (6 sum(d^2 / u^2)^1.5) with
    d = (u - 1) (mean of the leave-one-out values - value), over all units of all samples. If no unit changes
    the statistic, a = 0. With more than 2000 units, blocks of units are left out instead of single units, and
    the signature has the number of blocks.

    References
    ----------
    Efron (1987), "Better bootstrap confidence intervals", JASA 82(397), 171-185,
    doi:10.1080/01621459.1987.10478410. Several samples: Davison & Hinkley (1997), section 5.3.2, eq. 5.23-27.
    """
    share = (np.count_nonzero(deviations < 0) + np.count_nonzero(deviations <= 0)) / (2 * deviations.size)
    if not 0 < share < 1:
        raise UndefinedError(
            "infinite_bias",
            "BCa is undefined because all resamples are on one side of the value; percentile may work",
        )
    z0, a = _NORMAL.inv_cdf(share), _acceleration(jackknives)
    chances = []
    for z in (_NORMAL.inv_cdf((1 - level) / 2), _NORMAL.inv_cdf((1 + level) / 2)):
        scale = 1 - a * (z0 + z)
        if scale <= 0:
            raise UndefinedError(
                "no_acceleration",
                "BCa is undefined because a few items determine the value; percentile may work",
            )
        chances.append(_NORMAL.cdf(z0 + (z0 + z) / scale))
    return _quantiles(deviations, *chances)


def _quantiles(values: Array, lower: float, upper: float) -> tuple[float, float]:
    """Compute two quantiles with the interpolation of `np.quantile`, in a third of its time."""
    last = values.size - 1
    positions = [chance * last for chance in (lower, upper)]
    pairs = [(floor(position), min(floor(position) + 1, last)) for position in positions]
    partitioned = np.partition(values, sorted({place for pair in pairs for place in pair}))
    ends = (
        (float(partitioned[i]), float(partitioned[j]), position - i)
        for position, (i, j) in zip(positions, pairs, strict=True)
    )
    low, high = (below + (above - below) * share for below, above, share in ends)
    return low, high


def _acceleration(jackknives: Sequence[Array]) -> float:
    if not all(np.isfinite(jackknife).all() and jackknife.size for jackknife in jackknives):
        reason = (
            "BCa is undefined because the metric has no value without one of the items; percentile may work"
        )
        raise UndefinedError("no_acceleration", reason)
    influences = np.concatenate([_influences(jackknife) for jackknife in jackknives])
    largest = np.abs(influences).max()
    if not isfinite(largest):
        raise UndefinedError("overflow", "the values are too large for an interval")
    influences /= largest if largest > 0 else 1.0
    squares = float((influences**2).sum())
    return float((influences**3).sum()) / (6 * squares**1.5) if squares > 0 else 0.0


def _influences(jackknife: Array) -> Array:
    """Return how much each unit changes a statistic. A change that is due to rounding becomes 0."""
    mean = (jackknife / jackknife.size).sum()
    influences: Array = (jackknife.size - 1) * (mean - jackknife) / jackknife.size
    influences[np.abs(influences) < TOLERANCE * np.abs(jackknife).max()] = 0.0
    return influences


def round_ends(low: float, high: float, *values: float) -> tuple[float, float]:
    """Round the ends of an interval by the size of ends and values, without excluding the first value.

    A value that is between the ends, or equal to one, takes the place of a rounded end that misses it.

    >>> round_ends(1 / 3, 0.5, 1 / 3), round_ends(0.12345678, 0.5, 0.2)
    ((0.333333, 0.5), (0.123457, 0.5))
    """
    scale, value = max(map(abs, (low, high, *values))), values[0]
    first, last = round_end(low, scale), round_end(high, scale)
    return min(first, value) if low <= value else first, max(last, value) if value <= high else last


def round_end(value: float, scale: float) -> float:
    """Round the end of an interval to six decimal places, or to more if the values are small.

    Parameters
    ----------
    value : float
        The end of the interval.
    scale : float
        The largest absolute value among the estimates of the interval and its ends.

    Returns
    -------
    float
        The end with six decimal places if the scale is .1 or more, else with as many decimal places as
        give six significant digits of the scale.

    Examples
    --------
    >>> round_end(0.1234567, 0.8), round_end(1.2345678e-7, 2.6e-7), round_end(-1.2e-8, 0.3)
    (0.123457, 1.23457e-07, 0.0)
    """
    return round_by_size(value, scale, END_DECIMALS)


def fisher_interval(r: float, n: int, level: float = DEFAULT_LEVEL) -> tuple[float, float]:
    """Compute Fisher's confidence interval for Pearson's correlation.

    Parameters
    ----------
    r : float
        Pearson's correlation, in [-1, 1].
    n : int
        The number of items, at least 4.
    level : float
        The coverage, between 0 and 1.

    Returns
    -------
    low, high : float
        tanh(atanh(r) -+ z / sqrt(n - 3)). Both ends are r if r is 1 or -1.

    Raises
    ------
    UndefinedError
        With the code "too_few_items" if n < 4.
    RequestError
        If r or the level is out of range.

    Notes
    -----
    The interval assumes that gold and run have a bivariate normal distribution. Ratings on a short scale do
    not have one.

    References
    ----------
    Fisher (1921), "On the probable error of a coefficient of correlation deduced from a small sample",
    Metron 1, 3-32.

    Examples
    --------
    >>> low, high = fisher_interval(0.5, 103)
    >>> round(low, 4), round(high, 4)
    (0.3393, 0.6323)
    """
    if not (isfinite(r) and -1 <= r <= 1):
        raise RequestError(f"{r} is no correlation; it must be from -1 to 1")
    if not 0 < level < 1:
        raise RequestError(f"the level is {level}; it must be between 0 and 1, as 0.95 is")
    if n < 4:
        raise UndefinedError("too_few_items", f"{n} items; Fisher's interval needs at least 4")
    if abs(r) == 1:
        return r, r
    z = _NORMAL.inv_cdf((1 + level) / 2) / sqrt(n - 3)
    return tanh(atanh(r) - z), tanh(atanh(r) + z)


def _fisher_or_undefined(gold: list[float], pred: Sequence[float], level: float, signature: str) -> Interval:
    try:
        low, high = fisher_interval(pearson(gold, list(pred)), len(gold), level)
    except UndefinedError as error:
        return Interval(None, None, 0, signature, Undefined(error.code, error.reason))
    return Interval(low, high, 0, signature)
