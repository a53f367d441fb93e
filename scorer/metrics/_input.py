"""What every metric asks of its two sequences."""

from collections.abc import Sequence
from math import isfinite

from scorer.errors import RequestError, UndefinedError


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
