"""Reads the table of units of a round, and that of its tuples, and reports all problems at once."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from scorer.campaigns.config import Candidate, Unit
from scorer.files.tables import (
    Delimiter,
    TableRow,
    choose_delimiter,
    find_columns,
    note_header_mismatch,
    read_rows,
    strip_rows,
)
from scorer.files.text import BLANKS, SENTENCE_TAGS, Problems, decode_lines, shorten

KEY, GROUP, GENRE = "key", "group", "genre"
TEXTS = ("left", "right")
WANTED = "wanted"
"""The column of the rating that a text is written for."""
KNOWN = "known"
"""The column of the known rating of a calibration unit."""
REPORT = ("report", "sentence")
"""The columns of a sentence of a report."""
SENSE_COLUMNS = ("unit", "sense", "definition")
"""The columns of a sense that annotators can choose for a unit."""
TURN = re.compile(r"turn[0-9]{1,2}")
"""The columns of the turns of a dialogue: shorter dialogues leave the last ones empty."""
MAX_NAME = 255
"""The maximum length of a key, a group and a genre."""
MAX_TEXT = 20_000
_MAX_COLUMNS = 50


def read_units(
    data: bytes, problems: Problems, show: Sequence[str] = TEXTS, texts: Sequence[str] = TEXTS
) -> tuple[Unit, ...]:
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
    texts : sequence of str
        The columns that are needed beside these and the column key.

    Returns
    -------
    tuple of Unit
        The units without a problem, in the order of the file; none if a column is missing or there twice.
    """
    rows = read_table(data, problems, "every line is one unit")
    if not rows:
        return ()
    header, *body = rows
    if not body:
        problems.add(None, "no_units", "the file has a header and no units")
    before = problems.count
    columns = _find_columns(header, (*texts, *show), problems)
    if KEY not in columns or note_header_mismatch(header, body, problems):
        return ()
    is_complete = problems.count == before
    needed = [name for name in dict.fromkeys((*texts, *show)) if name in columns]
    reader = UnitsReader(columns, needed, len(header[1]), problems)
    units = tuple(unit for row in body if (unit := reader.read(row)) is not None)
    return units if is_complete else ()


def read_table(
    data: bytes, problems: Problems, need: str, delimiter: Delimiter | None = None
) -> list[TableRow]:
    """Read the rows of a table in which quotes are text, as `read_rows` does."""
    lines = decode_lines(data, problems)
    return list(read_rows(lines, choose_delimiter(lines, delimiter), problems, need, quotes=False))


def _find_columns(header: TableRow, needed: Sequence[str], problems: Problems) -> dict[str, int]:
    """Return the place of each column with a name; note needed ones that are missing, and repeated names."""
    number, fields = header
    names = [name.strip(BLANKS) for name in fields]
    if len(names) > _MAX_COLUMNS:
        message = f"the header has {len(names)} columns; the maximum is {_MAX_COLUMNS}"
        problems.add_line(number, "too_many", message)
        return {}
    wanted = dict.fromkeys((KEY, *needed, *filter(None, names)))
    return find_columns((number, names), list(wanted), problems)


