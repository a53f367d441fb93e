"""Correlations with exact sums, so that all digits are the same on every machine."""

from collections import Counter
from collections.abc import Sequence
from itertools import accumulate, groupby
from math import fsum, isfinite, sqrt

from scorer.errors import RequestError, UndefinedError
from scorer.metrics.validation import check_pair, deviations, refuse_constant


def average_ranks(values: Sequence[float]) -> list[float]:
    """Rank values from 1 upwards; equal values share the mean of their ranks.

    Parameters
    ----------
    values : (n,) float
        The values, finite; -0.0 equals 0.0.

    Returns
    -------
    (n,) list of float
        Ranks from 1 to n, in the order of `values`; their sum is n (n + 1) / 2.

    References
    ----------
    Kendall (1945), "The treatment of ties in ranking problems", Biometrika 33(3), 239-251,
    doi:10.1093/biomet/33.3.239.

    Examples
    --------
    >>> average_ranks([0.5, 3.0, 0.5, -1.0])
    [2.5, 4.0, 2.5, 1.0]
    """
    tied = Counter(values)
    ordered = sorted(tied)
    counts = [tied[value] for value in ordered]
    below = accumulate(counts, initial=0)
    middles = [lower + (count + 1) / 2 for lower, count in zip(below, counts, strict=False)]
    ranks = dict(zip(ordered, middles, strict=True))
    return [ranks[value] for value in values]


def pearson(gold: Sequence[float], pred: Sequence[float]) -> float:
    """Compute Pearson's product-moment correlation of a run with the gold.

    Parameters
    ----------
    gold, pred : (n,) float
        The gold values and the predictions, finite and not constant, n >= 2. Items without a value must be
        left out of both.

    Returns
    -------
    float
        The correlation, in [-1, 1]. It is exactly 1 for `pearson(x, x)` and exactly -1 for `pearson(x, -x)`.

    Raises
    ------
    UndefinedError
        With the code "too_few_items" if n < 2, and "constant_gold" or "constant_run" if all values of one
        side are equal.
    RequestError
        If the lengths differ or a value is not finite.

    Notes
    -----
    r = sum(x y) / sqrt(sum(x x) sum(y y)), with x and y the deviations from the means. Each side is first
    multiplied by the power of two that brings its largest absolute value to [0.5, 1). This is exact, does not
    change r, and prevents overflows. Each side is centered twice, because with a large offset the rounding
    error of the first mean is too large. Sums are exact (`math.fsum`), so the order of the items does not
    matter.

    References
    ----------
    Pearson (1896), "Regression, heredity and panmixia", Phil. Trans. R. Soc. A 187, 253-318,
    doi:10.1098/rsta.1896.0007. Centering twice: Chan, Golub & LeVeque (1983), "Algorithms for computing the
    sample variance", The American Statistician 37(3), 242-247, doi:10.1080/00031305.1983.10483115.

    Examples
    --------
    >>> pearson([1, 2, 3], [1, 3, 2])
    0.5
    >>> pearson([1e15 + 1, 1e15 + 2, 1e15 + 3], [1e300, 3e300, 2e300])
    0.5
    """
    check_pair(gold, pred, at_least=2)
    refuse_constant(gold, pred)
    (x, xx), (y, yy) = _centred(gold), _centred(pred)
    xy = fsum([a * b for a, b in zip(x, y, strict=True)])
    return max(-1.0, min(1.0, xy / sqrt(xx * yy)))


def spearman(gold: Sequence[float], pred: Sequence[float]) -> float:
    """Compute Spearman's rank correlation: Pearson's correlation of the average ranks.

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
    Ties share the mean of their ranks, and -0.0 ties with 0.0. The short formula
    1 - 6 sum(d d) / (n (n n - 1)) is not used, because it is wrong if there are ties.

    References
    ----------
    Spearman (1904), "The proof and measurement of association between two things", American Journal of
    Psychology 15(1), 72-101, doi:10.2307/1412159.

    Examples
    --------
    >>> spearman([1, 2, 3, 4], [1, 10, 1000, 100])
    0.8
    """
    check_pair(gold, pred, at_least=2)
    return pearson(average_ranks(gold), average_ranks(pred))


def _centred(values: Sequence[float]) -> tuple[list[float], float]:
    """Return the deviations of one side from its mean, and the sum of their squares."""
    distances = deviations(values)
    return distances, fsum([distance * distance for distance in distances])


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
    ties = [_tied_pairs(ordered) for ordered in (sorted(gold), sorted(pred), items)]
    return tau_b(len(items), *ties, discordant=_sort_and_count_inversions([value for _, value in items]))


