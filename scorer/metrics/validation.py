"""Validation of gold and predictions for all metrics, and deviations from the mean for correlations."""

from collections.abc import Sequence
from math import frexp, fsum, isfinite, ldexp

from scorer.errors import RequestError, UndefinedError

_MAX_PLAIN_EXPONENT = 1000
"""If the exponent is below this, both the power of two and its inverse are normal floats."""


def check_pair(gold: Sequence[float], pred: Sequence[float], at_least: int) -> None:
    """Check that gold and predictions have the same length, are finite, and have enough items.

    Raises
    ------
    RequestError
        If the lengths differ or a value is not finite.
    UndefinedError
        With the code "too_few_items" if there are fewer than `at_least` items.
    """
    if len(gold) != len(pred):
        raise RequestError(f"gold has {len(gold)} values and pred has {len(pred)}; give one of each an item")
    for name, values in (("gold", gold), ("pred", pred)):
        if not all(map(isfinite, values)):
            place = next(place for place, value in enumerate(values) if not isfinite(value))
            raise RequestError(f"{name}[{place}] is {values[place]}; every value must be finite")
    if len(gold) < at_least:
        items = "item" if len(gold) == 1 else "items"
        raise UndefinedError("too_few_items", f"{len(gold)} {items} to score; this needs at least {at_least}")


def refuse_constant(gold: Sequence[float], pred: Sequence[float]) -> None:
    """Raise UndefinedError if all values of one side are equal, because then a correlation is undefined."""
    if min(gold) == max(gold):
        fact = "the gold has the same value for every item"
        raise UndefinedError("constant_gold", f"{fact}, so it correlates with nothing")
    if min(pred) == max(pred):
        fact = "the run has the same score for every item"
        raise UndefinedError("constant_run", f"{fact}, so it correlates with nothing")


def exponent_of(values: Sequence[float]) -> int:
    """Return the exponent of the power of two by which the largest absolute value divides to [0.5, 1)."""
    return frexp(max(map(abs, values)))[1]


def deviations(values: Sequence[float], weights: Sequence[float] | None = None) -> list[float]:
    """Return the deviations from the (weighted) mean, scaled by a power of two so that nothing overflows."""
    exponent = exponent_of(values)
    if abs(exponent) < _MAX_PLAIN_EXPONENT:
        unit = ldexp(1.0, -exponent)
        scaled = [value * unit for value in values]
    else:  # the unit would not be a normal float
        scaled = [ldexp(value, -exponent) for value in values]
    total = len(scaled) if weights is None else fsum(weights)
    for _ in range(2):
        shares = (
            scaled if weights is None else [w * number for w, number in zip(weights, scaled, strict=True)]
        )
        mean = fsum(shares) / total
        scaled = [value - mean for value in scaled]
    return scaled
