"""Values by genre as the scorer computed them for a release: a table for each level and metric."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from server.boards.interval_bars import Axis, round_axis
from server.boards.systems import SystemKey, rows_by_key

Cell = dict[str, Any]
"""A cell of a leaderboard: a value, or the reason why it is undefined."""


@dataclass(frozen=True, slots=True)
class GenreColumn:
    """A column: the scored items of a genre."""

    name: str
    n: int
    signature: str


@dataclass(frozen=True, slots=True)
class GenreTable:
    """The values of a release's systems by genre, for each level with genres."""

    values: Mapping[str, Any]

    @property
    def levels(self) -> list[str]:
        """The slugs of the levels that have genres."""
        return [level["level"] for level in self.values["levels"]]

    def genres(self, level: str, metric: str) -> list[GenreColumn]:
        """Return the columns of a level by a metric; empty if it has no genres."""
        return [
            GenreColumn(column["genre"], column["n"], column["signature"])
            for column in self._level(level)["columns"]
            if column["metric"] == metric
        ]

    def rows(self, level: str, metric: str) -> dict[SystemKey, list[Cell]]:
        """Return the values of each system that entered a level, in the order of the genres."""
        level_values, systems = self._level(level), self.values["systems"]
        places = [at for at, column in enumerate(level_values["columns"]) if column["metric"] == metric]
        return {
            (system["kind"], system["team"], system["run"]): [_cell(row["values"][at]) for at in places]
            for row in level_values["rows"]
            for system in [systems[row["system"]]]
        }

    def axis(self, level: str, metric: str) -> Axis | None:
        """Return an axis for all values of a level by a metric; None: there are none."""
        rows = self.rows(level, metric).values()
        numbers = [cell["value"] for cells in rows for cell in cells if cell["value"] is not None]
        return round_axis(numbers) if numbers else None

    def _level(self, slug: str) -> Mapping[str, Any]:
        none: dict[str, Any] = {"columns": [], "rows": []}
        return next((level for level in self.values["levels"] if level["level"] == slug), none)


@dataclass(frozen=True, slots=True)
class LevelByGenre:
    """A system's value on all items of a level, and its value in each genre, by name."""

    level: str
    title: str
    metric: str
    whole: Cell
    cells: Mapping[str, Cell]
    """Each cell has the number of items; a genre without a cell has no items at this level."""


def list_levels_by_genre(table: GenreTable, board: Mapping[str, Any], who: SystemKey) -> list[LevelByGenre]:
    """List a system's values by genre, by the official metric of each level that it entered with genres."""
    row = rows_by_key(board)[who]
    levels = []
    for level in board["levels"]:
        slug, metric = level["slug"], level["metrics"][0]
        if cells := table.rows(slug, metric).get(who):
            genres = table.genres(slug, metric)
            by_name = {genre.name: {**cell, "n": genre.n} for genre, cell in zip(genres, cells, strict=True)}
            levels.append(LevelByGenre(slug, level["title"], metric, row["levels"][slug][metric], by_name))
    return levels


def _cell(value: float | dict[str, str]) -> Cell:
    return {"value": None, "undefined": value} if isinstance(value, dict) else {"value": value}


def read_genres(text: str) -> GenreTable:
    """Parse the values by genre that the scorer computed, as the site stores them."""
    return GenreTable(json.loads(text))


def genre_levels(text: str) -> dict[str, Any]:
    """Extract what the page of a leaderboard needs: the levels with genres, if there are any."""
    levels = read_genres(text).levels
    return {"genres": levels} if levels else {}
