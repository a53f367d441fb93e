"""The reference of a TOML file such as `task.toml`: each key with its meaning, type, default and example.

It is made from the description that the reader uses, so that it cannot differ from what the reader accepts.
"""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from scorer.bundles.bundle import SPLITS
from scorer.bundles.task_keys import TASK_TOML
from scorer.bundles.toml_table import KINDS, SLUG_WORDS, Key

TASK_TEXTS = Path(__file__).with_name("task_keys.toml")
_ANY_SPLIT = "SPLIT"
"""Stands for trial, training and test, whose keys are the same."""


@dataclass(frozen=True, slots=True)
class KeyEntry:
    """One key of a TOML file, for people.

    Parameters
    ----------
    path : str
        Its full name, such as "level.SPLIT.items".
    name : str
    type : str
        With the valid values, if these are few.
    required : bool
        Whether its table must have it.
    default : str
        As TOML, or in words; empty if the key is required, or if its absence needs no explanation.
    meaning : str
    example : str
        A valid value, as TOML.
    """

    path: str
    name: str
    type: str
    required: bool
    default: str
    meaning: str
    example: str

    @property
    def default_text(self) -> str:
        """The default for a table: "required", a value, or "none"."""
        return "required" if self.required else self.default or "none"


@dataclass(frozen=True, slots=True)
class KeySection:
    """One table of a TOML file: its heading, such as "[[level]]", its meaning and its keys."""

    name: str
    heading: str
    meaning: str
    entries: tuple[KeyEntry, ...]


def list_key_sections(tables: Sequence[Key] = TASK_TOML, texts: Path = TASK_TEXTS) -> tuple[KeySection, ...]:
    """Return the reference of all keys, one section for each table, in the order of the file.

    Parameters
    ----------
    tables : sequence of Key
        The description of the tables at the top of the file; by default those of `task.toml`.
    texts : Path
        The file that says what the keys mean, with an example of each.

    Returns
    -------
    tuple of KeySection
        The three splits of a level have the same keys and are one section, "[level.SPLIT]".

    Examples
    --------
    >>> sections = list_key_sections()
    >>> sections[0].heading, sections[0].entries[0].path
    ('[task]', 'task.slug')
    """
    read = _read_texts(texts)
    return tuple(section for key in tables for section in _sections(key, key.name, read[key.name]))


@cache
def _read_texts(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


def _sections(table: Key, name: str, texts: Mapping[str, Any]) -> Iterator[KeySection]:
    """Yield the section of a table, and those of the tables in it."""
    heading = f"[[{name}]]" if table.kind == "tables" else f"[{name}]"
    entries = tuple(_entry(key, name, texts[key.name]) for key in table.keys)
    yield KeySection(name, heading, texts["meaning"], entries)
    for key in table.keys:
        if key.keys and key.name not in SPLITS[1:]:
            inner = _ANY_SPLIT if key.name in SPLITS else key.name
            yield from _sections(key, f"{name}.{inner}", texts[inner])


def _entry(key: Key, table: str, texts: Mapping[str, str]) -> KeyEntry:
    default = "" if key.required else texts.get("otherwise") or _write_default(key.default)
    meaning, example = texts["meaning"], texts.get("example", "")
    return KeyEntry(f"{table}.{key.name}", key.name, _type(key), key.required, default, meaning, example)


def _type(key: Key) -> str:
    words = KINDS[key.kind][1]
    if key.choices:
        *first, last = _quote(key.choices)
        return f"{', '.join(first)} or {last}" if first else last
    if key.kind in ("whole", "wholes") and key.maximum is not None:
        return f"{words} from {key.minimum} to {key.maximum}"
    if key.kind in ("whole", "wholes"):
        return f"{words}, at least {key.minimum}"
    if key.slug is not None:
        return f"{words} of {SLUG_WORDS[key.slug]}"
    if key.maximum is None:
        return words
    return (
        f"at most {key.maximum} tables"
        if key.kind == "tables"
        else f"{words} of at most {key.maximum} characters"
    )


def _write_default(value: object) -> str:
    """Write a default as TOML; empty if it means that there is nothing."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return f"[{', '.join(_quote(value))}]" if value else ""
    if isinstance(value, int | float):
        return f"{value:g}"
    return _quote([value])[0] if isinstance(value, str) and value else ""


def _quote(texts: Sequence[str]) -> list[str]:
    return [f'"{text}"' for text in texts]
