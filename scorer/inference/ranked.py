"""Rank correlations of many resamples: ranks anew in each of them.

Ranks and their products are whole numbers, so sums of them are exact whatever their order.
"""

import numpy as np
from numpy.typing import NDArray

from scorer.inference.moments import Kernel
from scorer.inference.samples import Array, Sample

Ties = list[NDArray[np.int64]]
"""The places of equal values, from the lowest value to the highest."""
_BLOCK = 256
"""Rows of a table of pairs at a time."""


def spearman_kernel(sample: Sample) -> Kernel:
    """Ranks anew in each resample, as doubled deviations from the mean rank, which are whole numbers."""
    gold_ties = _ties(sample.gold)
    ties = [_ties(pred) for pred in sample.preds]

    def kernel(counts: Array) -> Array:
        drawn = np.ascontiguousarray(sample.of_items(counts))
        n, cubes = drawn.sum(axis=0), drawn**3
        whole = cubes.sum(axis=0)
        gold_squares = n**3 - whole - _tie_cubes(drawn, cubes, gold_ties)
        weighted = _gold_ranks(drawn, n, gold_ties)
        found = np.full((len(ties), counts.shape[1]), np.nan)
        for i, groups in enumerate(ties):
            squares = n**3 - whole - _tie_cubes(drawn, cubes, groups)
            defined = (squares > 0) & (gold_squares > 0)
            cross = 3 * _cross_ranks(drawn, weighted, groups)
            np.divide(cross, np.sqrt(squares) * np.sqrt(gold_squares), out=found[i], where=defined)
        return found.clip(-1.0, 1.0)

    return kernel


def _ties(values: Array) -> Ties:
    """The places of equal values, from the lowest value to the highest."""
    order = np.argsort(values, kind="stable")
    cuts = np.flatnonzero(np.diff(values[order]) != 0) + 1
    return np.split(order, cuts)


def _tie_cubes(drawn: Array, cubes: Array, ties: Ties) -> Array:
    """What the cubes of ties have over those of their items; sums of squared deviations need no more.

    Of doubled deviations of average ranks the squares add up to (n^3 - n) / 3 less (t^3 - t) / 3 for each tie
    of t (Kendall 1945), and the t add up to n.
    """
    more = np.zeros(drawn.shape[1])
    for tied in ties:
        if len(tied) > 1:
            more += drawn[tied].sum(axis=0) ** 3 - cubes[tied].sum(axis=0)
    return more


def _gold_ranks(drawn: Array, n: Array, ties: Ties) -> Array:
    """Each item's doubled deviation from the mean rank, times how often it was drawn."""
    weighted, below = np.empty_like(drawn), np.zeros_like(n)
    for tied in ties:
        own = drawn[tied].sum(axis=0)
        weighted[tied] = drawn[tied] * (below + below + own - n)
        below = below + own
    return weighted


def _cross_ranks(drawn: Array, weighted: Array, ties: Ties) -> Array:
    """The sum over items of both sides' doubled deviations, from the lowest score to the highest.

    The gold's deviations add up to 0, so the other side's ranks need no centring.
    """
    cross, below, above, rank = np.zeros((4, drawn.shape[1]))
    for tied in ties:
        if len(tied) == 1:
            own, gold = drawn[tied[0]], weighted[tied[0]]
        else:
            own, gold = drawn[tied].sum(axis=0), weighted[tied].sum(axis=0)
        np.add(below, own, out=above)
        np.add(below, above, out=rank)
        np.multiply(rank, gold, out=rank)
        np.add(cross, rank, out=cross)
        below, above = above, below
    return cross


def kendall_kernel(sample: Sample) -> Kernel:
    """Kendall's tau-b, from the agreement of each pair of items, a block of rows of that table at a time."""
    gold_ties = _ties(sample.gold)
    ties = [_ties(pred) for pred in sample.preds]

    def kernel(counts: Array) -> Array:
        drawn = np.ascontiguousarray(sample.of_items(counts))
        n = drawn.sum(axis=0)
        gold_pairs = _untied_pairs(drawn, n, gold_ties)
        found = np.full((len(ties), counts.shape[1]), np.nan)
        for i, groups in enumerate(ties):
            pairs = _untied_pairs(drawn, n, groups)
            defined = (pairs > 0) & (gold_pairs > 0)
            agreement = _agreement(sample.gold, sample.preds[i], drawn)
            np.divide(agreement, np.sqrt(pairs) * np.sqrt(gold_pairs), out=found[i], where=defined)
        return found.clip(-1.0, 1.0)

    return kernel


def _untied_pairs(drawn: Array, n: Array, ties: Ties) -> Array:
    """Twice the number of pairs with different values."""
    tied = np.zeros_like(n)
    for places in ties:
        tied += drawn[places].sum(axis=0) ** 2
    return n * n - tied


def _agreement(gold: Array, pred: Array, drawn: Array) -> Array:
    """Twice the concordant less the discordant pairs."""
    found = np.zeros(drawn.shape[1])
    for start in range(0, gold.size, _BLOCK):
        rows = slice(start, start + _BLOCK)
        signs = np.sign(gold[rows, None] - gold) * np.sign(pred[rows, None] - pred)
        found += (drawn[rows] * (signs @ drawn)).sum(axis=0)
    return found
