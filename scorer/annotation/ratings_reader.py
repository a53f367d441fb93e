"""Read files of ratings with a row for each unit or each rating, and report all problems with their lines."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np

from scorer.annotation.ratings import Ratings
from scorer.errors import RatingsError, RequestError
from scorer.files.numbers import explain_non_number, read_number
from scorer.files.tables import Quotes, TableRow, column_numbers, find_columns, read_annotations
from scorer.files.text import BLANKS, Problems, decode_lines, shorten
from scorer.files.values import Scale

MAX_RATING = 1e100
"""The maximum absolute value of a rating. The square of larger ratings could overflow."""
MISSING_CELLS = frozenset(("", "NA", "N/A", "na", "n/a", "NaN", "nan", "-", ".", "*", "?"))
"""The contents of cells that mean a missing rating."""
ID_PREFIX = "id-prefix"


@dataclass(frozen=True, slots=True)
class RatingsLayout:
    """The layout of a file of ratings. Columns are named by the header or, without one, numbered from 1.

    There are two kinds of files: "wide" files have a row for each unit and a column for each annotator, and
    "long" files have a row for each rating.

    Parameters
    ----------
    unit : tuple of str
        The columns that together name the unit. By default this is the first column or, in a wide file
        without a header, the line number.
    annotators : tuple of str
        The columns with ratings in a wide file. By default these are all columns without another meaning.
    annotator, rating : str, optional
        The columns with the annotator and with the rating in a long file. If neither is given, the file is
        wide.
    time, seconds : str, optional
        The columns of a long file with the time of the rating (ISO 8601, or a number of seconds), and with
        the thinking time in seconds.
    genre : str, optional
        The column with the genre. "id-prefix" means the part of the unit's name before the last "-".
    ignore : tuple of str
        Columns without ratings, for example a column of means.
    header : bool
        Whether the first line has the names of the columns.
    delimiter : str, optional
        One character. By default it is a tab if the first line has one, else the most frequent of semicolon,
        comma and "|" in the first line.
    quotes : "plain" or "csv", optional
        With "plain", quotation marks have no meaning unless they enclose a whole field. With "csv", a quoted
        field may contain delimiters and line ends. The default is "plain" for tabs and "csv" for other
        delimiters.
    across : bool
        Whether rows are annotators and columns are units, as in tables of reliability data.
    decimal : "." or ","
        The decimal separator of ratings.
    words : bool
        Whether ratings are names of categories instead of numbers.
    scale : (float, float), optional
        The minimum and maximum rating. Ratings outside this range are errors.
    """

    unit: tuple[str, ...] = ()
    annotators: tuple[str, ...] = ()
    annotator: str | None = None
    rating: str | None = None
    time: str | None = None
    seconds: str | None = None
    genre: str | None = None
    ignore: tuple[str, ...] = ()
    header: bool = True
    delimiter: str | None = None
    quotes: Quotes | None = None
    across: bool = False
    decimal: str = "."
    words: bool = False
    scale: Scale | None = None

    @property
    def is_long(self) -> bool:
        """Whether the file has a row for each rating."""
        return self.annotator is not None or self.rating is not None


def parse_ratings(data: bytes, source: str, layout: RatingsLayout | None = None) -> Ratings:
    """Parse a file of ratings.

    Parameters
    ----------
    data : bytes
        The contents of the file, in UTF-8.
    source : str
        The name of the file in messages.
    layout : RatingsLayout, optional
        The layout of the file. By default it has a header and a row for each unit, and the first column has
        the unit.

    Returns
    -------
    Ratings
        The ratings in the order of the file, or in chronological order if the layout has a time column.

    Raises
    ------
    RatingsError
        If there are problems, such as missing columns, rows with a wrong number of fields, or cells that are
        not a number. The error lists all of them.
    RequestError
        If the layout is not valid, for example if it has a rating column but no annotator column.

    Examples
    --------
    >>> ratings = parse_ratings(b"pair,kim,lou\\nCQA-1,3,4\\nCQA-2,NA,1\\n", "ratings.csv")
    >>> ratings.annotators, ratings.value.tolist()
    (('kim', 'lou'), [3.0, 4.0, 1.0])
    """
    layout = layout or RatingsLayout()
    _check(layout)
    problems = Problems(source)
    lines = decode_lines(data, problems)
    need = "write the ratings of a unit, or remove it"
    rows = list(read_annotations(lines, problems, need, layout.delimiter, layout.quotes))
    if not rows:
        problems.raise_as(RatingsError)
    header = rows[0] if layout.header else column_numbers(rows[0])
    body = rows[1:] if layout.header else rows
    if not body:
        problems.add(None, "no_ratings", "the file has a header and no ratings")
    reader = _RatingsReader(layout, header, problems)
    if {*reader.wanted, *reader.columns} - reader.places.keys():
        problems.raise_as(RatingsError)
    reader.leave_out_words(body, header[0])
    if not layout.is_long and not reader.columns:
        problems.raise_as(RatingsError)
    ratings = reader.read(body)
    problems.raise_as(RatingsError)
    return ratings


def _check(layout: RatingsLayout) -> None:
    if layout.is_long and (layout.annotator is None or layout.rating is None):
        missing = "annotator" if layout.annotator is None else "rating"
        raise RequestError(
            f"a file with one row per rating needs --annotator and --rating; --{missing} is missing"
        )
    if layout.is_long and (layout.across or layout.annotators):
        raise RequestError(
            "a file has one row per rating or columns of ratings, not both; leave out the options of one"
        )
    if not layout.is_long and (layout.time or layout.seconds):
        raise RequestError(
            "only a file with one row per rating has times; name its columns with --annotator and --rating"
        )
    if layout.across and layout.genre not in (None, ID_PREFIX):
        raise RequestError(
            "with --across, no column has the genres; leave --genre out, or use --genre id-prefix"
        )


def has_other_width(number: int, fields: Sequence[str], width: int, problems: Problems) -> bool:
    """Return whether a row has more or fewer fields than there are columns, and record that as a problem."""
    if len(fields) == width:
        return False
    many = f"{len(fields)} {'field' if len(fields) == 1 else 'fields'}"
    message = f"{many}, where there are {width} columns; write one field for each column"
    problems.add_line(number, "wrong_columns", message)
    return True


class _RatingsReader:
    """Converts the rows below the header to ratings."""

    def __init__(
        self,
        layout: RatingsLayout,
        header: TableRow,
        problems: Problems,
    ) -> None:
        self.layout = layout
        self.problems = problems
        names = [name.strip(BLANKS) for name in header[1]]
        self.width = len(names)
        by_line = not layout.header and not layout.is_long
        keys = layout.unit or (() if by_line else (names[0],))
        named_columns = [layout.annotator, layout.rating, layout.time, layout.seconds, *layout.ignore]
        genre = None if layout.genre == ID_PREFIX else layout.genre
        self.wanted = [
            name for name in (*keys, *named_columns, genre, *layout.annotators) if name is not None
        ]
        columns = list(dict.fromkeys(self.wanted))
        self.places = find_columns((header[0], names), columns, problems, numbered=not layout.header)
        others = [name for name in names if name not in {*keys, *layout.ignore, genre}]
        self.keys = keys
        self.genre = genre
        self.columns = () if layout.is_long else layout.annotators or tuple(others)
        if not layout.is_long and not layout.annotators:
            self.places |= find_columns((header[0], names), list(dict.fromkeys(others)), problems)
        if not layout.is_long and not self.columns:
            problems.add(
                header[0],
                "no_ratings",
                "no column is left for ratings; name them, or the delimiter",
            )
        self.units: dict[str, int] = {}
        self.annotators: dict[str, int] = {}
        self.genres: dict[str, tuple[str, int]] = {}
        self.categories: dict[str, int] = {}

    def leave_out_words(self, body: Sequence[TableRow], line: int) -> None:
        """Leave out each column of words that was not declared as ratings, and record one problem for it."""
        if self.layout.words or self.layout.across or self.layout.annotators:
            return
        for name in self.columns:
            place = self.places.get(name, self.width)
            cells = (fields[place].strip(BLANKS) for _, fields in body if place < len(fields))
            filled_cells = [cell for cell in cells if cell not in MISSING_CELLS]
            if filled_cells and not any(character.isdigit() for cell in filled_cells for character in cell):
                message = f"column {shorten(name)} holds words, such as {shorten(filled_cells[0])}"
                hint = "say that it is the unit, the genre or to be left out (--unit, --genre, --ignore)"
                self.problems.add(line, "no_numbers", f"{message}; {hint}")
                self.columns = tuple(other for other in self.columns if other != name)

    def read(self, body: Sequence[TableRow]) -> Ratings:
        """Read all ratings of the rows and record their problems."""
        layout = self.layout
        if layout.across:
            self.units = {name: place for place, name in enumerate(self.columns)}
        elif not layout.is_long:
            self.annotators = {name: place for place, name in enumerate(self.columns)}
        entries = [entry for number, fields in body for entry in self._row(number, fields)]
        columns = list(zip(*entries, strict=True)) if entries else [()] * 6
        unit, annotator = (np.array(column, dtype=np.intp) for column in columns[:2])
        ratings = Ratings(
            source=self.problems.source,
            units=tuple(self.units),
            annotators=tuple(self.annotators),
            unit=unit,
            annotator=annotator,
            value=np.array(columns[2], dtype=float),
            line=np.array(columns[3], dtype=np.intp),
            time=np.array(columns[4], dtype=float) if layout.time else None,
            seconds=np.array(columns[5], dtype=float) if layout.seconds else None,
            genres=self._genres_of_units(),
            categories=tuple(self.categories) if layout.words else None,
        )
        return ratings if ratings.time is None else ratings.take(np.argsort(ratings.time, kind="stable"))

    def _genres_of_units(self) -> tuple[str, ...] | None:
        if self.layout.genre is None:
            return None
        if self.genre is None:
            return tuple(unit.rpartition("-")[0] for unit in self.units)
        return tuple(self.genres[unit][0] for unit in self.units)

    def _row(self, number: int, fields: list[str]) -> Iterator[tuple[int, int, float, int, float, float]]:
        if has_other_width(number, fields, self.width, self.problems):
            return
        cells = {name: fields[place].strip(BLANKS) for name, place in self.places.items()}
        key = " / ".join(cells[name] for name in self.keys) if self.keys else str(number)
        if not key.strip(" /"):
            self.problems.add_line(number, "missing_id", "the row has no name; write which it is")
            return
        if self.layout.across:
            annotator = self.annotators.setdefault(key, len(self.annotators))
            pairs = [(place, annotator) for place in range(len(self.columns))]
        else:
            unit = self.units.setdefault(key, len(self.units))
            self._read_genre(number, key, cells)
            raters = range(len(self.columns)) or [self._who(number, cells)]
            pairs = [(unit, annotator) for annotator in raters]
        names = self.columns or (str(self.layout.rating),)
        layout = self.layout
        time = self._time(number, cells[layout.time]) if layout.time else np.nan
        seconds = self._seconds(number, cells[layout.seconds]) if layout.seconds else np.nan
        for (unit, annotator), name in zip(pairs, names, strict=True):
            value = self._value(number, name, cells[name])
            if value is not None and annotator >= 0:
                yield unit, annotator, value, number, time, seconds

    def _who(self, number: int, cells: Mapping[str, str]) -> int:
        name = cells[str(self.layout.annotator)]
        if not name:
            self.problems.add_line(number, "missing_annotator", "the row has no annotator; write who rated")
            return -1
        return self.annotators.setdefault(name, len(self.annotators))

    def _read_genre(self, number: int, unit: str, cells: Mapping[str, str]) -> None:
        if self.genre is None:
            return
        genre = cells[self.genre]
        before, line = self.genres.setdefault(unit, (genre, number))
        if genre != before:
            message = (
                f"{shorten(unit)} has the genre {shorten(genre)} here and {shorten(before)} on line {line}"
            )
            self.problems.add_line(number, "two_genres", f"{message}; a unit has one")

    def _value(self, number: int, column: str, text: str) -> float | None:
        layout = self.layout
        if text in MISSING_CELLS:
            return None
        if layout.words:
            return float(self.categories.setdefault(text, len(self.categories)))
        if layout.decimal == "," and "." not in text:
            text = text.replace(",", ".", 1)
        value = read_number(text)
        advice = (
            "write a number"
            if layout.scale is None
            else "write a number from {:g} to {:g}".format(*layout.scale)
        )
        if value is None:
            code, message = explain_non_number(text, "rating", f"{advice}, or leave the cell empty")
            more = ", or say that decimals follow a comma (--decimal ,)" if code == "decimal_comma" else ""
            self.problems.add_line(number, code, f"{self._where(column)}{message}{more}")
        elif abs(value) > MAX_RATING:
            self.problems.add_line(
                number,
                "too_large",
                f"{self._where(column)}rating {shorten(text)} is beyond {MAX_RATING:g}; {advice}",
            )
            return None
        elif layout.scale is not None and not layout.scale[0] <= value <= layout.scale[1]:
            self.problems.add_line(
                number,
                "outside_scale",
                f"{self._where(column)}rating {shorten(text)} is outside the scale; {advice}",
            )
            return None
        return value

    def _where(self, column: str) -> str:
        """Name the column of a bad rating, if there are several.

        It comes first because a list of further lines with the same problem shows the first quoted text.
        """
        return f"{shorten(column)}: " if len(self.columns) > 1 else ""

    def _time(self, number: int, text: str) -> float:
        value = read_number(text)
        if value is None:
            try:
                moment = datetime.fromisoformat(text)
                value = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
            except ValueError:
                hint = "write a date and a time as 2026-03-14T09:30:00Z, or a number of seconds"
                self.problems.add_line(number, "bad_time", f"time {shorten(text)} cannot be read; {hint}")
                return np.nan
        return value

    def _seconds(self, number: int, text: str) -> float:
        if text in MISSING_CELLS:
            return np.nan
        value = read_number(text)
        if value is None or value < 0:
            message = f"{shorten(text)} is not a number of seconds; write how long it took, or leave it empty"
            self.problems.add_line(number, "bad_seconds", message)
            return np.nan
        return value
