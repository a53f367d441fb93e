"""Guesses the delimiter, the header and the columns of an items file from its first rows."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from scorer.files.reading import ItemsLayout
from scorer.files.tables import Delimiter, read_rows
from scorer.files.text import BLANKS, UTF8_BOM, Problems

IGNORED = "ignored"
"""The role of a column that is not read."""
ROLES = ("left", "right", "id", "sense_key", "genre", "context", "group")
"""What a column of an items file can be."""
SAMPLE_BYTES, SAMPLE_ROWS = 1 << 17, 200
_NAMES = {
    "left": "left sentence1 sentencea senta sent1 text1 texta s1 source premise first paragraph tweet1 word1",
    "right": "right sentence2 sentenceb sentb sent2 text2 textb s2 target hypothesis second word2",
    "id": "id pairid itemid uid index number no",
    "sense_key": "sensekey sense",
    "genre": "genre domain subset corpus dataset topic category lang language",
    "context": "context",
    "group": "group question groupid questionid",
}
_ROLE_OF_NAME = {name: role for role, names in _NAMES.items() for name in names.split()}
_SCORE_NAMES = {
    "score",
    "gold",
    "label",
    "rating",
    "similarity",
    "relatedness",
    "relatednessscore",
    "predscore",
}
_SENSE_KEY = re.compile(r"\S+%\d+:\d\d:\d\d:\S*")
_ID = re.compile(r"[\w.:/-]*\d[\w.:/-]*")


@dataclass(frozen=True, slots=True)
class ItemsGuess:
    """The first rows of an items file, and what its columns seem to be.

    Parameters
    ----------
    delimiter : "tab" or "comma"
    header : bool
        Whether the first of the rows names the columns.
    roles : tuple of str
        One of `ROLES` for each column, or "ignored".
    rows : tuple of tuples of str
        The fields of the first rows, the header among them.
    """

    delimiter: Delimiter
    header: bool
    roles: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def guess_columns(data: bytes, delimiter: Delimiter | None = None) -> ItemsGuess:
    """Guess the layout of an items file from its beginning.

    Parameters
    ----------
    data : bytes
        The file; what is not text is replaced, and only the first 200 rows are read.
    delimiter : "tab" or "comma", optional
        By default a tab if most lines have one, else a comma if most have one.

    Returns
    -------
    ItemsGuess
        The guess; a person should confirm it.

    Examples
    --------
    >>> guess = guess_columns(b"pair_ID\\tsentence_A\\tsentence_B\\n1\\tA dog runs\\tA dog is running\\n")
    >>> guess.header, guess.roles
    (True, ('id', 'left', 'right'))
    >>> guess_columns(b"A dog runs\\tit runs\\tNews-1\\nA cat sits\\tit sits\\tNews-2\\n").roles
    ('left', 'right', 'id')
    """
    lines = _first_lines(data)
    chosen = delimiter or _guess_delimiter(lines)
    rows = read_first_rows(data, chosen, SAMPLE_ROWS)
    if not rows:
        return ItemsGuess(chosen, False, (), ())
    named = [_role_of_name(name) for name in rows[0]]
    header = _is_header(rows, named)
    roles = _roles_by_name(named, rows) if header else _roles_by_content(rows)
    return ItemsGuess(chosen, header, roles, rows)


def read_first_rows(data: bytes, delimiter: Delimiter, n: int) -> tuple[tuple[str, ...], ...]:
    """Return the fields of the first n rows of a file, as far as they can be read."""
    lines = _first_lines(data)
    rows = read_rows(lines, delimiter, Problems(""), "", quotes=False)
    return tuple(tuple(fields) for _, (_number, fields) in zip(range(n), rows, strict=False))


def layout_of_roles(
    roles: Sequence[str], header: Sequence[str] | None, delimiter: Delimiter = "tab"
) -> ItemsLayout:
    """Return the layout of a file with these columns; `header` has their names in the file, if it has any.

    Examples
    --------
    >>> layout_of_roles(["id", "left", "right"], ["n", "a", "b"]).columns
    (('id', 'n'), ('left', 'a'), ('right', 'b'))
    >>> layout_of_roles(["left", "right", "ignored"], None).columns
    ('left', 'right', 'ignored')
    """
    genre = "genre" if "genre" in roles else "id-prefix"
    if header is None:
        return ItemsLayout(tuple(roles), False, genre, delimiter)
    names = [name.strip(BLANKS) for name in header]
    if len(set(names)) < len(names):
        return ItemsLayout(tuple(roles), True, genre, delimiter)
    pairs = tuple((role, name) for role, name in zip(roles, names, strict=False) if role != IGNORED)
    return ItemsLayout(pairs, False, genre, delimiter)


def roles_of_layout(layout: ItemsLayout, first_row: Sequence[str]) -> tuple[str, ...]:
    """Return the role of each column of a file by its layout; `first_row` has the names of its columns.

    Examples
    --------
    >>> roles_of_layout(ItemsLayout((("left", "a"), ("right", "b"))), ["n", "a", "b"])
    ('ignored', 'left', 'right')
    """
    columns = layout.columns or ()
    of_name = {column[1]: column[0] for column in columns if not isinstance(column, str)}
    given = [column for column in columns if isinstance(column, str)]
    if of_name:
        roles = [of_name.get(name.strip(BLANKS), IGNORED) for name in first_row]
    else:
        roles = [role if role in ROLES else IGNORED for role in given]
    return tuple([*roles, *[IGNORED] * len(first_row)][: len(first_row)])


def _first_lines(data: bytes) -> list[str | None]:
    """Return the lines at the beginning of a file, without one that the sample cuts."""
    sample = data[: SAMPLE_BYTES + len(UTF8_BOM)].removeprefix(UTF8_BOM)
    lines = sample.splitlines()
    if len(data) > SAMPLE_BYTES and len(lines) > 1:
        lines.pop()
    return [line.decode("utf-8", "replace").replace("\0", "\N{REPLACEMENT CHARACTER}") for line in lines]


def _guess_delimiter(lines: Sequence[str | None]) -> Delimiter:
    filled = [line for line in lines[:SAMPLE_ROWS] if line and line.strip(BLANKS)]
    has_tab = sum("\t" in line for line in filled)
    has_comma = sum("," in line for line in filled)
    return "comma" if 2 * has_tab <= len(filled) and 2 * has_comma > len(filled) else "tab"


def _role_of_name(name: str) -> str | None:
    """Return the role that a name in a header means; "ignored" for the names of scores."""
    plain = re.sub(r"[\W_]+", "", name.casefold())
    return IGNORED if plain in _SCORE_NAMES else _ROLE_OF_NAME.get(plain)


def _is_header(rows: Sequence[Sequence[str]], named: Sequence[str | None]) -> bool:
    """Whether the first row has names: two known ones, or one that is no value of its column below."""
    known = [role for role in named if role is not None]
    names = [name.strip(BLANKS) for name in rows[0]]
    if not all(names) or len(set(names)) < len(names) or any(len(name) > 40 for name in names):
        return False
    return len(known) >= 2 or (len(known) == 1 and len(names) > 1 and "id" in known)


def _roles_by_name(named: Sequence[str | None], rows: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Return roles by the names in the header; the sides by content if the names do not tell."""
    roles = [
        role if role is not None and named.index(role) == place else IGNORED
        for place, role in enumerate(named)
    ]
    missing = [side for side in ("left", "right") if side not in roles]
    by_content = _roles_by_content(rows[1:]) if missing else ()
    for side in missing:
        places = [place for place, role in enumerate(by_content) if role in ("left", "right")]
        free = [
            place
            for place in places
            if place < len(roles) and roles[place] == IGNORED and named[place] is None
        ]
        if free:
            roles[free[0]] = side
    return tuple(roles)


