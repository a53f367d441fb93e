"""Reads items, runs and gold files, and reports all problems of a file at once."""

import errno
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from scorer.errors import DataError, GoldError, ItemsError, NotEntered, Problem, RequestError, RunError
from scorer.files.aligned import (
    Cells,
    describe_numeric_ids,
    drop_id_column,
    has_gold_header,
    note_bad_count,
    note_swapped_columns,
    read_aligned,
    read_headed_gold,
    read_plain,
    read_plain_gold,
)
from scorer.files.items import read_items, read_plain_ids
from scorer.files.keyed import read_keyed
from scorer.files.read_limits import read_bounded
from scorer.files.tables import choose_delimiter, read_rows
from scorer.files.text import BLANKS, Problems, decode_lines
from scorer.files.values import Scale, ValueReader

_NOT_ENTERED = ("na", "n/a")


@dataclass(frozen=True, slots=True)
class Item:
    """One pair of texts: its fields as in the file, and the line where it starts.

    Parameters
    ----------
    id : str
        The id, without surrounding whitespace.
    left, right : str
        The two sides, unchanged. In word2sense, left is `word#pos` and right is the sense `word#pos#n`.
    genre : str
        The part of the id before its last hyphen, or the value of a column; "" if there is none.
    line : int
        The number of the line, from 1.
    sense_key, context, group : str, optional
        The values of these columns, or None if the file does not have the column.
    """

    id: str
    left: str
    right: str
    genre: str
    line: int
    sense_key: str | None = None
    context: str | None = None
    group: str | None = None


@dataclass(frozen=True, slots=True)
class Items:
    """The items of a level, in the order in which aligned runs answer them."""

    source: str
    items: tuple[Item, ...]

    @property
    def ids(self) -> tuple[str, ...]:
        """The id of each item."""
        return tuple(item.id for item in self.items)

    @property
    def genres(self) -> tuple[str, ...]:
        """The genre of each item."""
        return tuple(item.genre for item in self.items)

    @property
    def groups(self) -> tuple[str | None, ...] | None:
        """The group of each item, None for a blank field; None instead of a tuple if no item has a group."""
        groups = tuple((item.group or "").strip(BLANKS) or None for item in self.items)
        return groups if any(groups) else None

    @property
    def genre_names(self) -> tuple[str, ...]:
        """The genres in order of appearance; with fewer than two, scores by genre are not shown."""
        return tuple(dict.fromkeys(self.genres))

    def __len__(self) -> int:
        return len(self.items)


@dataclass(frozen=True, slots=True)
class ItemsLayout:
    """The columns of an items file.

    Parameters
    ----------
    columns : tuple of str, or of pairs of str, optional
        The columns by position: left, right, id, and any of sense_key, context, group and the genre column.
        Other columns are ignored, and so are all columns after a last "...". A column "pair" has both sides
        with a line break between them. Pairs such as ("left", "sentence_A") name columns of the header, in
        any order. Without an id column, items are numbered from 1. By default two columns are left, right;
        three are left, right, id; four are left, sense_key, right, id.
    header : bool
        Whether the first line names the columns, in any order. Not needed if columns are pairs.
    genre : str
        "id-prefix", or the name of a column.
    delimiter : "tab" or "comma"
        Fields between tabs are read unchanged, with any quotes. Fields between commas may be quoted.
    """

    columns: tuple[str, ...] | tuple[tuple[str, str], ...] | None = None
    header: bool = False
    genre: str = "id-prefix"
    delimiter: Literal["tab", "comma"] = "tab"

    @property
    def has_header(self) -> bool:
        """Whether the first line of the file names its columns."""
        return self.header or any(not isinstance(column, str) for column in self.columns or ())


@dataclass(frozen=True, slots=True)
class KeyedFormat:
    """The columns of a keyed file. The default delimiter is tab if the header has one, else comma.

    `gold` is the column of gold values, if it is not named like the score column of the runs.
    """

    id: str
    score: str
    confidence: str | None = None
    delimiter: Literal["tab", "comma"] | None = None
    gold: str | None = None
    has_header: ClassVar[bool] = True

    @property
    def gold_column(self) -> str:
        """The column of the gold values."""
        return self.gold or self.score


