"""The reference of a TOML file such as `task.toml`: each key with its meaning, type, default and example.

It is made from the description that the reader uses, so that it cannot differ from what the reader accepts.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from scorer.bundles.bundle import SPLITS
from scorer.bundles.task_keys import TASK_TOML
from scorer.bundles.toml_table import KINDS, SLUG_WORDS, Key

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


def list_key_sections(tables: Sequence[Key] = TASK_TOML) -> tuple[KeySection, ...]:
    """Return the reference of all keys, one section for each table, in the order of the file.

    Parameters
    ----------
    tables : sequence of Key
        The description of the tables at the top of the file; by default those of `task.toml`.

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
    return tuple(section for key in tables for section in _sections(key, ""))


def _sections(table: Key, parent: str) -> Iterator[KeySection]:
    """Yield the section of a table, and those of the tables in it."""
    is_split = table.name in SPLITS
    name = ".".join(filter(None, (parent, _ANY_SPLIT if is_split else table.name)))
    heading = f"[[{name}]]" if table.kind == "tables" else f"[{name}]"
    meaning = "A split of the level: trial, training or test." if is_split else table.meaning
    yield KeySection(name, heading, meaning, tuple(_entry(key, name) for key in table.keys))
    for key in table.keys:
        if key.keys and key.name not in SPLITS[1:]:
            yield from _sections(key, name)


def _entry(key: Key, table: str) -> KeyEntry:
    required = key.required
    default = "" if required else key.otherwise or _write_default(key.default)
    return KeyEntry(f"{table}.{key.name}", key.name, _type(key), required, default, key.meaning, key.example)


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
