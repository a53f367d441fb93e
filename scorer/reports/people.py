"""The row of a leaderboard that shows how well people would do, which has no rank and no interval."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scorer.boards.board import Board, ColumnKey, columns_of
from scorer.boards.people import PEOPLE, PeopleRow
from scorer.files.text import count_noun
from scorer.reports.tables import TableSection

_KIND = "people"
_SECTION = "Annotators of the gold standard, not ranked"
NOTE = (
    f"{PEOPLE}: how well people would do. The ratings of each annotator of the gold standard are compared "
    "with the mean of the others' ratings. A system can be better, because the ratings of one person vary "
    "more than a mean."
)


def people_tsv(board: Board, people: PeopleRow) -> Iterator[list[Any]]:
    """Yield the columns from the kind to the signature for each value, as TSV has them for a system."""
    keys = _columns(board, people)
    for slug, metric in keys:
        score = people.scores[slug, metric]
        names = _KIND, PEOPLE, _name_annotators(people, keys), slug, metric
        yield [*names, score.value, None, score.units, None, score.signature]


def people_csv(board: Board, people: PeopleRow, head: Sequence[str]) -> Iterator[list[Any]]:
    """Yield the row below a head whose columns of values are called `LEVEL METRIC`."""
    columns = {key: f"{key[0]} {key[1]}" for key in _columns(board, people)}
    if columns:
        names = {"kind": _KIND, "team": PEOPLE, "run": _name_annotators(people, columns)}
        cells = {**names, **{column: people.scores[key].value for key, column in columns.items()}}
        yield [cells.get(column) for column in head]


def people_sections(
    people: PeopleRow, head: Sequence[str], columns: Mapping[ColumnKey, str]
) -> Iterator[TableSection]:
    """Yield the section of a table; `columns` are the names of its columns of values in the head."""
    for title, cells in people_rows(people, columns, ("Team", "Run")):
        texts = {name: f"{cell:z.3f}" if isinstance(cell, float) else cell for name, cell in cells.items()}
        yield TableSection([[texts.get(column, "") for column in head]], title)


def people_rows(
    people: PeopleRow, columns: Mapping[ColumnKey, str], names: tuple[str, str]
) -> Iterator[tuple[str, dict[str, str | float]]]:
    """Yield the title of the section and its row by the names of columns, if a column has a value.

    Parameters
    ----------
    people : PeopleRow
    columns : mapping of ColumnKey to str
        The names of the columns of values.
    names : (str, str)
        The names of the columns of the team and of its run.
    """
    shown = {key: column for key, column in columns.items() if key in people.scores}
    if shown:
        words = dict(zip(names, (PEOPLE, _name_annotators(people, shown)), strict=True))
        yield _SECTION, {**words, **{column: people.scores[key].value for key, column in shown.items()}}


def _columns(board: Board, people: PeopleRow) -> list[ColumnKey]:
    return [key for key in columns_of(board) if key in people.scores]


def _name_annotators(people: PeopleRow, keys: Sequence[ColumnKey] | Mapping[ColumnKey, str]) -> str:
    least, most = people.count_annotators(keys)
    return count_noun(most, "annotator") if least == most else f"{least} to {most} annotators"
