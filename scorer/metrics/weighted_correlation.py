"""Pearson's correlation with each item weighted by the run's confidence in it, as in STS 2013."""

from collections.abc import Sequence
from math import fsum, isfinite, sqrt

from scorer.errors import RequestError, UndefinedError
from scorer.metrics.validation import check_pair, deviations, refuse_constant

_NEGLIGIBLE = 1e-100
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
        if confidence > 0 and confidence / largest >= _NEGLIGIBLE
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
