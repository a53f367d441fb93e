"""Scores, intervals, ranks and metrics as pages show them. Rounding happens here, for display only."""

from collections.abc import Collection
from typing import Any

from markupsafe import Markup

from server.boards.inference_marks import GROUP_KINDS
from server.core.i18n import N_, _

DIGITS = 3


VALUE_HTML = '<data value="{0!r}" title="{0!r}">{1}</data>'
BARE_VALUE_HTML = '<data value="{0!r}">{1}</data>'
"""For tables of hundreds of values: the page's script adds the tooltip when the pointer is over a value."""


def render_value(cell: dict[str, Any] | None, digits: int | None = None, data: str = VALUE_HTML) -> Markup:
    """Format a value rounded for display, with all its digits in an attribute; or a dash with its reason.

    There is no cell if the metric is not one of the level, or has no total.
    """
    if cell is None or cell["value"] is None:
        undefined = None if cell is None else cell["undefined"]
        reason = _("not computed") if undefined is None else undefined["reason"]
        if undefined is not None and undefined.get("code") == "not_entered":  # another row may have it
            reason = _("no submission in this row")
        return Markup('<span class="dash" title="{0}"><span aria-hidden="true">–</span>{1}</span>').format(
            reason, Markup('<span class="sr-only">{}</span>').format(reason)
        )
    value = cell["value"]
    words = format_decimal(value, DIGITS if digits is None else digits)
    return Markup(data.format(value, words))  # noqa: S704  (a number, thousands of them)


def render_bare_value(cell: dict[str, Any] | None, digits: int | None = None) -> Markup:
    """Format a value without a tooltip, for tables of hundreds of values, where it would take much space."""
    return render_value(cell, digits, BARE_VALUE_HTML)


MIN_WRITTEN_P = 0.001
NO_INTERVAL_HTML = Markup(
    '<small class="interval" title="{0}"><span aria-hidden="true">[–]</span>'
    '<span class="sr-only">{1}</span></small>'
)


INTERVAL_HTML = (
    '<small class="interval"><span class="sr-only">{0}</span>'
    '<span aria-hidden="true">[{1}, {2}]</span></small>'
)


def render_interval(cell: dict[str, Any] | None) -> Markup:
    """Format the interval of a value in numbers, or as a dash with a reason; empty if there is none."""
    ends = cell and cell.get("interval")
    if not cell or not ends:
        reason = cell and cell.get("no_interval")
        return (
            Markup()
            if not reason
            else NO_INTERVAL_HTML.format(reason, _(", no interval: %(reason)s", reason=reason))
        )
    low, high = format_interval_ends(ends)
    words = _(", interval from %(low)s to %(high)s", low=low, high=high)
    return Markup(INTERVAL_HTML.format(words, low, high))  # noqa: S704  (two numbers)


def format_interval_ends(ends: tuple[float, float]) -> tuple[str, str]:
    """Format the ends of an interval like the values beside it."""
    return format_decimal(ends[0]), format_decimal(ends[1])


def format_decimal(value: float, digits: int = DIGITS) -> str:
    """Format a number with a fixed number of decimal places: 0.815, −0.020, 2.610."""
    return f"{value:z.{digits}f}".replace("-", "−")


def format_difference(value: float, digits: int = DIGITS) -> str:
    """Format a difference with its sign: +0.015, −0.020, 0.000."""
    words = format_decimal(value, digits)
    return words if value <= 0 or not words.strip("0.") else f"+{words}"


def format_p_value(p: float) -> str:
    """Format a p value that is based on counts: 0.043, or below 0.001."""
    return (
        _("below %(least)s", least=format_decimal(MIN_WRITTEN_P)) if p < MIN_WRITTEN_P else format_decimal(p)
    )


def render_rank_range(ends: tuple[int, int] | None) -> Markup:
    """Format the range of ranks that the tests allow, below the rank; empty if there is only one."""
    if not ends or ends[0] == ends[1]:
        return Markup()
    low, high = ends
    words = _(", rank range %(low)d to %(high)d", low=low, high=high)
    return Markup(  # noqa: S704  (two whole numbers)
        f'<small class="range"><i class="sr-only">{words}</i>'
        f'<span aria-hidden="true">{low}–{high}</span></small>'
    )


def comparison_cell(figure_: Any) -> dict[str, Any]:
    """Convert a value of a comparison to a cell of a leaderboard."""
    if figure_ is None:
        return {"value": None, "undefined": {"reason": _("no such row")}}
    if isinstance(figure_.value, float):
        return {"value": figure_.value}
    return {"value": None, "undefined": {"reason": figure_.value.reason}}


