"""Names of files made from names that people gave: plain, short, and no two the same on any disk."""

import re

_PLAIN = re.compile(r"[^A-Za-z0-9_.-]+")
_LONGEST = 60
_DEVICES = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\..*)?")
"""Names that are no files on Windows."""


def plain_name(text: str) -> str:
    """A name of ASCII letters, digits, hyphens, dots and underscores that reads like `text`."""
    name = _PLAIN.sub("-", text).strip("-.")[:_LONGEST].rstrip("-.")
    return f"{name or 'unnamed'}-" if _DEVICES.fullmatch(name) or not name else name


class PlainNames:
    """Gives each thing of a folder a name of its own, in whatever case a disk compares them."""

    def __init__(self) -> None:
        self._taken: set[tuple[str, str]] = set()
        self._given: dict[tuple[str, object], str] = {}

    def give(self, folder: str, key: object, text: str) -> str:
        """The name in `folder` of the thing that `key` tells from others: always the same."""
        if (folder, key) not in self._given:
            name, number = plain_name(text), 1
            while (folder, name.casefold()) in self._taken:
                number += 1
                name = f"{plain_name(text)}-{number}"
            self._taken.add((folder, name.casefold()))
            self._given[folder, key] = name
        return self._given[folder, key]
