"""Metrics of many items, computed with numpy. All their digits are those of `scorer.metrics`.

The steps are the same and the sums are exact, so only the time differs. To import numpy takes longer than to
score a small file, so `evaluate` uses this module only for more than `MANY_ITEMS` items.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import frexp, fsum, ldexp, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scorer.metrics import Metric
from scorer.metrics.correlation import NEGLIGIBLE_WEIGHT, tau_b, weighted_pearson
from scorer.metrics.error_metrics import too_large_differences, unscale
from scorer.metrics.validation import check_pair, refuse_constant
from scorer.statistics.samples import Array

_BLOCK = 2**14
"""The number of values that are summed at a time; they fit into the processor's cache."""


def for_many_items(metric: Metric) -> Metric:
    """Return the metric with a function that is faster for many items, if there is one."""
    return replace(metric, function=_FUNCTIONS.get(metric.name, metric.function))


def _pearson(gold: Sequence[float], pred: Sequence[float]) -> float:
    return _correlate(*_checked_arrays(gold, pred))


def _spearman(gold: Sequence[float], pred: Sequence[float]) -> float:
    return _correlate(*(_average_ranks(values) for values in _checked_arrays(gold, pred)))


def _kendall(gold: Sequence[float], pred: Sequence[float]) -> float:
    (gold_places, gold_counts), (pred_places, pred_counts) = map(_places, _checked_arrays(gold, pred))
    items = gold_places * pred_counts.size + pred_places
    items.sort()
    cuts = np.flatnonzero(np.diff(items, prepend=-1, append=-1))
    ties = [_tied_pairs(counts) for counts in (gold_counts, pred_counts, np.diff(cuts))]
    return tau_b(items.size, *ties, discordant=_inversions(items % pred_counts.size))


def _weighted_pearson(gold: Sequence[float], pred: Sequence[float], confidences: Sequence[float]) -> float:
    weights = np.asarray(confidences, dtype=float)
    if not (weights.size and weights.max() > 0 and weights.min() >= 0 and np.isfinite(weights).all()):
        return weighted_pearson(gold, pred, confidences)
    weights = weights / weights.max()
    kept = weights >= NEGLIGIBLE_WEIGHT
    if not (len(gold) == len(pred) == weights.size and np.count_nonzero(kept) > 1):
        return weighted_pearson(gold, pred, confidences)
    x, y = _finite_arrays(gold, pred, at_least=2)
    x, y = x[kept], y[kept]
    refuse_constant((x.min(), x.max()), (y.min(), y.max()))
    return _correlate(x, y, weights[kept])


def _mse(gold: Sequence[float], pred: Sequence[float]) -> float:
    scaled, exponent = _scaled_differences(gold, pred)
    return unscale(exact_sum(scaled * scaled) / scaled.size, 2 * exponent)


def _rmse(gold: Sequence[float], pred: Sequence[float]) -> float:
    scaled, exponent = _scaled_differences(gold, pred)
    return unscale(sqrt(exact_sum(scaled * scaled) / scaled.size), exponent)


def _mae(gold: Sequence[float], pred: Sequence[float]) -> float:
    scaled, exponent = _scaled_differences(gold, pred)
    return unscale(exact_sum(abs(scaled)) / scaled.size, exponent)


_FUNCTIONS: Mapping[str, Any] = {
    "pearson": _pearson, "spearman": _spearman, "kendall": _kendall, "weighted_pearson": _weighted_pearson,
    "mse": _mse, "rmse": _rmse, "mae": _mae,
}  # fmt: skip


def _finite_arrays(gold: Sequence[float], pred: Sequence[float], at_least: int) -> tuple[Array, Array]:
    x, y = np.asarray(gold, dtype=float), np.asarray(pred, dtype=float)
    if not (x.size == y.size >= at_least and np.isfinite(x).all() and np.isfinite(y).all()):
        check_pair(gold, pred, at_least)
    return x, y


