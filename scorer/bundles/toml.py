"""Typed reading of a TOML table that notes every problem instead of stopping at the first."""

import difflib
import re
import tomllib
from collections.abc import Iterator, Sequence
from datetime import datetime
from math import isfinite
from pathlib import Path
from typing import Any

from scorer.bundles.toml_limits import MAX_WORD, require_limits, require_size
from scorer.errors import BundleError, Problem
from scorer.files.text import Problems, decode_text

_LONGEST = 500
"""Characters of a message: a file may have a megabyte where a number is expected."""
_NAMES = {str: "text", bool: "true or false", int: "a whole number", dict: "a table", list: "a list"}


_CURLED = "“”„‘’‚«»"


def parse_toml(data: bytes, source: str) -> dict[str, Any]:
    """The values of a TOML file in UTF-8, with any line ends.

    Raises
    ------
    BundleError
        With every line that is no text, or with the place where the TOML breaks or goes beyond a limit.
    """
    require_size(data, source)
    found = Problems(source)
    text = decode_text(data, found)
    found.raise_as(BundleError)
    assert text is not None  # noqa: S101  (nothing was found)
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    require_limits(text, source)
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = re.search(r"at line (\d+)", str(error))
        line = int(place[1]) if place else None
        broken = text.split("\n")[line - 1] if line is not None else None
        curled = broken is not None and any(char in _CURLED for char in broken)
        mend = '; write straight quotes, ", around texts' if curled else ""
        problem = Problem(source, line, "bad_toml", f"is not valid TOML: {error}{mend}", broken)
        raise BundleError([problem]) from error


