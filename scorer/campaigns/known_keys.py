"""Reads tables of `annotation.toml`, and refuses by name what comes with a later version."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from scorer.bundles.toml_table import TomlTable
from scorer.campaigns.keys import LATER_KEYS, LATER_VALUES


def read_known(table: TomlTable, name: str) -> dict[str, Any]:
    """Read a table after refusing, by name, the keys and values that come with a later version."""
    later = [word for word in LATER_KEYS.get(name, ()) if word in table.values]
    for word in later:
        table.refuse(word, "later_key", "comes with a later version of Assay; leave it out for now")
    keys = []
    for key in table.keys:
        value = table.values.get(key.name)
        if value is not None and _is_later(name, key.name, value):
            written = "a table" if isinstance(value, dict) else f'"{value}"'
            advice = f"use {' or '.join(key.choices)}" if key.choices else key.advice
            message = f"{written} comes with a later version of Assay; {advice}"
            table.refuse(key.name, "later_value", message)
            later.append(key.name)
            keys.append(replace(key, required=False, default=key.fallback))
        else:
            keys.append(key)
    values = {word: value for word, value in table.values.items() if word not in later}
    return replace(table, values=values, keys=keys).read()


def _is_later(table: str, key: str, value: object) -> bool:
    if (table, key) == ("round", "units"):
        return isinstance(value, dict)
    return isinstance(value, str) and value in LATER_VALUES.get((table, key), ())


def require_languages(table: TomlTable, languages: Sequence[str]) -> None:
    """Note each language of the campaign that a table by language lacks, and each other key."""
    refuse_other_languages(table, languages)
    for language in languages:
        if language not in table.values and any(other in table.values for other in languages):
            message = "is missing; write this text in every language of the campaign"
            table.refuse(language, "missing_key", message)


def refuse_other_languages(table: TomlTable, languages: Sequence[str]) -> None:
    """Note each key of a table by language that is not a language of the campaign."""
    for name in table.values:
        if name not in languages:
            message = f"is not one of the campaign's languages: {', '.join(languages)}"
            table.refuse(name, "unknown_key", message)
