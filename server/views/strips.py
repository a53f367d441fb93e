"""Intervals as small pictures in the cells of a board: by attributes alone, as no style stands in a page."""

from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from server.domain.board_views import Axis
from server.language import _
from server.views.figures import pointed, written_ends

WIDTH = 96
"""Pixels, where a board has many columns."""
EDGE = 3
PICTURE = '<svg width="{}" height="8" aria-hidden="true">{}<path d="M{} 0v8"/></svg>'
LINE = '<path d="M{} 4H{}" class="i"/>'
ENDS = Markup('<small class="ends"><i>{said} </i>{told}</small>')


def strip(cell: Mapping[str, Any] | None, axis: Axis | None, width: int = WIDTH) -> Markup:
    """An interval as a bar, the value as a stroke, its ends in numbers for whoever asks, or why none."""
    if axis is None or cell is None or cell["value"] is None:
        return Markup()
    ends = cell.get("interval")
    if ends is None:
        reason = cell.get("no_interval")
        told = _(", no interval: %(reason)s", reason=reason) if reason else ""
        return _picture(axis, width, cell["value"], None) + Markup('<small class="ends">{}</small>').format(
            told
        )
    low, high = written_ends(ends)
    return _picture(axis, width, cell["value"], ends) + ENDS.format(
        said=_(", interval"), told=_("%(low)s to %(high)s", low=low, high=high)
    )


def _picture(axis: Axis, width: int, value: float, ends: tuple[float, float] | None) -> Markup:
    def x(at: float) -> str:
        return f"{EDGE + (at - axis[0]) / (axis[1] - axis[0]) * (width - 2 * EDGE):.1f}".removesuffix(".0")

    line = "" if ends is None else LINE.format(x(ends[0]), x(ends[1]))
    return Markup(PICTURE.format(width, line, x(value)))  # noqa: S704  (numbers)


def axis_end(value: float) -> str:
    """An end of an axis, in as few digits as it has."""
    return pointed(value, max(0, len(f"{value:g}".partition(".")[2])))