class TomlTable:
    """One table of the file, with the path that leads to it and the place where problems go."""

    def __init__(self, values: dict[str, Any], path: str, problems: Problems) -> None:
        self.values = values
        self.path = path
        self.problems = problems

    def key(self, name: str) -> str:
        """The full name of a key, as a person would look for it; what is too long for one is cut."""
        return f"{self.path}.{name[:MAX_WORD]}" if self.path else name[:MAX_WORD]

    def refuse(self, name: str, code: str, message: str) -> None:
        """Note a problem with one key."""
        words = f"{self.key(name)}: {message}"
        self.problems.add(None, code, words if len(words) <= _LONGEST else f"{words[:_LONGEST]}…")

    def allow(self, names: Sequence[str]) -> None:
        """Refuse each key that is not one of `names`."""
        for name in self.values:
            if name not in names and self.problems.full:
                self.refuse(name, "unknown_key", "unknown key")  # counted alone: a hint takes time
            elif name not in names:
                close = difflib.get_close_matches(name, names, n=1)
                hint = f'did you mean "{close[0]}"?' if close else f"known here: {', '.join(names)}"
                self.refuse(name, "unknown_key", f"unknown key; {hint}")

    def _get(self, name: str, kind: type, default: Any, required: bool) -> Any:
        if name not in self.values:
            if required:
                self.refuse(name, "missing_key", f"is missing; give {_NAMES[kind]}")
            return default
        value = self.values[name]
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            self.refuse(name, "wrong_type", f"must be {_NAMES[kind]}, not {value!r}")
            return default
        return value

    def text(self, name: str, default: str = "", *, required: bool = False, most: int | None = None) -> str:
        """A text value of at most so many characters, or `default`."""
        value = str(self._get(name, str, default, required))
        if "\0" in value:
            self.refuse(name, "bad_text", "has a NUL character, which no text needs; leave it out")
            return default
        if most is not None and len(value) > most:
            self.refuse(name, "too_long", f"has {len(value)} characters; use {most} at most")
            return default
        return value

    def flag(self, name: str, default: bool) -> bool:
        """True or false, or `default`."""
        return bool(self._get(name, bool, default, False))

    def whole(self, name: str, default: int, *, least: int = 0, most: int = 1_000_000) -> int:
        """A whole number from `least` to `most`, or `default`."""
        value = self._get(name, int, default, False)
        if not least <= value <= most:
            self.refuse(name, "out_of_range", f"must be from {least} to {most}, not {value}")
            return default
        return int(value)

    def optional_whole(self, name: str, *, least: int = 1) -> int | None:
        """A whole number of at least `least`, or None where the key is absent."""
        return self.whole(name, least, least=least) if name in self.values else None

    def wholes(self, name: str, *, least: int, most: int) -> tuple[int, ...]:
        """A list of whole numbers from `least` to `most`, empty where the key is absent."""
        values = self._get(name, list, [], False)
        if any(type(value) is not int or not least <= value <= most for value in values):
            self.refuse(name, "wrong_type", f"must be a list of whole numbers from {least} to {most}")
            return ()
        return tuple(values)

    def number(self, name: str, default: float, *, required: bool = False) -> float:
        """A number, or `default`."""
        value = self.values.get(name)
        if value is None and not required:
            return default
        if isinstance(value, bool) or not isinstance(value, int | float):
            self.refuse(
                name, "wrong_type", "must be a number" + ("" if value is None else f", not {value!r}")
            )
            return default
        if not isfinite(value):
            self.refuse(name, "out_of_range", f"must be a finite number, not {value}")
            return default
        return float(value)

    def choice(self, name: str, choices: Sequence[str], default: str) -> str:
        """One of `choices`, or `default`."""
        value = self.text(name, default)
        if value not in choices:
            self.refuse(name, "unknown_value", f'"{value}" is not one of {", ".join(choices)}')
            return default
        return value

    def texts(self, name: str, default: Sequence[str] = ()) -> tuple[str, ...]:
        """A list of text values, or `default`."""
        values = self._get(name, list, list(default), False)
        if any(not isinstance(value, str) for value in values):
            self.refuse(name, "wrong_type", f"must be a list of texts, not {values!r}")
            return tuple(default)
        return tuple(values)

    def moment(self, name: str) -> datetime | None:
        """A date and time with its offset from UTC, or None."""
        value = self.values.get(name)
        if value is None:
            return None
        if not isinstance(value, datetime) or value.tzinfo is None:
            self.refuse(
                name,
                "wrong_type",
                "must be a date and time with an offset, such as 2026-03-30T23:59:59-12:00",
            )
            return None
        if not 1970 <= value.year <= 9000:
            self.refuse(name, "out_of_range", f"must be in the years 1970 to 9000, not {value.year}")
            return None
        return value

    def table(self, name: str) -> "TomlTable | None":
        """A table inside this one, or None where it is absent."""
        if name not in self.values:
            return None
        values = self._get(name, dict, {}, False)
        return TomlTable(values, self.key(name), self.problems)

    def tables(self, name: str, *, most: int) -> Iterator["TomlTable"]:
        """The tables of an array of tables, each named by its slug or name where it has one."""
        found = self._get(name, list, [], False)
        if len(found) > most:
            self.refuse(name, "too_many", f"has {len(found)} entries; use {most} at most")
        for number, values in enumerate(found[:most], start=1):
            if not isinstance(values, dict):
                self.refuse(name, "wrong_type", f"entry {number} must be a table, written as [[{name}]]")
                continue
            title = str(values.get("slug") or values.get("name") or number)
            yield TomlTable(values, f"{self.key(name)}[{title[:MAX_WORD]}]", self.problems)


SLUG = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?")
LEVEL_SLUG = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_-]{0,62}[A-Za-z0-9])?")


def read_slug(table: TomlTable, pattern: re.Pattern[str]) -> str:
    """The slug of a table; a problem is noted if it is none."""
    slug = table.text("slug", required=True)
    if "slug" in table.values and not pattern.fullmatch(slug):
        table.refuse("slug", "bad_slug", f'"{slug}" must be letters, digits and inner hyphens, 64 at most')
    return slug


def file_in(folder: Path, table: TomlTable, name: str) -> str | None:
    """A path that exists and stays inside the bundle; None, with a problem noted, otherwise."""
    value = table.text(name)
    if not value or "\x00" in value:
        table.refuse(name, "no_file", "must name a file")
        return None
    target = (folder / value).resolve()
    if Path(value).is_absolute() or not target.is_relative_to(folder.resolve()):
        table.refuse(name, "outside", f'"{value}" lies outside the bundle; paths stay inside its folder')
        return None
    try:
        there = target.is_file()
    except OSError:  # a name longer than any file can have
        there = False
    if not there:
        table.refuse(name, "no_file", f'there is no file "{value}" in the bundle')
        return None
    return value
