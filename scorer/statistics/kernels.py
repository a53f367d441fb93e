"""Kernels that compute a metric of all systems on many resamples at once.

Their input is how often each unit was drawn in each resample. Pearson and mean errors are computed from sums,
with one matrix product for all systems. If these sums have lost digits by cancellation (in a resample that is
constant or nearly constant), the metric is computed exactly instead. Rank correlations compute the ranks
again in each resample. Ranks and their products are integers, so their sums are exact in any order.
"""

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np
from numpy.typing import NDArray

from scorer.errors import RequestError
from scorer.metrics import pearson, weighted_pearson
from scorer.metrics.correlation import NEGLIGIBLE_WEIGHT
from scorer.metrics.multiple_choice import choice_credits
from scorer.metrics.within_sd import within_sd_credits
from scorer.statistics.samples import Array, Sample, standardize

Kernel = Callable[[Array], Array]
"""A function from (u, k) counts of how often each unit was drawn to (m, k) values; NaN means undefined."""
_MIN_VARIANCE_SHARE = 1e-5
"""If a variance is below this share of the whole sample's variance, it has lost digits and is recomputed."""


def pearson_kernel(sample: Sample) -> Kernel:
    """Return a kernel of Pearson's r that uses the sums of x, x x, x y, y, y y and 1.

    x are the standardized scores and y is the standardized gold.
    """
    x, y = standardize(sample.preds), standardize(sample.gold)
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
        if not (spread.min(initial=1.0) > _MIN_VARIANCE_SHARE and gold_spread.min() > _MIN_VARIANCE_SHARE):
            suspects = ~((spread > _MIN_VARIANCE_SHARE) & (gold_spread > _MIN_VARIANCE_SHARE))
            _recompute_exactly(sample, None, counts, suspects, r)
        clipped: Array = r.clip(-1.0, 1.0)
        return clipped

    return kernel


def _recompute_exactly(
    sample: Sample, weights: Array | None, counts: Array, suspects: NDArray[np.bool_], values: Array
) -> None:
    """Recompute the values whose sums may have lost digits with the exact metric, and update `values`."""
    for k in np.flatnonzero(suspects.any(axis=0)):
        drawn = np.repeat(np.arange(sample.gold.size), counts[sample.units, k].astype(int))
        for i in np.flatnonzero(suspects[:, k]):
            places = drawn if weights is None else drawn[weights[i, drawn] > 0]
            gold, pred = sample.gold[places], sample.preds[i, places]
            if places.size == 0 or gold.min() == gold.max() or pred.min() == pred.max():
                values[i, k] = np.nan
            elif weights is None:
                values[i, k] = pearson(gold.tolist(), pred.tolist())
            else:
                values[i, k] = weighted_pearson(gold.tolist(), pred.tolist(), weights[i, places].tolist())


def weighted_pearson_kernel(sample: Sample) -> Kernel:
    """Return a kernel of Pearson's r in which each item is weighted by the system's confidence.

    It standardizes gold and scores by the weights of each system, so that items of weight 0 change nothing.
    """
    weights = np.ones_like(sample.preds) if sample.confidences is None else sample.confidences
    largest = weights.max(axis=1, keepdims=True, initial=0.0)
    has_weight = largest[:, 0] > 0
    weights = weights / np.where(largest > 0, largest, 1.0)
    weights[weights < NEGLIGIBLE_WEIGHT] = 0.0
    x, y = np.zeros((2, *weights.shape))
    for side, values in ((x, sample.preds), (y, np.broadcast_to(sample.gold, weights.shape))):
        side[has_weight] = standardize(values[has_weight], weights[has_weight])
    parts = [sample.sums(weights * part) for part in (np.ones_like(x), x, x * x, x * y, y, y * y)]

    def kernel(counts: Array) -> Array:
        n, xs, xxs, xys, ys, yys = (part @ counts for part in parts)
        with np.errstate(all="ignore"):
            spread, gold_spread = xxs / n - (xs / n) ** 2, yys / n - (ys / n) ** 2
            r = (xys / n - xs * ys / n / n) / np.sqrt(spread * gold_spread)
        suspects = ~((spread > _MIN_VARIANCE_SHARE) & (gold_spread > _MIN_VARIANCE_SHARE))
        if suspects.any():
            _recompute_exactly(sample, weights, counts, suspects, r)
        return r.clip(-1.0, 1.0)

    return kernel


def deviation_kernel(sample: Sample, metric: str) -> Kernel:
    """Return a kernel of MSE, RMSE, MAE or accuracy within SD that uses the losses of the items."""
    losses, exponents = item_losses(sample, metric)
    features = sample.sums(np.concatenate([losses, np.ones((1, losses.shape[1]))]))

    def kernel(counts: Array) -> Array:
        sums = features @ counts
        return loss_value(sums[:-1] / sums[-1], exponents[:, None], metric)

    return kernel