@dataclass(frozen=True, slots=True)
class UnitsReader:
    """Turns rows into units and notes their problems."""

    columns: dict[str, int]
    needed: Sequence[str]
    width: int
    problems: Problems
    seen: dict[str, int] = field(default_factory=dict)

    def read(self, row: TableRow) -> Unit | None:
        """Return the unit of a row; None if the row has a problem, which is noted."""
        number, values = row
        if len(values) != self.width:
            counts = f"{len(values)} {'column' if len(values) == 1 else 'columns'} instead of {self.width}"
            self.problems.add_line(number, "wrong_columns", f"{counts}; write {', '.join(self.columns)}")
            return None
        before = self.problems.count
        fields = {name: values[place] for name, place in self.columns.items()}
        key, group, genre = (
            self._read_name(number, name, fields.pop(name, "")) for name in (KEY, GROUP, GENRE)
        )
        if not key:
            self.problems.add_line(
                number, "missing_id", "the column key is empty; give each unit a name of its own"
            )
        elif self.seen.setdefault(key, number) != number:
            message = f"key {shorten(key)} is on line {self.seen[key]} already; give each unit its own"
            self.problems.add_line(number, "duplicate_id", message)
        for name in self.needed:
            if not fields[name].strip(BLANKS) and TURN.fullmatch(name) is None:
                message = f'the column "{name}" is empty; every unit needs it'
                self.problems.add_line(number, "empty_field", message)
        for name, text in fields.items():
            self._check_text(number, name, text)
        return Unit(key, group or None, genre or None, fields) if self.problems.count == before else None

    def _read_name(self, number: int, name: str, text: str) -> str:
        stripped = text.strip(BLANKS)
        if len(stripped) > MAX_NAME:
            message = f"the {name} has {len(stripped)} characters; use at most {MAX_NAME}"
            self.problems.add_line(number, "too_long", message)
        self._check_breaks(number, name, stripped)
        return stripped

    def _check_text(self, number: int, name: str, text: str) -> None:
        if len(text) > MAX_TEXT:
            message = f'the column "{name}" has {len(text)} characters; use at most {MAX_TEXT}'
            self.problems.add_line(number, "too_long", message)
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
            self.problems.add_line(number, "bad_tag", message)
        elif counts != (1, 1) or text.index(opening) > text.index(closing):
            message = f'the column "{name}" needs one {opening} before one {closing}'
            self.problems.add_line(number, "bad_tag", message)

    def _check_breaks(self, number: int, name: str, text: str) -> None:
        """Note a tab or a line break in a quoted field: files with tabs between columns cannot have it."""
        if "\t" in text or "\n" in text:
            message = f'the column "{name}" has a tab or a line break; write a space instead'
            self.problems.add_line(number, "line_break", message)


MIN_TUPLE_SIZE, MAX_TUPLE_SIZE = 3, 4
"""The possible numbers of items of a tuple."""


@dataclass(frozen=True, slots=True)
class TupleRow:
    """A line of the table of tuples: its number, its group if the table has groups, and the items' keys."""

    line: int
    group: str | None
    keys: tuple[str, ...]


def read_tuples(data: bytes, problems: Problems) -> tuple[TupleRow, ...]:
    """Read a table with the columns Item1, Item2, Item3, perhaps Item4, and perhaps group.

    Parameters
    ----------
    data : bytes
        The file, in UTF-8, with columns separated by tabs or commas.
    problems : Problems
        Receives the problems of the file.

    Returns
    -------
    tuple of TupleRow
        The rows without a problem, in the order of the file.
    """
    rows = read_table(data, problems, "every line is one tuple")
    if not rows:
        return ()
    header, *body = rows
    names = [name.strip(BLANKS) for name in header[1]]
    n_items = MAX_TUPLE_SIZE if f"Item{MAX_TUPLE_SIZE}" in names else MIN_TUPLE_SIZE
    if f"Item{MAX_TUPLE_SIZE + 1}" in names:
        problems.add_line(header[0], "too_many", f"a tuple can have at most {MAX_TUPLE_SIZE} items")
        return ()
    if not body:
        problems.add(None, "no_units", "the file has a header and no tuples")
    wanted = [f"Item{number}" for number in range(1, n_items + 1)]
    before = problems.count
    places = find_columns((header[0], names), [*wanted, *([GROUP] if GROUP in names else [])], problems)
    if problems.count > before or note_header_mismatch(header, body, problems):
        return ()
    found = []
    for number, values in body:
        if len(values) != len(names):
            message = f"{len(values)} columns instead of {len(names)}; write {', '.join(names)}"
            problems.add_line(number, "wrong_columns", message)
            continue
        fields = {name: values[place].strip(BLANKS) for name, place in places.items()}
        found.append(TupleRow(number, fields.get(GROUP), tuple(fields[name] for name in wanted)))
    return tuple(found)


