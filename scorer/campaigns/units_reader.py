"""Reads the table of units of a round and reports all its problems at once."""

import re
from collections.abc import Sequence

from scorer.campaigns.config import Unit
from scorer.files.tables import TableRow, choose_delimiter, find_columns, note_header_mismatch, read_rows
from scorer.files.text import BLANKS, Problems, decode_lines, shorten

KEY, GROUP, GENRE = "key", "group", "genre"
TEXTS = ("left", "right")
TURN = re.compile(r"turn[0-9]{1,2}")
"""The columns of the turns of a dialogue: shorter dialogues leave the last ones empty."""
SENTENCE_TAGS = ("<sent>", "</sent>")
"""They enclose the sentence in its context that a unit is about."""
MAX_UNITS = 200_000
MAX_NAME = 255
"""The maximum length of a key, a group and a genre."""
MAX_TEXT = 20_000
_MAX_COLUMNS = 50


def read_units(data: bytes, problems: Problems, show: Sequence[str] = TEXTS) -> tuple[Unit, ...]:
    """Read a table of units.

    Parameters
    ----------
    data : bytes
        The file, in UTF-8, with a header. Its columns are separated by tabs, and quotes between tabs have no
        meaning; or by commas, if the header has no tab.
    problems : Problems
        Receives the problems of the file.
    show : sequence of str
        The columns that annotators see. They must exist, and only the turns of a dialogue may be empty.

    Returns
    -------
    tuple of Unit
        The units without a problem, in the order of the file; none if a column is missing or there twice. The
        columns key, left and right are needed.
    """
    lines = decode_lines(data, problems)
    delimiter = choose_delimiter(lines, None)
    rows = list(read_rows(lines, delimiter, problems, "every line is one unit", quotes=False))
    if not rows:
        return ()
    header, *body = rows
    if not body:
        problems.add(None, "no_units", "the file has a header and no units")
    before = problems.count
    columns = _find_columns(header, show, problems)
    if KEY not in columns or note_header_mismatch(header, body, problems):
        return ()
    is_complete = problems.count == before
    if len(body) > MAX_UNITS:
        message = f"the file has {len(body)} units; the maximum is {MAX_UNITS}"
        problems.add(None, "too_many", message)
        return ()
    needed = [name for name in dict.fromkeys((*TEXTS, *show)) if name in columns]
    reader = UnitsReader(columns, needed, len(header[1]), problems)
    units = tuple(unit for row in body if (unit := reader.read(row)) is not None)
    return units if is_complete else ()


def _find_columns(header: TableRow, show: Sequence[str], problems: Problems) -> dict[str, int]:
    """Return the place of each column with a name; note needed ones that are missing, and repeated names."""
    number, fields = header
    names = [name.strip(BLANKS) for name in fields]
    if len(names) > _MAX_COLUMNS:
        message = f"the header has {len(names)} columns; the maximum is {_MAX_COLUMNS}"
        problems.add_line(number, "too_many", message)
        return {}
    wanted = dict.fromkeys((KEY, *TEXTS, *show, *filter(None, names)))
    return find_columns((number, names), list(wanted), problems)


class UnitsReader:
    """Turns rows into units and notes their problems."""

    def __init__(
        self, columns: dict[str, int], needed: Sequence[str], width: int, problems: Problems
    ) -> None:
        self._columns = columns
        self._needed = needed
        self._width = width
        self._problems = problems
        self._seen: dict[str, int] = {}

    def read(self, row: TableRow) -> Unit | None:
        """Return the unit of a row; None if the row has a problem, which is noted."""
        number, values = row
        if len(values) != self._width:
            counts = f"{len(values)} {'column' if len(values) == 1 else 'columns'} instead of {self._width}"
            self._note(number, "wrong_columns", f"{counts}; write {', '.join(self._columns)}")
            return None
        before = self._problems.count
        fields = {name: values[place] for name, place in self._columns.items()}
        key, group, genre = (
            self._read_name(number, name, fields.pop(name, "")) for name in (KEY, GROUP, GENRE)
        )
        if not key:
            self._note(number, "missing_id", "the column key is empty; give each unit a name of its own")
        elif self._seen.setdefault(key, number) != number:
            message = f"key {shorten(key)} is on line {self._seen[key]} already; give each unit its own"
            self._note(number, "duplicate_id", message)
        for name in self._needed:
            if not fields[name].strip(BLANKS) and TURN.fullmatch(name) is None:
                message = f'the column "{name}" is empty; every unit needs it'
                self._note(number, "empty_field", message)
        for name, text in fields.items():
            self._check_text(number, name, text)
        return Unit(key, group or None, genre or None, fields) if self._problems.count == before else None

    def _read_name(self, number: int, name: str, text: str) -> str:
        stripped = text.strip(BLANKS)
        if len(stripped) > MAX_NAME:
            message = f"the {name} has {len(stripped)} characters; use at most {MAX_NAME}"
            self._note(number, "too_long", message)
        self._check_breaks(number, name, stripped)
        return stripped

    def _check_text(self, number: int, name: str, text: str) -> None:
        if len(text) > MAX_TEXT:
            message = f'the column "{name}" has {len(text)} characters; use at most {MAX_TEXT}'
            self._note(number, "too_long", message)
        self._check_breaks(number, name, text)
        self._check_tags(number, name, text)

    def _check_tags(self, number: int, name: str, text: str) -> None:
        """Note tags around a sentence that are not one pair, or are in a text that is a sentence itself."""
        opening, closing = SENTENCE_TAGS
        counts = text.count(opening), text.count(closing)
        if counts == (0, 0):
            return
        if name in TEXTS:
            message = (
                f'the column "{name}" has {opening}, which marks a sentence in its context; leave it out'
            )
            self._note(number, "bad_tag", message)
        elif counts != (1, 1) or text.index(opening) > text.index(closing):
            message = f'the column "{name}" needs one {opening} before one {closing}'
            self._note(number, "bad_tag", message)

    def _check_breaks(self, number: int, name: str, text: str) -> None:
        """Note a tab or a line break in a quoted field: files with tabs between columns cannot have it."""
        if "\t" in text or "\n" in text:
            message = f'the column "{name}" has a tab or a line break; write a space instead'
            self._note(number, "line_break", message)

    def _note(self, number: int, code: str, message: str) -> None:
        self._problems.add_line(number, code, message)
