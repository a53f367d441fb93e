"""Runs item by item: gold against prediction, the worst items, and where two runs differ most.

Whoever calls has asked `disclosures` whether the reader may see the files, and the gold.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import fsum, sqrt

from scorer.errors import UndefinedError
from scorer.metrics import pearson, spearman
from scorer.scoring.residuals import GenreResiduals, fit_line, residuals_by_genre
from server.core.errors import Refused
from server.core.storage import Storage
from server.gold.models import GoldVersion
from server.releases.disclosures import ReadableFile
from server.scoring import service as scoring
from server.tasks.models import Split

WORST = 10
"""How many items are listed with their texts."""


@dataclass(frozen=True, slots=True)
class ItemResult:
    """One scored item: its texts, what it was given, and what the fit leaves."""

    id: str
    genre: str
    sides: tuple[str, str]
    gold: float
    pred: float
    residual: float | None


@dataclass(frozen=True, slots=True)
class LevelResults:
    """A file against the gold, item by item; without a fit the reason, and no residuals."""

    items: tuple[ItemResult, ...]
    slope: float | None
    intercept: float | None
    by_genre: tuple[GenreResiduals, ...]
    undefined: str | None

    @property
    def worst(self) -> list[ItemResult]:
        """The items that are furthest from the fit."""
        found = [one for one in self.items if one.residual is not None]
        return sorted(found, key=lambda one: -abs(one.residual or 0))[:WORST]


@dataclass(frozen=True, slots=True)
class ItemDifference:
    """One item as two runs scored it; `distance`: of their standardized scores."""

    id: str
    genre: str
    sides: tuple[str, str]
    preds: tuple[float, float]
    gold: float | None
    distance: float


@dataclass(frozen=True, slots=True)
class RunComparison:
    """Two files of a level beside one another, and how they agree."""

    items: tuple[ItemDifference, ...]
    n: int
    pearson: float | None
    spearman: float | None

    @property
    def furthest(self) -> list[ItemDifference]:
        """The items on which the two differ most; none where one of them is constant."""
        found = [one for one in self.items if one.distance]
        return sorted(found, key=lambda one: -abs(one.distance))[:WORST]


def find_results(
    storage: Storage, split: Split, version: GoldVersion, file: ReadableFile
) -> LevelResults | None:
    """A file against the gold; None: the scorer of today does not take the file."""
    preds = _preds(storage, split, file)
    if preds is None:
        return None
    gold = scoring.gold_of(storage, split, version).values
    items = scoring.items_of(storage, split).items
    rows = zip(items, gold, preds, strict=True)
    scored = [(item, value, pred) for item, value, pred in rows if value is not None]
    undefined, slope, intercept = None, None, None
    residuals: Sequence[float | None] = [None] * len(scored)
    by_genre: tuple[GenreResiduals, ...] = ()
    try:
        fit = fit_line([value for _, value, _ in scored], [pred for _, _, pred in scored])
    except UndefinedError as error:
        undefined = error.reason
    else:
        slope, intercept, residuals = fit.slope, fit.intercept, fit.residuals
        by_genre = residuals_by_genre(fit.residuals, [item.genre for item, _, _ in scored])
    results = (
        ItemResult(item.id, item.genre, (item.left, item.right), value, pred, residual)
        for (item, value, pred), residual in zip(scored, residuals, strict=True)
    )
    return LevelResults(tuple(results), slope, intercept, by_genre, undefined)


def compare_files(
    storage: Storage, split: Split, files: tuple[ReadableFile, ReadableFile], version: GoldVersion | None
) -> RunComparison | None:
    """Two files of a level, over all its items; None: the scorer of today does not take one of them."""
    first, second = (_preds(storage, split, file) for file in files)
    if first is None or second is None:
        return None
    items = scoring.items_of(storage, split).items
    none: Sequence[float | None] = [None] * len(items)
    gold = none if version is None else scoring.gold_of(storage, split, version).values
    distances = [a - b for a, b in _standardized(first, second)]
    rows = zip(items, first, second, gold, distances, strict=True)
    found = tuple(
        ItemDifference(item.id, item.genre, (item.left, item.right), (a, b), value, distance)
        for item, a, b, value, distance in rows
    )
    values = [_defined(metric, first, second) for metric in (pearson, spearman)]
    return RunComparison(found, len(items), *values)


def _preds(storage: Storage, split: Split, file: ReadableFile) -> tuple[float, ...] | None:
    try:
        data = storage.get(file.sha256)
        return scoring.parse_run(storage, split, data, split.level.slug, baseline=file.baseline).scores
    except Refused:
        return None


def _standardized(first: Sequence[float], second: Sequence[float]) -> list[tuple[float, float]]:
    """Both with mean 0 and deviation 1; nothing differs where one of them is constant."""
    sides = []
    for values in (first, second):
        mean = fsum(values) / len(values)
        spread = sqrt(fsum([(value - mean) ** 2 for value in values]) / len(values))
        if not spread:
            return [(0.0, 0.0)] * len(values)
        sides.append([(value - mean) / spread for value in values])
    return list(zip(*sides, strict=True))


def _defined(metric: Callable[..., float], first: Sequence[float], second: Sequence[float]) -> float | None:
    try:
        return metric(first, second)
    except UndefinedError:
        return None
