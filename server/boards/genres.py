"""Values by genre as the scorer computed them for a release: a table for each level and metric."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from scorer.boards.board import Board, Cell, SystemKey
from scorer.typed_json import PLAIN_READER, Fault, Scalar, parse_json
from scorer.values import Undefined
from server.boards.inference_json import InferredSystem
from server.boards.interval_bars import Axis, round_axis
from server.boards.systems import rows_by_key

GenreValue = Annotated[
    float | Undefined,
    Scalar(
        "a value",
        lambda value: type(value) is float or (type(value) is dict and value.keys() == {"code", "reason"}),
        lambda value: Undefined(**value) if isinstance(value, dict) else value,
    ),
]


@dataclass(frozen=True, slots=True)
class GenreColumn:
    """A column: the scored items of a genre by a metric."""

    genre: str
    metric: str
    n: int
    signature: str


@dataclass(frozen=True, slots=True)
class GenreRow:
    """The values of a system, which is given by its index, in each column."""

    system: int
    values: tuple[GenreValue, ...]


@dataclass(frozen=True, slots=True)
class GenreLevel:
    """The values of a level that has genres."""

    level: str
    columns: tuple[GenreColumn, ...]
    rows: tuple[GenreRow, ...]


@dataclass(frozen=True, slots=True)
class GenreTable:
    """The values of a release's systems by genre, for each level with genres."""

    systems: tuple[InferredSystem, ...]
    levels: tuple[GenreLevel, ...]

    def genres(self, level: str, metric: str) -> list[GenreColumn]:
        """Return the columns of a level by a metric; empty if it has no genres."""
        return [column for column in self._level(level).columns if column.metric == metric]

    def rows(self, level: str, metric: str) -> dict[SystemKey, list[float | Undefined]]:
        """Return the values of each system that entered a level, in the order of the genres."""
        table = self._level(level)
        places = [at for at, column in enumerate(table.columns) if column.metric == metric]
        return {self.systems[row.system].key: [row.values[at] for at in places] for row in table.rows}

    def axis(self, level: str, metric: str) -> Axis | None:
        """Return an axis for all values of a level by a metric; None: there are none."""
        rows = self.rows(level, metric).values()
        numbers = [value for values in rows for value in values if not isinstance(value, Undefined)]
        return round_axis(numbers) if numbers else None

    def _level(self, slug: str) -> GenreLevel:
        return next((level for level in self.levels if level.level == slug), GenreLevel(slug, (), ()))


@dataclass(frozen=True, slots=True)
class LevelByGenre:
    """A system's value on all items of a level, and its value and the number of items in each genre."""

    level: str
    title: str
    metric: str
    whole: Cell
    cells: Mapping[str, Cell]
    """By the genre's name; a genre without a cell has no items at this level."""


def list_levels_by_genre(table: GenreTable, board: Board, key: SystemKey) -> list[LevelByGenre]:
    """List a system's values by genre, by the official metric of each level that it entered with genres."""
    row = rows_by_key(board)[key]
    levels = []
    for level in board.levels:
        metric = level.metrics[0]
        if values := table.rows(level.slug, metric).get(key):
            genres = table.genres(level.slug, metric)
            cells = {genre.genre: Cell(value, n=genre.n) for genre, value in zip(genres, values, strict=True)}
            levels.append(LevelByGenre(level.slug, level.title, metric, row.cells[level.slug][metric], cells))
    return levels


def read_genres(text: str) -> GenreTable:
    """Parse the values by genre that the scorer computed, as the site stores them.

    Raises:
        ValueError: it is something else.
    """
    faults = list[Fault]()
    table = PLAIN_READER.read(GenreTable, parse_json(text), faults)
    if faults:
        raise ValueError(f"{faults[0][0]} {faults[0][1]}")
    return table


def genre_levels(text: str) -> dict[str, Any]:
    """Extract what the page of a leaderboard needs: the levels with genres, if there are any."""
    levels = [level.level for level in read_genres(text).levels]
    return {"genres": levels} if levels else {}
