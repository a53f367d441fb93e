"""Reads keyed files: tables with an id in each row, in any order, and usually a header."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

from scorer.files.aligned import Cells, is_word
from scorer.files.numbers import read_number
from scorer.files.tables import (
    Delimiter,
    TableRow,
    choose_delimiter,
    column_numbers,
    find_columns,
    note_header_mismatch,
    read_rows,
)
from scorer.files.text import BLANKS, Problems, shorten

_MAX_LISTED = 5


def read_keyed(
    lines: Sequence[str | None],
    problems: Problems,
    columns: tuple[str, str, str | None],
    delimiter: Delimiter | None,
    ids: Sequence[str] | None,
    *,
    warnings: Problems | None = None,
    has_header: bool = True,
) -> dict[str, Cells]:
    """Read the rows of a keyed file by id.

    Parameters
    ----------
    lines : sequence of str or None
        None is a line whose problem has already been noted.
    problems : Problems
        Receives missing columns, unknown ids, duplicate ids and missing ids.
    columns : (str, str, str or None)
        The names of the id column, the score column and, if there is one, the confidence column.
    delimiter : "tab" or "comma", optional
        The delimiter; by default tab if the header has one, else comma.
    ids : sequence of str, optional
        The ids that must have a row; None accepts every id.
    warnings : Problems, optional
        Receives blank lines instead, if they should be skipped.
    has_header : bool
        Whether the first line must name the columns. If not, columns have numbers, from 1, or also names if
        the file has a header after all. A first line with a word for a score and no known id is a header.

    Returns
    -------
    dict of str to Cells
        The cells of each row by its id, in the order of `ids` if given, else in the order of the file.
    """
    if not lines or lines[0] is None:
        return {}
    sign, need = choose_delimiter(lines, delimiter), "every item needs a row"
    table = read_rows(lines, sign, problems, need, quotes=True, warnings=warnings)
    first = next(table, None)
    if first is None:
        return {}
    item_ids = None if ids is None else dict.fromkeys(ids)
    names = [name for name in columns if name is not None]
    if has_header and _note_missing_header(first, names, problems):
        return {}
    header = first if has_header else _numbered_header(first, columns)
    places = find_columns(header, names, problems, numbered=not has_header)
    if len(places) < len(set(names)):
        return {}
    has_header = has_header or _is_header(first[1], places[columns[0]], places[columns[1]], item_ids)
    body = list(table if has_header else chain([first], table))
    if has_header and note_header_mismatch(header, body, problems):
        return {}
    reader = _RowReader(problems, len(header[1]), item_ids, "header" if has_header else "first line")
    rows = {}
    for row in body:
        if (row_id := reader.identify(row, places[columns[0]])) is not None:
            confidence = row[1][places[columns[2]]].strip(BLANKS) if columns[2] is not None else ""
            rows[row_id] = (row[0], row[1][places[columns[1]]].strip(BLANKS), confidence or None)
    return rows if ids is None else _in_item_order(rows, reader.seen, ids, problems)


def _note_missing_header(first: TableRow, names: Sequence[str], problems: Problems) -> bool:
    """Note a first line that has numbers and none of the names; return whether it is one."""
    fields = [field.strip(BLANKS) for field in first[1]]
    if not {*names}.isdisjoint(fields) or all(read_number(field) is None for field in fields):
        return False
    wanted = ", ".join(map(shorten, dict.fromkeys(names)))
    message = f"the first line has data; write a header above it that names the columns {wanted}"
    problems.add(first[0], "no_header", message, "\t".join(first[1]))
    return True


def _numbered_header(first: TableRow, columns: tuple[str, str, str | None]) -> TableRow:
    """Return a header of column numbers, except for the columns that are asked for by their names."""
    number, fields = column_numbers(first)
    named = [name.strip(BLANKS) for name in first[1]]
    asked = [name for name in columns if name is not None and not name.isdecimal()]
    return number, [name if name in asked else field for name, field in zip(named, fields, strict=True)]


def _is_header(fields: Sequence[str], id_at: int, score_at: int, ids: Mapping[str, None] | None) -> bool:
    """Whether a first line has a word where a score is expected, and not the id of an item."""
    is_known = ids is not None and fields[id_at].strip(BLANKS) in ids
    return is_word(fields[score_at].strip(BLANKS)) and not is_known


@dataclass(frozen=True, slots=True)
class _RowReader:
    """Accepts rows with the width of the header and a known, new id; `seen` has the line of each id."""

    problems: Problems
    width: int
    wanted: Mapping[str, None] | None
    width_from: str
    seen: dict[str, int] = field(default_factory=dict)

    def identify(self, row: TableRow, place: int) -> str | None:
        """Return the id of a valid row; note what is wrong with any other row."""
        number, fields = row
        row_id = fields[place].strip(BLANKS) if place < len(fields) else ""
        fault = self._fault(fields, row_id)
        if row_id:
            self.seen.setdefault(row_id, number)
        if fault is not None:
            self.problems.add_line(number, *fault)
            return None
        return row_id

    def _fault(self, fields: list[str], row_id: str) -> tuple[str, str] | None:
        """Return the code and the message of the problem of a row, or None."""
        if len(fields) < self.width or any(field.strip(BLANKS) for field in fields[self.width :]):
            many = f"{len(fields)} {'column' if len(fields) == 1 else 'columns'}"
            counts = f"{many} and the {self.width_from} has {self.width}"
            point = ", and decimals with a point" if len(fields) > self.width else ""
            return "wrong_columns", f"{counts}; write one field for each column{point}"
        if not row_id:
            return "missing_id", "the row has no id; write the id of its item"
        if row_id in self.seen:
            message = (
                f"item {shorten(row_id)} has a row already, on line {self.seen[row_id]}; keep one of them"
            )
            return "duplicate_id", message
        if self.wanted is not None and row_id not in self.wanted:
            whole = row_id.removesuffix(".0")
            hint = f"did you mean {shorten(whole)}?" if whole in self.wanted else "use the ids of the items"
            return "unknown_id", f"there is no item {shorten(row_id)}; {hint}"
        return None


def _in_item_order(
    rows: Mapping[str, Cells], seen: Mapping[str, int], ids: Sequence[str], problems: Problems
) -> dict[str, Cells]:
    missing = [item_id for item_id in ids if item_id not in seen]
    if missing:
        listed = ", ".join(shorten(item_id) for item_id in missing[:_MAX_LISTED])
        more = f" and {len(missing) - _MAX_LISTED} more" if len(missing) > _MAX_LISTED else ""
        have = f"{len(missing)} of {len(ids)} items {'has' if len(missing) == 1 else 'have'} no row"
        problems.add(None, "missing_ids", f"{have}: {listed}{more}; write one row for each item")
    return {item_id: rows[item_id] for item_id in ids if item_id in rows}
