"""How values are written on pages. Rounding happens here, for display only."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import nh3
from markdown_it import MarkdownIt
from markupsafe import Markup

_AOE = timezone(timedelta(hours=-12))
_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table")
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


def markdown(text: str) -> Markup:
    """An organizer's Markdown as clean HTML; the page's own heading stays the first."""
    html = _MARKDOWN.render(text)
    return Markup(nh3.clean(html, link_rel="noopener nofollow"))  # noqa: S704  (cleaned by nh3)


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
    "markdown": markdown,
    "figure": figure,
    "size": size,
}
