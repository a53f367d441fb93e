"""Finds out what the columns of a table are: by the names in its header, else by what they hold."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from scorer.files.numbers import read_number
from scorer.files.text import BLANKS

Row = tuple[str, ...]
_MOSTLY = 0.8
_MAX_GENRES = 30
_NAMES: Mapping[str, frozenset[str]] = {
    "id": frozenset(("id", "ids", "pairid", "itemid", "pid", "uid", "index", "key", "number")),
    "left": frozenset(("left", "sentence1", "sentencea", "sent1", "senta", "text1", "texta", "s1", "first")),
    "right": frozenset(
        ("right", "sentence2", "sentenceb", "sent2", "sentb", "text2", "textb", "s2", "second")
    ),
    "pair": frozenset(("pair", "pairs", "text", "texts", "sentence", "sentences")),
    "genre": frozenset(("genre", "domain", "category", "dataset")),
    "context": frozenset(("context",)),
    "group": frozenset(("group",)),
    "score": frozenset(("score", "scores", "gold", "goldlabel", "label", "rating", "similarity")).union(
        ("relatedness", "pred", "prediction")
    ),
    "confidence": frozenset(("confidence", "conf")),
}
"""Usual names of columns, in small letters without anything else."""
_SENSE_KEY = re.compile(r"[^\s%]+%\d:\d\d:\d\d:\S*")


@dataclass(frozen=True, slots=True)
class FileColumns:
    """The columns of a table.

    Parameters
    ----------
    names : tuple of str
        The header; without one, what each column is called in a task.toml, such as "left".
    has_header : bool
    roles : mapping of str to str
        Our names, such as "left" or "pair", with their names in the header.
    score, confidence : str or None
        The column of the gold labels, or of a run's scores, and that of its confidences.
    """

    names: tuple[str, ...]
    has_header: bool
    roles: Mapping[str, str]
    score: str | None = None
    confidence: str | None = None
    numbers: tuple[str, ...] = ()
    """Other columns of numbers, which may be labels."""
    longer_rows: int = 0
    """The number of rows with more columns than these; what is after them is ignored."""

    @property
    def id(self) -> str | None:
        """The column of the ids, by its name in `names`."""
        return self.roles.get("id")

    @property
    def has_texts(self) -> bool:
        """Whether both sides of a pair are there."""
        return "pair" in self.roles or {"left", "right"} <= self.roles.keys()


def describe_columns(rows: Sequence[Row], sides: Sequence[str] = ()) -> FileColumns | None:
    """Describe the columns of a table; None if it has neither pairs of texts nor ids with scores.

    `sides` are the level's words for both texts, such as "phrase" and "word", which a header may have.
    """
    header = [name.strip(BLANKS) for name in rows[0]]
    if is_header(header, rows[1:], sides):
        columns = _with_sides(_by_name(header, rows[1:]), sides)
        return columns if columns.has_texts or (columns.id and columns.score) else None
    return _by_position(rows)


def _with_sides(columns: FileColumns, sides: Sequence[str]) -> FileColumns:
    """Return the columns with the left and the right text where the header has the level's words for them."""
    of_word = {name.casefold(): name for name in columns.names}
    named = [of_word[word.casefold()] for word in sides if word.casefold() in of_word]
    if len(set(named)) < 2:
        return columns
    return replace(columns, roles=_ordered({**columns.roles, "left": named[0], "right": named[1]}))


def is_header(first: Sequence[str], rows: Sequence[Row], sides: Sequence[str] = ()) -> bool:
    """Whether the first row names columns.

    Two usual names or words of the level make a header, and so does a usual name above a column of numbers.
    """
    if len(set(first)) < len(first) or any(read_number(name) is not None for name in first):
        return False
    known = [place for place, name in enumerate(first) if role_of_name(name) is not None]
    above_numbers = any(_is_numeric(column(rows, place)) for place in range(len(first)))
    words = {word.casefold() for word in sides}
    of_level = [place for place, name in enumerate(first) if name.casefold() in words and place not in known]
    return len(known) + len(of_level) >= 2 or bool(known and rows and above_numbers)


def role_of_name(name: str) -> str | None:
    """Return what a column with this name is, or None.

    >>> [role_of_name(name) for name in ("pair_ID", "sentence_A", "Pred_Score", "source")]
    ['id', 'left', 'score', None]
    """
    plain = re.sub(r"[\W_]", "", name).casefold()
    role = next((role for role, names in _NAMES.items() if plain in names), None)
    return "score" if role is None and plain.endswith("score") else role


def _by_name(header: list[str], rows: Sequence[Row]) -> FileColumns:
    named: dict[str, list[str]] = {}
    for name in header:
        role = role_of_name(name)
        if role is not None:
            named.setdefault(role, []).append(name)
    # Whether a column has both texts of a pair is seen from its content.
    roles = {role: names[0] for role, names in named.items() if role not in ("score", "confidence", "pair")}
    scores = [name for name in named.get("score", ()) if _is_numeric(column(rows, header.index(name)))]
    rest = [name for name in header if name not in roles.values() and name not in named.get("score", ())]
    sides = {"left", "right"} & roles.keys()
    if len(sides) < 2:
        roles = {role: name for role, name in roles.items() if role not in sides}
        roles |= _sides_by_content(header, [*(named[side][0] for side in sides), *rest], rows)
    confidences = named.get("confidence", [])
    unread = [name for name in named.get("score", ()) if name not in scores[:1]]
    others = [name for name in (*rest, *unread) if name not in roles.values()]
    return FileColumns(
        names=tuple(header),
        has_header=True,
        roles=_ordered(roles),
        score=next(iter(scores), None),
        confidence=next(iter(confidences), None),
        numbers=tuple(name for name in others if _looks_numeric(column(rows, header.index(name)))),
    )


