"""Best-worst answers: an annotator sees a tuple of items and chooses the best and the worst of them."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np

from scorer.annotation.ratings import Indices
from scorer.annotation.ratings_reader import has_other_width
from scorer.errors import RatingsError, RequestError
from scorer.files.tables import Quotes, TableRow, find_columns, read_annotations
from scorer.files.text import BLANKS, Problems, decode_lines, shorten

_ITEM_COLUMN = re.compile(r"Item([1-9][0-9]*)")
MIN_TUPLE_SIZE = 2
"""The minimum number of items in a tuple."""
_MAX_LISTED = 5
SameChoiceRule = Literal["drop", "count"]
"""How to handle an answer whose best item is also its worst item."""


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
    controls : frozenset of str
        Items that check whether annotators pay attention. Answers to tuples that show one or more of them are
        left out, so that control items have no score.
    """

    items: tuple[str, ...] = ()
    best: str | None = None
    worst: str | None = None
    annotator: str | None = None
    tuple_: str | None = None
    group: str | None = None
    delimiter: str | None = None
    quotes: Quotes | None = None
    same: SameChoiceRule | None = None
    controls: frozenset[str] = frozenset()


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
        The items that were chosen.
    annotators : int, optional
        The number of annotators, if the file names them.
    repeats : int
        The number of repeated answers to a tuple by the same annotator, which were left out.
    same : "drop" or "count", optional
        How answers whose best item is also their worst item were handled, if the layout says so.
    same_answers, control_answers : int
        The number of such answers, and the number of answers that were left out because of a control item.
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
    same: SameChoiceRule | None = None
    same_answers: int = 0
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
        and worst (if `layout.same` is not given), or a control item that is in no tuple. The error lists all
        of them.
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
    reader = _AnswersReader(layout, header, problems)
    problems.raise_as(RatingsError)
    reader.read(list(rows))
    problems.raise_as(RatingsError)
    return reader.answers()


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