def make_tuples(
    rows: Sequence[TupleRow], items: Sequence[Unit], show: Sequence[str], problems: Problems
) -> tuple[Unit, ...]:
    """Make units of tuples, and note tuples that cannot be asked about.

    Parameters
    ----------
    rows : sequence of TupleRow
    items : sequence of Unit
        The items of the round; the texts of candidates are in their column right.
    show : sequence of str
        The columns that annotators see beside the candidates: the items of a tuple have the same texts there.
    problems : Problems

    Returns
    -------
    tuple of Unit
        Named t1, t2 and so on in the order of the table. A tuple has the group, the genre and the shown texts
        of its items.
    """
    known = {item.key: item for item in items}
    width = len(str(len(rows)))
    seen: dict[frozenset[str], int] = {}
    units = []
    for number, row in enumerate(rows, start=1):
        members = [known[key] for key in row.keys if key in known]
        fault = _find_tuple_fault(row, members, show, seen)
        if fault is not None:
            problems.add_line(row.line, *fault)
            continue
        candidates = tuple(Candidate(item.key, item.texts["right"]) for item in members)
        texts = {name: members[0].texts[name] for name in show}
        units.append(Unit(f"t{number:0{width}}", members[0].group, members[0].genre, texts, candidates))
    return tuple(units)


def _find_tuple_fault(
    row: TupleRow, members: Sequence[Unit], show: Sequence[str], seen: dict[frozenset[str], int]
) -> tuple[str, str] | None:
    """Return the code and the message of the first problem of a tuple; None: it has none."""
    if len(members) < len(row.keys):
        unknown = next(key for key in row.keys if key not in {item.key for item in members})
        return "unknown_item", f"{shorten(unknown)} is not a key of the table of units; use its keys"
    if len(set(row.keys)) < len(row.keys):
        return "duplicate_item", "the tuple has an item twice; its items must be different"
    earlier = seen.setdefault(frozenset(row.keys), row.line)
    if earlier != row.line:
        return "duplicate_tuple", f"the tuple of these items is on line {earlier} already; keep one of them"
    if len({item.group for item in members}) > 1 or (row.group and row.group != members[0].group):
        return (
            "wrong_group",
            "the items are of different groups in the table of units; use items of one group",
        )
    for name in show:
        if len({item.texts[name] for item in members}) > 1:
            message = f"the items differ in the column {name}, which annotators see once; make it the same"
            return "different_texts", message
    return None


def read_senses(data: bytes, problems: Problems) -> dict[str, tuple[Candidate, ...]]:
    """Read a table with the columns unit, sense and definition.

    Parameters
    ----------
    data : bytes
        The file, in UTF-8, with columns separated by tabs or commas.
    problems : Problems
        Receives the problems of the file.

    Returns
    -------
    dict of str to tuple of Candidate
        The senses of each unit with their definitions, in the order of the file.
    """
    header, *body = read_table(data, problems, "every line is one sense") or [(1, [])]
    before = problems.count
    places = find_columns((header[0], [name.strip(BLANKS) for name in header[1]]), SENSE_COLUMNS, problems)
    if problems.count > before or note_header_mismatch(header, body, problems):
        return {}
    found: dict[str, dict[str, str]] = {}
    for number, values in strip_rows(body, len(header[1]), problems):
        unit, sense, definition = (values[places[name]] for name in SENSE_COLUMNS)
        if not (unit and sense and definition):
            problems.add_line(number, "empty_field", "a column is empty; write unit, sense and definition")
        elif sense in found.setdefault(unit, {}):
            message = f"the sense {shorten(sense)} of {shorten(unit)} is there already; keep one of them"
            problems.add_line(number, "duplicate_item", message)
        else:
            found[unit][sense] = definition
    return {
        unit: tuple(Candidate(sense, definition) for sense, definition in senses.items())
        for unit, senses in found.items()
    }
