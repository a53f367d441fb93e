"""How scores, intervals, ranks and metrics are written on pages. Rounding happens here, for display only."""

from typing import Any

from markupsafe import Markup

from server.boards.inference_marks import GROUP_KINDS
from server.core.i18n import N_, _

DIGITS = 3


VALUE_HTML = '<data value="{0!r}" title="{0!r}">{1}</data>'
BARE_VALUE_HTML = '<data value="{0!r}">{1}</data>'
"""For boards of hundreds of values: the script of the page adds the title to the one that is pointed at."""


def render_value(cell: dict[str, Any] | None, digits: int | None = None, data: str = VALUE_HTML) -> Markup:
    """A value rounded for display, with all its digits in an attribute; or a dash with its reason."""
    if cell is None or cell["value"] is None:
        reason = cell["undefined"]["reason"] if cell is not None else _("not entered")
        return Markup('<span class="dash" title="{0}"><span aria-hidden="true">–</span>{1}</span>').format(
            reason, Markup('<span class="sr-only">{}</span>').format(reason)
        )
    value = cell["value"]
    words = format_decimal(value, DIGITS if digits is None else digits)
    return Markup(data.format(value, words))  # noqa: S704  (a number, thousands of them)


def render_bare_value(cell: dict[str, Any] | None, digits: int | None = None) -> Markup:
    """The same without a title, for tables in which the digits would stand hundreds of times."""
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
    """The interval of a value in numbers; a dash with a reason, or nothing."""
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
    """The ends of an interval, written as the values beside it are."""
    return format_decimal(ends[0]), format_decimal(ends[1])


def format_decimal(value: float, digits: int = DIGITS) -> str:
    """A number to so many decimals: 0.815, −0.020, 2.610."""
    return f"{value:z.{digits}f}".replace("-", "−")


def format_difference(value: float, digits: int = DIGITS) -> str:
    """A difference with its sign: +0.015, −0.020, 0.000."""
    words = format_decimal(value, digits)
    return words if value <= 0 or not words.strip("0.") else f"+{words}"


def format_p_value(p: float) -> str:
    """A p value of counts: 0.043, or below 0.001."""
    return (
        _("below %(least)s", least=format_decimal(MIN_WRITTEN_P)) if p < MIN_WRITTEN_P else format_decimal(p)
    )


def render_rank_range(ends: tuple[int, int] | None) -> Markup:
    """The ranks that tests leave open, below the rank; nothing where there is but one."""
    if not ends or ends[0] == ends[1]:
        return Markup()
    low, high = ends
    words = _(", rank range %(low)d to %(high)d", low=low, high=high)
    return Markup(  # noqa: S704  (two whole numbers)
        f'<small class="range"><i class="sr-only">{words}</i>'
        f'<span aria-hidden="true">{low}–{high}</span></small>'
    )


def comparison_cell(figure_: Any) -> dict[str, Any]:
    """A value of a comparison, as a board has it."""
    if figure_ is None:
        return {"value": None, "undefined": {"reason": _("no such row")}}
    if isinstance(figure_.value, float):
        return {"value": figure_.value}
    return {"value": None, "undefined": {"reason": figure_.value.reason}}


def decimal_places_for(change: Any) -> int:
    """How many decimal places show that two values differ: the usual ones, or as many as it takes."""
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
    """What is said of a whole board, in words."""
    level, name = fact.name.rpartition(".")[::2]
    label = FACT_NAMES.get(fact.name)
    words = _(label) if label else f"{titles.get(level, level)}, {_(LEVEL_FACT_NAMES.get(name, name))}"
    return words[0].upper() + words[1:]


def format_scale_point(value: float) -> str:
    """A point of a scale: 4, not 4.0."""
    return f"{value:g}".replace("-", "−")


def format_gold_value(value: float | None) -> str:
    """A gold value as people write it, or that its item is not scored."""
    return _("not scored") if value is None else repr(value).removesuffix(".0").replace("-", "−")


def format_score(value: float) -> str:
    """A score of a run as people read it: 2.75, 1.395, 4."""
    return f"{value:z.{DIGITS}f}".rstrip("0").rstrip(".").replace("-", "−")


def format_all_digits(value: float) -> str:
    """All digits of a value."""
    return repr(value)


def format_metric(name: str) -> str:
    """A metric's name for people."""
    return name.upper() if name in ("mse", "rmse", "mae") else name.replace("_", " ").capitalize()


TOO_FEW_LEVELS = ("not_all_levels", "too_few_levels")
"""Why a system with values has no total, by the rule of the board."""


def count_without_total(board: dict[str, Any], metric: str) -> int:
    """How many systems have values at fewer levels than their total by a metric needs."""
    totals = [row["total"][metric] for group in GROUP_KINDS for row in board[group]]
    return sum(cell["value"] is None and cell["undefined"]["code"] in TOO_FEW_LEVELS for cell in totals)


def list_undefined_reasons(board: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Why a dash is a dash: who, where and the reason; what a rule says of all alike is left out."""
    titles = {level["slug"]: level["title"] for level in board["levels"]}
    reasons: dict[tuple[str, str, str], None] = {}
    for group in GROUP_KINDS:
        for row in board[group]:
            system = f"{row['team']} {row['run']}" + (" (late)" if group == "late" else "")
            for slug, cells in row["levels"].items():
                reasons |= dict.fromkeys(
                    (system, titles[slug] + words, reason) for words, reason in _undefined_reasons(cells)
                )
            reasons |= dict.fromkeys(
                (system, "total" + words, reason) for words, reason in _undefined_reasons(row["total"])
            )
    return list(reasons)


def _undefined_reasons(cells: dict[str, dict[str, Any]]) -> list[tuple[str, str]]:
    """The reasons of undefined values; the metric is named where others have a value."""
    reasons = {name: cell["undefined"] for name, cell in cells.items() if cell["value"] is None}
    odd = {
        name: reason
        for name, reason in reasons.items()
        if reason["code"] not in ("not_entered", *TOO_FEW_LEVELS)
    }
    return [
        ("" if len(odd) == len(cells) else f", {format_metric(name)}", reason["reason"])
        for name, reason in odd.items()
    ]
