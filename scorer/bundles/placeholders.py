"""Placeholders: texts and dates of `task.toml` that someone still has to write.

`scorer bundle new` writes them, and `scorer bundle check` lists them. A bundle with placeholders is valid.
"""

from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any

PLACEHOLDER_WORD = "TODO"
"""A text that begins with this word is a placeholder."""
PLACEHOLDER_YEAR = 2999
"""A date in this year is a placeholder. So far away, a phase that is hosted by mistake never opens."""


def find_placeholders(values: Mapping[str, Any]) -> list[str]:
    """Return the full names of the keys that have a placeholder.

    Parameters
    ----------
    values : mapping
        The parsed TOML.

    Returns
    -------
    list of str
        In the order of the file. A table in a list has its slug or name in brackets, as in messages.

    Examples
    --------
    >>> find_placeholders({"task": {"title": "TODO: a title", "slug": "x"}, "phase": [{"slug": "e"}]})
    ['task.title']
    """
    return list(_placeholders(values, ""))


def _placeholders(values: Mapping[str, Any], parent: str) -> Iterator[str]:
    for name, value in values.items():
        path = f"{parent}.{name}" if parent else name
        if isinstance(value, Mapping):
            yield from _placeholders(value, path)
        elif isinstance(value, list):
            yield from _of_list(value, path)
        elif _is_placeholder(value):
            yield path


def _of_list(elements: list[Any], path: str) -> Iterator[str]:
    for number, element in enumerate(elements, start=1):
        if isinstance(element, Mapping):
            title = element.get("slug") or element.get("name") or number
            yield from _placeholders(element, f"{path}[{title}]")
        elif _is_placeholder(element):
            yield f"{path}[{number}]"


def _is_placeholder(value: object) -> bool:
    if isinstance(value, str):
        return value.startswith(PLACEHOLDER_WORD)
    return isinstance(value, date) and value.year == PLACEHOLDER_YEAR
