"""How scores and ranks are written on pages. Rounding happens here, for display only."""

from typing import Any

from markupsafe import Markup

DIGITS = 3


def figure(cell: dict[str, Any] | None, digits: int | None = None) -> Markup:
    """A value rounded for display, with all its digits in an attribute; or a dash with its reason."""
    if cell is None or cell["value"] is None:
        reason = cell["undefined"]["reason"] if cell is not None else "not entered"
        return Markup('<span class="dash" title="{0}"><span aria-hidden="true">–</span>{1}</span>').format(
            reason, Markup('<span class="sr-only">{}</span>').format(reason)
        )
    value = cell["value"]
    words = f"{value:.{DIGITS if digits is None else digits}f}".replace("-", "−")
    return Markup('<data value="{0!r}" title="{0!r}">{1}</data>').format(value, words)


def number(value: float) -> str:
    """A point of a scale: 4, not 4.0."""
    return f"{value:g}".replace("-", "−")


def digits(value: float) -> str:
    """All digits of a value."""
    return repr(value)


def metric(name: str) -> str:
    """A metric's name for people."""
    return name.upper() if name in ("mse", "rmse", "mae") else name.capitalize()


def other_metrics(board: dict[str, Any]) -> list[str]:
    """The metrics of a board that are official nowhere."""
    official = {level["metrics"][0] for level in board["levels"]}
    every = dict.fromkeys(name for level in board["levels"] for name in level["metrics"])
    return [name for name in every if name not in official]


def reasons(board: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Why a dash is a dash: who, where and the reason; levels that were not entered aside."""
    titles = {level["slug"]: level["title"] for level in board["levels"]}
    found: dict[tuple[str, str, str], None] = {}
    for group in ("official", "late", "baselines"):
        for row in board[group]:
            who = f"{row['team']} {row['run']}" + (" (late)" if group == "late" else "")
            for slug, cells in row["levels"].items():
                found |= dict.fromkeys((who, titles[slug] + words, reason) for words, reason in _odd(cells))
            found |= dict.fromkeys((who, "total" + words, reason) for words, reason in _odd(row["total"]))
    return list(found)


def _odd(cells: dict[str, dict[str, Any]]) -> list[tuple[str, str]]:
    """The reasons of undefined values; the metric is named where others have a value."""
    told = {name: cell["undefined"] for name, cell in cells.items() if cell["value"] is None}
    odd = {name: reason for name, reason in told.items() if reason["code"] != "not_entered"}
    return [
        ("" if len(odd) == len(cells) else f", {metric(name)}", reason["reason"])
        for name, reason in odd.items()
    ]
