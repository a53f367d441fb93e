"""Dates and times in the site's language, and the names of the time zones."""

from datetime import UTC, datetime, timedelta, timezone
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


def moment(at: datetime, *, seconds: bool | None = None) -> str:
    """Format date and time: "15 Mar 2026, 12:00"; with `seconds`, by default if they are not zero."""
    return _("%(day)s, %(time)s", day=day(at), time=time(at, seconds=seconds))


def time(at: datetime, *, seconds: bool | None = None) -> str:
    """Format the time of day."""
    shown = bool(at.second) if seconds is None else seconds
    return f"{at:%H:%M:%S}" if shown else f"{at:%H:%M}"


def _month(at: datetime) -> str:
    return translate(MONTHS[at.month - 1])


def format_utc(at: datetime, *, seconds: bool | None = None) -> str:
    """Format an instant in UTC, as on all pages: "15 Mar 2026, 12:00 UTC"; a placeholder has no time."""
    if is_placeholder_date(at):
        return _("a date that is not set yet")
    return f"{moment(at.astimezone(UTC), seconds=seconds)} UTC"


def format_plain_utc(at: datetime) -> str:
    """Format an instant in UTC for commands and downloads, in the same form in every language."""
    return at.strftime("%Y-%m-%d %H:%M:%S UTC")


ALLOWED_YEARS = range(1971, 9000)
YEAR_MESSAGE = N_("Write a year from 1971 to 8999.")


@cache
def list_time_zones() -> tuple[str, ...]:
    """List all time zones in order; cached, because reading them opens hundreds of files."""
    return tuple(sorted(available_timezones()))
