"""Kendall's rank correlation (tau-b), from exact counts of pairs."""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import groupby
from math import sqrt

from scorer.metrics.validation import check_pair, refuse_constant


def kendall(gold: Sequence[float], pred: Sequence[float]) -> float:
    """Compute Kendall's rank correlation of a run with the gold (tau-b, the variant for values with ties).

    Parameters
    ----------
    gold, pred : (n,) float
        The gold values and the predictions, finite and not constant, n >= 2. Items without a value must be
        left out of both.

    Returns
    -------
    float
        The correlation, in [-1, 1].

    Raises
    ------
    UndefinedError
        With the code "too_few_items" if n < 2, and "constant_gold" or "constant_run" if all values of one
        side are equal.
    RequestError
        If the lengths differ or a value is not finite.

    Notes
    -----
    tau-b = (C - D) / sqrt((P - T) (P - U)), with C and D the numbers of pairs of items in the same and in the
    opposite order, P = n (n - 1) / 2 the number of all pairs, and T and U the numbers of pairs that are tied
    in the gold and in the run. The counts are integers, so only the root and the division round. Without ties
    it equals tau-a. The implementation does not visit all pairs: it sorts the items by gold and then by pred,
    and D is the number of inversions in pred.

    References
    ----------
    Kendall (1945), "The treatment of ties in ranking problems", Biometrika 33(3), 239-251,
    doi:10.1093/biomet/33.3.239. Counting after a sort: Knight (1966), "A computer method for calculating
    Kendall's tau with ungrouped data", JASA 61(314), 436-439, doi:10.1080/01621459.1966.10480879.

    Examples
    --------
    >>> kendall([1, 2, 3, 4], [1, 3, 2, 4])
    0.6666666666666666
    """
    check_pair(gold, pred, at_least=2)
    refuse_constant(gold, pred)
    items = sorted(zip(gold, pred, strict=True))
    pairs = len(items) * (len(items) - 1) // 2
    gold_ties, pred_ties, joint_ties = _ties(sorted(gold)), _ties(sorted(pred)), _ties(items)
    discordant = _out_of_order([value for _, value in items])
    concordant = pairs - gold_ties - pred_ties + joint_ties - discordant
    tau = (concordant - discordant) / sqrt((pairs - gold_ties) * (pairs - pred_ties))
    return max(-1.0, min(1.0, tau))


def _ties(ordered: Sequence[object]) -> int:
    """Count the pairs of equal values in a sorted sequence."""
    sizes = (sum(1 for _ in group) for _, group in groupby(ordered))
    return sum(size * (size - 1) // 2 for size in sizes)


def _out_of_order(values: Sequence[float]) -> int:
    """Count the inversions: the pairs whose larger value comes first."""
    before: list[float] = []
    inversions = 0
    for value in values:
        place = bisect_right(before, value)
        inversions += len(before) - place
        before.insert(place, value)
    return inversions
