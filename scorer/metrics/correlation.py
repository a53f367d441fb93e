"""Pearson's and Spearman's correlation with exact sums, so that all digits are the same on every machine."""

from collections import Counter
from collections.abc import Sequence
from itertools import accumulate
from math import fsum, sqrt

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