def _sides_by_content(header: list[str], names: Sequence[str], rows: Sequence[Row]) -> dict[str, str]:
    """Find the sides among columns with other names: one column of pairs, or two columns of texts."""
    columns = {name: column(rows, header.index(name)) for name in names}
    for name, values in columns.items():
        if _share(values, lambda value: "\n" in value.strip(BLANKS + "\n")) >= _MOSTLY:
            return {"pair": name}
    texts = {header.index(name): values for name, values in columns.items() if is_text(values)}
    sides = _choose_sides(texts)
    return {} if sides is None else {"left": header[sides[0]], "right": header[sides[1]]}


def _by_position(rows: Sequence[Row]) -> FileColumns | None:
    """Describe a table without a header by what its columns hold."""
    width = _common_width(rows)
    columns = {place: column(rows, place) for place in range(width)}
    names = {place: f"column{place + 1}" for place in columns}
    texts = {place: values for place, values in columns.items() if is_text(values)}
    keys = [place for place, values in texts.items() if _share(values, _SENSE_KEY.match) >= _MOSTLY]
    for place in keys[:1]:
        names[place] = "sense_key"
        del texts[place]
    ids = [place for place in columns if is_id(columns[place]) and len(texts.keys() - {place}) >= 2]
    for place in sorted(ids, key=lambda place: (place != width - 1, place))[
        :1
    ]:  # usually the last or the first
        names[place] = "id"
        texts.pop(place, None)
    sides = _choose_sides(texts)
    if sides is None:
        return None
    names |= {sides[0]: "left", sides[1]: "right"}
    others = [place for place in columns if names[place].startswith("column")]
    if len(others) == 1 and _is_genre(columns[others[0]]):
        names[others[0]] = "genre"
    # With an id at the end, a longer row is an error that `check` should report. Without one, as in the STS
    # tasks, notes after the texts are usual.
    longer = 0 if ids else sum(len(row) > width for row in rows)
    listed = _leave_out_rest([names[place] for place in range(width)], ragged=longer > 0)
    roles = {name: name for name in listed if not name.startswith("column")}
    numbers = tuple(
        f"column {place + 1}"
        for place, values in columns.items()
        if names[place].startswith("column") and _is_numeric(values)
    )
    return FileColumns(listed, False, roles, numbers=numbers, longer_rows=longer)


def _leave_out_rest(names: list[str], *, ragged: bool) -> tuple[str, ...]:
    """Replace unknown columns at the end by "...", which also allows rows of other lengths."""
    end = len(names)
    while names[end - 1].startswith("column"):
        end -= 1
    return (*names[:end], *(["..."] if ragged or end < len(names) else []))


def _choose_sides(texts: Mapping[int, Sequence[str]]) -> tuple[int, int] | None:
    """Return the two columns with the most different texts: genres and sources repeat more often."""
    if len(texts) < 2:
        return None
    first, second = sorted(sorted(texts, key=lambda place: (-len(set(texts[place])), place))[:2])
    return first, second


def _ordered(roles: Mapping[str, str]) -> dict[str, str]:
    order = ("id", "pair", "left", "right", "context", "group", "genre")
    return {role: roles[role] for role in order if role in roles}


def column(rows: Sequence[Row], place: int) -> list[str]:
    """Return the fields of a column without spaces around them; shorter rows have none."""
    return [row[place].strip(BLANKS) for row in rows if len(row) > place]


def _common_width(rows: Sequence[Row]) -> int:
    """Return the number of columns that most rows have at least; shorter rows are for `check` to report."""
    widths = sorted(map(len, rows))
    return widths[len(widths) // 5]


def _share(values: Sequence[str], test: Callable[[str], object]) -> float:
    return sum(bool(test(value)) for value in values) / len(values) if values else 0.0


def is_text(values: Sequence[str]) -> bool:
    """Whether most values have a letter."""
    return _share(values, lambda value: re.search(r"[^\W\d_]", value)) >= _MOSTLY


def _is_numeric(values: Sequence[str]) -> bool:
    filled = [value for value in values if value]
    return _share(filled, lambda value: read_number(value) is not None) >= _MOSTLY


def _looks_numeric(values: Sequence[str]) -> bool:
    """Whether the values are numbers, perhaps with a comma before the decimals."""
    return _is_numeric([value.replace(",", ".") for value in values])


def is_id(values: Sequence[str]) -> bool:
    """Whether all values differ, are one word, and nearly all have a digit; decimals are labels, not ids."""
    one_word = all(value and not re.search(r"\s", value) for value in values)
    return (
        one_word
        and not _are_decimals(values)
        and len(set(values)) == len(values)
        and _share(values, lambda value: re.search(r"\d", value)) >= _MOSTLY
    )


def _are_decimals(values: Sequence[str]) -> bool:
    """Whether all values are numbers, and some of them are not whole."""
    numbers = [number for value in values if (number := read_number(value)) is not None]
    return len(numbers) == len(values) and not all(number.is_integer() for number in numbers)


def _is_genre(values: Sequence[str]) -> bool:
    """Whether a few short words are repeated."""
    kinds = set(values)
    return (
        2 <= len(kinds) <= min(_MAX_GENRES, len(values) // 4)
        and is_text(values)
        and max(map(len, kinds)) <= 40
    )
