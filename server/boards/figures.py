"""How scores and ranks are written on pages. Rounding happens here, for display only."""

from typing import Any

from markupsafe import Markup

from server.boards.marked import KINDS
from server.core.i18n import N_, _

DIGITS = 3


DATA = '<data value="{0!r}" title="{0!r}">{1}</data>'
BARE = '<data value="{0!r}">{1}</data>'
"""For boards of hundreds of values: the script of the page adds the title to the one that is pointed at."""


def figure(cell: dict[str, Any] | None, digits: int | None = None, data: str = DATA) -> Markup:
    """A value rounded for display, with all its digits in an attribute; or a dash with its reason."""
    if cell is None or cell["value"] is None:
        reason = cell["undefined"]["reason"] if cell is not None else _("not entered")
        return Markup('<span class="dash" title="{0}"><span aria-hidden="true">–</span>{1}</span>').format(
            reason, Markup('<span class="sr-only">{}</span>').format(reason)
        )
    value = cell["value"]
    words = pointed(value, DIGITS if digits is None else digits)
    return Markup(data.format(value, words))  # noqa: S704  (a number, thousands of them)


def bare_figure(cell: dict[str, Any] | None, digits: int | None = None) -> Markup:
    """The same without a title, for tables in which the digits would stand hundreds of times."""
    return figure(cell, digits, BARE)


P_LEAST = 0.001
NO_INTERVAL = Markup(
    '<small class="interval" title="{0}"><span aria-hidden="true">[–]</span>'
    '<span class="sr-only">{1}</span></small>'
)


INTERVAL = (
    '<small class="interval"><span class="sr-only">{0}</span>'
    '<span aria-hidden="true">[{1}, {2}]</span></small>'
)


def interval(cell: dict[str, Any] | None) -> Markup:
    """The interval of a value in numbers; a dash with a reason, or nothing."""
    ends = cell and cell.get("interval")
    if not cell or not ends:
        reason = cell and cell.get("no_interval")
        return (
            Markup()
            if not reason
            else NO_INTERVAL.format(reason, _(", no interval: %(reason)s", reason=reason))
        )
    low, high = written_ends(ends)
    words = _(", interval from %(low)s to %(high)s", low=low, high=high)
    return Markup(INTERVAL.format(words, low, high))  # noqa: S704  (two numbers)


def written_ends(ends: tuple[float, float]) -> tuple[str, str]:
    """The ends of an interval, written as the values beside it are."""
    return pointed(ends[0]), pointed(ends[1])


def pointed(value: float, digits: int = DIGITS) -> str:
    """A number to so many decimals: 0.815, −0.020, 2.610."""
    return f"{value:z.{digits}f}".replace("-", "−")


def signed(value: float, digits: int = DIGITS) -> str:
    """A difference with its sign: +0.015, −0.020, 0.000."""
    words = pointed(value, digits)
    return words if value <= 0 or not words.strip("0.") else f"+{words}"


def p_value(p: float) -> str:
    """A p value of counts: 0.043, or below 0.001."""
    return _("below %(least)s", least=pointed(P_LEAST)) if p < P_LEAST else pointed(p)


def rank_range(ends: tuple[int, int] | None) -> Markup:
    """The ranks that tests leave open, below the rank; nothing where there is but one."""
    if not ends or ends[0] == ends[1]:
        return Markup()
    low, high = ends
    words = _(", perhaps %(low)d to %(high)d", low=low, high=high)
    return Markup(  # noqa: S704  (two whole numbers)
        f'<small class="range"><i class="sr-only">{words}</i>'
        f'<span aria-hidden="true">{low}–{high}</span></small>'
    )


def cell(figure_: Any) -> dict[str, Any]:
    """A value of a comparison, as a board has it."""
    if figure_ is None:
        return {"value": None, "undefined": {"reason": _("no such row")}}
    if isinstance(figure_.value, float):
        return {"value": figure_.value}
    return {"value": None, "undefined": {"reason": figure_.value.reason}}


def telling_places(change: Any) -> int:
    """How many decimal places show that two values differ: the usual ones, or as many as it takes."""
    values = [figure_ and figure_.value for figure_ in (change.before, change.after)]
    if not all(isinstance(value, float) for value in values):
        return DIGITS
    for places in range(DIGITS, 17):
        if len({f"{value:.{places}f}" for value in values}) == 2:
            return places
    return DIGITS


FACTS = {
    "task": N_("the task"),
    "title": N_("the task’s title"),
    "split": N_("the split"),
    "scorer": N_("the scorer"),
    "rules.total": N_("how the total is made"),
    "rules.total_needs": N_("levels that a total needs"),
    "rules.enter_at_least": N_("levels that a system has to enter"),
    "total.official": N_("the official total"),
}
LEVEL_FACTS = {"title": N_("title"), "official": N_("official metric"), "counts": N_("counts in the total")}


def fact_words(fact: Any, titles: dict[str, str]) -> str:
    """What is said of a whole board, in words."""
    level, name = fact.name.rpartition(".")[::2]
    told = FACTS.get(fact.name)
    words = _(told) if told else f"{titles.get(level, level)}, {_(LEVEL_FACTS.get(name, name))}"
    return words[0].upper() + words[1:]


def number(value: float) -> str:
    """A point of a scale: 4, not 4.0."""
    return f"{value:g}".replace("-", "−")


def label(value: float | None) -> str:
    """A gold value as people write it, or that its item is not scored."""
    return _("not scored") if value is None else repr(value).removesuffix(".0").replace("-", "−")


def score(value: float) -> str:
    """A score of a run as people read it: 2.75, 1.395, 4."""
    return f"{value:z.{DIGITS}f}".rstrip("0").rstrip(".").replace("-", "−")


def digits(value: float) -> str:
    """All digits of a value."""
    return repr(value)


def metric(name: str) -> str:
    """A metric's name for people."""
    return name.upper() if name in ("mse", "rmse", "mae") else name.replace("_", " ").capitalize()


TOO_FEW = ("not_all_levels", "too_few_levels")
"""Why a system with values has no total, by the rule of the board."""


def without_total(board: dict[str, Any], metric: str) -> int:
    """How many systems have values at fewer levels than their total by a metric needs."""
    totals = [row["total"][metric] for group in KINDS for row in board[group]]
    return sum(cell["value"] is None and cell["undefined"]["code"] in TOO_FEW for cell in totals)


def reasons(board: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Why a dash is a dash: who, where and the reason; what a rule says of all alike is left out."""
    titles = {level["slug"]: level["title"] for level in board["levels"]}
    found: dict[tuple[str, str, str], None] = {}
    for group in KINDS:
        for row in board[group]:
            who = f"{row['team']} {row['run']}" + (" (late)" if group == "late" else "")
            for slug, cells in row["levels"].items():
                found |= dict.fromkeys((who, titles[slug] + words, reason) for words, reason in _odd(cells))
            found |= dict.fromkeys((who, "total" + words, reason) for words, reason in _odd(row["total"]))
    return list(found)


def _odd(cells: dict[str, dict[str, Any]]) -> list[tuple[str, str]]:
    """The reasons of undefined values; the metric is named where others have a value."""
    told = {name: cell["undefined"] for name, cell in cells.items() if cell["value"] is None}
    odd = {name: reason for name, reason in told.items() if reason["code"] not in ("not_entered", *TOO_FEW)}
    return [
        ("" if len(odd) == len(cells) else f", {metric(name)}", reason["reason"])
        for name, reason in odd.items()
    ]
