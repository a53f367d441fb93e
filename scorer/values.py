"""Values that several rooms of the scorer hand to each other."""

from collections.abc import Callable
from dataclasses import dataclass

from scorer.errors import UndefinedError


@dataclass(frozen=True, slots=True)
class Undefined:
    """Where a number would stand, and why there is none; `code` is stable, `reason` is for people."""

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
