"""Combine a board with the runs of its systems: the gold and the predictions of the scored items."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from scorer.boards.board import Board, BoardRules, rows_of
from scorer.boards.board_data import LevelData, SystemData
from scorer.errors import RequestError
from scorer.files.reading import Run
from scorer.metrics import get_metric, metric_value
from scorer.statistics.samples import Sample, count_units, make_sample
from scorer.values import Undefined


@dataclass(frozen=True, slots=True)
class LevelEntries:
    """The scored items of a level, and the predictions of each system that entered it.

    A system is identified by the index of its row on the board.
    """

    slug: str
    gold: list[float]
    genres: list[str]
    groups: list[str | None] | None
    preds: Mapping[int, Sequence[float]]
    """The (n,) predictions by system."""
    confidences: Mapping[int, list[float]]
    """The (n,) confidences by system; empty if no metric of the level needs them."""
    sds: list[float] | None = None
    """The (n,) standard deviations of the ratings, if all are known."""
    copy: int = 0
    """The number of earlier levels with the same gold."""

    @property
    def n(self) -> int:
        """The number of scored items."""
        return len(self.gold)

    def value(self, system: int, metric: str) -> float | Undefined:
        """Compute a metric for one system on these items."""
        pred, confidences = self.preds[system], self.confidences.get(system, ())
        return metric_value(get_metric(metric), self.gold, pred, self.groups, confidences, self.sds)

    def weight(self, rules: BoardRules) -> float:
        """Return the weight of the level in a total."""
        return float(self.n) if rules.total == "weighted" else 1.0

    def sample(self, systems: Sequence[int]) -> Sample:
        """Return a sample with the gold and the predictions of some systems."""
        return make_sample(
            self.gold,
            [self.preds[system] for system in systems],
            self.groups,
            [self.confidences[system] for system in systems] if self.confidences else None,
            sds=self.sds,
            copy=self.copy,
        )

    def without(self, genre: str) -> "LevelEntries":
        """Return a copy without the items of a genre."""
        places = [place for place, item_genre in enumerate(self.genres) if item_genre != genre]
        return LevelEntries(
            self.slug,
            [self.gold[place] for place in places],
            [self.genres[place] for place in places],
            None if self.groups is None else [self.groups[place] for place in places],
            {system: [pred[place] for place in places] for system, pred in self.preds.items()},
            {system: [values[place] for place in places] for system, values in self.confidences.items()},
            None if self.sds is None else [self.sds[place] for place in places],
            self.copy,
        )


def collect_entries(
    board: Board, levels: Sequence[LevelData], systems: Sequence[SystemData]
) -> list[LevelEntries]:
    """Match the data of levels and systems to the levels and rows of a board.

    Raises
    ------
    RequestError
        If there is no data for a level or a row of the board, or if a run has a different number of items
        than the gold.
    """
    by_name = {(system.kind, system.team, system.run): system for system in systems}
    by_slug = {level.slug: level for level in levels}
    missing = [level.slug for level in board.levels if level.slug not in by_slug]
    missing += [f"{row.kind} {row.team} {row.run}" for row in rows_of(board) if row.key not in by_name]
    if missing:
        raise RequestError(f"the board has {missing[0]}, of which no data was given")
    rows = [by_name[row.key] for row in rows_of(board)]
    entries = [_collect_level(by_slug[level.slug], rows, level.metrics) for level in board.levels]
    golds = [level_entries.gold for level_entries in entries]
    return [
        replace(level_entries, copy=golds[:place].count(level_entries.gold))
        for place, level_entries in enumerate(entries)
    ]


def count_scored_units(level: LevelData) -> int:
    """Count the groups of the scored items of a level, and the items without a group."""
    return count_units((place for place, _ in _list_scored(level)), level.gold.groups)


def _list_scored(level: LevelData) -> list[tuple[int, float]]:
    """List the places and gold values of the scored items."""
    return [
        (place, value)
        for place, value in enumerate(level.gold.values)
        if value is not None and (level.part is None or place in level.part.places)
    ]


def _collect_level(level: LevelData, rows: Sequence[SystemData], metrics: Sequence[str]) -> LevelEntries:
    is_weighted = any(get_metric(metric).needs == "confidences" for metric in metrics)
    n, scored = len(level.gold.values), _list_scored(level)
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
        {system: _choose(run.scores, scored) for system, run in runs.items()},
        {system: _confidences(run, scored) for system, run in runs.items() if is_weighted},
        level.gold.sds_at([place for place, _ in scored]),
    )


def _choose(scores: Sequence[float], scored: Sequence[tuple[int, float]]) -> Sequence[float]:
    """Return the scores of the scored items; the same object if these are all items, to save memory."""
    return scores if len(scored) == len(scores) else [scores[place] for place, _ in scored]


def _confidences(run: Run, scored: Sequence[tuple[int, float]]) -> list[float]:
    """Return the confidences of the scored items. A missing one counts as the highest possible one."""
    weights = (run.confidences[place] for place, _ in scored)
    return [run.confidence_max if weight is None else weight for weight in weights]
