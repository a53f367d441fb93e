"""Reads a TOML table by a description of its keys and notes every problem.

`scorer.bundles.task_keys` describes the keys of `task.toml`."""

import difflib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from math import isfinite
from pathlib import Path
from typing import Any, Literal

from scorer.bundles.toml import MAX_WORD_LENGTH
from scorer.files.text import Problems

_MAX_MESSAGE_LENGTH = 500
"""The maximum length of a message: a file may have a megabyte of text instead of a number."""
_MAX_WHOLE = 1_000_000
"""The default maximum of a whole number."""
SLUG = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?")
LEVEL_SLUG = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_-]{0,62}[A-Za-z0-9])?")
SLUG_WORDS = {
    SLUG: "lower-case letters and digits, with hyphens only between them, at most 64 characters",
    LEVEL_SLUG: "letters and digits, with hyphens or underscores only between them, at most 64 characters",
}
"""What a short name of each kind can be."""
Fault = tuple[str, str]
"""The code of a problem with a value, and a sentence without a subject."""
KindName = Literal[
    "text",
    "flag",
    "whole",
    "number",
    "moment",
    "texts",
    "wholes",
    "texts or table",
    "file",
    "table",
    "tables",
]


@dataclass(frozen=True, slots=True)
class Key:
    """The description of a key: its type, its default and its valid values.

    Parameters
    ----------
    name, kind, default, required
        The default is not validated, so it can be a value that no file can have, such as None.
    advice : str
        How to add the key if it is required and missing, for messages; by default its kind.
    minimum, maximum : int
        The limits of a whole number. `maximum` also limits the length of a text and of a list of tables.
    choices : sequence of str
        The valid texts; empty: any text.
    slug : pattern, optional
        The pattern of a text that is used as a name in addresses.
    keys : sequence of Key
        The keys of a table, or of each table in a list; empty: the reader of the table checks its keys.
    """

    name: str
    kind: KindName = "text"
    default: Any = None
    required: bool = False
    advice: str = ""
    minimum: int = 0
    maximum: int | None = None
    choices: Sequence[str] = ()
    slug: re.Pattern[str] | None = None
    keys: "Sequence[Key]" = ()

    @property
    def limits(self) -> tuple[int, int]:
        """The minimum and the maximum of a whole number."""
        return self.minimum, _MAX_WHOLE if self.maximum is None else self.maximum

    @property
    def fallback(self) -> Any:
        """The value of a key that is absent: its default, or an empty text if a text is required."""
        is_empty = self.required and self.kind in ("text", "file") and self.default is None
        return "" if is_empty else self.default


@dataclass(frozen=True, slots=True)
class TomlTable:
    """A table of the file, with the description of its keys, its path and the collection of problems."""

    values: dict[str, Any]
    path: str
    keys: Sequence[Key]
    folder: Path
    """The folder of the files that the table names."""
    problems: Problems

    def key_path(self, name: str) -> str:
        """Return the full name of a key for messages; a very long name is cut."""
        return f"{self.path}.{name[:MAX_WORD_LENGTH]}" if self.path else name[:MAX_WORD_LENGTH]

    def refuse(self, name: str, code: str, message: str) -> None:
        """Note a problem with a key."""
        full = f"{self.key_path(name)}: {message}"
        cut = full if len(full) <= _MAX_MESSAGE_LENGTH else f"{full[:_MAX_MESSAGE_LENGTH]}…"
        self.problems.add(None, code, cut)

    def read(self, **defaults: object) -> dict[str, Any]:
        """Return the value of each key, or its default; note unknown keys and invalid values.

        Tables are returned as TomlTable. `defaults` has the defaults of keys that depend on something else.
        """
        self.refuse_unknown([key.name for key in self.keys])
        return {key.name: self.value(key, defaults.get(key.name, key.fallback)) for key in self.keys}

    def refuse_unknown(self, names: Sequence[str]) -> None:
        """Note each key that is not in `names`; nothing if one of these is empty, so that it was refused."""
        if not all(names):
            return
        for name in self.values:
            if name not in names and self.problems.full:
                self.refuse(name, "unknown_key", "unknown key")  # only counted: finding a hint takes time
            elif name not in names:
                close = difflib.get_close_matches(name, names, n=1)
                hint = f'did you mean "{close[0]}"?' if close else f"known here: {', '.join(names)}"
                self.refuse(name, "unknown_key", f"unknown key; {hint}")

    def value(self, key: Key, default: Any = None) -> Any:
        """Return the value of a key, or a default; note an invalid value."""
        value = self.values.get(key.name)
        fault = _find_fault(key, value, self.folder)
        if fault is not None:
            self.refuse(key.name, *fault)
            value = {} if key.kind == "table" and key.name in self.values else None
        if value is None:
            value = default
        if isinstance(value, dict):
            return self._inner(key.name, key, value)
        if isinstance(value, list):
            return self._entries(key, value) if key.kind == "tables" else tuple(value)
        return float(value) if key.kind == "number" and value is not None else value

    def _entries(self, key: Key, entries: list[object]) -> "list[TomlTable]":
        """Return the tables of an array of tables, each named by its slug or name if it has one."""
        if key.maximum is not None and len(entries) > key.maximum:
            self.refuse(key.name, "too_many", f"has {len(entries)} entries; use at most {key.maximum}")
        tables = []
        for number, values in enumerate(entries[: key.maximum], start=1):
            if isinstance(values, dict):
                title = str(values.get("slug") or values.get("name") or number)
                tables.append(self._inner(f"{key.name}[{title[:MAX_WORD_LENGTH]}]", key, values))
            else:
                message = f"entry {number} must be a table, written as [[{key.name}]]"
                self.refuse(key.name, "wrong_type", message)
        return tables

    def _inner(self, name: str, key: Key, values: dict[str, Any]) -> "TomlTable":
        return replace(self, values=values, path=self.key_path(name), keys=key.keys)


