"""Public statistics of a task's items: computed from public files, and the uploads of closed phases.

Nothing here depends on the reader or on hidden gold: a distribution is shown once its gold is public.
"""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from statistics import median
from typing import Any

from sqlalchemy.orm import Session

from server.access import service as access, tasks
from server.core.storage import storage_of
from server.gold import versions as gold_versions
from server.gold.models import GoldVersion
from server.organize.upload_chart import BarPosition, ChartBar, find_bar_position
from server.phases import windows
from server.phases.models import Phase
from server.scoring import service as scoring
from server.submissions import listings
from server.tasks.models import Level, Split, Task

DAY = timedelta(days=1)
MAX_DAYS = 120
"""The maximum number of days in a chart, the newest; a practice phase may last for years."""
MAX_GAP_TO_DEADLINE = timedelta(days=14)
"""Days without files before the deadline are drawn only if they are not more than these."""
MAX_SCALE_STEPS = 40
SCALE_PARTS = 8
"""The number of bins for a scale without steps, or with too many steps."""


@dataclass(frozen=True, slots=True)
class TokenLengths:
    """Numbers of tokens, separated by whitespace, of one side, over the items of a split."""

    least: int
    median: float
    mean: float
    most: int


@dataclass(frozen=True, slots=True)
class ItemStatistics:
    """Statistics of the items of a split that reveal no item."""

    n: int
    sides: tuple[TokenLengths, TokenLengths]
    genres: dict[str, int]


@dataclass(frozen=True, slots=True)
class SplitStatistics:
    """The items of one level and split; `gold`: how many are in each bin of the scale, if it is public."""

    level: Level
    split: Split
    items: ItemStatistics
    gold: dict[float, int] | None

    @property
    def mean_gold(self) -> float:
        """The mean of the bins of its public gold labels."""
        counts = self.gold or {}
        return sum(place * count for place, count in counts.items()) / (sum(counts.values()) or 1)


def list_open_splits(task: Task, phases: Sequence[Phase], now: datetime) -> list[str]:
    """List the splits whose items are public, the one that decides first."""
    open_names = access.open_splits(list(phases), now)
    return [
        name for name in ("test", "trial", "training") if name in open_names and _splits_named(task, name)
    ]


def describe_split(session: Session, task: Task, name: str) -> list[SplitStatistics]:
    """Describe each level's items of a public split."""
    splits = _splits_named(task, name)
    golds = gold_versions.list_golds(session, [split for split in splits if split.public_gold])
    return [
        SplitStatistics(
            split.level,
            split,
            _measure_items(session, split.items_sha256, split.level.slug, json.dumps(split.level.layout)),
            _gold_distribution(session, task, split, golds),
        )
        for split in splits
    ]


def list_closed_phase_uploads(
    session: Session, phases: Sequence[Phase], now: datetime
) -> list[tuple[Phase, list[ChartBar], BarPosition | None]]:
    """Count accepted files by day in phases for whose items no file can arrive, with the deadline."""
    over = [phase for phase in phases if _is_closed(session, phase, now)]
    counts = listings.count_uploads(session, over, DAY)
    days = [(phase, _upload_days(counts[phase.id], phase.closes)) for phase in over if counts[phase.id]]
    return [
        (phase, bars, find_bar_position([bar.start for bar in bars], DAY, phase.closes))
        for phase, bars in days
    ]


def _splits_named(task: Task, name: str) -> list[Split]:
    splits = (tasks.find_split(level, name) for level in task.levels)
    return [split for split in splits if split is not None]


def _is_closed(session: Session, phase: Phase, now: datetime) -> bool:
    return phase.closes is not None and not windows.files_may_come(session, phase, now)


def _upload_days(counts: dict[datetime, tuple[int, int]], closes: datetime | None) -> list[ChartBar]:
    """Return every day from the first to the last, or the newest ones; up to the deadline, if it is near."""
    last = max(counts)
    if closes is not None and closes < last + MAX_GAP_TO_DEADLINE:
        last += max(timedelta(), (closes - last) // DAY * DAY)
    number = min(MAX_DAYS, (last - min(counts)) // DAY + 1)
    starts = [last - k * DAY for k in reversed(range(number))]
    return [ChartBar(start, *counts.get(start, (0, 0))) for start in starts]


@lru_cache(maxsize=64)
def _measure_items(session: Session, sha256: str, name: str, layout: str) -> ItemStatistics:
    """Measure an items file; cached, because the file of a hash never changes."""
    items = scoring.parse_items(storage_of(session).get(sha256), name, json.loads(layout)).items
    genres = dict(Counter(item.genre for item in items if item.genre))
    sides = _measure_lengths(item.left for item in items), _measure_lengths(item.right for item in items)
    return ItemStatistics(len(items), sides, genres)


def _measure_lengths(texts: Iterable[str]) -> TokenLengths:
    lengths = [len(text.split()) for text in texts]
    return TokenLengths(min(lengths), median(lengths), sum(lengths) / len(lengths), max(lengths))


def _gold_distribution(
    session: Session, task: Task, split: Split, golds: dict[int, GoldVersion]
) -> dict[float, int] | None:
    """Count the scored items by the nearest bin of the scale."""
    version = golds.get(split.id)
    if version is None:
        return None
    values = [value for value in scoring.gold_of(session, split, version).values if value is not None]
    places = list_scale_places(*task.scale, task.scale_step)
    nearest = Counter(min(places, key=lambda place: abs(place - value)) for value in values)
    return {place: nearest[place] for place in places}


def list_scale_places(least: float, most: float, step: float | None) -> list[float]:
    """Return the bins of a scale: its steps, or eight parts if it has none or too many."""
    width = step or (most - least) / SCALE_PARTS
    if (most - least) / width > MAX_SCALE_STEPS:
        width = (most - least) / SCALE_PARTS
    return [round(least + k * width, 10) for k in range(round((most - least) / width) + 1)]


def build_table(facts: Sequence[SplitStatistics]) -> dict[str, Any]:
    """Build the table of genres, their number of items, and bins of the scale, in order of appearance.

    A level whose items are of one genre, such as the prefix that all their ids have, is not divided by it.
    """
    divided = [split_facts for split_facts in facts if len(split_facts.items.genres) > 1]
    genres = dict.fromkeys(genre for split_facts in divided for genre in split_facts.items.genres)
    places = next((list(split_facts.gold) for split_facts in facts if split_facts.gold is not None), [])
    sizes = sorted({split_facts.items.genres.get(genre, 0) for split_facts in divided for genre in genres})
    return {"divided": divided, "genres": list(genres), "sizes": sizes, "places": places}
