"""Accuracy within the standard deviation: is the prediction as close to the mean rating as ratings are?"""

from collections.abc import Sequence
from math import isfinite

from scorer.errors import RequestError
from scorer.metrics.validation import check_pair

_LEAST_LIMIT = 1.0
"""Predictions at a smaller distance count whatever the standard deviation is."""
_NEAR = 1e-9
"""A distance that is closer to the limit than this share of the values is compared without rounding."""


def within_sd_credits(
    gold: Sequence[float], pred: Sequence[float], sds: Sequence[float] | None
) -> list[float]:
    """Compute for each item whether the prediction counts: 1.0 or 0.0.

    Parameters, errors and notes are those of `within_sd`, but n can be 0.

    Examples
    --------
    >>> within_sd_credits([3.5, 3.5, 2], [4.75, 4.75, 3], [1.3, 1.25, 0])
    [1.0, 0.0, 0.0]
    """
    check_pair(gold, pred, at_least=0)
    if sds is None:
        reason = "the standard deviation of the ratings of each item: give gold with a column sd"
        raise RequestError(f"within_sd needs {reason}")
    if len(sds) != len(gold):
        raise RequestError(f"gold has {len(gold)} values and there are {len(sds)} standard deviations")
    if not all(isfinite(sd) and sd >= 0 for sd in sds):
        raise RequestError("a standard deviation is below 0 or not finite; correct it")
    return [float(_is_within(*item)) for item in zip(gold, pred, sds, strict=True)]


def within_sd(gold: Sequence[float], pred: Sequence[float], sds: Sequence[float] | None) -> float:
    """Compute the share of items whose prediction is within the standard deviation of the ratings, or 1.

    Parameters
    ----------
    gold, pred : (n,) float
        The means of the ratings and the predictions, finite and on the same scale, n >= 1. Items without a
        value must be left out of all three.
    sds : (n,) float
        The sample standard deviation (divisor k - 1) of the k ratings of each item, finite and at least 0.

    Returns
    -------
    float
        The share of items that count, from 0 to 1.

    Raises
    ------
    UndefinedError
        With the code "too_few_items" if n < 1.
    RequestError
        If the lengths differ, a value is not finite, or a standard deviation is negative or missing.

    Notes
    -----
    An item counts if the distance of the prediction from the mean is strictly less than the standard
    deviation, or strictly less than 1. A distance that is equal to the limit does not count. This is decided
    by the decimal numbers as they are written, without rounding errors: 4.1 is not within 1 of 3.1, although
    the difference of the two floats is less than 1. The limit of 1 is a point of the scale, so the value
    depends on the unit of the ratings.

    References
    ----------
    The scorer of SemEval-2026 Task 5, Rating plausibility of word senses in ambiguous sentences through
    narrative understanding, https://github.com/Janosch-Gehring/semeval26-05-scripts, "accuracy".

    Examples
    --------
    >>> within_sd([3.5, 3.5, 2, 2], [4.75, 4.75, 3, 2.5], [1.3, 1.25, 0, 0])
    0.5
    """
    check_pair(gold, pred, at_least=1)
    return sum(within_sd_credits(gold, pred, sds)) / len(gold)


def _is_within(gold: float, pred: float, sd: float) -> bool:
    limit, distance = max(sd, _LEAST_LIMIT), abs(pred - gold)
    if abs(distance - limit) > _NEAR * max(limit, abs(gold), abs(pred)):
        return distance < limit
    from fractions import Fraction  # noqa: PLC0415  late, as few runs need it

    # The shortest digits of a float are those that it was read from, if there were at most 15.
    low, high, exact_limit = (Fraction(repr(float(value))) for value in (gold, pred, limit))
    return abs(high - low) < exact_limit
