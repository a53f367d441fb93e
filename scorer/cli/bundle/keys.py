"""`scorer bundle keys`: explains every key of `task.toml`."""

from collections.abc import Sequence
from dataclasses import asdict
from textwrap import fill, indent
from typing import TYPE_CHECKING, Any

import click

from scorer.cli._options import StrictCommand, format_option
from scorer.cli._output import print_json
from scorer.errors import RequestError

if TYPE_CHECKING:
    from scorer.bundles.key_reference import KeyEntry, KeySection

FORMATS = ("text", "tsv", "json")
SCHEMA = "assay.bundle-keys/1"
TSV_COLUMNS = ("key", "type", "default", "example", "meaning")
_WIDTH = 96


@click.command("keys", cls=StrictCommand)
@click.argument("names", nargs=-1)
@format_option(FORMATS, "tsv has one line per key; json has one object per table.")
def command(*, names: tuple[str, ...], format_: str) -> None:
    """Explain every key of task.toml.

    This prints the meaning, the type, the default and an example of each key. NAMES limits the output to
    some tables or keys, such as phase or level.columns or phase.closes. The keys of the three splits of a
    level are the same and are called level.SPLIT.

    \b
    Examples:
      scorer bundle keys
      scorer bundle keys phase level.SPLIT
      scorer bundle keys --format tsv

    \b
    Exit codes:
      0  success
      1  bad data
      2  usage error
    """
    from scorer.bundles.key_reference import list_key_sections

    sections = _select(list_key_sections(), names)
    if format_ == "json":
        print_json({"schema": SCHEMA, "tables": [asdict(section) for section in sections]})
    elif format_ == "tsv":
        click.echo(_tsv(sections), nl=False)
    else:
        click.echo("\n\n".join(map(_section_text, sections)))


def _select(sections: "Sequence[KeySection]", names: Sequence[str]) -> "list[KeySection]":
    """Return the tables and keys with these names; all of them if there are no names."""
    from dataclasses import replace
    from difflib import get_close_matches

    names = [_any_split(name) for name in names]
    known = [name for section in sections for name in (section.name, *(key.path for key in section.entries))]
    for name in names:
        if name not in known:
            close = get_close_matches(name, known, n=1)
            hint = f'did you mean "{close[0]}"?' if close else "`scorer bundle keys` lists all of them"
            raise RequestError(f'task.toml has no table or key "{name}"; {hint}')
    if not names:
        return list(sections)
    selected = []
    for section in sections:
        whole = section.name in names
        entries = tuple(entry for entry in section.entries if whole or entry.path in names)
        if entries or whole:
            selected.append(replace(section, entries=entries))
    return selected


def _any_split(name: str) -> str:
    """Return the name under which a table or key is listed: brackets are left out, and any split is SPLIT."""
    parts = name.strip("[]").split(".")
    splits = ("trial", "training", "test")
    return ".".join("SPLIT" if at and part in splits else part for at, part in enumerate(parts))


def _section_text(section: "KeySection") -> str:
    keys = [_entry_text(entry) for entry in section.entries]
    return "\n".join([section.heading, fill(section.meaning, _WIDTH), "", *keys])


def _entry_text(entry: "KeyEntry") -> str:
    lines = [fill(entry.meaning, _WIDTH - 4), f"{entry.type}; {_default_words(entry)}"]
    if entry.example:
        lines.append(f"{entry.name} = {entry.example}")
    return f"  {entry.name}\n" + indent("\n".join(lines), "    ")


def _default_words(entry: "KeyEntry") -> str:
    return "required" if entry.required else f"default: {entry.default_text}"


def _tsv(sections: "Sequence[KeySection]") -> str:
    rows: list[Any] = [TSV_COLUMNS]
    rows += [
        (entry.path, entry.type, entry.default_text, entry.example, entry.meaning)
        for section in sections
        for entry in section.entries
    ]
    return "".join("\t".join(row) + "\n" for row in rows)