def item_losses(sample: Sample, metric: str) -> tuple[Array, NDArray[np.int64]]:
    """Return the (m, n) losses of the items and the (m,) exponents by which they are scaled.

    The differences of each system are divided by 2^exponent, so that their squares do not overflow. The
    losses of accuracy within SD are its credits, 0 or 1, which are not scaled.
    """
    if metric == "within_sd":
        gold, sds = sample.gold.tolist(), None if sample.sds is None else sample.sds.tolist()
        losses = [within_sd_credits(gold, pred, sds) for pred in sample.preds.tolist()]
        return np.reshape(losses, sample.preds.shape), np.zeros(len(losses), dtype=np.int64)
    largest = max(np.abs(sample.preds).max(initial=0.0), np.abs(sample.gold).max(initial=0.0))
    half = int(largest >= _LARGE)  # differences of halves do not overflow, but halves can underflow
    differences = np.ldexp(sample.preds, -half) - np.ldexp(sample.gold, -half)
    exponents = np.frexp(np.abs(differences).max(axis=1, initial=0.0))[1].astype(np.int64)
    scaled = np.ldexp(differences, -exponents[:, None])
    return np.abs(scaled) if metric == "mae" else scaled * scaled, exponents + half


def loss_value(means: Array, exponents: NDArray[np.int64], metric: str) -> Array:
    """Convert scaled mean losses to values of the metric. A value that is too large for a float is NaN."""
    with np.errstate(all="ignore"):
        if metric == "mse":
            value = np.ldexp(np.ldexp(means, exponents), exponents)
        else:
            value = np.ldexp(np.sqrt(means) if metric == "rmse" else means, exponents)
    finite_values: Array = np.where(np.isfinite(value), value, np.nan)
    return finite_values


def unit_credits(sample: Sample) -> tuple[Array, Array]:
    """Return the (m, u) credits of the systems, and a (u,) array with 1 for units with a choice, else 0."""
    groups, gold = [str(unit) for unit in sample.units.tolist()], sample.gold.tolist()
    system_credits = np.zeros((len(sample.preds), sample.size))
    is_choice = np.zeros(sample.size)
    for i, pred in enumerate(sample.preds.tolist()):
        for group, credit in choice_credits(gold, pred, groups).items():
            system_credits[i, int(group)], is_choice[int(group)] = credit, 1.0
    return system_credits, is_choice


def choice_kernel(sample: Sample) -> Kernel:
    """Return a kernel of the mean credit over the groups that were drawn and that have a choice."""
    system_credits, is_choice = unit_credits(sample)

    def kernel(counts: Array) -> Array:
        with np.errstate(all="ignore"):
            accuracies: Array = (system_credits @ counts) / (is_choice @ counts)
        return accuracies

    return kernel


_LARGE = 2.0**1022
"""Differences of values below this are finite."""
TieGroups = list[NDArray[np.int64]]
"""For each distinct value, from the lowest to the highest, the indices of the items that have it."""
_BLOCK = 256
"""The number of rows of the table of pairs that are computed at a time."""


def spearman_kernel(sample: Sample) -> Kernel:
    """Return a kernel of Spearman's rho that ranks again in each resample.

    It computes with twice the deviations from the mean rank, because these are integers.
    """
    gold_ties = _tie_groups(sample.gold)
    ties = [_tie_groups(pred) for pred in sample.preds]

    def kernel(counts: Array) -> Array:
        drawn = np.ascontiguousarray(sample.of_items(counts))
        n, cubes = drawn.sum(axis=0), drawn**3
        whole = cubes.sum(axis=0)
        gold_squares = n**3 - whole - _tie_cubes(drawn, cubes, gold_ties)
        weighted = _gold_ranks(drawn, n, gold_ties)
        correlations = np.full((len(ties), counts.shape[1]), np.nan)
        work = np.empty((3, *drawn.shape))  # new memory for each system takes longer than to rank
        for i, groups in enumerate(ties):
            squares = n**3 - whole - _tie_cubes(drawn, cubes, groups)
            defined = (squares > 0) & (gold_squares > 0)
            cross = 3 * _cross_ranks(drawn, weighted, groups, work)
            np.divide(cross, np.sqrt(squares) * np.sqrt(gold_squares), out=correlations[i], where=defined)
        return correlations.clip(-1.0, 1.0)

    return kernel


def _tie_groups(values: Array) -> TieGroups:
    """Return the indices of equal values, from the lowest value to the highest."""
    order = np.argsort(values, kind="stable")
    cuts = np.flatnonzero(values[order][1:] != values[order][:-1]) + 1
    return np.split(order, cuts)


def _tie_cubes(drawn: Array, cubes: Array, ties: TieGroups) -> Array:
    """Return the sum over ties of the cubed size of the tie minus the cubed counts of its items.

    The sum of squared deviations follows from it: the squares of the doubled deviations of average ranks add
    up to (n^3 - n) / 3 minus (t^3 - t) / 3 for each tie of size t (Kendall 1945), and the t add up to n.
    """
    more = np.zeros(drawn.shape[1])
    for tied in ties:
        if len(tied) > 1:
            more += drawn[tied].sum(axis=0) ** 3 - cubes[tied].sum(axis=0)
    return more