class _AnswersReader:
    """Converts the rows below the header to answers."""

    def __init__(self, layout: AnswersLayout, header: TableRow, problems: Problems) -> None:
        self.problems = problems
        self.same = layout.same
        self.controls = layout.controls
        number, fields = header
        names = [field.strip(BLANKS) for field in fields]
        self.width = len(names)
        items = layout.items or _item_columns(names)
        if len(items) < MIN_TUPLE_SIZE:
            message = "the header has no columns Item1 and Item2; name those of the items with --items"
            problems.add_line(number, "missing_column", message)
        others = (layout.annotator, layout.tuple_, layout.group)
        best = layout.best or _default_column("Best", names)
        worst = layout.worst or _default_column("Worst", names)
        columns = [*items, best, worst, *(name for name in others if name is not None)]
        places = find_columns((number, names), columns, problems)
        self.positions = {str(place) for place in range(1, len(items) + 1)}
        self.item_places = [places.get(name, 0) for name in items]
        self.names = (best, worst)
        self.best, self.worst = (places.get(name, 0) for name in self.names)
        self.annotator, self.tuple, self.group = (
            None if name is None else places.get(name, 0) for name in others
        )
        self.items: dict[tuple[str, str], int] = {}
        self.tuples: dict[tuple[str, str, frozenset[str]], int] = {}
        self.shown: list[list[int]] = []
        self.named: dict[tuple[str, str], tuple[frozenset[str], int]] = {}
        self.people: dict[str, int] = {}
        self.seen: set[tuple[int, int]] = set()
        self.given: list[tuple[int, int, int]] = []
        self.repeats = 0
        self.by_position = False
        self.same_answers = 0
        self.same_lines: list[int] = []
        self.twice: dict[int, str] = {}
        self.control_answers = 0
        self.controls_seen: set[str] = set()

    def read(self, rows: Sequence[TableRow]) -> None:
        """Read all rows and record their problems. A problem that many rows share is recorded once."""
        whole_rows = [
            (number, [field.strip(BLANKS) for field in fields])
            for number, fields in rows
            if not has_other_width(number, fields, self.width, self.problems)
        ]
        shown = [[cells[place] for place in self.item_places] for _, cells in whole_rows]
        choices = [cells[place] for place in (self.best, self.worst) for _, cells in whole_rows]
        self.by_position = choices_are_positions([*shown, *shown], choices, self.positions)
        for (number, cells), items in zip(whole_rows, shown, strict=True):
            self._take(number, cells, tuple(items))
        self._note_common()
        if not self.given and not self.problems.count:
            fact = "every answer was left out" if rows else "the file has a header and no answers"
            self.problems.add(None, "no_answers", fact)

    def _take(self, number: int, cells: list[str], shown: tuple[str, ...]) -> None:
        if not self.controls.isdisjoint(shown):
            self.controls_seen.update(shown)
            self.control_answers += 1
            return
        best, worst = (self._choice(cells[place], shown) for place in (self.best, self.worst))
        group, name, annotator_name = (
            "" if place is None else cells[place] for place in (self.group, self.tuple, self.annotator)
        )
        twice = next((item for item in shown if item and shown.count(item) > 1), None)
        if twice is not None:
            self.twice[number] = twice
            return
        fault = self._fault(shown, best, worst) or self._unnamed(group, name, annotator_name)
        fault = fault or self._other_items(number, (group, name), shown)
        if fault is not None:
            self.problems.add_line(number, *fault)
            return
        if best == worst and self.same != "count":
            self.same_lines.append(number)
            return
        place = self._tuple(group, name, shown)
        person = self.people.setdefault(annotator_name, len(self.people))
        if self.annotator is not None:
            if (place, person) in self.seen:
                self.repeats += 1
                return
            self.seen.add((place, person))
        self.same_answers += best == worst
        self.given.append((place, self.items[group, best], self.items[group, worst]))

    def _choice(self, text: str, shown: tuple[str, ...]) -> str:
        """Return the chosen item. An invalid position is returned unchanged, so that the message shows it."""
        return shown[int(text) - 1] if self.by_position and text in self.positions else text

    def _note_common(self) -> None:
        """Record the problems that many rows can share, with the options that handle such rows."""
        if self.twice:
            lines = list(self.twice)
            items = _list_first([shorten(item) for item in dict.fromkeys(self.twice.values())])
            fact = f"an item is twice in the tuple of {_answers_with_lines(lines)}: {items}"
            fix = (
                "if it is a control item, leave such answers out with --control ITEM, else correct the tuples"
            )
            self.problems.add_line(lines[0], "item_twice", f"{fact}; {fix}")
        if self.same == "drop":
            self.same_answers = len(self.same_lines)
        elif self.same_lines:
            fact = f"best and worst are the same item in {_answers_with_lines(self.same_lines)}"
            fix = "leave such answers out with --same drop, or count them with --same count"
            self.problems.add_line(self.same_lines[0], "best_is_worst", f"{fact}; {fix}")
        for item in sorted(self.controls - self.controls_seen):
            message = f"no tuple has the control item {shorten(item)}; is its name right?"
            self.problems.add(None, "unknown_control", message)

    def _tuple(self, group: str, name: str, shown: tuple[str, ...]) -> int:
        """Return the index of a tuple. Its items are stored in the order of its first row."""
        place = self.tuples.setdefault((group, name, frozenset(shown)), len(self.tuples))
        if place == len(self.shown):
            self.shown.append([self.items.setdefault((group, item), len(self.items)) for item in shown])
        return place

    def answers(self) -> Answers:
        """Return the answers in an order that does not depend on the order of the rows."""
        items = sorted(self.items)
        new_item = np.argsort([self.items[key] for key in items])
        shown = new_item[np.array(self.shown)]
        order = _tuple_order(shown, [name for _, name, _ in self.tuples])
        new_tuple = np.argsort(order)
        given = np.array(self.given).T
        tuple_of, best, worst = new_tuple[given[0]], new_item[given[1]], new_item[given[2]]
        answer_order = np.lexsort((worst, best, tuple_of))
        return Answers(
            source=self.problems.source,
            items=tuple(item for _, item in items),
            groups=None if self.group is None else tuple(group for group, _ in items),
            shown=shown[order],
            tuple_of=tuple_of[answer_order],
            best=best[answer_order],
            worst=worst[answer_order],
            annotators=None if self.annotator is None else len(self.people),
            repeats=self.repeats,
            same=self.same,
            same_answers=self.same_answers,
            control_answers=self.control_answers,
            by_position=self.by_position,
        )

    def _fault(self, shown: tuple[str, ...], best: str, worst: str) -> tuple[str, str] | None:
        items = set(shown)
        if "" in items:
            return "missing_item", f"there are {shown.count('')} empty items; write what was shown"
        for column, item in zip(self.names, (best, worst), strict=True):
            if not item:
                return "missing_choice", f"{column} is empty; write one of the items, or remove the row"
            if item not in items:
                reason = f"is none of the items; write one of {', '.join(map(shorten, shown[:8]))}"
                if self.by_position:
                    reason = f"is no position; write a number from 1 to {len(shown)}"
                return "unknown_choice", f"{column} {shorten(item)} {reason}"
        return None

    def _unnamed(self, group: str, name: str, who: str) -> tuple[str, str] | None:
        name_fields = (
            (self.group, group, "group"),
            (self.tuple, name, "tuple"),
            (self.annotator, who, "annotator"),
        )
        empty = [word for place, text, word in name_fields if place is not None and not text]
        return (f"missing_{empty[0]}", f"the row names no {empty[0]}; write which it is") if empty else None

    def _other_items(
        self, number: int, name: tuple[str, str], shown: tuple[str, ...]
    ) -> tuple[str, str] | None:
        if self.tuple is None:
            return None
        items, line = self.named.setdefault(name, (frozenset(shown), number))
        if items == frozenset(shown):
            return None
        return "other_items", f"the tuple {shorten(name[1])} has other items on line {line}; give it a name"


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


def _tuple_order(shown: Indices, names: Sequence[str]) -> Indices:
    """Return the order of the tuples by their items, then by their names."""
    by_name = {name: place for place, name in enumerate(sorted(set(names)))}
    ranks = np.array([by_name[name] for name in names])
    return np.lexsort((ranks, *np.sort(shown, axis=1).T[::-1]))
