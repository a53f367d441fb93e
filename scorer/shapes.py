"""Whether plain values, as JSON gives them, have the shape that is expected."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

Shape = Any
"""The name of a scalar; a list of one shape; a mapping of keys to shapes.

What stands in a tuple, and a scalar whose name ends in "?", may be null. A key that ends in "?" may be
missing, "*" stands for any key, and a key that the mapping does not name is let be.
"""
Scalars = Mapping[str, tuple[str, Callable[[Any], bool]]]
"""By its name: a scalar in words, and whether a value is one."""


def shape_faults(value: Any, shape: Shape, scalars: Scalars, place: str = "") -> Iterator[tuple[str, str]]:
    """Where a value has not the shape, and what is wrong there.

    >>> scalars = {"count": ("a whole number", lambda value: type(value) is int)}
    >>> list(shape_faults({"n": [1, "2"]}, {"n": ["count"], "m": "count", "of?": "count"}, scalars))
    [('n[1]', 'is not a whole number'), ('m', 'is missing')]
    """
    if value is None and (isinstance(shape, tuple) or (isinstance(shape, str) and shape.endswith("?"))):
        return
    shape = shape[0] if isinstance(shape, tuple) else shape
    if isinstance(shape, str):
        words, fits = scalars[shape.removesuffix("?")]
        if not fits(value):
            yield place, f"is not {words}"
    elif type(value) is not type(shape):
        yield place, "is not a list" if isinstance(shape, list) else "is not an object"
    elif isinstance(shape, list):
        for k, element in enumerate(value):
            yield from shape_faults(element, shape[0], scalars, f"{place}[{k}]")
    else:
        yield from _member_faults(value, shape, scalars, f"{place}." if place else "")


def _member_faults(
    value: Mapping[str, Any], shape: Mapping[str, Shape], scalars: Scalars, prefix: str
) -> Iterator[tuple[str, str]]:
    for name, inner in shape.items():
        key = name.removesuffix("?")
        if name == "*":
            for member, element in value.items():
                yield from shape_faults(element, inner, scalars, f"{prefix}{member}")
        elif key in value:
            yield from shape_faults(value[key], inner, scalars, f"{prefix}{key}")
        elif key == name:
            yield f"{prefix}{key}", "is missing"
