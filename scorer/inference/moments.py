"""Metrics of many resamples from sums: one product of matrices serves every system.

Where such sums have lost the digits (a resample that is constant, or nearly so), the exact metric is asked.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from scorer.errors import UndefinedError
from scorer.inference.samples import Array, Sample, standardise
from scorer.metrics import METRICS

Kernel = Callable[[Array], Array]
"""(u, k) how often each unit was drawn -> (m, k) values; NaN where a resample has none."""
_SUSPECT = 1e-5
"""A variance below this share of the whole sample's has lost digits in the sums, and is computed anew."""
_LOST = 1e-12
"""A weighed variance below this share is none."""


def pearson_kernel(sample: Sample) -> Kernel:
    """Pearson, from the sums of x, x x, x y, y, y y and 1 over standardised scores x and gold y."""
    x, y = standardise(sample.preds), standardise(sample.gold)
    rows = np.concatenate([x, x * x, x * y, y[None], (y * y)[None], np.ones((1, y.size))])
    features, m = sample.sums(rows) / y.size, len(x)

    def kernel(counts: Array) -> Array:
        averages = features @ counts
        if sample.grouped or counts.sum() != y.size * counts.shape[1]:
            averages /= averages[-1]
        means, gold_mean = averages[:m], averages[-3]
        spread = averages[m : 2 * m] - means * means
        gold_spread = averages[-2] - gold_mean * gold_mean
        with np.errstate(all="ignore"):
            r = (averages[2 * m : 3 * m] - means * gold_mean) / np.sqrt(spread * gold_spread)
        if not (spread.min(initial=1.0) > _SUSPECT and gold_spread.min() > _SUSPECT):
            suspects = ~((spread > _SUSPECT) & (gold_spread > _SUSPECT))
            _ask_exactly(sample, METRICS["pearson"].function, counts, suspects, r)
        clipped: Array = r.clip(-1.0, 1.0)
        return clipped

    return kernel


def _ask_exactly(
    sample: Sample,
    function: Callable[[Sequence[float], Sequence[float]], float],
    counts: Array,
    suspects: NDArray[np.bool_],
    found: Array,
) -> None:
    """Compute those values anew whose sums may have lost digits: from the items, by the exact metric."""
    for k in np.flatnonzero(suspects.any(axis=0)):
        places = np.repeat(np.arange(sample.gold.size), counts[sample.units, k].astype(int))
        gold = sample.gold[places]
        constant = gold.size == 0 or gold.min() == gold.max()
        for i in np.flatnonzero(suspects[:, k]):
            pred = sample.preds[i, places]
            if constant or pred.min() == pred.max():
                found[i, k] = np.nan
                continue
            try:
                found[i, k] = function(gold.tolist(), pred.tolist())
            except UndefinedError:
                found[i, k] = np.nan


def weighted_pearson_kernel(sample: Sample) -> Kernel:
    """Pearson with each item weighed by the system's confidence: a mean over the same sums, weighed."""
    x, y = standardise(sample.preds), standardise(sample.gold)
    c = np.ones_like(x) if sample.confidences is None else sample.confidences
    parts = [sample.sums(c * part) for part in (np.ones_like(x), x, x * x, x * y, y, y * y)]

    def kernel(counts: Array) -> Array:
        n, xs, xxs, xys, ys, yys = (part @ counts for part in parts)
        with np.errstate(all="ignore"):
            spread, gold_spread = xxs / n - (xs / n) ** 2, yys / n - (ys / n) ** 2
            r = (xys / n - xs * ys / n / n) / np.sqrt(spread * gold_spread)
        r[~((n > 0) & (spread > _LOST) & (gold_spread > _LOST))] = np.nan
        return r.clip(-1.0, 1.0)

    return kernel


def deviation_kernel(metric: str) -> Callable[[Sample], Kernel]:
    """Mean errors: those of the items, summed over each unit."""

    def of_sample(sample: Sample) -> Kernel:
        losses, exponents = item_losses(sample, metric)
        features = sample.sums(np.concatenate([losses, np.ones((1, losses.shape[1]))]))

        def kernel(counts: Array) -> Array:
            sums = features @ counts
            return loss_value(sums[:-1] / sums[-1], exponents[:, None], metric)

        return kernel

    return of_sample


def item_losses(sample: Sample, metric: str) -> tuple[Array, NDArray[np.int64]]:
    """What each item adds to a mean error, (m, n), with each system's differences divided by 2^exponent."""
    halves = sample.preds / 2 - sample.gold / 2
    exponents = np.frexp(np.abs(halves).max(axis=1, initial=0.0))[1].astype(np.int64)
    scaled = np.ldexp(halves, -exponents[:, None])
    return np.abs(scaled) if metric == "mae" else scaled * scaled, exponents + 1


def loss_value(means: Array, exponents: NDArray[np.int64], metric: str) -> Array:
    """Mean losses as the metric's value; NaN where that is too large for a float."""
    with np.errstate(all="ignore"):
        if metric == "mse":
            value = np.ldexp(np.ldexp(means, exponents), exponents)
        else:
            value = np.ldexp(np.sqrt(means) if metric == "rmse" else means, exponents)
    found: Array = np.where(np.isfinite(value), value, np.nan)
    return found