def _checked_arrays(gold: Sequence[float], pred: Sequence[float]) -> tuple[Array, Array]:
    x, y = _finite_arrays(gold, pred, at_least=2)
    refuse_constant((x.min(), x.max()), (y.min(), y.max()))
    return x, y


def _scaled_differences(gold: Sequence[float], pred: Sequence[float]) -> tuple[Array, int]:
    x, y = _finite_arrays(gold, pred, at_least=1)
    with np.errstate(over="ignore"):
        differences: Array = y - x
    if not np.isfinite(differences).all():
        raise too_large_differences()
    exponent = _exponent_of(differences)
    return np.ldexp(differences, -exponent), exponent


def _correlate(gold: Array, pred: Array, weights: Array | float = 1.0) -> float:
    x, y = _deviations(gold, weights), _deviations(pred, weights)
    xy, xx, yy = exact_sum(weights * (x * y)), exact_sum(weights * (x * x)), exact_sum(weights * (y * y))
    return max(-1.0, min(1.0, xy / sqrt(xx * yy)))


def _deviations(values: Array, weights: Array | float) -> Array:
    scaled: Array = np.ldexp(values, -_exponent_of(values))
    total = scaled.size if isinstance(weights, float) else exact_sum(weights)
    for _ in range(2):
        scaled = scaled - exact_sum(weights * scaled) / total
    return scaled


def _exponent_of(values: Array) -> int:
    return frexp(max(values.max(), -values.min()))[1]


def exact_sum(values: Array) -> float:
    """Sum floats exactly and round once, like `math.fsum`, but faster.

    Parameters
    ----------
    values : (n,) array of float
        The values, each at most 1 in size.

    Returns
    -------
    float

    Notes
    -----
    Adding and subtracting a large power of two rounds each value to its leading digits. These are multiples
    of one unit, and so few that their sum is exact in any order. What is left is rounded in the same way.

    References
    ----------
    Rump, Ogita & Oishi (2008), "Accurate floating-point summation part I: Faithful rounding", SIAM Journal on
    Scientific Computing 31(1), 189-224, algorithm 3.2, doi:10.1137/050645671.

    Examples
    --------
    >>> exact_sum(np.array([1.0, 1e-300, -1.0]))
    1e-300
    """
    sums = []
    for start in range(0, values.size, _BLOCK):
        rest = values[start : start + _BLOCK]
        while largest := max(rest.max(), -rest.min()):
            large = ldexp(1.0, frexp(largest)[1] + _BLOCK.bit_length())
            leading = (large + rest) - large
            sums.append(float(leading.sum()))
            rest = rest - leading
    return fsum(sums)


def _average_ranks(values: Array) -> Array:
    places, counts = _places(values)
    middles: Array = counts.cumsum() - counts + (counts + 1) / 2
    return middles[places]


def _places(values: Array) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the place of each value among the distinct values, and how often each of these occurs."""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    return places, counts


def _tied_pairs(counts: NDArray[np.int64]) -> int:
    return int((counts * (counts - 1) // 2).sum())


def _inversions(places: NDArray[np.int64]) -> int:
    """Count the pairs whose larger number comes first, by a merge sort of all runs of a length at once.

    Numbers are doubled; then those in the second of two runs to merge are made odd. The earlier these are in
    the merged run, the more numbers of the first run are larger.
    """
    size, width, inversions = 1 << (places.size - 1).bit_length(), 1, 0
    numbers = np.full(size, places.max(), dtype=np.int32)
    numbers[: places.size] = places
    numbers *= 2
    while width < size:
        runs = numbers.reshape(-1, 2 * width)
        runs[:, width:] += 1
        runs.sort(axis=1, kind="stable")  # linear, because each half is sorted
        second = (runs & 1).sum(axis=0, dtype=np.int64)
        largest_sum = width * (3 * width - 1) // 2  # of their places, which are the last if none is larger
        inversions += len(runs) * largest_sum - int(second @ np.arange(2 * width))
        runs -= runs & 1
        width *= 2
    return inversions
