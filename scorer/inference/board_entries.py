"""What each system of a board sent to each level: the items that are scored, as plain lists."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from scorer.boards.board import Board, BoardRules, rows_of
from scorer.boards.board_data import LevelData, SystemData
from scorer.errors import RequestError
from scorer.files.reading import Run
from scorer.metrics import get_metric
from scorer.scoring.evaluate import metric_value
from scorer.statistics.samples import Sample, make_sample
from scorer.values import Undefined


@dataclass(frozen=True, slots=True)
class LevelEntries:
    """The scored items of a level, and what each system that entered it answered; systems by their row."""

    slug: str
    gold: list[float]
    genres: list[str]
    groups: list[str | None] | None
    preds: Mapping[int, list[float]]
    confidences: Mapping[int, list[float]]
    copy: int = 0
    """How many levels before it have the same gold."""

    @property
    def n(self) -> int:
        """How many items are scored."""
        return len(self.gold)

    def value(self, system: int, metric: str) -> float | Undefined:
        """A metric of one system on these items."""
        pred, confidences = self.preds[system], self.confidences[system]
        return metric_value(get_metric(metric), self.gold, pred, self.groups, confidences)

    def weight(self, rules: BoardRules) -> float:
        """How much the level counts in a total."""
        return float(self.n) if rules.total == "weighted" else 1.0

    def sample(self, systems: Sequence[int]) -> Sample:
        """Gold and the answers of some systems."""
        return make_sample(
            self.gold,
            [self.preds[system] for system in systems],
            self.groups,
            [self.confidences[system] for system in systems],
            copy=self.copy,
        )

    def without(self, genre: str) -> "LevelEntries":
        """The same without the items of a genre."""
        places = [place for place, each in enumerate(self.genres) if each != genre]
        return LevelEntries(
            self.slug,
            [self.gold[place] for place in places],
            [self.genres[place] for place in places],
            None if self.groups is None else [self.groups[place] for place in places],
            {system: [pred[place] for place in places] for system, pred in self.preds.items()},
            {system: [each[place] for place in places] for system, each in self.confidences.items()},
            self.copy,
        )


def collect_entries(
    board: Board, levels: Sequence[LevelData], systems: Sequence[SystemData]
) -> list[LevelEntries]:
    """Bring files and board together.

    Raises
    ------
    RequestError
        If a level or a row of the board has no data, or a run another number of items than its gold.
    """
    by_name = {(each.kind, each.team, each.run): each for each in systems}
    by_slug = {each.slug: each for each in levels}
    missing = [level.slug for level in board.levels if level.slug not in by_slug]
    missing += [
        f"{row.kind} {row.team} {row.run}"
        for row in rows_of(board)
        if (row.kind, row.team, row.run) not in by_name
    ]
    if missing:
        raise RequestError(f"the board has {missing[0]}, of which no data was given")
    rows = [by_name[row.kind, row.team, row.run] for row in rows_of(board)]
    entries = [_collect_level(by_slug[level.slug], rows) for level in board.levels]
    golds = [each.gold for each in entries]
    return [replace(each, copy=golds[:place].count(each.gold)) for place, each in enumerate(entries)]


def _collect_level(level: LevelData, rows: Sequence[SystemData]) -> LevelEntries:
    n = len(level.gold.values)
    scored = [
        (place, value)
        for place, value in enumerate(level.gold.values)
        if value is not None and (level.part is None or place in level.part.places)
    ]
    runs = {system: row.runs[level.slug] for system, row in enumerate(rows) if level.slug in row.runs}
    for system, run in runs.items():
        if len(run.scores) != n:
            name = f"{rows[system].team} {rows[system].run}"
            raise RequestError(f"{level.slug} has {n} items and {name} has {len(run.scores)} scores")
    return LevelEntries(
        level.slug,
        [value for _, value in scored],
        [level.genres[place] for place, _ in scored],
        None if level.gold.groups is None else [level.gold.groups[place] for place, _ in scored],
        {system: [run.scores[place] for place, _ in scored] for system, run in runs.items()},
        {system: _confidences(run, [place for place, _ in scored]) for system, run in runs.items()},
    )


def _confidences(run: Run, places: Sequence[int]) -> list[float]:
    """A line without a confidence weighs as much as the highest."""
    weights = [run.confidences[place] for place in places]
    highest = max((weight for weight in weights if weight is not None), default=1.0)
    return [highest if weight is None else weight for weight in weights]
