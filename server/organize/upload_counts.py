"""Files over time: a count for each day, or for each hour where a deadline is near."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal

from server.phases.rules import Window

Unit = Literal["day", "hour"]

NEAR = timedelta(days=3)
"""How long before and after a deadline its hours are of interest."""
MOST = {"day": 120, "hour": 144}
"""The most bars: the newest are shown."""
FEWEST = {"day": 7, "hour": 12}
"""The fewest bars: one alone would fill the picture."""


@dataclass(frozen=True, slots=True)
class HourlyUploads:
    """How many files came within an hour."""

    hour: datetime
    on_time: int
    late: int


@dataclass(frozen=True, slots=True)
class Bar:
    """How many files came from an instant on, for a day or an hour."""

    start: datetime
    on_time: int
    late: int

    @property
    def total(self) -> int:
        """All of them."""
        return self.on_time + self.late


@dataclass(frozen=True, slots=True)
class Mark:
    """Where an instant lies among bars: in which of them, and how far, from 0 to 1."""

    index: int
    share: float


@dataclass(frozen=True, slots=True)
class Activity:
    """Bars without gaps, oldest first; none where nothing came."""

    unit: Unit
    bars: tuple[Bar, ...]
    deadline: Mark | None = None
    """Where the phase closes; None: nowhere here."""

    @property
    def most(self) -> Bar | None:
        """The fullest bar, the first of them."""
        return max(self.bars, key=lambda bar: bar.total, default=None)


def activity(arrivals: Iterable[HourlyUploads], window: Window, now: datetime) -> Activity:
    """The bars of a phase as they stand at `now`."""
    near = window.closes is not None and abs(now - window.closes) <= NEAR
    unit: Unit = "hour" if near else "day"
    step = timedelta(hours=1) if near else timedelta(days=1)
    counts: dict[datetime, tuple[int, int]] = {}
    for one in arrivals:
        start = _floor(one.hour, unit)
        on_time, late = counts.get(start, (0, 0))
        counts[start] = on_time + one.on_time, late + one.late
    if not counts:
        return Activity(unit, ())
    last = max(*counts, _floor(min(now, window.grace_ends or now), unit))
    number = max(FEWEST[unit], min(MOST[unit], (last - min(counts)) // step + 1))
    starts = [last - step * k for k in reversed(range(number))]
    bars = tuple(Bar(start, *counts.get(start, (0, 0))) for start in starts)
    return Activity(unit, bars, mark_of(starts, step, window.closes))


def mark_of(starts: Sequence[datetime], step: timedelta, at: datetime | None) -> Mark | None:
    """The bar of an instant; None: it is before the first or after the last."""
    if at is None or not starts[0] <= at < starts[-1] + step:
        return None
    index, rest = divmod(at - starts[0], step)
    return Mark(index, round(rest / step, 3))


def _floor(at: datetime, unit: Unit) -> datetime:
    at = at.astimezone(UTC).replace(minute=0, second=0, microsecond=0)
    return at if unit == "hour" else at.replace(hour=0)
