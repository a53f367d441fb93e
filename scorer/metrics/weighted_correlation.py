"""Pearson's correlation with each item weighted by the run's confidence in it: STS 2013's experiment."""

from collections.abc import Sequence
from math import fsum, isfinite, sqrt

from scorer.errors import RequestError, UndefinedError
from scorer.metrics.validation import check_pair, deviations, refuse_constant

_NEGLIGIBLE = 1e-100
"""Share of the largest confidence below which one counts as 0, so that no square vanishes."""


def weighted_pearson(gold: Sequence[float], pred: Sequence[float], confidences: Sequence[float]) -> float:
    """Pearson's correlation with the gold, items weighted by the confidence that the run has in them.

    Parameters
    ----------
    gold, pred : (n,) float
        Finite. Items without a gold value have been left out.
    confidences : (n,) float
        Finite, at least 0, on any scale. What a line without a confidence weighs is the caller's to say:
        `evaluate` takes the highest that there is, as CLSS does.

    Returns
    -------
    float
        In [-1, 1]; `pearson(gold, pred)`, to the last digit, where all confidences are the same.

    Raises
    ------
    UndefinedError
        "too_few_items" if fewer than two items have a confidence above 0; "constant_gold" or "constant_run"
        if one side has a single value on those that have.
    RequestError
        If the lengths differ, a value is not finite or a confidence is below 0.

    Notes
    -----
    r = sum(w x y) / sqrt(sum(w x x) sum(w y y)), with w the confidences and x and y the deviations from the
    means weighted by w. Items with confidence 0 do not count at all. It is what `correlation.pl` of *SEM 2013
    printed for runs with confidences; the official score of the task stayed the unweighted one. A system can
    raise it by being sure of the easy items alone, so compare it only beside `pearson`.

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