def tau_b(n: int, gold_ties: int, pred_ties: int, joint_ties: int, *, discordant: int) -> float:
    """Compute Kendall's tau-b of n items from its numbers of pairs, as `kendall` documents them."""
    pairs = n * (n - 1) // 2
    concordant = pairs - gold_ties - pred_ties + joint_ties - discordant
    tau = (concordant - discordant) / sqrt((pairs - gold_ties) * (pairs - pred_ties))
    return max(-1.0, min(1.0, tau))


def _tied_pairs(ordered: Sequence[object]) -> int:
    """Count the pairs of equal values in a sorted sequence."""
    sizes = (sum(1 for _ in group) for _, group in groupby(ordered))
    return sum(size * (size - 1) // 2 for size in sizes)


def _sort_and_count_inversions(values: list[float]) -> int:
    """Sort the values by merging halves, and count the pairs whose larger value came first."""
    if len(values) < 2:
        return 0
    middle = len(values) // 2
    first, second = values[:middle], values[middle:]
    inversions, place = _sort_and_count_inversions(first) + _sort_and_count_inversions(second), 0
    for value in second:
        while place < middle and first[place] <= value:
            place += 1
        inversions += middle - place
    values[:] = first + second
    values.sort()  # linear, because both halves are sorted
    return inversions


NEGLIGIBLE_WEIGHT = 1e-100
"""A confidence below this share of the largest confidence counts as 0, so that no square underflows."""


def weighted_pearson(gold: Sequence[float], pred: Sequence[float], confidences: Sequence[float]) -> float:
    """Compute Pearson's correlation with the gold, with each item weighted by the run's confidence in it.

    Parameters
    ----------
    gold, pred : (n,) float
        The gold values and the predictions, finite. Items without a gold value must be left out.
    confidences : (n,) float
        The confidences, finite and at least 0, on any scale. The caller has to replace missing confidences;
        `evaluate` uses the highest possible confidence, as in SemEval-2014 Task 3 (CLSS).

    Returns
    -------
    float
        The correlation, in [-1, 1]. If all confidences are the same, it equals `pearson(gold, pred)` in all
        digits.

    Raises
    ------
    UndefinedError
        With the code "too_few_items" if fewer than two items have a confidence above 0, and "constant_gold"
        or "constant_run" if all values of one side are equal on these items.
    RequestError
        If the lengths differ, a value is not finite or a confidence is below 0.

    Notes
    -----
    r = sum(w x y) / sqrt(sum(w x x) sum(w y y)), with w the confidences and x and y the deviations from the
    means weighted by w. Items with confidence 0 are left out. The script `correlation.pl` of *SEM 2013
    printed this value for runs with confidences; the official score of the task was the unweighted
    correlation. A system can raise this value by being confident only in easy items, so always compare it
    together with `pearson`.

    References
    ----------
    Agirre, Cer, Diab, Gonzalez-Agirre & Guo (2013), "*SEM 2013 shared task: Semantic Textual Similarity",
    ACL S13-1004, and the script `correlation.pl` of its packages. Lines without a confidence: Jurgens,
    Pilehvar & Navigli (2014), "SemEval-2014 Task 3: Cross-Level Semantic Similarity", ACL S14-2003, and the
    task's evaluation page.

    Examples
    --------
    >>> weighted_pearson([1, 2, 3, 9], [1, 3, 2, 0], [1, 1, 1, 0])
    0.5
    """
    check_pair(gold, pred, at_least=0)
    _check_confidences(confidences, len(gold))
    largest = max(confidences, default=0.0)
    triples = [
        (a, b, confidence / largest)
        for a, b, confidence in zip(gold, pred, confidences, strict=True)
        if confidence > 0 and confidence / largest >= NEGLIGIBLE_WEIGHT
    ]
    if len(triples) < 2:
        items = "item has" if len(triples) == 1 else "items have"
        reason = f"{len(triples)} {items} a confidence above 0; this needs at least 2"
        raise UndefinedError("too_few_items", reason)
    kept_gold, kept_pred, weights = map(list, zip(*triples, strict=True))
    refuse_constant(kept_gold, kept_pred)
    x, y = deviations(kept_gold, weights), deviations(kept_pred, weights)
    xy = fsum([w * (a * b) for a, b, w in zip(x, y, weights, strict=True)])
    xx, yy = (fsum([w * (a * a) for a, w in zip(side, weights, strict=True)]) for side in (x, y))
    return max(-1.0, min(1.0, xy / sqrt(xx * yy)))


def _check_confidences(confidences: Sequence[float], n: int) -> None:
    if len(confidences) != n:
        raise RequestError(f"gold has {n} values and there are {len(confidences)} confidences")
    for place, confidence in enumerate(confidences):
        if not (isfinite(confidence) and confidence >= 0):
            raise RequestError(f"confidences[{place}] is {confidence}; each must be finite and at least 0")
