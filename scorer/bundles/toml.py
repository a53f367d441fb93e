"""Reads TOML: limits are checked before it is parsed, and typed reading of a table notes every problem.

For some files of a few kilobytes `tomllib` needs far more memory and time than there is: a key of thousands
of parts takes gigabytes, nested lists end in a RecursionError, long integers in a ValueError. So the text is
scanned first, in linear time. The scan knows strings and comments, in which anything may stand; all other
faults are left to `tomllib`."""

import difflib
import re
import tomllib
from collections.abc import Iterator, Sequence
from datetime import datetime
from math import isfinite
from pathlib import Path
from typing import Any

from scorer.errors import BundleError, Problem
from scorer.files.text import Problems, decode_text

_MAX_MESSAGE_LENGTH = 500
"""Characters of a message: a file may have a megabyte where a number is expected."""
_TYPE_NAMES = {str: "text", bool: "true or false", int: "a whole number", dict: "a table", list: "a list"}


_CURLY_QUOTES = "“”„‘’‚«»"


def parse_toml(data: bytes, source: str) -> dict[str, Any]:
    """The values of a TOML file in UTF-8, with any line ends.

    Raises
    ------
    BundleError
        With every line that is no text, or with the place where the TOML breaks or goes beyond a limit.
    """
    require_size(data, source)
    problems = Problems(source)
    text = decode_text(data, problems)
    problems.raise_as(BundleError)
    assert text is not None  # noqa: S101  (nothing was found)
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    require_limits(text, source)
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = re.search(r"at line (\d+)", str(error))
        line = int(place[1]) if place else None
        broken = text.split("\n")[line - 1] if line is not None else None
        curled = broken is not None and any(char in _CURLY_QUOTES for char in broken)
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
        return f"{self.path}.{name[:MAX_WORD_LENGTH]}" if self.path else name[:MAX_WORD_LENGTH]

    def refuse(self, name: str, code: str, message: str) -> None:
        """Note a problem with one key."""
        words = f"{self.key(name)}: {message}"
        self.problems.add(
            None, code, words if len(words) <= _MAX_MESSAGE_LENGTH else f"{words[:_MAX_MESSAGE_LENGTH]}…"
        )

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
                self.refuse(name, "missing_key", f"is missing; give {_TYPE_NAMES[kind]}")
            return default
        value = self.values[name]
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            self.refuse(name, "wrong_type", f"must be {_TYPE_NAMES[kind]}, not {value!r}")
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
        entries = self._get(name, list, [], False)
        if len(entries) > most:
            self.refuse(name, "too_many", f"has {len(entries)} entries; use {most} at most")
        for number, values in enumerate(entries[:most], start=1):
            if not isinstance(values, dict):
                self.refuse(name, "wrong_type", f"entry {number} must be a table, written as [[{name}]]")
                continue
            title = str(values.get("slug") or values.get("name") or number)
            yield TomlTable(values, f"{self.key(name)}[{title[:MAX_WORD_LENGTH]}]", self.problems)


SLUG = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?")
LEVEL_SLUG = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_-]{0,62}[A-Za-z0-9])?")


def read_slug(table: TomlTable, pattern: re.Pattern[str]) -> str:
    """The slug of a table; a problem is noted if it is none."""
    slug = table.text("slug", required=True)
    if "slug" in table.values and not pattern.fullmatch(slug):
        table.refuse("slug", "bad_slug", f'"{slug}" must be letters, digits and inner hyphens, 64 at most')
    return slug


def read_file_path(folder: Path, table: TomlTable, name: str) -> str | None:
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
        exists = target.is_file()
    except OSError:  # a name longer than any file can have
        exists = False
    if not exists:
        table.refuse(name, "no_file", f'there is no file "{value}" in the bundle')
        return None
    return value


MAX_TOML_BYTES = 2_000_000
MAX_DEPTH = 20
"""How many lists and tables may be nested."""
MAX_PARTS = 10
"""How many parts a key may have, with dots between them."""
MAX_WORD_LENGTH = 200
"""Characters of a key, a number or a date."""
MAX_NESTS = 50_000
"""How many lists, tables and dots there may be: each takes about a kilobyte of memory."""