@dataclass(frozen=True, slots=True)
class NumberedFormat(KeyedFormat):
    """The columns of a keyed file without a header, by number from 1, as in NumberedFormat("1", "4")."""

    has_header: ClassVar[bool] = False


@dataclass(frozen=True, slots=True)
class Run:
    """The scores of a run in item order, with warnings such as scores outside the scale or blank lines.

    `confidence_max` is the highest possible confidence, and the weight of a line without a confidence.
    """

    scores: tuple[float, ...]
    confidences: tuple[float | None, ...]
    warnings: tuple[Problem, ...] = ()
    confidence_max: float = field(default=1.0, repr=False)


@dataclass(frozen=True, slots=True)
class Gold:
    """Gold values in item order; None means that the item is not scored. Keyed files also have `ids`.

    `groups` are the groups of the items, if they were known when the file was read. `sds` are the standard
    deviations of the ratings of the items, if they were asked for; None where the value is None.
    """

    values: tuple[float | None, ...]
    ids: tuple[str, ...] | None = None
    groups: tuple[str | None, ...] | None = None
    sds: tuple[float | None, ...] | None = None

    def sds_at(self, places: Sequence[int]) -> list[float] | None:
        """Return the standard deviations of the items at these places, or None if one is missing."""
        sds = () if self.sds is None else self.sds
        known = [sd for place in places if sds and (sd := sds[place]) is not None]
        return known if self.sds is not None and len(known) == len(places) else None


def read_bytes(path: str) -> bytes:
    """Read a file, or standard input.

    Parameters
    ----------
    path : str
        The name of a file; "-" is standard input.

    Returns
    -------
    bytes

    Raises
    ------
    DataError
        If the file cannot be read, or has more than 256 MB or 5 million lines.
    """
    try:
        return read_bounded(path)
    except OSError as error:
        raise unreadable(path, error) from error


def unreadable(path: str, error: OSError) -> DataError:
    """Return the error of a file that cannot be opened or read, with what to do."""
    match error:
        case FileNotFoundError():
            code, message = "no_file", "there is no such file"
        case IsADirectoryError():
            code, message = "is_folder", "this is a folder; name a file in it"
        case PermissionError():
            message = "you do not have permission to read the file; change its permissions"
            code = "no_permission"
        case _:
            code = "too_large" if error.errno == errno.EFBIG else "unreadable"
            message = f"the file cannot be read: {error.strerror or error}"
    return DataError([Problem("<stdin>" if path == "-" else path, None, code, message)])


def parse_items(data: bytes, source: str, layout: ItemsLayout | None = None) -> Items:
    """Read an items file.

    Parameters
    ----------
    data : bytes
        The file, in UTF-8.
    source : str
        The name of the file in messages.
    layout : ItemsLayout, optional
        Its columns; by default left, right and perhaps id, or left, sense_key, right, id.

    Returns
    -------
    Items

    Raises
    ------
    ItemsError
        Lists every problem: encoding, number of columns, empty fields, duplicate ids.
    RequestError
        If the layout has no left or right column, or the genre column does not exist.

    Examples
    --------
    >>> items = parse_items(b"a long sentence\\ta phrase\\tCQA-1\\n", "items.tsv")
    >>> items.items[0].right, items.genre_names
    ('a phrase', ('CQA',))
    """
    layout = layout or ItemsLayout()
    problems = Problems(source)
    lines = decode_lines(data, problems)
    rows = read_items(lines, problems, layout.columns, layout.header, layout.genre, layout.delimiter)
    items = tuple(
        Item(
            id=fields["id"],
            left=fields["left"],
            right=fields["right"],
            genre=fields["genre"],
            line=line,
            sense_key=fields.get("sense_key"),
            context=fields.get("context"),
            group=fields.get("group"),
        )
        for line, fields in rows
    )
    problems.raise_as(ItemsError)
    return Items(source, items)


def parse_item_ids(data: bytes, source: str, layout: ItemsLayout) -> tuple[str, ...]:
    """Return the ids of the items that `parse_items` reads, in less time and memory.

    It raises the same errors.
    """
    plain_ids = read_plain_ids(data) if layout == ItemsLayout() else None
    return parse_items(data, source, layout).ids if plain_ids is None else plain_ids


