"""Prints the reference of the keys of a TOML file, for `scorer bundle keys` and `scorer campaign keys`."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from textwrap import fill, indent
from typing import TYPE_CHECKING, Any

import click

from scorer.cli._output import print_json
from scorer.errors import RequestError

if TYPE_CHECKING:
    from scorer.bundles.key_reference import KeyEntry, KeySection

TSV_COLUMNS = ("key", "type", "default", "example", "meaning")
_WIDTH = 96


@dataclass(frozen=True, slots=True)
class KeyReference:
    """The reference of a file: its name, the command that prints it, and the schema of its JSON."""

    file: str
    command: str
    schema: str
    sections: "Sequence[KeySection]"

    def print_keys(self, names: Sequence[str], format_: str) -> None:
        """Print the tables and keys with these names; all of them if there are no names.

        Raises
        ------
        RequestError
            If there is no table or key with one of the names.
        """
        sections = self._select(names)
        if format_ == "json":
            print_json({"schema": self.schema, "tables": [asdict(section) for section in sections]})
        elif format_ == "tsv":
            click.echo(_tsv(sections), nl=False)
        else:
            click.echo("\n\n".join(map(_section_text, sections)))

    def _select(self, names: Sequence[str]) -> "list[KeySection]":
        from dataclasses import replace
        from difflib import get_close_matches

        known = [
            name
            for section in self.sections
            for name in (section.name, *(key.path for key in section.entries))
        ]
        for name in names:
            if name not in known:
                close = get_close_matches(name, known, n=1)
                hint = f'did you mean "{close[0]}"?' if close else f"`{self.command}` lists all of them"
                raise RequestError(f'{self.file} has no table or key "{name}"; {hint}')
        if not names:
            return list(self.sections)
        selected = []
        for section in self.sections:
            whole = section.name in names
            entries = tuple(entry for entry in section.entries if whole or entry.path in names)
            if entries or whole:
                selected.append(replace(section, entries=entries))
        return selected


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
