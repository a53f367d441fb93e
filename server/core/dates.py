"""Dates and times in the site's language, and the names of the time zones."""

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import cache
from zoneinfo import available_timezones

from server.core.i18n import N_, _, translate
from server.core.placeholders import is_placeholder_date

AOE = timezone(timedelta(hours=-12))
"""Anywhere on earth: a day ends there when it has ended everywhere."""
NEVER = datetime.max.replace(tzinfo=UTC)
"""What sorts after every instant, for a phase without a deadline."""
MONTHS = (
    N_("Jan"), N_("Feb"), N_("Mar"), N_("Apr"), N_("May"), N_("Jun"), N_("Jul"), N_("Aug"), N_("Sep"),
    N_("Oct"), N_("Nov"), N_("Dec"),
)  # fmt: skip


def day(at: datetime) -> str:
    """Format a date: "15 Mar 2026"."""
    return _("%(day)s %(month)s %(year)s", day=at.day, month=_month(at), year=at.year)


def day_of_year(at: datetime) -> str:
    """Format a date without its year, where the year is known: "15 Mar"."""
    return _("%(day)s %(month)s", day=at.day, month=_month(at))


def moment(at: datetime, *, seconds: bool = False) -> str:
    """Format date and time: "15 Mar 2026, 12:00"."""
    return _("%(day)s, %(time)s", day=day(at), time=time(at, seconds=seconds))


def time(at: datetime, *, seconds: bool = False) -> str:
    """Format the time of day."""
    return f"{at:%H:%M:%S}" if seconds else f"{at:%H:%M}"


def _month(at: datetime) -> str:
    return translate(MONTHS[at.month - 1])


def format_utc(at: datetime, *, seconds: bool = False) -> str:
    """Format an instant in UTC, as on all pages: "15 Mar 2026, 12:00 UTC"; a placeholder has no time."""
    if is_placeholder_date(at):
        return _("a date that is not set yet")
    return f"{moment(at.astimezone(UTC), seconds=seconds)} UTC"


def format_plain_utc(at: datetime) -> str:
    """Format an instant in UTC for commands and downloads, in the same form in every language."""
    return at.strftime("%Y-%m-%d %H:%M:%S UTC")


ALLOWED_YEARS = range(1971, 9000)
YEAR_MESSAGE = N_("Write a year from 1971 to 8999.")
_MOMENT = re.compile(
    r"(?:(?P<date>[0-9]{4}-[0-9]{2}-[0-9]{2})|(?P<day>[0-9]{1,2}) (?P<month>[^\W\d]+) (?P<year>[0-9]{4}))"
    r"(?:[T, ]+(?P<time>[0-9]{2}:[0-9]{2}(?::[0-9]{2})?)(?:\.[0-9]+)?)?"
    r" *(?P<zone>[^ ()]*)(?: \(.*\))?",
    re.IGNORECASE,
)
_OFFSET = re.compile(r"(?:UTC|GMT)?([+-])([0-9]{1,2}):?([0-9]{2})?", re.IGNORECASE)


def parse_moment(text: str, date_alone: str, reader_zone: tzinfo | None) -> datetime:
    """Parse an instant in any of the forms above, or as ISO 8601; 24:00 is the end of its day.

    `date_alone`: the time of a date without one; empty: a time is required.

    Raises:
        ValueError: with a message for people.
    """
    match = _MOMENT.fullmatch(text)
    if match and not match["time"] and not date_alone:
        raise ValueError(
            _(
                "The time is missing. Enter a date and time in UTC, such as 2026-03-15 12:00, or add AoE for "
                "anywhere on earth."
            )
        )
    try:
        moment = _read_moment(match, date_alone, reader_zone) if match else None
    except (ValueError, OverflowError):
        moment = None
    if moment is None:
        raise ValueError(
            _("Enter a date and time in UTC, such as 2026-03-15 12:00, or add AoE for anywhere on earth.")
        )
    if moment.year not in ALLOWED_YEARS:
        raise ValueError(_(YEAR_MESSAGE))
    return moment


def _read_moment(match: re.Match[str], date_alone: str, reader_zone: tzinfo | None) -> datetime:
    time = match["time"] or date_alone
    ends_day = time in ("24:00", "24:00:00")
    date = match["date"] or f"{match['year']}-{_month_number(match['month']):02}-{int(match['day']):02}"
    moment = datetime.fromisoformat(date if ends_day else f"{date}T{time}") + timedelta(days=ends_day)
    return moment.replace(tzinfo=_find_zone(match["zone"], moment, reader_zone)).astimezone(UTC)


def _month_number(name: str) -> int:
    return [translate(month).lower() for month in MONTHS].index(name.lower()) + 1


def _find_zone(name: str, moment: datetime, reader_zone: tzinfo | None) -> tzinfo:
    """Return the zone that a text names; the reader's own is named as its times are shown: "CET"."""
    if name.upper() in ("", "UTC", "GMT", "Z"):
        return UTC
    if name.upper() == "AOE":
        return AOE
    if offset := _OFFSET.fullmatch(name):
        sign, hours, minutes = offset.groups()
        return timezone(int(f"{sign}1") * timedelta(hours=int(hours), minutes=int(minutes or 0)))
    if reader_zone is not None and moment.replace(tzinfo=reader_zone).tzname() == name:
        return reader_zone
    raise ValueError(name)


@cache
def list_time_zones() -> tuple[str, ...]:
    """List all time zones in order; cached, because reading them opens hundreds of files."""
    return tuple(sorted(available_timezones()))
