"""What `make messages` reads of TOML files: the strings of the keys that babel.cfg names."""

import tomllib
from collections.abc import Collection, Iterator
from typing import IO, Any


def extract(
    file: IO[bytes],
    keywords: Collection[str],  # noqa: ARG001  (Babel passes it)
    comment_tags: Collection[str],  # noqa: ARG001  (the same)
    options: dict[str, str],
) -> Iterator[tuple[int, None, str, list[str]]]:
    """The messages of a file as Babel takes them from an extractor; TOML says nothing of their lines."""
    for message in _strings(tomllib.load(file), options["keys"].split()):
        yield 1, None, message, []


def _strings(value: Any, keys: Collection[str]) -> Iterator[str]:
    """The strings below the keys, wherever in the file they stand."""
    if isinstance(value, list):
        for element in value:
            yield from _strings(element, keys)
    elif isinstance(value, dict):
        for key, element in value.items():
            if key in keys and isinstance(element, str):
                yield element
            yield from _strings(element, keys)