def _find_fault(key: Key, value: Any, folder: Path) -> Fault | None:
    """Return the problem of a value; None as a value means that the key is absent, as TOML has no null."""
    kind_name, _, types, rule = KINDS[key.kind]
    if value is None and not key.required:
        return None
    if value is None:
        return "missing_key", f"is missing; {key.advice or f'give {kind_name}'}"
    if types and type(value) not in types:
        return "wrong_type", f"must be {kind_name}, not {value!r}"
    fault = rule(key, value)
    return _file_fault(value, folder) if fault is None and key.kind == "file" else fault


def _text_fault(key: Key, text: str) -> Fault | None:
    if "\0" in text:
        return "bad_text", "has a NUL character, which no text needs; leave it out"
    if key.maximum is not None and len(text) > key.maximum:
        return "too_long", f"has {len(text)} characters; use at most {key.maximum}"
    if key.choices and text not in key.choices:
        return "unknown_value", f'"{text}" is not one of {", ".join(key.choices)}'
    if key.slug is not None and key.slug.fullmatch(text) is None:
        return "bad_slug", f'"{text}" is not a short name; use {SLUG_WORDS[key.slug]}'
    return None


def _whole_fault(key: Key, number: int) -> Fault | None:
    minimum, maximum = key.limits
    is_valid = minimum <= number <= maximum
    message = f"must be from {minimum} to {maximum}, not {number}"
    return None if is_valid else ("out_of_range", message)


def _number_fault(_key: Key, number: float) -> Fault | None:
    return None if isfinite(number) else ("out_of_range", f"must be a finite number, not {number}")


def _moment_fault(_key: Key, moment: object) -> Fault | None:
    if not isinstance(moment, datetime) or moment.tzinfo is None:
        message = "must be a date and time with an offset, such as 2026-03-30T23:59:59-12:00"
        return "wrong_type", message
    if not 1970 <= moment.year <= 9000:
        return "out_of_range", f"must be in the years 1970 to 9000, not {moment.year}"
    return None


def _texts_fault(_key: Key, values: list[object] | dict[str, object]) -> Fault | None:
    is_valid = isinstance(values, dict) or all(isinstance(value, str) for value in values)
    return None if is_valid else ("wrong_type", f"must be a list of texts, not {values!r}")


def _wholes_fault(key: Key, values: list[object]) -> Fault | None:
    minimum, maximum = key.limits
    is_valid = all(type(value) is int and minimum <= value <= maximum for value in values)
    message = f"must be a list of whole numbers from {minimum} to {maximum}"
    return None if is_valid else ("wrong_type", message)


def _file_fault(path: str, folder: Path) -> Fault | None:
    """Return a problem unless a path is that of an existing file inside the bundle."""
    if not path:
        return "no_file", "must name a file"
    target = (folder / path).resolve()
    if Path(path).is_absolute() or not target.is_relative_to(folder.resolve()):
        return "outside", f'"{path}" lies outside the folder; name a file inside it'
    try:
        exists = target.is_file()
    except OSError:  # a name longer than any file can have
        exists = False
    return None if exists else ("no_file", f'there is no file "{path}" in the folder')


def _no_fault(_key: Key, _value: object) -> None:
    """Accept any value of the type."""


KINDS: dict[KindName, tuple[str, str, tuple[type, ...], Callable[[Key, Any], Fault | None]]] = {
    "text": ("text", "text", (str,), _text_fault),
    "flag": ("true or false", "true or false", (bool,), _no_fault),
    "whole": ("a whole number", "whole number", (int,), _whole_fault),
    "number": ("a number", "number", (int, float), _number_fault),
    "moment": ("a date and time", "date and time with an offset", (), _moment_fault),
    "texts": ("a list", "list of texts", (list,), _texts_fault),
    "wholes": ("a list", "list of whole numbers", (list,), _wholes_fault),
    "texts or table": ("a list", "list of texts, or table", (list, dict), _texts_fault),
    "file": ("text", "name of a file in the folder", (str,), _text_fault),
    "table": ("a table", "table", (dict,), _no_fault),
    "tables": ("a list", "list of tables", (list,), _no_fault),
}
"""For each kind: its names in messages and in the reference, its types in TOML (empty: the rule checks them),
and its rule."""
