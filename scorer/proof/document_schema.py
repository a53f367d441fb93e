"""What a signed document has to look like, and every place where one does not."""

import re
from collections.abc import Callable, Iterator
from math import isfinite
from typing import Any

from scorer.proof.signing import read_instant

DocumentSchema = Any
"""The name of a scalar; a mapping with all its keys; a list of one shape; `nullable` of one."""

_LARGEST = 2**53
_SHA256 = re.compile(r"[0-9a-f]{64}")
_SITE = re.compile(r"https?://[^\s/?#]+(/[^\s?#]*)?")


def nullable(shape: DocumentSchema) -> tuple[DocumentSchema]:
    """The shape of a value that may be null."""
    return (shape,)


def schema_faults(value: Any, shape: DocumentSchema, place: str = "") -> Iterator[tuple[str, str]]:
    """Where a value has not the shape, and what is wrong there; a key that the shape does not name is.

    >>> list(schema_faults({"n": -1, "m": 0}, {"n": "count", "at": "instant"}))
    [('n', 'is not a whole number'), ('at', 'is missing'), ('m', 'is not known to this version')]
    """
    if isinstance(shape, str):
        words, fits = _SCALARS[shape]
        if not fits(value):
            yield place, f"is not {words}"
    elif isinstance(shape, tuple):
        if value is not None:
            yield from schema_faults(value, shape[0], place)
    elif isinstance(shape, list):
        if not isinstance(value, list):
            yield place, "is not a list"
            return
        for number, element in enumerate(value, start=1):
            yield from schema_faults(element, shape[0], f"{place}[{number}]")
    elif not isinstance(value, dict):
        yield place, "is not an object"
    else:
        yield from _members(value, shape, f"{place}." if place else "")


def _members(
    value: dict[str, Any], shape: dict[str, DocumentSchema], prefix: str
) -> Iterator[tuple[str, str]]:
    for key, inner in shape.items():
        if key in value:
            yield from schema_faults(value[key], inner, prefix + key)
        else:
            yield prefix + key, "is missing"
    yield from ((prefix + key, "is not known to this version") for key in value if key not in shape)


def _is_text(value: Any) -> bool:
    return type(value) is str and value != ""


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value < _LARGEST


def _is_instant(value: Any) -> bool:
    try:
        return type(value) is str and bool(read_instant(value))
    except ValueError:
        return False


def _is_number(value: Any) -> bool:
    try:
        return type(value) is str and isfinite(number := float(value)) and repr(number) == value
    except ValueError:
        return False


_SCALARS: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "text": ("a text of one character or more", _is_text),
    "truth": ("true or false", lambda value: type(value) is bool),
    "count": ("a whole number", _is_count),
    "ordinal": ("a whole number from 1", lambda value: _is_count(value) and value > 0),
    "number": ('a number as text, such as "0.5"', _is_number),
    "instant": ("a time such as 2026-03-10T12:00:00.000000Z", _is_instant),
    "sha256": (
        "64 hexadecimal digits in lower case",
        lambda value: _is_text(value) and bool(_SHA256.fullmatch(value)),
    ),
    "site": (
        "an address such as https://example.org",
        lambda value: _is_text(value) and bool(_SITE.fullmatch(value)),
    ),
}
