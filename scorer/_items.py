"""Rows of an items file -> fields by name."""

from collections import Counter
from collections.abc import Iterator, Sequence

from scorer._tables import Delimiter, Row, find_columns, read_rows
from scorer._text import BLANKS, Problems, shorten
from scorer.errors import RequestError

NEEDED = ("left", "right", "id")
OPTIONAL = ("sense_key", "context", "group")
_BY_WIDTH = {3: ("left", "right", "id"), 4: ("left", "sense_key", "right", "id")}
_ID_PREFIX = "id-prefix"

Fields = dict[str, str]


def read_items(
    lines: Sequence[str | None],
    problems: Problems,
    columns: tuple[str, ...] | None,
    header: bool,
    genre: str,
    delimiter: Delimiter,
) -> list[tuple[int, Fields]]:
    """Read the rows of an items file, each with the line that it starts on.

    The parameters are those of `ItemsLayout`. A row has left, right, id and genre, and of sense_key, context
    and group those that the file has. Rows that cannot be used are noted in `problems` and left out.
    """
    if columns is not None:
        _check_columns(columns, genre)
    rows = list(read_rows(lines, delimiter, problems, "every line is one item", quotes=False))
    if not rows:
        return []
    if header:
        places = _header_places(rows[0], columns, genre, problems)
        width, body = len(rows[0][1]), rows[1:]
        if not body:
            problems.add(None, "no_items", "the file has a header and no items")
    else:
        names = columns or _BY_WIDTH[_usual_width(rows)]
        if genre != _ID_PREFIX and genre not in names:
            raise RequestError(f'the genre column "{genre}" is not among the columns {", ".join(names)}')
        places, width, body = {name: place for place, name in enumerate(names)}, len(names), rows
    if places is None:
        return []
    reader = _ItemReader(lines, problems, width, places, genre)
    found = list(reader.read(body))
    if not header:
        _note_header(found, problems, lines)
    return found


class _ItemReader:
    """Accepts rows of the right width that have all they need and a new id."""

    def __init__(
        self,
        lines: Sequence[str | None],
        problems: Problems,
        width: int,
        places: dict[str, int],
        genre: str,
    ) -> None:
        self.lines = lines
        self.problems = problems
        self.width = width
        self.genre = genre
        kept = {*NEEDED, *OPTIONAL, genre}
        self.places = {name: place for name, place in places.items() if name in kept}
        self.names = ", ".join(places)
        self.seen: dict[str, int] = {}

    def read(self, rows: Sequence[Row]) -> Iterator[tuple[int, Fields]]:
        for number, values in rows:
            if len(values) != self.width:
                counts = (
                    f"{len(values)} {'column' if len(values) == 1 else 'columns'} instead of {self.width}"
                )
                message = f"{counts}; write {self.names}"
                self._note(number, "wrong_columns", message)
                continue
            fields = {name: values[place] for name, place in self.places.items()}
            fields["id"] = fields["id"].strip(BLANKS)
            if self._complete(number, fields) and self._new(number, fields["id"]):
                prefix = fields["id"].rpartition("-")[0]
                fields["genre"] = prefix if self.genre == _ID_PREFIX else fields[self.genre].strip(BLANKS)
                yield number, fields

    def _complete(self, number: int, fields: Fields) -> bool:
        needed = NEEDED if self.genre == _ID_PREFIX else (*NEEDED, self.genre)
        empty = [name for name in needed if not fields[name].strip(BLANKS)]
        for name in empty:
            self._note(number, "empty_field", f"the {name} column is empty; every item needs it")
        return not empty

    def _new(self, number: int, found: str) -> bool:
        first = self.seen.setdefault(found, number)
        if first != number:
            message = f"id {shorten(found)} is on line {first} already; give each item its own"
            self._note(number, "duplicate_id", message)
        return first == number

    def _note(self, number: int, code: str, message: str) -> None:
        self.problems.add(number, code, message, self.lines[number - 1])


def _check_columns(columns: tuple[str, ...], genre: str) -> None:
    for name in (*NEEDED, *(() if genre == _ID_PREFIX else (genre,))):
        if columns.count(name) != 1:
            have = "is not" if name not in columns else "is there more than once"
            raise RequestError(f'the column "{name}" {have} among the columns {", ".join(columns)}')


def _header_places(
    header: Row, columns: tuple[str, ...] | None, genre: str, problems: Problems
) -> dict[str, int] | None:
    """Where the columns are: by their names in the file, or by the names that `columns` gives them."""
    if columns is not None and len(columns) == len(header[1]) and not _names_itself(header, genre):
        return {name: place for place, name in enumerate(columns)}
    needed = [*NEEDED] if genre == _ID_PREFIX else [*dict.fromkeys((*NEEDED, genre))]
    places = find_columns(header, needed, problems)
    if len(places) < len(needed):
        return None
    present = [field.strip(BLANKS) for field in header[1]]
    return {name: place for place, name in enumerate(present) if name} | places


def _names_itself(header: Row, genre: str) -> bool:
    present = {field.strip(BLANKS) for field in header[1]}
    return present >= {*NEEDED} and (genre == _ID_PREFIX or genre in present)


def _usual_width(rows: Sequence[Row]) -> int:
    """Three or four columns, whichever more rows have."""
    widths = Counter(len(fields) for _, fields in rows)
    return 4 if widths[4] > widths[3] else 3


def _note_header(
    found: Sequence[tuple[int, Fields]], problems: Problems, lines: Sequence[str | None]
) -> None:
    if found and found[0][1]["id"].lower() == "id":
        number = found[0][0]
        message = "looks like a header; say so (header = true, or --header), or remove the line"
        problems.add(number, "header_line", message, lines[number - 1])
