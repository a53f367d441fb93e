"""Confidence intervals as small bars in the cells of a leaderboard, and the axis of a column.

The axis has round ends and is fitted to most of the values. A bar is drawn by SVG attributes only, because a
page has no inline styles; the stylesheet gives it its width and height.
"""

from collections.abc import Sequence
from math import ceil, floor
from statistics import quantiles

from markupsafe import Markup

from scorer.values import Undefined
from server.boards.inference_marks import Mark
from server.boards.score_formatting import format_decimal, format_interval_ends
from server.core.i18n import _

Axis = tuple[float, float]
Interval = tuple[float, float]
STEPS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 1000, 10_000)
MAX_STEPS = 10
FENCE = 1.5
"""Values are outliers beyond this many quartile ranges from the quartiles (Tukey 1977, section 2C)."""
MIN_VALUES = 4
"""With fewer values than this, quartiles are meaningless."""
OUTLIER_WIDTH_RATIO = 2
"""Outliers are left out if the axis would be at least this many times as wide with them."""


def fit_axis(drawn: Sequence[tuple[float, Interval | None]], most: int = MAX_STEPS) -> Axis:
    """Choose the ends of an axis for values and their intervals, without outliers that would double it.

    Otherwise a failed system would leave only a few pixels for the intervals of all others.
    """
    low, high = _fences([value for value, _ in drawn])
    whole, middle = _extent(drawn), _extent([point for point in drawn if low <= point[0] <= high])
    pays = whole[1] - whole[0] > OUTLIER_WIDTH_RATIO * (middle[1] - middle[0])
    return round_axis(middle if pays else whole, most)


def round_axis(values: Sequence[float], most: int = MAX_STEPS) -> Axis:
    """Choose the ends of an axis that contains all of the values, at multiples of a round step."""
    low, high = min(values), max(values)
    step = next((step for step in STEPS if high - low <= most * step), STEPS[-1])
    ends = floor(low / step) * step, ceil(high / step) * step
    ends = ends if ends[0] < ends[1] else (ends[0] - step, ends[1] + step)
    return round(ends[0], 6), round(ends[1], 6)


def _extent(drawn: Sequence[tuple[float, Interval | None]]) -> Interval:
    every = [end for value, ends in drawn for end in (value, *(ends or ()))]
    return min(every), max(every)


def _fences(values: Sequence[float]) -> Interval:
    """Return the range outside which values are outliers; the whole range if half of the values are equal."""
    if len(values) < MIN_VALUES:
        return min(values), max(values)
    first, _, third = quantiles(values, method="inclusive")
    width = FENCE * (third - first)
    return (first - width, third + width) if width else (min(values), max(values))


PICTURE_HTML = Markup('<svg aria-hidden="true">{}</svg>')
VALUE_STROKE = Markup('<rect x="{}%" width="2" height="8"/>')
INTERVAL_LINE = Markup('<rect x="{}%" width="{}%" height="5" class="i"/>')
ARROW_BELOW = Markup('<title>{}</title><path d="M4 0l-4 4l4 4"/>')
ARROW_ABOVE = Markup('<title>{}</title><svg x="100%"><path d="M-4 0l4 4l-4 4"/></svg>')
ENDS_HTML = Markup('<small class="ends"><i>{said} </i>{ends}</small>')
NOTE_HTML = Markup('<small class="ends">{}</small>')


def render_interval_bar(value: float | Undefined, mark: Mark, axis: Axis | None) -> Markup:
    """Draw an interval as a bar with the value as a stroke and a text alternative, or the reason for none."""
    if axis is None or isinstance(value, Undefined):
        return Markup()
    picture, beyond = _draw_bar(axis, value, mark.interval)
    if mark.interval is None:
        reason = mark.no_interval
        return picture + NOTE_HTML.format(
            beyond + (_(", no interval: %(reason)s", reason=reason) if reason else "")
        )
    low, high = format_interval_ends(mark.interval)
    return picture + ENDS_HTML.format(
        said=beyond + _(", interval"), ends=_("%(low)s to %(high)s", low=low, high=high)
    )


def _draw_bar(axis: Axis, value: float, ends: tuple[float, float] | None) -> tuple[Markup, str]:
    """Return the drawing, cut off at the ends of the axis, and a note if the value is outside the axis.

    It is in percent of the width that the stylesheet gives it.
    """

    def percent(at: float) -> float:
        return round((min(max(at, axis[0]), axis[1]) - axis[0]) / (axis[1] - axis[0]) * 100, 1)

    line = Markup()
    if ends and ends[0] < axis[1] and ends[1] > axis[0]:
        low, high = map(percent, ends)
        line = INTERVAL_LINE.format(f"{low:g}", f"{high - low:.3g}")
    if axis[0] <= value <= axis[1]:
        return PICTURE_HTML.format(line + VALUE_STROKE.format(f"{percent(value):g}")), ""
    below = value < axis[0]
    words = _("Below the axis") if below else _("Above the axis")
    arrow = (ARROW_BELOW if below else ARROW_ABOVE).format(words)
    return PICTURE_HTML.format(line + arrow), f", {words.lower()}"


def format_axis_end(value: float) -> str:
    """Format an end of an axis with as few digits as it needs."""
    return format_decimal(value, max(0, len(f"{value:g}".partition(".")[2])))
