"""Scores, intervals, ranks and metrics as pages show them. Rounding happens here, for display only."""

from collections.abc import Collection, Mapping

from markupsafe import Markup

from scorer.boards.board import NOT_ENTERED, Board, Cell, ColumnKey, Total, rows_of
from scorer.boards.changes import BoardValue, FactChange, ValueChange
from scorer.values import Undefined, number_or_none
from server.boards.inference_marks import Mark
from server.core.i18n import N_, _

DIGITS = 3


VALUE_HTML = '<data value="{0!r}" title="{0!r}">{1}</data>'
BARE_VALUE_HTML = '<data value="{0!r}">{1}</data>'
"""For tables of hundreds of values: the page's script adds the tooltip when the pointer is over a value."""


def render_value(
    value: float | Undefined | None,
    digits: int | None = None,
    reason: str | None = None,
    data: str = VALUE_HTML,
) -> Markup:
    """Format a value rounded for display, with all its digits in an attribute; or a dash with its reason.

    There is no value if the metric is not one of the level, or has no total; `reason`: why, if it is known.
    """
    if value is None or isinstance(value, Undefined):
        words = _undefined_words(value) if isinstance(value, Undefined) else reason or _("not computed")
        return Markup('<span class="dash" title="{0}"><span aria-hidden="true">–</span>{1}</span>').format(
            words, Markup('<span class="sr-only">{}</span>').format(words)
        )
    words = format_decimal(value, DIGITS if digits is None else digits)
    return Markup(data.format(value, words))  # noqa: S704  (a number, thousands of them)


def _undefined_words(value: Undefined) -> str:
    return _("no submission in this row") if value.code == NOT_ENTERED.code else value.reason


def render_bare_value(value: float | Undefined | None, digits: int | None = None) -> Markup:
    """Format a value without a tooltip, for tables of hundreds of values, where it would take much space."""
    return render_value(value, digits, data=BARE_VALUE_HTML)


MIN_WRITTEN_P = 0.001
NO_INTERVAL_HTML = Markup(
    '<small class="interval" title="{0}"><span aria-hidden="true">[–]</span>'
    '<span class="sr-only">{1}</span></small>'
)


INTERVAL_HTML = (
    '<small class="interval"><span class="sr-only">{0}</span>'
    '<span aria-hidden="true">[{1}, {2}]</span></small>'
)


def render_interval(mark: Mark) -> Markup:
    """Format the interval of a value in numbers, or as a dash with a reason; empty if there is none."""
    if mark.interval is None:
        reason = mark.no_interval
        return (
            Markup()
            if not reason
            else NO_INTERVAL_HTML.format(reason, _(", no interval: %(reason)s", reason=reason))
        )
    low, high = format_interval_ends(mark.interval)
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


def render_compared_value(side: BoardValue | None, digits: int | None = None) -> Markup:
    """Format a value of one of two leaderboards that are compared; None: it has no such row."""
    if side is None:
        return render_value(None, digits, _("no such row"))
    reason = side.value.reason if isinstance(side.value, Undefined) else None
    return render_value(number_or_none(side.value), digits, reason)


def decimal_places_for(change: ValueChange) -> int:
    """Return how many decimal places show that two values differ: the usual number, or more if needed."""
    values = [side and side.value for side in (change.before, change.after)]
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


def describe_fact(fact: FactChange, titles: dict[str, str]) -> str:
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


def count_without_total(board: Board, metric: str) -> int:
    """Count the systems with values at fewer levels than their total by a metric needs."""
    values = [cell.value for row in rows_of(board) if (cell := board.cell(row, (None, metric)))]
    return sum(isinstance(value, Undefined) and value.code in TOO_FEW_LEVELS for value in values)


def list_undefined_reasons(
    board: Board, shown: Collection[ColumnKey] | None = None
) -> list[tuple[str, str, str]]:
    """List which values are undefined, and why, except for reasons that follow from a rule.

    With `shown`, only those of these columns.
    """
    totals = [column.name for column in board.totals]
    titles = {level.slug: level.title for level in board.levels}
    reasons: dict[tuple[str, str, str], None] = {}
    for row in rows_of(board):
        system = f"{row.team} {row.run}" + (" (late)" if row.kind == "late" else "")
        total = dict(zip(totals, row.totals, strict=True))
        parts: list[tuple[str | None, Mapping[str, Cell | Total]]] = [*row.cells.items(), (None, total)]
        for slug, cells in parts:
            title = "total" if slug is None else titles[slug]
            reasons |= dict.fromkeys(
                (system, title + words, reason)
                for name, words, reason in _undefined_reasons(cells)
                if shown is None or (slug, name) in shown
            )
    return list(reasons)


def _undefined_reasons(cells: Mapping[str, Cell | Total]) -> list[tuple[str, str, str]]:
    """Return the metrics of undefined values, words that name them if others have a value, and reasons."""
    odd = {
        name: cell.value.reason
        for name, cell in cells.items()
        if isinstance(cell.value, Undefined) and cell.value.code not in (NOT_ENTERED.code, *TOO_FEW_LEVELS)
    }
    return [
        (name, "" if len(odd) == len(cells) else f", {format_metric(name)}", reason)
        for name, reason in odd.items()
    ]
