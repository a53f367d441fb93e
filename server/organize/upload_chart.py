"""The chart of uploads over time: a bar for each day, or for each hour where a deadline is near."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal

from server.phases.rules import Window

BarUnit = Literal["day", "hour"]

HOURLY_RANGE = timedelta(days=3)
"""How long before and after a deadline its hours are of interest."""
MAX_BARS = {"day": 120, "hour": 144}
"""The most bars: the newest are shown."""
MIN_BARS = {"day": 7, "hour": 12}
"""The fewest bars: one alone would fill the picture."""


@dataclass(frozen=True, slots=True)
class ChartBar:
    """How many files came from an instant on, for a day or an hour."""

    start: datetime
    on_time: int
    late: int

    @property
    def total(self) -> int:
        """All of them."""
        return self.on_time + self.late


@dataclass(frozen=True, slots=True)
class BarPosition:
    """Where an instant lies among bars: in which of them, and how far, from 0 to 1."""

    index: int
    share: float


@dataclass(frozen=True, slots=True)
class UploadChart:
    """Bars without gaps, oldest first; none where nothing came."""

    unit: BarUnit
    bars: tuple[ChartBar, ...]
    deadline: BarPosition | None = None
    """Where the phase closes; None: nowhere here."""

    @property
    def most(self) -> ChartBar | None:
        """The fullest bar, the first of them."""
        return max(self.bars, key=lambda bar: bar.total, default=None)


def build_upload_chart(arrivals: Iterable[ChartBar], window: Window, now: datetime) -> UploadChart:
    """The bars of a phase as they stand at `now`, of the files of each hour."""
    near = window.closes is not None and abs(now - window.closes) <= HOURLY_RANGE
    unit: BarUnit = "hour" if near else "day"
    step = timedelta(hours=1) if near else timedelta(days=1)
    counts: dict[datetime, tuple[int, int]] = {}
    for uploads in arrivals:
        start = _bar_start(uploads.start, unit)
        on_time, late = counts.get(start, (0, 0))
        counts[start] = on_time + uploads.on_time, late + uploads.late
    if not counts:
        return UploadChart(unit, ())
    last = max(*counts, _bar_start(min(now, window.grace_ends or now), unit))
    number = max(MIN_BARS[unit], min(MAX_BARS[unit], (last - min(counts)) // step + 1))
    starts = [last - step * k for k in reversed(range(number))]
    bars = tuple(ChartBar(start, *counts.get(start, (0, 0))) for start in starts)
    return UploadChart(unit, bars, find_bar_position(starts, step, window.closes))


def find_bar_position(starts: Sequence[datetime], step: timedelta, at: datetime | None) -> BarPosition | None:
    """The bar of an instant; None: it is before the first or after the last."""
    if at is None or not starts[0] <= at < starts[-1] + step:
        return None
    index, rest = divmod(at - starts[0], step)
    return BarPosition(index, round(rest / step, 3))


def _bar_start(at: datetime, unit: BarUnit) -> datetime:
    at = at.astimezone(UTC).replace(minute=0, second=0, microsecond=0)
    return at if unit == "hour" else at.replace(hour=0)
