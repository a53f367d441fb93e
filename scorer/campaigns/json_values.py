"""Checks the types of values that were read from JSON."""

from math import isfinite


def read_text(value: object) -> str:
    """Return a text; TypeError if the value is none."""
    if not isinstance(value, str):
        raise TypeError(value)
    return value


def read_whole(value: object) -> int:
    """Return a whole number; TypeError if the value is none."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(value)
    return value


def read_finite(value: object) -> float:
    """Return a finite number; TypeError if the value is none."""
    if not isinstance(value, int | float) or isinstance(value, bool) or not isfinite(value):
        raise TypeError(value)
    return float(value)
