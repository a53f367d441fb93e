"""Reads the rows of an items file as fields by name."""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from io import BytesIO

from scorer.errors import RequestError
from scorer.files.file_types import explain_non_text
from scorer.files.numbers import read_number
from scorer.files.tables import Delimiter, TableRow, find_columns, note_header_mismatch, read_rows
from scorer.files.text import BLANKS, Problems, consists_of, shorten, whole_lines

SIDES = ("left", "right")
PAIR = "pair"
REQUIRED_COLUMNS = (*SIDES, "id")
OPTIONAL_COLUMNS = ("sense_key", "context", "group")
ITEM_COLUMNS = (*REQUIRED_COLUMNS, PAIR, *OPTIONAL_COLUMNS)
REST_COLUMNS = "..."
"""The last column of a layout if the columns after it are ignored."""
_COLUMNS_BY_WIDTH = {2: SIDES, 3: REQUIRED_COLUMNS, 4: ("left", "sense_key", "right", "id")}
_ID_PREFIX = "id-prefix"
_FIELD = rb"[ \v\f]*+[^\0\t-\r ][^\0\t\n\r]*+"
_PLAIN_ITEMS = re.compile(rb"(?:%b\t%b\t%b\r?+\n){1,1000}" % (_FIELD, _FIELD, _FIELD))

ItemFields = dict[str, str]
ColumnNames = tuple[tuple[str, str], ...]
"""Pairs of our name of a column and its name in the file."""


def needed_columns(present: Collection[str], genre: str = _ID_PREFIX) -> tuple[str, ...]:
    """Return the columns that a file needs; `present` tells whether both sides are in one column."""
    sides = (PAIR,) if PAIR in present else SIDES
    return (*sides, *(() if genre == _ID_PREFIX or genre in sides else (genre,)))


def read_items(
    lines: Sequence[str | None],
    problems: Problems,
    columns: tuple[str, ...] | ColumnNames | None,
    header: bool,
    genre: str,
    delimiter: Delimiter,
) -> list[tuple[int, ItemFields]]:
    """Read the rows of an items file, each with the number of its first line.

    The parameters are those of `ItemsLayout`. A row has left, right, id and genre, and those of sense_key,
    context and group that the file has. Bad rows are noted in `problems` and left out.
    """
    if columns is not None:
        _check_columns(tuple(name if isinstance(name, str) else name[0] for name in columns), genre)
    rows = list(read_rows(lines, delimiter, problems, "every line is one item", quotes=False))
    if not rows:
        return []
    named = tuple(name for name in columns or () if not isinstance(name, str))
    by_place = tuple(name for name in columns or () if isinstance(name, str))
    if header or named:
        places = _header_places(rows[0], by_place, named, genre, problems)
        width, body = len(rows[0][1]), rows[1:]
        if not body:
            problems.add(None, "no_items", "the file has a header and no items")
    else:
        names = by_place or _COLUMNS_BY_WIDTH[_usual_width(rows)]
        places, width, body = _places_by_position(names, genre), len(names), rows
    has_names = header or bool(named)
    if places is None or (
        has_names and REST_COLUMNS not in places and note_header_mismatch(rows[0], body, problems)
    ):
        return []
    item_rows = list(_accept_rows(body, problems, width, places, genre, delimiter))
    if not header and not named:
        _note_header(item_rows, problems)
    return item_rows


def _accept_rows(
    rows: Sequence[TableRow],
    problems: Problems,
    width: int,
    places: dict[str, int],
    genre: str,
    delimiter: Delimiter,
) -> Iterator[tuple[int, ItemFields]]:
    """Yield the rows that have the right width, all needed fields and a unique id; note the others."""
    needed = (*needed_columns(places, genre), *(("id",) if "id" in places else ()))
    names = ", ".join(name for name in places if name != REST_COLUMNS)
    read_places = {name: place for name, place in places.items() if name in (*ITEM_COLUMNS, genre)}
    has_rest = REST_COLUMNS in places
    width -= has_rest
    seen: dict[str, int] = {}
    for position, (number, values) in enumerate(rows, start=1):
        if len(values) < width or (len(values) > width and not has_rest):
            counts = f"{len(values)} {'column' if len(values) == 1 else 'columns'} instead of {width}"
            between = f" with a {delimiter} between them" if len(values) == 1 else ""
            problems.add_line(
                number, "wrong_columns", f"{counts}; write {names}{between}, or set other columns"
            )
            continue
        fields = {name: values[place] for name, place in read_places.items()}
        fields["id"] = fields["id"].strip(BLANKS) if "id" in fields else str(position)
        if _is_complete(number, fields, needed, problems) and _is_new(number, fields["id"], seen, problems):
            prefix = fields["id"].rpartition("-")[0]
            fields["genre"] = prefix if genre == _ID_PREFIX else fields[genre].strip(BLANKS)
            if PAIR in fields:
                fields["left"], _, fields["right"] = fields[PAIR].strip(BLANKS + "\n").partition("\n")
            yield number, fields