def header_of(data: bytes, layout: ItemsLayout) -> tuple[str, ...]:
    """Return the column names in the first line of an items file; none if the file is not text."""
    lines = decode_lines(data, Problems(""))
    rows = read_rows(lines[:1], layout.delimiter, Problems(""), "", quotes=True)
    return tuple(name.strip(BLANKS) for name in next(rows, (1, []))[1])


def parse_run(
    data: bytes,
    source: str,
    *,
    n: int | None = None,
    ids: Sequence[str] | None = None,
    keyed: KeyedFormat | None = None,
    scale: Scale | None = None,
    confidence_max: float = 1.0,
    first_is_score: bool = False,
) -> Run:
    """Read a run file, which is keyed if `keyed` names its columns, else aligned.

    Parameters
    ----------
    data : bytes
        The file, in UTF-8.
    source : str
        The name of the file in messages.
    n : int, optional
        The number of items; by default `len(ids)`, else the number of lines.
    ids : sequence of str, optional
        The ids of the items in order. A keyed run needs them; an aligned run must not have a column of them.
    keyed : KeyedFormat, optional
        The columns of a keyed run.
    scale : (float, float), optional
        The lowest and the highest value; scores outside it are accepted with a warning.
    confidence_max : float
        The highest confidence; the lowest is 0.
    first_is_score : bool
        Accept an aligned run whose first column looks like ids or line numbers, which is refused otherwise.

    Returns
    -------
    Run
        The run in item order.

    Raises
    ------
    RunError
        Lists every problem of the file. NotEntered if the only problem is that every score is NA.
    RequestError
        If a keyed run is read without ids.

    Notes
    -----
    These are accepted with a warning: a run of at least two items whose scores are all the same, which has no
    correlation; and blank lines at the end of an aligned run or anywhere in a keyed run, which are skipped.

    The first of two columns looks like ids if it has the ids of the items, has the numbers of the lines from
    0 or 1, or has whole numbers that rise or fall from line to line while the second does not. Files of one
    or two lines are accepted, and so are files of fewer than six lines if one of them has no second column.

    Examples
    --------
    >>> parse_run(b"0.5\\t1\\n3\\n", "run.tsv", n=2)
    Run(scores=(0.5, 3.0), confidences=(1.0, None), warnings=())
    >>> parse_run(b"id,s\\nb,2\\na,1\\n", "run.csv", ids=["a", "b"], keyed=KeyedFormat("id", "s")).scores
    (1.0, 2.0)
    """
    line_count = n if ids is None else len(ids)
    plain = read_plain(data, line_count, scale, confidence_max) if keyed is None else None
    if plain is not None and (first_is_score or describe_numeric_ids(*plain, ids) is None):
        return Run(*plain, confidence_max=confidence_max)
    problems = Problems(source)
    lines = decode_lines(data, problems)
    warnings = Problems(source, lines)
    cells: Sequence[Cells | None]
    if keyed is None:
        cells = read_aligned(lines, problems, line_count, "run", warnings)
    elif ids is None:
        raise RequestError("a keyed run can be read only with the ids of the items")
    else:
        columns = (keyed.id, keyed.score, keyed.confidence)
        rows = read_keyed(
            lines, problems, columns, keyed.delimiter, ids, warnings=warnings, has_header=keyed.has_header
        )
        cells = tuple(rows.values())
    _refuse_not_entered(cells, problems)
    if keyed is None:
        cells = drop_id_column(cells, ids, problems, first_is_score=first_is_score)
    reader = ValueReader(problems, warnings, scale, confidence_max)
    scores = [reader.score(cell) for cell in cells]
    confidences = [reader.confidence(cell) for cell in cells]
    if keyed is None:
        note_swapped_columns(scores, confidences, scale, confidence_max, problems)
    if problems.count * 2 > len(lines):
        problems.explained_by("keyed_file")
    problems.raise_as(RunError)
    present = tuple(score for score in scores if score is not None)
    return Run(present, tuple(confidences), reader.all_warnings(present), confidence_max)


