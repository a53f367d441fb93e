"""Checks whether values from JSON have the expected structure."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

Shape = Any
"""The name of a scalar type, a list with the shape of its elements, or a mapping of keys to shapes.

A shape in a tuple, and a scalar type whose name ends in "?", may be null. A key that ends in "?" may be
missing, "*" means any key, and keys that are not in the mapping are ignored.
"""
Fault = tuple[str, str]
"""A place in the JSON, and what is wrong there."""
Scalars = Mapping[str, tuple[str, Callable[[Any], bool]]]
"""For each name of a scalar type: its description, and a function that tells whether a value has it."""


def shape_faults(value: Any, shape: Shape, scalars: Scalars, place: str = "") -> Iterator[Fault]:
    """Yield each place where a value does not have the shape, and what is wrong there.

    >>> scalars = {"count": ("a whole number", lambda value: type(value) is int)}
    >>> list(shape_faults({"n": [1, "2"]}, {"n": ["count"], "m": "count", "of?": "count"}, scalars))
    [('n[1]', 'is not a whole number'), ('m', 'is missing')]
    """
    if value is None and (isinstance(shape, tuple) or (isinstance(shape, str) and shape.endswith("?"))):
        return
    shape = shape[0] if isinstance(shape, tuple) else shape
    if isinstance(shape, str):
        description, is_valid = scalars[shape.removesuffix("?")]
        if not is_valid(value):
            yield place, f"is not {description}"
    elif type(value) is not type(shape):
        yield place, "is not a list" if isinstance(shape, list) else "is not an object"
    elif isinstance(shape, list):
        for k, element in enumerate(value):
            yield from shape_faults(element, shape[0], scalars, f"{place}[{k}]")
    else:
        yield from _member_faults(value, shape, scalars, f"{place}." if place else "")


def _member_faults(
    value: Mapping[str, Any], shape: Mapping[str, Shape], scalars: Scalars, prefix: str
) -> Iterator[Fault]:
    for name, inner in shape.items():
        key = name.removesuffix("?")
        if name == "*":
            for member, element in value.items():
                yield from shape_faults(element, inner, scalars, f"{prefix}{member}")
        elif key in value:
            yield from shape_faults(value[key], inner, scalars, f"{prefix}{key}")
        elif key == name:
            yield f"{prefix}{key}", "is missing"