def decimal_places_for(change: Any) -> int:
    """Return how many decimal places show that two values differ: the usual number, or more if needed."""
    values = [figure_ and figure_.value for figure_ in (change.before, change.after)]
    if not all(isinstance(value, float) for value in values):
        return DIGITS
    for places in range(DIGITS, 17):
        if len({f"{value:.{places}f}" for value in values}) == 2:
            return places
    return DIGITS


FACT_NAMES = {
    "task": N_("task"),
    "title": N_("title of the task"),
    "split": N_("split"),
    "scorer": N_("scorer"),
    "rules.total": N_("rule for the total"),
    "rules.total_needs": N_("levels required for a total"),
    "rules.enter_at_least": N_("minimum number of levels"),
    "total.official": N_("official total"),
}
LEVEL_FACT_NAMES = {
    "title": N_("title"),
    "official": N_("official metric"),
    "counts": N_("counts in the total"),
}


def describe_fact(fact: Any, titles: dict[str, str]) -> str:
    """Describe a fact about a whole leaderboard in words."""
    level, name = fact.name.rpartition(".")[::2]
    label = FACT_NAMES.get(fact.name)
    words = _(label) if label else f"{titles.get(level, level)}, {_(LEVEL_FACT_NAMES.get(name, name))}"
    return words[0].upper() + words[1:]


def format_scale_point(value: float) -> str:
    """Format a point of a scale: 4, not 4.0."""
    return f"{value:g}".replace("-", "−")


def format_gold_value(value: float | None) -> str:
    """Format a gold value, or say that its item is not scored."""
    return _("not scored") if value is None else repr(value).removesuffix(".0").replace("-", "−")


def format_score(value: float) -> str:
    """Format a score of a run: 2.75, 1.395, 4."""
    return f"{value:z.{DIGITS}f}".rstrip("0").rstrip(".").replace("-", "−")


def format_all_digits(value: float) -> str:
    """Format a value with all its digits."""
    return repr(value)


def format_metric(name: str) -> str:
    """Return a metric's name for people."""
    return name.upper() if name in ("mse", "rmse", "mae") else name.replace("_", " ").capitalize()


TOO_FEW_LEVELS = ("not_all_levels", "too_few_levels")
"""Reasons of the leaderboard's rules why a system with values has no total."""


def count_without_total(board: dict[str, Any], metric: str) -> int:
    """Count the systems with values at fewer levels than their total by a metric needs."""
    totals = [row["total"][metric] for group in GROUP_KINDS for row in board[group]]
    return sum(cell["value"] is None and cell["undefined"]["code"] in TOO_FEW_LEVELS for cell in totals)


def list_undefined_reasons(
    board: dict[str, Any], shown: Collection[tuple[str | None, str]] | None = None
) -> list[tuple[str, str, str]]:
    """List which values are undefined, and why, except for reasons that follow from a rule.

    With `shown`, only those of these columns: pairs of a level (None: the total) and a metric.
    """
    titles = {level["slug"]: level["title"] for level in board["levels"]}
    reasons: dict[tuple[str, str, str], None] = {}
    for group in GROUP_KINDS:
        for row in board[group]:
            system = f"{row['team']} {row['run']}" + (" (late)" if group == "late" else "")
            for slug, cells in row["levels"].items():
                reasons |= dict.fromkeys(
                    (system, titles[slug] + words, reason)
                    for name, words, reason in _undefined_reasons(cells)
                    if shown is None or (slug, name) in shown
                )
            reasons |= dict.fromkeys(
                (system, "total" + words, reason)
                for name, words, reason in _undefined_reasons(row["total"])
                if shown is None or (None, name) in shown
            )
    return list(reasons)


def _undefined_reasons(cells: dict[str, dict[str, Any]]) -> list[tuple[str, str, str]]:
    """Return the metrics of undefined values, words that name them if others have a value, and reasons."""
    reasons = {name: cell["undefined"] for name, cell in cells.items() if cell["value"] is None}
    odd = {
        name: reason
        for name, reason in reasons.items()
        if reason["code"] not in ("not_entered", *TOO_FEW_LEVELS)
    }
    return [
        (name, "" if len(odd) == len(cells) else f", {format_metric(name)}", reason["reason"])
        for name, reason in odd.items()
    ]
