"""The chart of uploads over time: a bar for each day, or for each hour near a deadline."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal

from server.phases.rules import Window

BarUnit = Literal["day", "hour"]

HOURLY_RANGE = timedelta(days=3)
"""How long before and after a deadline hours are shown."""
MAX_BARS = {"day": 120, "hour": 144}
"""The maximum number of bars; the newest are shown."""
MIN_BARS = {"day": 7, "hour": 12}
"""The minimum number of bars, because a single one would fill the chart."""


@dataclass(frozen=True, slots=True)
class ChartBar:
    """The number of files in the day or hour that starts at an instant."""

    start: datetime
    on_time: int
    late: int

    @property
    def total(self) -> int:
        """The number of all files."""
        return self.on_time + self.late


@dataclass(frozen=True, slots=True)
class BarPosition:
    """The position of an instant: the bar, and the part of its width, from 0 to 1."""

    index: int
    share: float


@dataclass(frozen=True, slots=True)
class UploadChart:
    """Bars without gaps, oldest first; empty if there are no files."""

    unit: BarUnit
    bars: tuple[ChartBar, ...]
    deadline: BarPosition | None = None
    """The position of the phase's deadline; None: it is outside the chart."""

    @property
    def most(self) -> ChartBar | None:
        """The highest bar, the first of them."""
        return max(self.bars, key=lambda bar: bar.total, default=None)


def build_upload_chart(arrivals: Iterable[ChartBar], window: Window, now: datetime) -> UploadChart:
    """Build the chart of a phase at `now` from the numbers of files in each hour."""
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
    """Return the position of an instant; None: it is before the first or after the last bar."""
    if at is None or not starts[0] <= at < starts[-1] + step:
        return None
    index, rest = divmod(at - starts[0], step)
    return BarPosition(index, round(rest / step, 3))


def _bar_start(at: datetime, unit: BarUnit) -> datetime:
    at = at.astimezone(UTC).replace(minute=0, second=0, microsecond=0)
    return at if unit == "hour" else at.replace(hour=0)