def _is_complete(number: int, fields: ItemFields, needed: Sequence[str], problems: Problems) -> bool:
    empty = [name for name in needed if not fields[name].strip(BLANKS)]
    for name in empty:
        message = f'the column "{name}" is empty; every item needs it'
        problems.add_line(number, "empty_field", message)
    if not empty and PAIR in fields and "\n" not in fields[PAIR].strip(BLANKS + "\n"):
        message = "the pair is one line; write its two sides on a line each, in one quoted field"
        problems.add_line(number, "single_side", message)
        return False
    return not empty


def _is_new(number: int, item_id: str, seen: dict[str, int], problems: Problems) -> bool:
    first = seen.setdefault(item_id, number)
    if first != number:
        message = f"id {shorten(item_id)} is on line {first} already; give each item its own"
        problems.add_line(number, "duplicate_id", message)
    return first == number


def _check_columns(columns: tuple[str, ...], genre: str) -> None:
    """Raise RequestError if a column is missing or named twice; the genre column may have any name."""
    for name in needed_columns(columns):
        if name not in columns:
            raise RequestError(f'the column "{name}" is not among the columns {", ".join(columns)}')
    for name in (*REQUIRED_COLUMNS, PAIR, *(() if genre == _ID_PREFIX else (genre,))):
        if columns.count(name) > 1:
            raise RequestError(f'the column "{name}" is named more than once')
    if PAIR in columns and not {*SIDES}.isdisjoint(columns):
        raise RequestError('a "pair" has both sides; name either "pair" or "left" and "right"')


def _header_places(
    header: TableRow, by_place: tuple[str, ...], named: ColumnNames, genre: str, problems: Problems
) -> dict[str, int] | None:
    """Find the positions of the columns by their names in the header, or as the layout maps them."""
    if by_place and len(by_place) == len(header[1]) and not _has_needed_names(header, genre):
        return _places_by_position(by_place, genre)
    present = [field.strip(BLANKS) for field in header[1]]
    ours = dict(named) if named else {name: name for name in (*needed_columns(present), "id")}
    if genre != _ID_PREFIX:
        ours.setdefault(genre, genre)
    places_by_name = find_columns(header, list(dict.fromkeys(ours.values())), problems)
    if not {*ours.values()} <= places_by_name.keys():
        return None
    other = {} if named else {name: place for place, name in enumerate(present) if name}
    return other | {name: places_by_name[theirs] for name, theirs in ours.items()}


def _places_by_position(names: tuple[str, ...], genre: str) -> dict[str, int]:
    if genre not in (_ID_PREFIX, *names):
        raise RequestError(f'the genre column "{genre}" is not among the columns {", ".join(names)}')
    return {name: place for place, name in enumerate(names)}


def _has_needed_names(header: TableRow, genre: str) -> bool:
    present = {field.strip(BLANKS) for field in header[1]}
    return present >= {*needed_columns(present, genre), "id"}


def _usual_width(rows: Sequence[TableRow]) -> int:
    """Return the most frequent of two, three and four columns, preferring three; run lines do not count."""
    widths = Counter(len(fields) for _, fields in rows if read_number(fields[0].strip(BLANKS)) is None)
    return max((3, 4, 2), key=lambda width: widths[width])


def _note_header(rows: Sequence[tuple[int, ItemFields]], problems: Problems) -> None:
    if rows and rows[0][1]["id"].lower() == "id":
        message = "looks like a header; say so (header = true, or --header), or remove the line"
        problems.add_line(rows[0][0], "header_line", message)


def read_plain_ids(data: bytes) -> tuple[str, ...] | None:
    """Read the ids of items without problems in the columns left, right and id.

    None instead of the ids means that the file must be read row by row.

    >>> read_plain_ids(b"a long sentence\\ta phrase\\tCQA-1\\n")
    ('CQA-1',)
    """
    text = whole_lines(data)
    if not consists_of(_PLAIN_ITEMS, text) or explain_non_text(data) is not None:
        return None
    try:
        ids = tuple([line.decode().rpartition("\t")[2].strip(BLANKS + "\r\n") for line in BytesIO(text)])
    except UnicodeDecodeError:
        return None
    return ids if len({*ids}) == len(ids) and ids[0].lower() != "id" else None
