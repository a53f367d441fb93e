"""When a text contains gold: so many labels of its items stand in it together that it is no accident."""

import csv
import io
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from math import ceil, log2

MIN_LABELS = 3
BITS = 40
"""Labels with so much information together are found by accident once in 10^12 places."""
MAX_LABELS, MAX_COLUMNS = 400, 100
NO_LABEL, MAX_LETTERS = "\0", sys.maxunicode
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_Row = list[float | None]


@dataclass(slots=True)
class GoldLabels:
    """The labels of items in their order, with the ids of the items if they have any."""

    values: Sequence[float | None]
    ids: Sequence[str] | None = None
    _bits: dict[float, float] = field(init=False)
    """The information of each label: rare ones have more."""
    _letters: dict[float, str] = field(init=False)
    """A letter for each label, so that labels are looked for as a word in a text."""
    _words: set[str] = field(init=False)
    """The labels of consecutive items, cut into stretches of the same length."""

    def __post_init__(self) -> None:
        given = [value for value in self.values if value is not None]
        self._bits = {value: -log2(n / len(given)) for value, n in Counter(given).items()}
        mean = sum(self._bits[value] for value in given) / len(given) if given else 0
        length = min(len(given), MAX_LABELS, ceil(BITS / mean) if mean else MAX_LABELS)
        starts = range(0, len(given) - length + 1, max(length, 1))
        stretches = [given[start : start + length] for start in starts]
        self._letters = {label: chr(1 + place % MAX_LETTERS) for place, label in enumerate(self._bits)}
        self._words = {
            self._spell(stretch) for stretch in stretches if self._are_no_accident(stretch, len(given))
        }

    def _are_no_accident(self, labels: Sequence[float], n_labels: int) -> bool:
        """Whether labels are all that the items have, or more than an accident."""
        is_enough = len(labels) == n_labels or sum(self._bits[label] for label in labels) > BITS / 2
        return is_enough and len(labels) >= MIN_LABELS and len(set(labels)) > 1

    def are_in(self, text: str) -> bool:
        """Whether labels of consecutive items stand in a list or a column, or labels beside their ids."""
        tables = [
            (rows, [[_read_number(cell) for cell in row] for row in rows]) for rows in _list_tables(text)
        ]
        series = _list_series(text, [numbers for _rows, numbers in tables])
        return any(map(self._are_in_series, series)) or any(self._are_beside_ids(*table) for table in tables)

    def _are_in_series(self, series: Sequence[float]) -> bool:
        spelled = self._spell(series)
        return any(word in spelled for word in self._words)

    def _spell(self, numbers: Iterable[float]) -> str:
        return "".join([self._letters.get(number, NO_LABEL) for number in numbers])

    def _are_beside_ids(self, rows: Iterable[Sequence[str]], numbers: Iterable[_Row]) -> bool:
        """Whether a column has the label of each row's item, wherever the rows come from."""
        labels = {
            id_: label for id_, label in zip(self.ids or (), self.values, strict=False) if label is not None
        }
        found, wrong = defaultdict[int, list[float]](list), set[int]()
        for row, of_row in zip(rows, numbers, strict=True) if labels else ():
            place_of_id = next((place for place, cell in enumerate(row) if cell.strip() in labels), None)
            if place_of_id is None:
                continue
            label = labels[row[place_of_id].strip()]
            for place, number in enumerate(of_row):
                if number != label or place == place_of_id:
                    wrong.add(place)
                else:
                    found[place].append(label)
        return any(self._are_no_accident(found[place], len(labels)) for place in found.keys() - wrong)


def _list_tables(text: str) -> Iterator[list[list[str]]]:
    """Read a text as a table with each delimiter that it has."""
    for delimiter in "\t,;":
        if delimiter in text:
            yield [row[:MAX_COLUMNS] for row in _split_rows(text, delimiter)]


def _split_rows(text: str, delimiter: str) -> list[list[str]]:
    if delimiter != "\t":
        with suppress(csv.Error):  # a field is too long, as its quotation mark has no second one
            return list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
    return [line.split(delimiter) for line in text.splitlines()]


def _list_series(text: str, tables: Iterable[list[_Row]]) -> Iterator[list[float]]:
    """List the numbers that a text has one after another: in all of it, in last cells, in each column."""
    yield [float(number) for number in _NUMBER.findall(text)]
    for rows in tables:
        yield [number for row in rows for number in row if number is not None]
        yield [row[-1] for row in rows if row and row[-1] is not None]
        columns = defaultdict[int, list[float]](list)
        for row in rows:
            for place, number in enumerate(row):
                if number is not None:
                    columns[place].append(number)
        yield from columns.values()


def _read_number(cell: str) -> float | None:
    """Return the last number in a cell, such as that after the name of a field in JSON."""
    try:
        return float(cell)
    except ValueError:
        found = _NUMBER.findall(cell)
        return float(found[-1]) if found else None
