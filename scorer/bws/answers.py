"""Best-worst answers: an annotator sees a tuple of items and chooses the best and the worst of them."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

import numpy as np

from scorer.annotation.ratings import Indices
from scorer.errors import RatingsError, RequestError
from scorer.files.tables import Quotes, TableRow, find_columns, read_annotations, strip_rows
from scorer.files.text import BLANKS, Problems, count_noun, decode_lines, shorten
from scorer.files.values import MISSING_NUMBER_MARKS

_ITEM_COLUMN = re.compile(r"Item([1-9][0-9]*)")
MIN_TUPLE_SIZE = 2
"""The minimum number of items in a tuple."""
_MAX_LISTED = 5
AnswerRule = Literal["drop", "count"]
"""Whether answers of some kind are left out or counted."""


@dataclass(frozen=True, slots=True)
class AnswersLayout:
    """The layout of a file of best-worst answers, which has a header and a row for each answer.

    Parameters
    ----------
    items : tuple of str
        The columns with the items that were shown; by default all of Item1, Item2 and so on.
    best, worst : str, optional
        The columns with the choices; by default BestItem and WorstItem, or Best and Worst if the header has
        these instead. They contain items, or positions in the tuple from 1. The interpretation that matches
        more choices of the file is used; if both match equally many, they are items.
    annotator : str, optional
        The column with the annotator. A second answer to the same tuple by the same annotator is a repeat.
    tuple_ : str, optional
        The column with the tuple's name. Without it, answers with the same items, in any order, are answers
        to the same tuple.
    group : str, optional
        The column with the group of the tuple, such as a dialogue. Items with the same name in different
        groups are different items.
    delimiter : str, optional
        One character. By default it is a tab if the first line has one, else the most frequent of semicolon,
        comma and "|" in the first line.
    quotes : "plain" or "csv", optional
        With "plain", quotation marks have no meaning unless they enclose a whole field. With "csv", a quoted
        field may contain delimiters and line ends. The default is "plain" for tabs and "csv" for other
        delimiters.
    same : "drop" or "count", optional
        How to handle an answer whose best item is also its worst item. With "drop", it is left out. With
        "count", it counts like any other answer: best and worst cancel for its item, so each item of the
        tuple was shown once more and no score gains or loses. By default such answers are errors.
    incomplete : "drop" or "count", optional
        How to handle an answer without a best or without a worst item. With "drop", it is left out. With
        "count", each item of the tuple was shown once more, and the choice that it has counts. By default
        such answers are errors.
    controls : frozenset of str
        Items that check whether annotators pay attention. A tuple may show such an item several times.
    control_answers : "drop" or "count"
        How to handle answers to tuples that show a control item. With "drop", they are left out, so that
        control items have no score. With "count", they count like others, and control items have scores; an
        item that is twice in a tuple was shown twice.

    References
    ----------
    The NRC's scripts for best-worst scaling count answers with the same choices, and items that are twice in
    a tuple, in this way; maxdiff_to_scale.pl of Jurgens, Mohammad, Turney & Holyoak (2012), SemEval-2012 Task
    2: Measuring Degrees of Relational Similarity, SemEval, S12-1047, counts incomplete answers in this way.
    """

    items: tuple[str, ...] = ()
    best: str | None = None
    worst: str | None = None
    annotator: str | None = None
    tuple_: str | None = None
    group: str | None = None
    delimiter: str | None = None
    quotes: Quotes | None = None
    same: AnswerRule | None = None
    incomplete: AnswerRule | None = None
    controls: frozenset[str] = frozenset()
    control_answers: AnswerRule = "drop"


@dataclass(frozen=True, slots=True)
class Answers:
    """N answers to t tuples of m of n items, independent of the order of the rows in the file.

    Parameters
    ----------
    source : str
        The name of the file in messages.
    items : tuple of str
        The n items, sorted by group and name.
    groups : tuple of str, optional
        The group of each item.
    shown : (t, m) array of int
        The items of each tuple, in the order of its first row.
    tuple_of : (N,) array of int
        The tuple of each answer, in ascending order.
    best, worst : (N,) array of int
        The items that were chosen; n if the answer lacks this choice.
    annotators : int, optional
        The number of annotators, if the file names them.
    repeats : int
        The number of repeated answers to a tuple by the same annotator, which were left out.
    same, incomplete, control : "drop" or "count", optional
        How answers with the same item as best and worst, answers without a best or worst item, and answers to
        tuples with a control item were handled, if the layout says so.
    same_answers, incomplete_answers, control_answers : int
        The number of such answers that were left out or counted. 0 if the layout does not say so.
    by_position : bool
        Whether the file has choices as positions in the tuple.
    """

    source: str
    items: tuple[str, ...]
    groups: tuple[str, ...] | None
    shown: Indices
    tuple_of: Indices
    best: Indices
    worst: Indices
    annotators: int | None = None
    repeats: int = 0
    same: AnswerRule | None = None
    incomplete: AnswerRule | None = None
    control: AnswerRule | None = None
    same_answers: int = 0
    incomplete_answers: int = 0
    control_answers: int = 0
    by_position: bool = False

    def __len__(self) -> int:
        return len(self.tuple_of)

    @property
    def sizes(self) -> Indices:
        """The number of answers to each tuple, (t,), at least 1."""
        return np.bincount(self.tuple_of, minlength=len(self.shown))

    @property
    def starts(self) -> Indices:
        """The index of the first answer to each tuple, (t,)."""
        return np.cumsum(self.sizes) - self.sizes

    @property
    def group_names(self) -> tuple[str, ...]:
        """The groups, sorted by name. Empty if the file has no groups."""
        return tuple(dict.fromkeys(self.groups or ()))


def parse_answers(data: bytes, source: str, layout: AnswersLayout | None = None) -> Answers:
    """Parse a file of best-worst answers.

    Parameters
    ----------
    data : bytes
        The contents of the file, in UTF-8.
    source : str
        The name of the file in messages.
    layout : AnswersLayout, optional
        The layout of the file; by default that of the NRC's scripts.

    Returns
    -------
    Answers

    Raises
    ------
    RatingsError
        If there are problems, such as missing columns, rows with a wrong number of fields, empty cells, an
        item that is repeated in a tuple, a choice that is not an item of the tuple, the same item as best
        and worst (if `layout.same` is not given), no best or worst item (if `layout.incomplete` is not
        given), or a control item that is in no tuple. The error lists all of them.
    RequestError
        If the layout is not valid.

    Examples
    --------
    >>> file = b"Item1,Item2,Item3,BestItem,WorstItem\\nquay,reef,isle,reef,quay\\n"
    >>> answers = parse_answers(file, "answers.csv")
    >>> answers.items, [answers.items[place] for place in answers.best]
    (('isle', 'quay', 'reef'), ['reef'])
    """
    layout = layout or AnswersLayout()
    _check(layout)
    problems = Problems(source)
    lines = decode_lines(data, problems)
    rows = read_annotations(lines, problems, "write an answer, or remove it", layout.delimiter, layout.quotes)
    header = next(rows, (1, [""]))
    problems.raise_as(RatingsError)
    columns = _find_columns(layout, header, problems)
    problems.raise_as(RatingsError)
    body = list(rows)
    read_rows, by_position = _read_rows(body, columns, problems)
    controls = [row for row in read_rows if not layout.controls.isdisjoint(row.shown)]
    excluded = {*controls} if layout.control_answers == "drop" else set()
    rows_left = [row for row in read_rows if row not in excluded]
    valid = _leave_out_faulty(rows_left, columns, layout.controls, problems, by_position=by_position)
    same = [row for row in valid if row.best == row.worst != ""]
    incomplete = [row for row in valid if "" in (row.best, row.worst)]
    empty = f"{' or '.join(name for name, _ in columns.choices)} is empty"
    for option, rule, code, fact, of_kind in (
        ("same", layout.same, "best_is_worst", "best and worst are the same item", same),
        ("incomplete", layout.incomplete, "missing_choice", empty, incomplete),
    ):
        if of_kind and rule is None:
            where = _answers_with_lines([row.line for row in of_kind])
            fix = f"leave such answers out with --{option} drop, or count them with --{option} count"
            problems.add_line(of_kind[0].line, code, f"{fact} in {where}; {fix}")
        excluded.update(of_kind if rule == "drop" else ())
    for item in sorted(layout.controls.difference(*(row.shown for row in read_rows))):
        message = f"no tuple has the control item {shorten(item)}; is its name right?"
        problems.add(None, "unknown_control", message)
    kept = [row for row in valid if row not in excluded]
    if not kept and not problems.count:
        fact = "every answer was left out" if body else "the file has a header and no answers"
        problems.add(None, "no_answers", fact)
    problems.raise_as(RatingsError)
    given = kept if columns.annotator is None else _leave_out_repeats(kept)
    counted, control = frozenset(given), layout.control_answers if layout.controls else None
    kinds = (layout.same, same), (layout.incomplete, incomplete), (control, controls)
    sizes = [len(rows if rule == "drop" else counted.intersection(rows)) for rule, rows in kinds]
    return replace(
        _number(given, source),
        annotators=None if columns.annotator is None else len({row.annotator for row in kept}),
        repeats=len(kept) - len(given),
        same=layout.same,
        incomplete=layout.incomplete,
        control=control,
        same_answers=sizes[0],
        incomplete_answers=sizes[1],
        control_answers=sizes[2],
        by_position=by_position,
    )


def choices_are_positions(
    tuples: Sequence[Sequence[str]], choices: Sequence[str], positions: Collection[str]
) -> bool:
    """Whether more of the choices are valid as positions in their tuples than as items of them.

    Parameters
    ----------
    tuples : sequence of sequence of str
        The items that were shown, for each choice.
    choices : sequence of str
        The choices.
    positions : collection of str
        The numbers from 1 to the number of items in a tuple.

    Examples
    --------
    >>> choices_are_positions([["quay", "reef"], ["isle", "quay"]], ["2", "1"], {"1", "2"})
    True
    >>> choices_are_positions([["1", "17"], ["2", "1"]], ["17", "1"], {"1", "2"})
    False
    """
    items = sum(choice in shown for shown, choice in zip(tuples, choices, strict=True))
    return sum(choice in positions for choice in choices) > items


def _check(layout: AnswersLayout) -> None:
    named = [*layout.items, layout.best, layout.worst, layout.annotator, layout.tuple_, layout.group]
    columns = [name for name in named if name is not None]
    twice = next((name for name in columns if columns.count(name) > 1), None)
    if twice is not None:
        raise RequestError(f"the column {shorten(twice)} is named for two things; name it for one")
    if layout.items and len(layout.items) < MIN_TUPLE_SIZE:
        raise RequestError("name at least two columns of items")


@dataclass(frozen=True, slots=True)
class _AnswerColumns:
    """The positions of the columns of a file of answers; None: the layout names no such column."""

    width: int
    items: tuple[int, ...]
    choices: tuple[tuple[str, int], ...]
    """The best and the worst item, each with the name of its column."""
    annotator: int | None
    tuple_: int | None
    group: int | None


@dataclass(frozen=True, slots=True)
class _AnswerRow:
    """An answer in the file: the items that were shown, and those that were chosen."""

    line: int
    group: str | None
    name: str | None
    """The name of the tuple."""
    annotator: str | None
    shown: tuple[str, ...]
    best: str
    worst: str

    @property
    def tuple_key(self) -> tuple[str | None, str | None, tuple[str, ...]]:
        """What answers to the same tuple have in common."""
        return self.group, self.name, tuple(sorted(self.shown))


def _find_columns(layout: AnswersLayout, header: TableRow, problems: Problems) -> _AnswerColumns:
    line, fields = header
    names = [field.strip(BLANKS) for field in fields]
    items = layout.items or _item_columns(names)
    if len(items) < MIN_TUPLE_SIZE:
        message = "the header has no columns Item1 and Item2; name those of the items with --items"
        problems.add_line(line, "missing_column", message)
    choices = layout.best or _default_column("Best", names), layout.worst or _default_column("Worst", names)
    others = [layout.annotator, layout.tuple_, layout.group]
    wanted = [name for name in (*items, *choices, *others) if name is not None]
    places = find_columns((line, names), wanted, problems)
    return _AnswerColumns(
        len(names),
        tuple(places.get(name, 0) for name in items),
        tuple((name, places.get(name, 0)) for name in choices),
        *(None if name is None else places.get(name, 0) for name in others),
    )


def _read_rows(
    body: Sequence[TableRow], columns: _AnswerColumns, problems: Problems
) -> tuple[list[_AnswerRow], bool]:
    """Return the rows that have all fields, and whether their choices are positions in the tuple."""
    rows = list(strip_rows(body, columns.width, problems))
    tuples = [tuple(cells[place] for place in columns.items) for _, cells in rows]
    choices = [cells[place] for _, place in columns.choices for _, cells in rows]
    positions = {str(place): place - 1 for place in range(1, len(columns.items) + 1)}
    by_position = choices_are_positions([*tuples, *tuples], choices, positions)
    answers = []
    for (line, cells), shown in zip(rows, tuples, strict=True):
        group, name, annotator = (
            None if place is None else cells[place]
            for place in (columns.group, columns.tuple_, columns.annotator)
        )
        chosen = (cells[place] for _, place in columns.choices)
        best, worst = ("" if one in MISSING_NUMBER_MARKS and one not in shown else one for one in chosen)
        if by_position:  # a choice that is no position stays as it is, so that the message shows it
            best, worst = (
                shown[positions[choice]] if choice in positions else choice for choice in (best, worst)
            )
        answers.append(_AnswerRow(line, group, name, annotator, shown, best, worst))
    return answers, by_position


def _leave_out_faulty(
    rows: Sequence[_AnswerRow],
    columns: _AnswerColumns,
    controls: frozenset[str],
    problems: Problems,
    *,
    by_position: bool,
) -> list[_AnswerRow]:
    """Return the rows without a fault and note the others; what many rows can share is noted once."""
    valid = []
    repeated: dict[int, str] = {}
    first_rows: dict[tuple[str | None, str | None], _AnswerRow] = {}
    for row in rows:
        others = (item for item in row.shown if item and item not in controls)
        twice = next((item for item in others if row.shown.count(item) > 1), None)
        if twice is not None:
            repeated[row.line] = twice
            continue
        fault = _find_fault(row, columns, by_position=by_position)
        if fault is None and row.name is not None:
            first = first_rows.setdefault((row.group, row.name), row)
            if first.tuple_key != row.tuple_key:
                fact = f"the tuple {shorten(row.name)} has other items on line {first.line}"
                fault = "other_items", f"{fact}; give it a name"
        if fault is None:
            valid.append(row)
        else:
            problems.add_line(row.line, *fault)
    if repeated:
        items = frozenset(repeated.values())
        listed = _list_first([shorten(item) for item in dict.fromkeys(repeated.values())])
        fact = f"an item is twice in the tuple of {_answers_with_lines(list(repeated))}: {listed}"
        shown = sum(not items.isdisjoint(row.shown) for row in rows)
        which = f"{count_noun(shown, 'answer')} to tuples with {'it' if len(items) == 1 else 'one of them'}"
        drop, count = "--control ITEM", "--control ITEM --control-answers count"
        fix = f"if it is a control item, leave out the {which} ({drop}) or count them ({count})"
        problems.add_line(next(iter(repeated)), "item_twice", f"{fact}; {fix}; else correct the tuples")
    return valid


def _find_fault(row: _AnswerRow, columns: _AnswerColumns, *, by_position: bool) -> tuple[str, str] | None:
    """Return the code and the message of what is wrong with a row by itself."""
    if "" in row.shown:
        return "missing_item", f"there are {row.shown.count('')} empty items; write what was shown"
    for (column, _), item in zip(columns.choices, (row.best, row.worst), strict=True):
        if item and item not in row.shown:
            reason = f"is none of the items; write one of {', '.join(map(shorten, row.shown[:8]))}"
            if by_position:
                reason = f"is no position; write a number from 1 to {len(row.shown)}"
            return "unknown_choice", f"{column} {shorten(item)} {reason}"
    for word, text in (("group", row.group), ("tuple", row.name), ("annotator", row.annotator)):
        if text == "":
            return f"missing_{word}", f"the row names no {word}; write which it is"
    return None


def _leave_out_repeats(rows: Sequence[_AnswerRow]) -> list[_AnswerRow]:
    """Return the first answer of each annotator to each tuple."""
    first: dict[object, _AnswerRow] = {}
    for row in rows:
        first.setdefault((row.tuple_key, row.annotator), row)
    return list(first.values())


def _number(rows: Sequence[_AnswerRow], source: str) -> Answers:
    """Return the answers with indices for items and tuples, in an order that the rows do not decide."""
    items = sorted({(row.group, item) for row in rows for item in row.shown})
    item_places = {key: place for place, key in enumerate(items)}
    tuples = {row.tuple_key: [item_places[row.group, item] for item in row.shown] for row in reversed(rows)}
    keys = sorted(tuples, key=lambda key: (sorted(tuples[key]), key[1]))
    places = {key: place for place, key in enumerate(keys)}
    given = sorted(
        (
            places[row.tuple_key],
            *(item_places.get((row.group, item), len(items)) for item in (row.best, row.worst)),
        )
        for row in rows
    )
    tuple_of, best, worst = np.array(given, dtype=np.intp).T
    return Answers(
        source=source,
        items=tuple(item for _, item in items),
        groups=None if items[0][0] is None else tuple(str(group) for group, _ in items),
        shown=np.array([tuples[key] for key in keys], dtype=np.intp),
        tuple_of=tuple_of,
        best=best,
        worst=worst,
    )


def _answers_with_lines(lines: Sequence[int]) -> str:
    """Describe the number of answers and their lines."""
    if len(lines) == 1:
        return f"1 answer (line {lines[0]})"
    return f"{len(lines)} answers (lines {_list_first(list(map(str, lines)))})"


def _list_first(names: Sequence[str]) -> str:
    return ", ".join(names[:_MAX_LISTED]) + (", …" if len(names) > _MAX_LISTED else "")


def _default_column(short: str, names: Sequence[str]) -> str:
    """Return BestItem or WorstItem, or the short name if the header has only that."""
    return short if short in names and f"{short}Item" not in names else f"{short}Item"


def _item_columns(names: Sequence[str]) -> tuple[str, ...]:
    numbers = sorted({int(match[1]) for name in names if (match := _ITEM_COLUMN.fullmatch(name))})
    if any(after != before + 1 for before, after in pairwise([0, *numbers])):
        numbers = list(range(1, numbers[-1] + 1))  # a gap means that a column is missing
    return tuple(f"Item{number}" for number in numbers)
