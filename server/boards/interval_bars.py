"""Intervals as small pictures in the cells of a board: by attributes alone, as no style stands in a page."""

from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from server.boards.figures import pointed, written_ends
from server.boards.interval_axes import Axis
from server.core.i18n import _

WIDTH = 96
"""Pixels, where a board has many columns; the style of the board has the same, and the height."""
EDGE = 3
PICTURE = Markup('<svg aria-hidden="true">{}</svg>')
STROKE = Markup('<path d="M{} 0v8"/>')
LINE = Markup('<path d="M{} 4H{}" class="i"/>')
BEYOND = Markup('<title>{said}</title><path d="M{at} 0l{out} 4l{back} 4" class="o"/>')
ENDS = Markup('<small class="ends"><i>{said} </i>{told}</small>')
TOLD = Markup('<small class="ends">{}</small>')


def strip(cell: Mapping[str, Any] | None, axis: Axis | None, width: int = WIDTH) -> Markup:
    """An interval as a bar, the value as a stroke, its ends in numbers for whoever asks, or why none."""
    if axis is None or cell is None or cell["value"] is None:
        return Markup()
    picture, beyond = _picture(axis, width, cell["value"], cell.get("interval"))
    if not cell.get("interval"):
        reason = cell.get("no_interval")
        return picture + TOLD.format(
            beyond + (_(", no interval: %(reason)s", reason=reason) if reason else "")
        )
    low, high = written_ends(cell["interval"])
    return picture + ENDS.format(
        said=beyond + _(", interval"), told=_("%(low)s to %(high)s", low=low, high=high)
    )


def _picture(axis: Axis, width: int, value: float, ends: tuple[float, float] | None) -> tuple[Markup, str]:
    """The drawing, cut off at the ends of the axis, and in words whether the value is not on it."""

    def x(at: float) -> str:
        kept = min(max(at, axis[0]), axis[1])
        return f"{EDGE + (kept - axis[0]) / (axis[1] - axis[0]) * (width - 2 * EDGE):.1f}".removesuffix(".0")

    shown = ends and ends[0] < axis[1] and ends[1] > axis[0]
    line = LINE.format(x(ends[0]), x(ends[1])) if ends and shown else Markup()
    if axis[0] <= value <= axis[1]:
        return PICTURE.format(line + STROKE.format(x(value))), ""
    below = value < axis[0]
    said = _("Below the axis") if below else _("Above the axis")
    at, out = (EDGE + 1, -4) if below else (width - EDGE - 1, 4)
    return PICTURE.format(line + BEYOND.format(said=said, at=at, out=out, back=-out)), f", {said.lower()}"


def axis_end(value: float) -> str:
    """An end of an axis, in as few digits as it has."""
    return pointed(value, max(0, len(f"{value:g}".partition(".")[2])))
