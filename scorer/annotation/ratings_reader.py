"""Read files of ratings with a row for each unit or each rating, and report all problems with their lines."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np

from scorer.annotation.ratings import Indices, Ratings
from scorer.errors import RatingsError, RequestError
from scorer.files.numbers import explain_non_number, read_number
from scorer.files.tables import Quotes, TableRow, column_numbers, find_columns, read_annotations, strip_rows
from scorer.files.text import BLANKS, Problems, decode_lines, shorten
from scorer.files.values import MISSING_MARKS, MISSING_NUMBER_MARKS, Scale

MAX_RATING = 1e100
"""The maximum absolute value of a rating. The square of larger ratings could overflow."""
MISSING_CELLS = frozenset(("", *MISSING_NUMBER_MARKS))
"""The contents of cells that mean a missing number."""
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
    missing : tuple of str, optional
        The contents of cells that mean a missing rating, besides the empty cell. By default these are
        MISSING_NUMBER_MARKS for numbers and MISSING_MARKS for names of categories.
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
    missing: tuple[str, ...] | None = None
    scale: Scale | None = None

    @property
    def missing_cells(self) -> frozenset[str]:
        """All contents of cells that mean a missing rating."""
        default = MISSING_MARKS if self.words else MISSING_NUMBER_MARKS
        return frozenset(("", *(default if self.missing is None else self.missing)))

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
    columns = _find_columns(layout, header, body, problems)
    read_rows, categories = _read_rows(body, layout, columns, problems)
    problems.raise_as(RatingsError)
    return _make_ratings(read_rows, layout, columns, categories, source)


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


@dataclass(frozen=True, slots=True)
class _RatingColumns:
    """The columns of a file: `ratings` by their names, and the positions of these and of all others.

    `keys`: the columns that name a row; empty: its line number does. `genre`: None if no column has it.
    """

    width: int
    places: Mapping[str, int]
    keys: tuple[str, ...]
    genre: str | None
    ratings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _RatingRow:
    """A row, with a value for each column of ratings; `name`: the unit, or with `across` the annotator.

    `missing`: the contents of its cells that mean a missing rating.
    """

    line: int
    name: str
    genre: str | None
    annotator: str | None
    time: float | None
    seconds: float | None
    values: list[float | None]
    missing: list[str]


def _find_columns(
    layout: RatingsLayout, header: TableRow, body: Sequence[TableRow], problems: Problems
) -> _RatingColumns:
    """Find the columns; raise the problems of the file if one is missing, or none is left for ratings."""
    line, fields = header
    names = [name.strip(BLANKS) for name in fields]
    keys = layout.unit or (names[:1] if layout.header or layout.is_long else ())
    genre = None if layout.genre == ID_PREFIX else layout.genre
    others = [name for name in names if name not in {*keys, *layout.ignore, genre}]
    ratings = (str(layout.rating),) if layout.is_long else layout.annotators or tuple(others)
    named = [*keys, layout.annotator, layout.rating, layout.time, layout.seconds, *layout.ignore, genre]
    wanted = dict.fromkeys(name for name in (*named, *layout.annotators) if name is not None)
    places = find_columns((line, names), list(wanted), problems, numbered=not layout.header)
    if not layout.is_long and not layout.annotators:
        places |= find_columns((line, names), list(dict.fromkeys(others)), problems)
    if not ratings:
        problems.add(line, "no_ratings", "no column is left for ratings; name them, or the delimiter")
    if {*wanted, *ratings} - places.keys():
        problems.raise_as(RatingsError)
    if not (layout.is_long or layout.words or layout.across or layout.annotators):
        ratings = tuple(
            name for name in ratings if not _has_words(name, places[name], layout, body, line, problems)
        )
    if not ratings:
        problems.raise_as(RatingsError)
    return _RatingColumns(len(names), places, tuple(keys), genre, ratings)


def _has_words(
    name: str, place: int, layout: RatingsLayout, body: Sequence[TableRow], line: int, problems: Problems
) -> bool:
    """Whether a column that was not declared as ratings has words, which is noted once."""
    cells = (fields[place].strip(BLANKS) for _, fields in body if place < len(fields))
    filled = [cell for cell in cells if cell not in layout.missing_cells]
    if not filled or any(character.isdigit() for cell in filled for character in cell):
        return False
    message = f"column {shorten(name)} holds words, such as {shorten(filled[0])}"
    hint = "say that it is the unit, the genre or to be left out (--unit, --genre, --ignore)"
    hint += "; scorer agree reads names of categories with --words"
    problems.add(line, "no_numbers", f"{message}; {hint}")
    return True


def _read_rows(
    body: Sequence[TableRow], layout: RatingsLayout, columns: _RatingColumns, problems: Problems
) -> tuple[list[_RatingRow], tuple[str, ...]]:
    """Read the rows, and the categories for which values stand if they are words; note all problems."""
    rows = []
    labels = [f"{shorten(name)}: " if len(columns.ratings) > 1 else "" for name in columns.ratings]
    genres: dict[str, tuple[str, int]] = {}
    categories: dict[str, int] = {}
    marks = layout.missing_cells
    for line, fields in strip_rows(body, columns.width, problems):
        cells = {name: fields[place] for name, place in columns.places.items()}
        name = " / ".join(cells[key] for key in columns.keys) if columns.keys else str(line)
        if not name.strip(" /"):
            problems.add_line(line, "missing_id", "the row has no name; write which it is")
            continue
        genre = None if columns.genre is None else cells[columns.genre]
        if genre is not None:
            first, first_line = genres.setdefault(name, (genre, line))
            if first != genre:
                fact = f"{shorten(name)} has the genre {shorten(genre)} here and {shorten(first)}"
                problems.add_line(line, "two_genres", f"{fact} on line {first_line}; a unit has one")
        annotator = None if layout.annotator is None else cells[layout.annotator]
        if annotator == "":
            problems.add_line(line, "missing_annotator", "the row has no annotator; write who rated")
        time = None if layout.time is None else _read_time(line, cells[layout.time], problems)
        seconds = None if layout.seconds is None else _read_seconds(line, cells[layout.seconds], problems)
        texts = [None if cells[column] in marks else cells[column] for column in columns.ratings]
        if layout.words:
            values = [
                None if text is None else float(categories.setdefault(text, len(categories)))
                for text in texts
            ]
        else:
            values = [
                None if text is None else _read_rating(line, label, text, layout, problems)
                for label, text in zip(labels, texts, strict=True)
            ]
        missing = [cells[column] for column in columns.ratings if cells[column] in marks]
        rows.append(_RatingRow(line, name, genre, annotator, time, seconds, values, missing))
    return rows, tuple(categories)


def _read_rating(line: int, label: str, text: str, layout: RatingsLayout, problems: Problems) -> float | None:
    """Return a rating; None: it has a problem, which is noted.

    The label of the column comes first, because a list of further lines with the same problem shows the first
    quoted text.
    """
    if layout.decimal == ",":
        if "." in text and read_number(text.replace(".", "").replace(",", ".", 1)) is not None:
            message = f"rating {shorten(text)} has a point, which could separate thousands or decimals; "
            message += (
                "remove it, write a comma in its place, or leave out --decimal if decimals follow a point"
            )
            problems.add_line(line, "decimal_point", label + message)
            return None
        text = text.replace(",", ".", 1)
    value = read_number(text)
    advice = "write a number"
    if layout.scale is not None:
        advice += " from {:g} to {:g}".format(*layout.scale)
    if value is None:
        code, message = explain_non_number(text, "rating", f"{advice}, or leave the cell empty")
        if code == "decimal_comma":
            message += ", or say that decimals follow a comma (--decimal ,)"
        elif code in ("not_a_number", "no_number"):
            message += "; scorer agree reads other marks with --missing, and names of categories with --words"
    elif abs(value) > MAX_RATING:
        code, message = "too_large", f"rating {shorten(text)} is beyond {MAX_RATING:g}; {advice}"
    elif layout.scale is not None and not layout.scale[0] <= value <= layout.scale[1]:
        code, message = "outside_scale", f"rating {shorten(text)} is outside the scale; {advice}"
    else:
        return value
    problems.add_line(line, code, label + message)
    return None


def _read_time(line: int, text: str, problems: Problems) -> float | None:
    value = read_number(text)
    if value is not None:
        return value
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        hint = "write a date and a time as 2026-03-14T09:30:00Z, or a number of seconds"
        problems.add_line(line, "bad_time", f"time {shorten(text)} cannot be read; {hint}")
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def _read_seconds(line: int, text: str, problems: Problems) -> float | None:
    if text in MISSING_CELLS:
        return None
    value = read_number(text)
    if value is None or value < 0:
        message = f"{shorten(text)} is not a number of seconds; write how long it took, or leave it empty"
        problems.add_line(line, "bad_seconds", message)
        return None
    return value


def _make_ratings(
    rows: Sequence[_RatingRow],
    layout: RatingsLayout,
    columns: _RatingColumns,
    categories: tuple[str, ...],
    source: str,
) -> Ratings:
    """Return the ratings of the rows, in the order of the file or of their times."""
    table = np.array([row.values for row in rows], dtype=float)  # None becomes NaN, which no rating is
    of_row, of_column = np.nonzero(~np.isnan(table))
    names, name_of_row = _number([row.name for row in rows])
    if layout.across:
        units, annotators, unit, annotator = columns.ratings, names, of_column, name_of_row[of_row]
    elif layout.is_long:
        annotators, annotator_of_row = _number([row.annotator or "" for row in rows])
        units, unit, annotator = names, name_of_row[of_row], annotator_of_row[of_row]
    else:
        units, annotators, unit, annotator = names, columns.ratings, name_of_row[of_row], of_column
    ratings = Ratings(
        source=source,
        units=units,
        annotators=annotators,
        unit=unit,
        annotator=annotator,
        value=table[of_row, of_column],
        line=np.array([row.line for row in rows], dtype=np.intp)[of_row],
        time=np.array([row.time for row in rows], dtype=float)[of_row] if layout.time else None,
        seconds=np.array([row.seconds for row in rows], dtype=float)[of_row] if layout.seconds else None,
        genres=_list_genres(units, rows, layout, columns),
        categories=categories if layout.words else None,
        missing=Counter(mark for row in rows for mark in row.missing),
        lists_all_units=not layout.is_long,
    )
    return ratings if ratings.time is None else ratings.take(np.argsort(ratings.time, kind="stable"))


def _number(names: Sequence[str]) -> tuple[tuple[str, ...], Indices]:
    """Return the different names in the order in which they first appear, and the index of each name."""
    places = {name: place for place, name in enumerate(dict.fromkeys(names))}
    return tuple(places), np.array([places[name] for name in names], dtype=np.intp)


def _list_genres(
    units: Sequence[str], rows: Sequence[_RatingRow], layout: RatingsLayout, columns: _RatingColumns
) -> tuple[str, ...] | None:
    if layout.genre is None:
        return None
    if columns.genre is None:
        return tuple(unit.rpartition("-")[0] for unit in units)
    genres = {row.name: row.genre or "" for row in rows}
    return tuple(genres[unit] for unit in units)
