"""Read files of pairs that were chosen and then rated, and report all problems with their lines."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from scorer.annotation.ratings import Floats, Indices
from scorer.annotation.ratings_reader import MAX_RATING, MISSING_CELLS
from scorer.errors import RatingsError, RequestError
from scorer.files.numbers import explain_non_number, read_number
from scorer.files.tables import Quotes, column_numbers, find_columns, read_annotations
from scorer.files.text import BLANKS, Problems, decode_lines, shorten

EXPECTED_RATINGS = {"A": 6.0, "B": 3.0, "C": 0.0}
"""The expected rating of each choice in Sido et al. (2024), on a scale from 0 to 6.

The choices are the most similar sentence, a sentence in the middle, and the least similar sentence.
"""


@dataclass(frozen=True, slots=True)
class Choices:
    """N pairs with their choices and ratings.

    Parameters
    ----------
    source : str
        The name of the file in messages.
    choice : tuple of str
        The category for which each pair was chosen.
    rating, expected : (N,) array of float
        The rating of each pair, and the rating that is expected from its choice.
    line : (N,) array of int
        The line at which each row starts in the file, from 1.
    ids : tuple of str, optional
        The names of the pairs.
    second : (N,) array of float, optional
        The ratings of another round; NaN if a pair has none.
    """

    source: str
    choice: tuple[str, ...]
    rating: Floats
    expected: Floats
    line: Indices
    ids: tuple[str, ...] | None = None
    second: Floats | None = None

    def __len__(self) -> int:
        return len(self.rating)


@dataclass(frozen=True, slots=True)
class ChoicesLayout:
    """The layout of a file of chosen pairs. Columns are named by the header or, without one, numbered from 1.

    Parameters
    ----------
    choice, rating : str
        The columns with the choice and the rating of a pair.
    expected : mapping of str to float
        The expected rating of each choice. Other choices are errors.
    id, second : str, optional
        The columns with the pair's name and with another round's rating, whose cells may be empty.
    header : bool
        Whether the first line has the names of the columns.
    delimiter : str, optional
        One character. By default it is a tab if the first line has one, else the most frequent of semicolon,
        comma and "|" in the first line.
    quotes : "plain" or "csv", optional
        With "plain", quotation marks have no meaning unless they enclose a whole field. With "csv", a quoted
        field may contain delimiters and line ends. The default is "plain" for tabs and "csv" for other
        delimiters.
    """

    choice: str = "choice"
    rating: str = "rating"
    expected: Mapping[str, float] = field(default_factory=lambda: EXPECTED_RATINGS)
    id: str | None = None
    second: str | None = None
    header: bool = True
    delimiter: str | None = None
    quotes: Quotes | None = None


def parse_expected_ratings(text: str) -> dict[str, float]:
    """Parse the expected ratings of choices, such as "A=6,B=3,C=0".

    Raises
    ------
    RequestError
        If a part does not have the form NAME=NUMBER, or a name is repeated.

    Examples
    --------
    >>> parse_expected_ratings("green=4, red=0")
    {'green': 4.0, 'red': 0.0}
    """
    expected: dict[str, float] = {}
    for part in text.split(","):
        name, sign, number = (piece.strip() for piece in part.rpartition("="))
        value = read_number(number)
        if not sign or not name or value is None:
            raise RequestError(f"{shorten(part)} is not CHOICE=NUMBER; write them as A=6,B=3,C=0")
        if name in expected:
            raise RequestError(f"the choice {shorten(name)} has two expected ratings; give it one")
        expected[name] = value
    return expected


def parse_choices(data: bytes, source: str, layout: ChoicesLayout | None = None) -> Choices:
    """Parse a file of chosen and rated pairs.

    Parameters
    ----------
    data : bytes
        The contents of the file, in UTF-8. Other columns are ignored.
    source : str
        The name of the file in messages.
    layout : ChoicesLayout, optional
        The layout of the file.

    Returns
    -------
    Choices
        The pairs in the order of the file.

    Raises
    ------
    RatingsError
        If there are problems, such as missing columns, unknown choices, or cells that are not a number. The
        error lists all of them.
    RequestError
        If the delimiter is not one character.

    Examples
    --------
    >>> found = parse_choices(b"left,right,choice,rating\\nsea,bay,A,5\\nsea,oak,C,1\\n", "train.csv")
    >>> found.choice, found.rating.tolist(), found.expected.tolist()
    (('A', 'C'), [5.0, 1.0], [6.0, 0.0])
    """
    layout = layout or ChoicesLayout()
    problems = Problems(source)
    lines = decode_lines(data, problems)
    need = "write a pair, or remove it"
    rows = list(read_annotations(lines, problems, need, layout.delimiter, layout.quotes))
    problems.raise_as(RatingsError)
    header = rows[0] if layout.header else column_numbers(rows[0])
    body = rows[1:] if layout.header else rows
    names = [name for name in (layout.choice, layout.rating, layout.id, layout.second) if name is not None]
    places = find_columns(header, list(dict.fromkeys(names)), problems, numbered=not layout.header)
    if not body:
        problems.add(None, "no_ratings", "the file has a header and no pairs")
    problems.raise_as(RatingsError)
    reader = _ChoicesReader(layout, places, len(header[1]), problems)
    choice, rating, second, ids = zip(*(reader.row(*row) for row in body), strict=True)
    problems.raise_as(RatingsError)
    return Choices(
        source,
        choice,
        np.array(rating, dtype=float),
        np.array([layout.expected[name] for name in choice], dtype=float),
        np.array([number for number, _ in body], dtype=np.intp),
        None if layout.id is None else ids,
        None if layout.second is None else np.array(second, dtype=float),
    )


ChoiceRow = tuple[str, float, float | None, str]
"""The choice, the rating, the second rating (None if there is none), and the name of a pair."""


class _ChoicesReader:
    """Converts the rows below the header to choices."""

    def __init__(
        self, layout: ChoicesLayout, places: Mapping[str, int], width: int, problems: Problems
    ) -> None:
        self.layout, self.places, self.width, self.problems = layout, places, width, problems

    def row(self, number: int, fields: Sequence[str]) -> ChoiceRow:
        """Read a row and record its problems."""
        layout = self.layout
        if len(fields) != self.width:
            fact = f"{len(fields)} columns where the first line has {self.width}"
            self.problems.add_line(number, "wrong_columns", f"{fact}; write one field for each column")
            return "", 0.0, None, ""
        cells = {name: fields[place].strip(BLANKS) for name, place in self.places.items()}
        choice = cells[layout.choice]
        if choice not in layout.expected:
            fact = f"the choice {shorten(choice)} is not one of {', '.join(layout.expected)}"
            message = f"{fact}; give its expected rating with --expected"
            self.problems.add_line(number, "unknown_choice", message)
        rating = self._number(number, cells[layout.rating])
        second = None
        if layout.second is not None and cells[layout.second] not in MISSING_CELLS:
            second = self._number(number, cells[layout.second])
        name = "" if layout.id is None else cells[layout.id]
        if layout.id is not None and not name:
            self.problems.add_line(number, "missing_id", "the pair has no name; write which it is")
        return choice, rating, second, name

    def _number(self, number: int, text: str) -> float:
        value = read_number(text)
        if value is not None and abs(value) <= MAX_RATING:
            return value
        fault = "too_large", f"rating {shorten(text)} is beyond {MAX_RATING:g}; write a number"
        if value is None:
            fault = explain_non_number(text, "rating", "write a number")
        self.problems.add_line(number, *fault)
        return 0.0
