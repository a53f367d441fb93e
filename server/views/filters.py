"""How values are written on pages. Rounding happens here, for display only."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import nh3
from markdown_it import MarkdownIt
from markupsafe import Markup

_AOE = timezone(timedelta(hours=-12))
_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table")
_MARKDOWN_ATTRIBUTES = {**nh3.ALLOWED_ATTRIBUTES, "div": {"class", "role", "aria-label", "tabindex"}}
_LINE_SHOWN = 200
DASH = "–"


def utc(at: datetime | None) -> Markup | str:
    """An instant in UTC, to the minute, with the exact one in its attribute."""
    if at is None:
        return DASH
    at = at.astimezone(UTC)
    exact, words = at.isoformat(timespec="seconds"), at.strftime("%-d %b %Y, %H:%M UTC")
    return Markup('<time datetime="{}">{}</time>').format(exact, words)


def utc_seconds(at: datetime) -> Markup:
    """An instant in UTC, to the second."""
    at = at.astimezone(UTC)
    return Markup('<time datetime="{}">{}</time>').format(
        at.isoformat(timespec="microseconds"), at.strftime("%-d %b %Y, %H:%M:%S UTC")
    )


def anywhere(at: datetime | None) -> str:
    """The same instant where the day ends last, anywhere on earth (UTC-12)."""
    return DASH if at is None else at.astimezone(_AOE).strftime("%-d %b %Y, %H:%M AoE")


def until(at: datetime, now: datetime) -> str:
    """How far away a later instant is: "in 3 h 12 min"."""
    minutes = int((at - now).total_seconds()) // 60
    hours, days = minutes // 60, minutes // (24 * 60)
    if minutes < 1:
        return "within a minute"
    if hours < 1:
        return f"in {minutes} min"
    if hours < 48:
        return f"in {hours} h {minutes % 60} min"
    return f"in {plural(days, 'day')}" if days < 730 else f"in {days // 365} years"


def _open_table(_self: Any, _tokens: Any, _index: int, _options: Any, env: dict[str, int]) -> str:
    """A table stands in a region of its own, which scrolls where it is too wide."""
    env["tables"] = env.get("tables", 0) + 1
    return f'<div class="scroll" role="region" aria-label="Table {env["tables"]}" tabindex="0"><table>'


_MARKDOWN.add_render_rule("table_open", _open_table)
_MARKDOWN.add_render_rule("table_close", lambda *_: "</table></div>")


def markdown(text: str) -> Markup:
    """An organizer's Markdown as clean HTML; the page's own heading stays the first."""
    tokens = _MARKDOWN.parse(text)
    if any(token.tag == "h1" for token in tokens):
        for token in tokens:
            if token.type in ("heading_open", "heading_close"):
                token.tag = f"h{min(6, int(token.tag[1]) + 1)}"
    html = _MARKDOWN.renderer.render(tokens, _MARKDOWN.options, {})
    clean = nh3.clean(html, attributes=_MARKDOWN_ATTRIBUTES, link_rel="noopener nofollow")
    return Markup(clean)  # noqa: S704  (cleaned by nh3)


def number(value: float) -> str:
    """A point of a scale: 4, not 4.0."""
    return f"{value:g}".replace("-", "−")


def digits(value: float) -> str:
    """All digits of a value."""
    return repr(value)


def plural(count: int, noun: str) -> str:
    """A count with its noun: "1 file", "2 files"."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def sentence(text: str) -> str:
    """A phrase as a sentence: a capital, and a full stop unless it has one."""
    text = text.strip()
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "?")) else ".")


def short(sha256: str) -> str:
    """As much of a hash as people compare."""
    return sha256[:10]


def visible(text: str) -> Markup:
    """A line of a file as it is, with tabs, blanks and characters that nobody can see made visible."""
    shown = Markup("").join(_visible(char) for char in text[:_LINE_SHOWN])
    return shown + Markup('<span class="ws">…</span>') if len(text) > _LINE_SHOWN else shown


def _visible(char: str) -> Markup:
    if char == "\t":
        return Markup('<span class="ws">→</span>\t')
    if char == " ":
        return Markup('<span class="ws">·</span>')
    if not char.isprintable() or char.isspace():
        return Markup('<span class="ws named">U+{:04X}</span>').format(ord(char))
    return Markup.escape(char)


def metric(name: str) -> str:
    """A metric's name for people."""
    return name.upper() if name in ("mse", "rmse", "mae") else name.capitalize()


def splits(task: Any) -> list[str]:
    """The names of a task's splits, in the order in which people meet them."""
    names = {split.name for level in task.levels for split in level.splits}
    return sorted(names, key=("trial", "training", "test").index)


def history(filed: Any) -> list[tuple[Any, Any, Any]]:
    """Every upload of a run, the newest first: its level, the upload, and its state unless it was refused."""
    came = [(level.level, file.submission, file) for level in filed.levels for file in level.files]
    came += [(level.level, refusal, None) for level in filed.levels for refusal in level.refusals]
    return sorted(came, key=lambda row: row[1].arrived_at, reverse=True)


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


def figure(cell: dict[str, Any] | None, digits: int = 3) -> Markup:
    """A value rounded for display, with all its digits in an attribute; or a dash with its reason."""
    if cell is None or cell["value"] is None:
        reason = cell["undefined"]["reason"] if cell is not None else "not entered"
        return Markup('<span class="dash" title="{0}"><span aria-hidden="true">–</span>{1}</span>').format(
            reason, Markup('<span class="sr-only">{}</span>').format(reason)
        )
    value = cell["value"]
    words = f"{value:.{digits}f}".replace("-", "−")
    return Markup('<data value="{0!r}" title="{0!r}">{1}</data>').format(value, words)


def size(count: int) -> str:
    """A number of bytes for people."""
    return f"{count} bytes" if count < 10_000 else f"{count / 1024:.0f} kB"


FILTERS: dict[str, Callable[..., Any]] = {
    "utc": utc,
    "utc_seconds": utc_seconds,
    "anywhere": anywhere,
    "until": until,
    "markdown": markdown,
    "number": number,
    "digits": digits,
    "plural": plural,
    "sentence": sentence,
    "short": short,
    "visible": visible,
    "metric": metric,
    "splits": splits,
    "history": history,
    "other_metrics": other_metrics,
    "reasons": reasons,
    "figure": figure,
    "size": size,
}