def _roles_by_content(rows: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Return roles by what the columns contain."""
    width = max((len(row) for row in rows), default=0)
    columns = [[row[place].strip(BLANKS) for row in rows if place < len(row)] for place in range(width)]
    roles = [IGNORED] * width
    for role, fits in (("sense_key", _are_sense_keys), ("id", _are_ids)):
        places = [place for place, values in enumerate(columns) if roles[place] == IGNORED and fits(values)]
        if places and (role != "id" or width > 2):
            roles[places[-1] if role == "id" and places[0] != 0 else places[0]] = role
    texts = [
        place for place, values in enumerate(columns) if roles[place] == IGNORED and not _are_numbers(values)
    ]
    longest = sorted(sorted(texts, key=lambda place: -_mean_length(columns[place]))[:2])
    if width <= 4:
        longest = texts[:2]
    for side, place in zip(("left", "right"), longest, strict=False):
        roles[place] = side
    for place in texts:
        if roles[place] == IGNORED and _are_names(columns[place]):
            roles[place] = "genre"
            break
    return tuple(roles)


def _are_sense_keys(values: Sequence[str]) -> bool:
    return bool(values) and all(_SENSE_KEY.fullmatch(value) for value in values)


def _are_ids(values: Sequence[str]) -> bool:
    return bool(values) and len(set(values)) == len(values) and all(_ID.fullmatch(value) for value in values)


def _are_numbers(values: Sequence[str]) -> bool:
    return bool(values) and all(re.fullmatch(r"-?\d*[.,]?\d+", value) for value in values)


def _are_names(values: Sequence[str]) -> bool:
    """Whether a few short values repeat, as the names of genres do."""
    return 4 * len(set(values)) <= len(values) and all(0 < len(value) <= 40 for value in values)


def _mean_length(values: Sequence[str]) -> float:
    return sum(map(len, values)) / max(1, len(values))
