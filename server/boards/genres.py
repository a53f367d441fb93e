"""Values by genre as the scorer computed them for a release: a table of a level and a metric."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from server.boards.interval_bars import Axis, round_axis
from server.boards.systems import rows_by_key

SystemKey = tuple[str, str, str]
"""Kind, team and run of a system."""
Cell = dict[str, Any]
"""As a board has it: a value, or the reason why there is none."""


@dataclass(frozen=True, slots=True)
class GenreColumn:
    """A column: the items of a genre that were scored."""

    name: str
    n: int
    signature: str


@dataclass(frozen=True, slots=True)
class GenreTable:
    """The systems of a release by the genres of each level that has some."""

    values: Mapping[str, Any]

    @property
    def levels(self) -> list[str]:
        """The slugs of the levels that have genres."""
        return [level["level"] for level in self.values["levels"]]

    def genres(self, level: str, metric: str) -> list[GenreColumn]:
        """The columns of a level by a metric; none where it has no genres."""
        return [
            GenreColumn(column["genre"], column["n"], column["signature"])
            for column in self._level(level)["columns"]
            if column["metric"] == metric
        ]

    def rows(self, level: str, metric: str) -> dict[SystemKey, list[Cell]]:
        """The values of each system that entered a level, in the order of its genres."""
        level_values, systems = self._level(level), self.values["systems"]
        places = [at for at, column in enumerate(level_values["columns"]) if column["metric"] == metric]
        return {
            (system["kind"], system["team"], system["run"]): [_cell(row["values"][at]) for at in places]
            for row in level_values["rows"]
            for system in [systems[row["system"]]]
        }

    def axis(self, level: str, metric: str) -> Axis | None:
        """Round ends around all values of a level by a metric; None: it has none."""
        rows = self.rows(level, metric).values()
        numbers = [cell["value"] for cells in rows for cell in cells if cell["value"] is not None]
        return round_axis(numbers) if numbers else None

    def _level(self, slug: str) -> Mapping[str, Any]:
        none: dict[str, Any] = {"columns": [], "rows": []}
        return next((level for level in self.values["levels"] if level["level"] == slug), none)


@dataclass(frozen=True, slots=True)
class LevelByGenre:
    """What a system has at a level: its value on all items, and by the name of a genre on those alone."""

    level: str
    title: str
    metric: str
    whole: Cell
    cells: Mapping[str, Cell]
    """With their n; what is not there has no items at this level."""


def list_levels_by_genre(table: GenreTable, board: Mapping[str, Any], who: SystemKey) -> list[LevelByGenre]:
    """A system by genre, by the official metric of each level that it entered and that has genres."""
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
    """What the scorer computed, as this site keeps it."""
    return GenreTable(json.loads(text))


def genre_levels(text: str) -> dict[str, Any]:
    """What the page of a board needs of it: at which levels there are genres, if at any."""
    levels = read_genres(text).levels
    return {"genres": levels} if levels else {}
