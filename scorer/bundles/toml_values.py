"""Writes texts, and lists and tables of texts, as values of a TOML file."""

import json
from collections.abc import Mapping, Sequence


def toml_text(text: str) -> str:
    """Write a text as a TOML string. JSON strings are TOML strings except for one character, DEL."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def toml_list(texts: Sequence[str]) -> str:
    """Write a list of texts."""
    return f"[{', '.join(map(toml_text, texts))}]"


def toml_table(values: Mapping[str, str]) -> str:
    """Write an inline table of texts; its keys need no quotes, or have them already."""
    return f"{{ {', '.join(f'{name} = {toml_text(value)}' for name, value in values.items())} }}"