def parse_gold(
    data: bytes,
    source: str,
    *,
    n: int | None = None,
    ids: Sequence[str] | None = None,
    keyed: KeyedFormat | None = None,
    with_sds: bool = False,
) -> Gold:
    """Read a gold file, which is keyed if `keyed` names its columns, else has one value per line.

    With one value per line, a header may name two further columns: n, the number of ratings of the item, and
    sd, their standard deviation.

    Parameters
    ----------
    data : bytes
        The file, in UTF-8.
    source : str
        The name of the file in messages.
    n : int, optional
        The number of items; by default `len(ids)`, else the number of lines.
    ids : sequence of str, optional
        The ids of the items in order. Without them, keyed gold keeps the order of its rows.
    keyed : KeyedFormat, optional
        The columns of a keyed file; its confidence column is not read.
    with_sds : bool
        Read the column sd, which has to have a number that is at least 0 for each item with a value. An item
        with one rating has no standard deviation, so it cannot have a value either.

    Returns
    -------
    Gold
        The gold in item order. A value is None if the file has no value for the item, which is then not
        scored.

    Raises
    ------
    GoldError
        Lists every problem of the file.

    Examples
    --------
    >>> parse_gold(b"0.25\\n\\n4\\n", "gold.tsv").values
    (0.25, None, 4.0)
    >>> parse_gold(b"gold\\tn\\tsd\\n2.5\\t2\\t0.71\\n\\n", "gold.tsv", with_sds=True).sds
    (0.71, None)
    """
    line_count = n if ids is None else len(ids)
    plain = read_plain_gold(data, line_count) if keyed is None and not with_sds else None
    if plain is not None:
        return Gold(plain)
    problems = Problems(source)
    lines = decode_lines(data, problems)
    gold_ids: tuple[str, ...] | None = None
    cells: Sequence[Cells | None]
    if keyed is not None:
        columns = (keyed.id, keyed.gold_column, "sd" if with_sds else None)
        rows = read_keyed(lines, problems, columns, keyed.delimiter, ids, has_header=keyed.has_header)
        gold_ids, cells = tuple(rows), tuple(rows.values())
        if with_sds and keyed.has_header:
            _note_bad_counts(lines, problems, keyed)
    elif has_gold_header(lines):
        cells = read_headed_gold(lines, problems, line_count)
    elif with_sds:
        message = (
            "there is no sd, the standard deviation of the ratings; begin the gold with a header such as"
        )
        problems.add(None, "missing_column", f"{message} gold, n and sd, with tabs between the columns")
        cells = ()
    else:
        aligned = read_aligned(lines, problems, line_count, "gold")
        cells = drop_id_column(aligned, ids, problems, first_is_score=False, kind="gold")
    reader = ValueReader(problems, Problems(source), None, 1.0)
    values = tuple(reader.gold(cell) for cell in cells)
    sds = tuple(reader.sd(cell) for cell in cells) if with_sds else None
    if problems.count * 2 > len(lines):
        problems.explained_by("keyed_file")
    problems.raise_as(GoldError)
    return Gold(values, gold_ids, sds=sds)


def _note_bad_counts(lines: Sequence[str | None], problems: Problems, keyed: KeyedFormat) -> None:
    """Note what is no number of ratings in the column n of a keyed gold file, if it has one."""
    sign = choose_delimiter(lines, keyed.delimiter)
    header, *body = read_rows(lines, sign, Problems(""), "", quotes=True)
    names = [name.strip() for name in header[1]]
    place = names.index("n") if "n" in names else len(names)
    for number, fields in body:
        if place < len(fields):
            note_bad_count(number, fields[place].strip(), problems)


def _refuse_not_entered(cells: Sequence[Cells | None], problems: Problems) -> None:
    """Raise NotEntered if every score is NA. An NA among numbers is an ordinary problem.

    Some teams write one file per level and fill the files of levels that they do not enter with NA.
    """
    if cells and all(cell is not None and cell[1].casefold() in _NOT_ENTERED for cell in cells):
        message = "every score is NA: the run does not enter this level, and there is nothing to score"
        problems.add(None, "not_entered", f"{message}; leave the file out, or write numbers")
        problems.raise_as(NotEntered if problems.count == 1 else RunError)
