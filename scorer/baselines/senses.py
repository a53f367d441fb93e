"""Where the glosses of word2sense come from: WordNet 3.0, or a small table that a task brings itself."""

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
    read_data,
    usual_places,
    wordnet_version,
)
from scorer.errors import DataError, Problem
from scorer.files.tables import read_rows
from scorer.files.text import Problems, decode_lines

_SENSE_PATTERN = re.compile(r"(?P<word>[^\t]+)#(?P<pos>[a-z])#(?P<number>[0-9]{1,4})")

Senses = Mapping[tuple[str, str], Mapping[int, str]]
"""Lower-cased word and part of speech -> number of the sense -> gloss."""


class SenseInventory(Protocol):
    """Anything that knows the senses of words by word, part of speech and number."""

    @property
    def name(self) -> str:
        """What a message calls it, such as "WordNet 3.0"."""

    def glosses(self, word: str, pos: str) -> tuple[str, ...]:
        """Glosses of all senses of a word as `pos`; empty if it has none."""

    def find_gloss(self, word: str, pos: str, number: int) -> str | None:
        """Gloss of the sense ``word#pos#number``; None if there is no such sense."""


class SenseTable:
    """A task's own senses, from a table with the columns sense and gloss.

    Parameters
    ----------
    name : str
        What messages call the table: its file name.
    senses : mapping
        From (word in lower case, part of speech) to the glosses by their numbers.
    """

    def __init__(self, name: str, senses: Senses) -> None:
        self.name = name
        self._senses = MappingProxyType(dict(senses))

    def glosses(self, word: str, pos: str) -> tuple[str, ...]:
        """Glosses of all senses of a word as `pos`, by their numbers; empty if it has none."""
        numbered = self._numbered(word, pos)
        return tuple(numbered[number] for number in sorted(numbered))

    def find_gloss(self, word: str, pos: str, number: int) -> str | None:
        """Gloss of the sense ``word#pos#number``; None if there is no such sense."""
        return self._numbered(word, pos).get(number)

    def _numbered(self, word: str, pos: str) -> Mapping[int, str]:
        return self._senses.get((word.lower(), _table_pos(pos)), {})


def parse_senses(data: bytes, source: str) -> SenseTable:
    r"""Read a table of senses: one ``word#pos#n<TAB>gloss`` a line, UTF-8.

    Parameters
    ----------
    data : bytes
        The file. Line ends are LF, CRLF or CR; a byte order mark is skipped.
    source : str
        The file's name, for messages.

    Returns
    -------
    SenseTable
        The senses; words are looked up in lower case, as in WordNet, and "s" counts as "a".

    Raises
    ------
    DataError
        With every line that is not such a pair, or that names a sense again.

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
            again = f'sense "{word}#{pos}#{number}" stands here for the second time; keep one of its lines'
            problems.add_line(line, "repeated_sense", again)
        numbered.setdefault(number, gloss)
    problems.raise_as(DataError)
    return SenseTable(source, senses)


def open_senses(path: str | Path | None = None) -> SenseInventory:
    """Open the senses that `path` names.

    Parameters
    ----------
    path : str or Path, optional
        A folder is WordNet 3.0's dictionary, a file is a table of senses (`parse_senses`). Default: the
        WordNet 3.0 that `find_wordnet` finds.

    Returns
    -------
    SenseInventory
        A `WordNet` or a `SenseTable`.

    Raises
    ------
    DataError
        If there is no WordNet 3.0, or the file or folder cannot be used; the message says how to fix it.
    """
    if path is not None:
        hint = "give a readable table of senses"
        return parse_senses(read_data(Path(path), hint), str(path)) if Path(path).is_file() else WordNet(path)
    folder = find_wordnet()
    if folder is not None:
        return WordNet(folder)
    others = [f"{version} in {place}" for place in usual_places() if (version := wordnet_version(place))]
    note = f" (found only {', '.join(others)}, which gives other values)" if others else ""
    message = f"is not in any of its usual places{note}; the word2sense baselines need it: {WORDNET_HINT}"
    raise DataError([Problem(WordNet.name, None, "no_wordnet", message)])


def parse_sense(text: str) -> tuple[str, str, int] | None:
    """Take ``word#pos#n`` apart; None if it is no such name or its part of speech is unknown.

    >>> parse_sense("inform#v#1"), parse_sense("inform#1")
    (('inform', 'v', 1), None)
    """
    match = _SENSE_PATTERN.fullmatch(text.strip(" "))
    if match is None or match["pos"] not in PARTS_OF_SPEECH:
        return None
    return match["word"], match["pos"], int(match["number"])


def _parse_fields(fields: Sequence[str]) -> tuple[str, str, int, str] | str:
    if len(fields) != 2:
        counts = f"{len(fields)} {'column' if len(fields) == 1 else 'columns'}"
        return f"{counts} instead of 2; write word#pos#n, a tab and the gloss"
    sense = parse_sense(fields[0])
    if sense is None:
        return f'"{fields[0]}" names no sense; write word#pos#n, with pos one of n, v, a, r'
    if not fields[1].strip():
        return f'sense "{fields[0]}" has no gloss; write it behind the tab'
    return sense[0].lower(), _table_pos(sense[1]), sense[2], fields[1]


def _table_pos(pos: str) -> str:
    return "a" if pos == "s" else pos
