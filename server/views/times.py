"""How instants are written on pages: in UTC, and where the day ends last."""

from datetime import UTC, datetime, timedelta, timezone

from markupsafe import Markup

from server.views.words import DASH, plural

_AOE = timezone(timedelta(hours=-12))


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


def span(at: datetime, unit: str) -> Markup:
    """The day, or the hour of UTC, that begins at an instant."""
    words = at.strftime("%-d %b %Y" if unit == "day" else "%-d %b, %H:%M UTC")
    return Markup('<time datetime="{}">{}</time>').format(at.isoformat(timespec="minutes"), words)


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
