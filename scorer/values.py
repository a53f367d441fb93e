"""Values that several packages of the scorer share."""

from collections.abc import Callable
from dataclasses import dataclass

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
