"""Times on pages: in UTC, anywhere on earth (UTC-12), and in the time zone of the reader or of the site."""

from datetime import UTC, datetime
from functools import cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from flask import current_app, g, has_request_context
from flask_security import current_user
from jinja2.utils import htmlsafe_json_dumps
from markupsafe import Markup

from server.core import dates
from server.core.i18n import _, get_language, ngettext, plural_forms, translate
from server.core.placeholders import is_placeholder_date
from server.web import context
from server.web.formatting import DASH


def utc(at: datetime | None) -> Markup | str:
    """Format an instant in UTC, to the minute; the exact one is in the element's attribute."""
    return DASH if at is None else _element(at, reader_zone(), "seconds", seconds=False)


def utc_seconds(at: datetime) -> Markup:
    """Format an instant in UTC, to the second."""
    return _element(at, reader_zone(), "milliseconds", seconds=True)


def in_reader_zone(at: datetime) -> Markup:
    """Format an instant in the reader's time zone alone: "15 Mar 2026, 13:00 CET"."""
    at = at.astimezone(reader_zone() or UTC)
    exact = at.isoformat(timespec="seconds")
    return Markup('<time datetime="%s">%s %s</time>') % (exact, dates.moment(at), at.tzname())


def parse_instant(text: str) -> datetime:
    """Parse an instant that was stored as text."""
    return datetime.fromisoformat(text)


def _element(at: datetime, zone: ZoneInfo | None, exactly: str, *, seconds: bool) -> Markup:
    """Build a time element with the reader's time as a tooltip; a placeholder date is only words."""
    at, words = at.astimezone(UTC), dates.format_utc(at, seconds=seconds)
    exact = at.isoformat(timespec=exactly)
    if is_placeholder_date(at):
        return Markup.escape(words)
    if zone is None:
        return Markup('<time datetime="%s">%s</time>') % (exact, words)
    reader_time = at.astimezone(zone)
    tooltip = f"{dates.moment(reader_time)} {reader_time:%Z}"
    return Markup('<time datetime="%s" title="%s">%s</time>') % (exact, tooltip, words)


def format_period(at: datetime, unit: str) -> Markup:
    """Format the day, or the hour of UTC, that begins at an instant."""
    hour = _("%(day)s, %(time)s", day=dates.day_of_year(at), time=dates.time(at))
    words = dates.day(at) if unit == "day" else f"{hour} UTC"
    return Markup('<time datetime="{}">{}</time>').format(at.isoformat(timespec="minutes"), words)


def anywhere(at: datetime | None) -> str:
    """Format an instant anywhere on earth (UTC-12), to be shown beside the one in UTC."""
    if is_placeholder_date(at):
        return ""
    return DASH if at is None else f"{_without_same_day(at, at.astimezone(dates.AOE))} AoE"


def _without_same_day(at: datetime, there: datetime) -> str:
    """Format an instant in another zone, with its day only if that differs from the day in UTC."""
    at = at.astimezone(UTC)
    if there.date() == at.date():
        return dates.time(there)
    day = dates.day_of_year(there) if there.year == at.year else dates.day(there)
    return _("%(day)s, %(time)s", day=day, time=dates.time(there))


def local_time(at: datetime) -> str:
    """Format an instant in the reader's time zone; empty if they have none, or it is UTC."""
    zone = reader_zone()
    if zone is None or is_placeholder_date(at):
        return ""
    reader_time = at.astimezone(zone)
    return f"{_without_same_day(at, reader_time)} {reader_time:%Z}" if reader_time.utcoffset() else ""


def reader_zone() -> ZoneInfo | None:
    """Return the zone of the reader's account or else of the site, None for UTC; looked up once a request."""
    if not has_request_context():
        return None
    if "zone" not in g:
        g.zone = _zone()
    zone: ZoneInfo | None = g.zone
    return zone


def zone_name() -> str | None:
    """Return the time zone of the reader's account; None: it has none, or nobody is signed in."""
    name: str | None = getattr(current_user, "time_zone", None)
    return name


def _zone() -> ZoneInfo | None:
    site_zone = context.site_of(current_app).config.time_zone
    name = zone_name() or (site_zone if site_zone != "UTC" else None)
    try:
        return ZoneInfo(name) if name else None
    except ZoneInfoNotFoundError:
        return None


def countdown(at: datetime, now: datetime) -> Markup:
    """Format the time until a later instant, in an element that a script keeps up to date."""
    if is_placeholder_date(at):
        return Markup.escape(_("later"))
    exact = at.astimezone(UTC).isoformat(timespec="milliseconds")
    return Markup('<span data-until="%s">%s</span>') % (exact, until(at, now))


def until(at: datetime, now: datetime) -> str:
    """Format the time until a later instant: "in 3 h 12 min"."""
    minutes = int((at - now).total_seconds()) // 60
    hours, days = minutes // 60, minutes // (24 * 60)
    if minutes < 1:
        return _("within a minute")
    if hours < 1:
        return _("in %(minutes)s min", minutes=minutes)
    if hours < 48:
        return _("in %(hours)s h %(minutes)s min", hours=hours, minutes=minutes % 60)
    return _days(days) if days < 730 else _years(days // 365)


def _days(count: int, **shown: object) -> str:
    return ngettext("in %(num)s day", "in %(num)s days", count, **shown)


def _years(count: int, **shown: object) -> str:
    return ngettext("in %(num)s year", "in %(num)s years", count, **shown)


def script_messages() -> Markup:
    """Return the messages of static/times.js as JSON; the script replaces the words in braces."""
    return _script_messages(get_language(), reader_zone() is not None and zone_name() is not None)


@cache
def _script_messages(_language: str, has_zone: bool) -> Markup:
    words: dict[str, object] = {
        "has_zone": has_zone,
        "months": [translate(month) for month in dates.MONTHS],
        "day": _("%(day)s %(month)s %(year)s", day="{day}", month="{month}", year="{year}"),
        "day_of_year": _("%(day)s %(month)s", day="{day}", month="{month}"),
        "moment": _("%(day)s, %(time)s", day="{day}", time="{time}"),
        "past": _("now; reload the page"),
        "seconds": _("in %(seconds)s s", seconds="{seconds}"),
        "soon": _("in %(minutes)s min %(seconds)s s", minutes="{minutes}", seconds="{seconds}"),
        "minutes": _("in %(minutes)s min", minutes="{minutes}"),
        "hours": _("in %(hours)s h %(minutes)s min", hours="{hours}", minutes="{minutes}"),
        "days": plural_forms(lambda n: _days(n, num="{num}")),
        "years": plural_forms(lambda n: _years(n, num="{num}")),
    }
    return htmlsafe_json_dumps(words)
