"""Charts as figures of an SVG: attributes alone, so that no style stands in the page."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from server.domain.activity import Activity

WIDTH, HEIGHT = 720, 120


@dataclass(frozen=True, slots=True)
class Rect:
    """One bar's part."""

    x: float
    y: float
    width: float
    height: float
    late: bool


@dataclass(frozen=True, slots=True)
class Chart:
    """Bars from left to right, and where the deadline is."""

    rects: tuple[Rect, ...]
    deadline: float | None
    width: int = WIDTH
    height: int = HEIGHT


def chart_of(activity: Activity, closes: datetime | None) -> Chart:
    """The bars of an activity: those on time at the bottom, late ones upon them."""
    most = activity.most
    if most is None or not most.total:
        return Chart((), None)
    step, scale = WIDTH / len(activity.bars), HEIGHT / most.total
    rects = []
    for k, bar in enumerate(activity.bars):
        x, width, below = k * step + step * 0.1, step * 0.8, bar.on_time * scale
        rects.append(_rect(x, HEIGHT - below, width, below, late=False))
        rects.append(_rect(x, HEIGHT - below - bar.late * scale, width, bar.late * scale, late=True))
    seen = tuple(rect for rect in rects if rect.height)
    return Chart(seen, None if closes is None else _place(activity, closes, step))


def _rect(x: float, y: float, width: float, height: float, *, late: bool) -> Rect:
    return Rect(round(x, 2), round(y, 2), round(width, 2), round(height, 2), late)


def _place(activity: Activity, closes: datetime, step: float) -> float | None:
    """Where an instant lies between the bars; None: outside."""
    unit = timedelta(days=1) if activity.unit == "day" else timedelta(hours=1)
    at = (closes - activity.bars[0].start) / unit
    return round(at * step, 2) if 0 <= at <= len(activity.bars) else None
