"""Values that several packages of the scorer share."""

from collections.abc import Callable
from dataclasses import dataclass
from math import floor, log10
from typing import Any

from scorer.errors import UndefinedError


@dataclass(frozen=True, slots=True)
class Undefined:
    """The value of an undefined statistic, with a stable code and a reason for people."""

    code: str
    reason: str


def value_or_undefined(statistic: Callable[..., float], *arguments: object) -> float | Undefined:
    """Compute a statistic, and return an `Undefined` if it raises UndefinedError."""
    try:
        return statistic(*arguments)
    except UndefinedError as error:
        return Undefined(error.code, error.reason)


def number_or_none(value: float | Undefined) -> float | None:
    """Return the value, or None if it is undefined."""
    return None if isinstance(value, Undefined) else value


def round_by_size(value: float, size: float, decimals: int) -> float:
    """Round to a number of decimal places or, if the size is small, to six significant digits of the size.

    >>> round_by_size(1 / 3, 0.8, 6), round_by_size(-1e-9 / 3, 2.6e-9, 6), round_by_size(-1e-9 / 3, 0.3, 6)
    (0.333333, -3.3333e-10, 0.0)
    """
    places = decimals if size == 0 else max(decimals, 5 - floor(log10(size)))
    return round(value, min(places, 323)) + 0.0


def write_json(values: Any) -> str:
    """Write values as JSON with full precision; an undefined value is null.

    >>> write_json({"value": Undefined("no_gold", "no gold")})
    '{\\n "value": null\\n}\\n'
    """
    import json  # noqa: PLC0415  not needed for other formats

    text = json.dumps(values, ensure_ascii=False, indent=1, allow_nan=False, default=_null_for_undefined)
    return text + "\n"


def _null_for_undefined(value: object) -> None:
    if not isinstance(value, Undefined):
        raise TypeError(f"{type(value).__name__} cannot be written as JSON")