_WORD = r"""[^\s"'\#\[\]{},=.]"""
_TEXT = r""""[^"\\\n]*+(?:\\[^\n][^"\\\n]*+)*+"|'[^'\n]*+'"""
_TOKENS = re.compile(
    rf'''
    \#[^\n]*+
    |"""[^"\\]*+(?:(?:\\.|"{{1,2}}+(?!"))[^"\\]*+)*+"{{3,5}}+
    |\'\'\'[^']*+(?:'{{1,2}}+(?!')[^']*+)*+'{{3,5}}+
    |(?P<unclosed>"""|\'\'\')
    |(?P<long_key>(?:(?:{_WORD}++|{_TEXT})[ \t]*+\.[ \t]*+){{{MAX_PARTS}}})
    |{_TEXT}
    |(?P<unclosed_text>["'])
    |(?P<open>[\[{{])
    |(?P<close>[\]}}])
    |(?P<dot>\.)
    |(?P<long_word>{_WORD}{{{MAX_WORD_LENGTH + 1}}})
    |{_WORD}++
    |[\s,=]++
    ''',
    re.VERBOSE | re.DOTALL,
)
"""Of a string that is not closed no more is looked at: the scan would take what follows for another one."""
_UNCLOSED = "bad_toml", "is not valid TOML: a string that begins in this line is not closed"
_LIMIT_FAULTS = {
    "unclosed": _UNCLOSED,
    "unclosed_text": _UNCLOSED,
    "long_key": ("long_key", f"a key has more than {MAX_PARTS} parts between dots; use 3 at most"),
    "long_word": ("long_word", f"a key, number or date has more than {MAX_WORD_LENGTH} characters"),
    "depth": ("too_deep", f"lists and tables are nested more than {MAX_DEPTH} deep; use 3 at most"),
    "nests": ("too_large", f"the file has more than {MAX_NESTS} lists and tables"),
}


def require_size(data: bytes, source: str) -> None:
    """Refuse a file of too many bytes.

    Raises
    ------
    BundleError
        If it has more than `MAX_TOML_BYTES`.
    """
    if len(data) > MAX_TOML_BYTES:
        message = (
            f"has {len(data)} bytes; {MAX_TOML_BYTES} are the most. Put long texts into files of their own"
        )
        raise BundleError([Problem(source, None, "too_large", message)])


def require_limits(text: str, source: str) -> None:
    r"""Refuse a text that goes beyond a limit, with the first place where it does.

    Parameters
    ----------
    text : str
        The file, with "\n" at the end of its lines.
    source : str
        What to call it in messages.

    Raises
    ------
    BundleError
        If it does.

    Examples
    --------
    >>> require_limits('about = "[[[[[[[[[[[[[[[[[[[[[[[[ a.b.c.d.e.f.g.h.i.j.k.l"', "task.toml")
    >>> require_limits("a = " + "[" * 21, "task.toml")
    Traceback (most recent call last):
    scorer.errors.BundleError: task.toml:1: lists and tables are nested more than 20 deep; use 3 at most
    """
    excess = _find_excess(text)
    if excess is not None:
        at, (code, message) = excess[0], _LIMIT_FAULTS[excess[1]]
        start = text.rfind("\n", 0, at) + 1
        line = text[start : start + MAX_WORD_LENGTH].partition("\n")[0]
        raise BundleError([Problem(source, text.count("\n", 0, at) + 1, code, message, line)])


def _find_excess(text: str) -> tuple[int, str] | None:
    """Where a limit is passed, and which."""
    depth = nests = 0
    for token in _TOKENS.finditer(text):
        match token.lastgroup:
            case None:
                continue
            case "open":
                depth, nests = depth + 1, nests + 1
            case "close":
                depth -= 1
            case "dot":
                nests += 1
            case fault:
                return token.start(), fault
        if depth > MAX_DEPTH or nests > MAX_NESTS:
            return token.start(), "depth" if depth > MAX_DEPTH else "nests"
    return None
