"""The sources of glosses for word2sense: WordNet 3.0, or a table of senses from the task."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Protocol

from scorer.baselines.wordnet import (
    PARTS_OF_SPEECH,
    WORDNET_HINT,
    WordNet,
    find_wordnet,
    merge_satellites,
    read_data,
    usual_places,
    wordnet_version,
)
from scorer.errors import DataError, Problem
from scorer.files.tables import read_rows
from scorer.files.text import Problems, decode_lines

_WORD_PATTERN = re.compile(r"(?P<word>[^\t]+)#(?P<pos>[a-z])")
_SENSE_PATTERN = re.compile(r"(?P<word>[^\t]+)#(?P<pos>[a-z])#(?P<number>[0-9]{1,4})")

Senses = Mapping[tuple[str, str], Mapping[int, str]]
"""The gloss of each sense, by word in lower case and part of speech, then by number of the sense."""


class SenseInventory(Protocol):
    """The interface of sense inventories, which have the glosses of words by part of speech and number."""

    @property
    def name(self) -> str:
        """The name in messages, such as "WordNet 3.0"."""

    def glosses(self, word: str, pos: str) -> tuple[str, ...]:
        """Return the glosses of all senses of a word with a part of speech; empty if it has none."""

    def find_gloss(self, word: str, pos: str, number: int) -> str | None:
        """Return the gloss of the sense ``word#pos#number``, or None if there is no such sense."""


class SenseTable:
    """A task's own sense inventory, from a table with the columns sense and gloss.

    Parameters
    ----------
    name : str
        The name of the table's file in messages.
    senses : mapping
        The glosses by (word in lower case, part of speech), then by number.
    """

    def __init__(self, name: str, senses: Senses) -> None:
        self.name = name
        self._senses = MappingProxyType(dict(senses))

    def glosses(self, word: str, pos: str) -> tuple[str, ...]:
        """Return the glosses of a word with a part of speech, in the order of their numbers."""
        numbered = self._numbered(word, pos)
        return tuple(numbered[number] for number in sorted(numbered))

    def find_gloss(self, word: str, pos: str, number: int) -> str | None:
        """Return the gloss of the sense ``word#pos#number``, or None if there is no such sense."""
        return self._numbered(word, pos).get(number)

    def _numbered(self, word: str, pos: str) -> Mapping[int, str]:
        return self._senses.get((word.lower(), merge_satellites(pos)), {})


def parse_senses(data: bytes, source: str) -> SenseTable:
    r"""Parse a table of senses in UTF-8 with a line ``word#pos#n<TAB>gloss`` for each sense.

    Parameters
    ----------
    data : bytes
        The contents of the file. Line ends are LF, CRLF or CR, and a byte order mark is skipped.
    source : str
        The name of the file in messages.

    Returns
    -------
    SenseTable
        The senses. As in WordNet, words are looked up in lower case, and the part of speech "s" counts as
        "a".

    Raises
    ------
    DataError
        If a line is not a sense and a gloss, or repeats a sense. The error lists all such lines.

    Examples
    --------
    >>> table = parse_senses(b"bank#n#1\tsloping land\nbank#n#2\ta financial institution\n", "senses.tsv")
    >>> table.glosses("Bank", "n")
    ('sloping land', 'a financial institution')
    """
    senses: dict[tuple[str, str], dict[int, str]] = {}
    problems = Problems(source)
    rows = read_rows(decode_lines(data, problems), "tab", problems, "every line is one sense", quotes=False)
    for line, fields in rows:
        parsed = _parse_fields(fields)
        if isinstance(parsed, str):
            problems.add_line(line, "bad_sense", parsed)
            continue
        word, pos, number, gloss = parsed
        numbered = senses.setdefault((word, pos), {})
        if number in numbered:
            message = f'sense "{word}#{pos}#{number}" stands here for the second time; keep one of its lines'
            problems.add_line(line, "repeated_sense", message)
        numbered.setdefault(number, gloss)
    problems.raise_as(DataError)
    return SenseTable(source, senses)


def open_senses(path: str | Path | None = None) -> SenseInventory:
    """Open a sense inventory.

    Parameters
    ----------
    path : str or Path, optional
        A folder with the dictionary files of WordNet 3.0, or a file with a table of senses (see
        `parse_senses`). By default the WordNet 3.0 that `find_wordnet` finds.

    Returns
    -------
    SenseInventory
        A `WordNet` or a `SenseTable`.

    Raises
    ------
    DataError
        If WordNet 3.0 is not found, or the file or folder cannot be used. The message says how to fix it.
    """
    if path is not None and Path(path).is_file():
        return parse_senses(read_data(Path(path), "give a readable table of senses"), str(path))
    return open_wordnet(path)


def open_wordnet(path: str | Path | None = None) -> WordNet:
    """Open WordNet 3.0 in a folder, by default the one that `find_wordnet` finds; see `open_senses`."""
    folder = find_wordnet() if path is None else path
    if folder is not None:
        return WordNet(folder)
    others = [f"{version} in {place}" for place in usual_places() if (version := wordnet_version(place))]
    note = f" (found only {', '.join(others)}, which gives other values)" if others else ""
    message = f"is not in any of its usual places{note}; the level word2sense needs it: {WORDNET_HINT}"
    raise DataError([Problem(WordNet.name, None, "no_wordnet", message)])


def parse_sense(text: str) -> tuple[str, str, int] | None:
    """Parse ``word#pos#n``. None if the text does not have this form or the part of speech is unknown.

    >>> parse_sense("inform#v#1"), parse_sense("inform#1")
    (('inform', 'v', 1), None)
    """
    match = _SENSE_PATTERN.fullmatch(text.strip(" "))
    if match is None or match["pos"] not in PARTS_OF_SPEECH:
        return None
    return match["word"], match["pos"], int(match["number"])


def parse_word(text: str) -> tuple[str, str] | None:
    """Parse ``word#pos``. None if the text does not have this form or the part of speech is unknown.

    >>> parse_word("inform#v"), parse_word("inform")
    (('inform', 'v'), None)
    """
    match = _WORD_PATTERN.fullmatch(text.strip(" "))
    if match is None or match["pos"] not in PARTS_OF_SPEECH:
        return None
    return match["word"], match["pos"]


def _parse_fields(fields: Sequence[str]) -> tuple[str, str, int, str] | str:
    if len(fields) != 2:
        counts = f"{len(fields)} {'column' if len(fields) == 1 else 'columns'}"
        return f"{counts} instead of 2; write word#pos#n, a tab and the gloss"
    sense = parse_sense(fields[0])
    if sense is None:
        return f'"{fields[0]}" names no sense; write word#pos#n, with pos one of n, v, a, r'
    if not fields[1].strip():
        return f'sense "{fields[0]}" has no gloss; write it behind the tab'
    return sense[0].lower(), merge_satellites(sense[1]), sense[2], fields[1]