def _gold_ranks(drawn: Array, n: Array, ties: TieGroups) -> Array:
    """Return each item's doubled deviation from the mean rank, times the number of times it was drawn."""
    weighted, below = np.empty_like(drawn), np.zeros_like(n)
    for tied in ties:
        tie_counts = drawn[tied].sum(axis=0)
        weighted[tied] = drawn[tied] * (below + below + tie_counts - n)
        below = below + tie_counts
    return weighted


def _cross_ranks(drawn: Array, weighted: Array, ties: TieGroups, work: Array) -> Array:
    """Return the sum over items of the products of the doubled rank deviations of gold and scores.

    The deviations of the gold add up to 0, so the ranks of the scores do not have to be centered. The doubled
    rank of a tie is the number of items below it plus the number of items up to it. `work` has room for three
    arrays like `drawn`.
    """
    order = np.concatenate(ties)
    tie_counts = np.take(drawn, order, axis=0, out=work[0], mode="clip")  # this mode writes there directly
    gold = np.take(weighted, order, axis=0, out=work[1], mode="clip")
    if len(ties) < len(order):
        starts = np.cumsum([0, *map(len, ties[:-1])])
        tie_counts, gold = np.add.reduceat(tie_counts, starts), np.add.reduceat(gold, starts)
    ranks = np.cumsum(tie_counts, axis=0, out=work[2, : len(tie_counts)])
    ranks *= 2.0
    ranks -= tie_counts
    cross: Array = np.einsum("ij,ij->j", ranks, gold)
    return cross


def kendall_kernel(sample: Sample) -> Kernel:
    """Return a kernel of Kendall's tau-b. It computes the table of all pairs of items in blocks of rows."""
    gold_ties = _tie_groups(sample.gold)
    ties = [_tie_groups(pred) for pred in sample.preds]
    gold_order, orders = _order(gold_ties), [_order(groups) for groups in ties]

    def kernel(counts: Array) -> Array:
        drawn = np.ascontiguousarray(sample.of_items(counts))
        n = drawn.sum(axis=0)
        gold_pairs = _untied_pairs(drawn, n, gold_ties)
        correlations = np.full((len(ties), counts.shape[1]), np.nan)
        for i, groups in enumerate(ties):
            pairs = _untied_pairs(drawn, n, groups)
            defined = (pairs > 0) & (gold_pairs > 0)
            agreement = _concordance(gold_order, orders[i], drawn)
            np.divide(agreement, np.sqrt(pairs) * np.sqrt(gold_pairs), out=correlations[i], where=defined)
        return correlations.clip(-1.0, 1.0)

    return kernel


def _untied_pairs(drawn: Array, n: Array, ties: TieGroups) -> Array:
    """Return twice the number of pairs with different values."""
    tied = np.zeros_like(n)
    for places in ties:
        tied += drawn[places].sum(axis=0) ** 2
    return n * n - tied


def _order(ties: TieGroups) -> Array:
    """Return the place of each item's value among the distinct values; differences of places are finite."""
    places = np.empty(sum(map(len, ties)))
    for place, tied in enumerate(ties):
        places[tied] = place
    return places


def _concordance(gold: Array, pred: Array, drawn: Array) -> Array:
    """Return twice the difference between the numbers of concordant and discordant pairs of items."""
    totals = np.zeros(drawn.shape[1])
    for start in range(0, gold.size, _BLOCK):
        rows = slice(start, start + _BLOCK)
        signs = np.sign(gold[rows, None] - gold) * np.sign(pred[rows, None] - pred)
        totals += (drawn[rows] * (signs @ drawn)).sum(axis=0)
    return totals


KERNELS: Mapping[str, Callable[[Sample], Kernel]] = {
    "pearson": pearson_kernel,
    "spearman": spearman_kernel,
    "kendall": kendall_kernel,
    "weighted_pearson": weighted_pearson_kernel,
    "mse": partial(deviation_kernel, metric="mse"),
    "rmse": partial(deviation_kernel, metric="rmse"),
    "mae": partial(deviation_kernel, metric="mae"),
    "choice_accuracy": choice_kernel,
    "within_sd": partial(deviation_kernel, metric="within_sd"),
}
"""The kernel of each metric that can be resampled."""
BATCH_CELLS = 2**17
"""The number of counts in a batch: one megabyte, which fits into the processor's caches."""
BATCH_CELLS_BY_METRIC = {"kendall": 2**18}
"""This kernel has loops in Python in each batch, so larger batches are faster."""


def make_kernel(sample: Sample, metric: str) -> Kernel:
    """Return the kernel of a metric for a sample.

    Raises
    ------
    RequestError
        If the metric has no kernel. The message lists the metrics that have one.
    """
    if metric not in KERNELS:
        raise RequestError(f"{metric} cannot be resampled (these can: {', '.join(KERNELS)})")
    return KERNELS[metric](sample)
