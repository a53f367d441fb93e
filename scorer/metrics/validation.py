"""Checks of gold and predictions that every metric makes, and deviations from the mean for correlations."""

from collections.abc import Sequence
from math import frexp, fsum, isfinite, ldexp

from scorer.errors import RequestError, UndefinedError

_MAX_PLAIN_EXPONENT = 1000
"""A power of two with an exponent below this is a float, and so is its inverse."""


def check_pair(gold: Sequence[float], pred: Sequence[float], at_least: int) -> None:
    """Refuse sequences that do not answer each other; say where there are too few items for a value."""
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
    """Say that a correlation has no value where one side has a single value."""
    if min(gold) == max(gold):
        fact = "the gold has the same value for every item"
        raise UndefinedError("constant_gold", f"{fact}, so it correlates with nothing")
    if min(pred) == max(pred):
        fact = "the run has the same score for every item"
        raise UndefinedError("constant_run", f"{fact}, so it correlates with nothing")


def deviations(values: Sequence[float], weights: Sequence[float] | None = None) -> list[float]:
    """Distances from the (weighted) mean, in units of a power of two near the largest magnitude."""
    exponent = frexp(max(map(abs, values)))[1]
    if abs(exponent) < _MAX_PLAIN_EXPONENT:
        unit = ldexp(1.0, -exponent)
        scaled = [value * unit for value in values]
    else:  # no float is the unit
        scaled = [ldexp(value, -exponent) for value in values]
    total = len(scaled) if weights is None else fsum(weights)
    for _ in range(2):
        shares = (
            scaled if weights is None else [w * number for w, number in zip(weights, scaled, strict=True)]
        )
        mean = fsum(shares) / total
        scaled = [value - mean for value in scaled]
    return scaled
