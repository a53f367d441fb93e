"""Values that several packages of the scorer share."""

from collections.abc import Callable
from dataclasses import dataclass

from scorer.errors import UndefinedError


@dataclass(frozen=True, slots=True)
class Undefined:
    """The value of a statistic that has no number, with a stable code and a reason for people."""

    code: str
    reason: str


def value_or_undefined(statistic: Callable[..., float], *arguments: object) -> float | Undefined:
    """The statistic of the arguments, or why it has no value."""
    try:
        return statistic(*arguments)
    except UndefinedError as error:
        return Undefined(error.code, error.reason)


def number_or_none(value: float | Undefined) -> float | None:
    """The value, if it is defined."""
    return None if isinstance(value, Undefined) else value
