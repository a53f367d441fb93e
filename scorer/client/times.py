"""Formats times from a site for people."""

from datetime import UTC, datetime


def format_time(time: object) -> str:
    """Format a time from a site in UTC; text that is not a time is returned unchanged.

    Examples
    --------
    >>> format_time("2026-11-25T08:17:38.098917+01:00")
    '2026-11-25 07:17:38 UTC'
    >>> format_time("soon")
    'soon'
    """
    try:
        moment = datetime.fromisoformat(str(time))
    except ValueError:
        return str(time)
    return f"{moment.replace(tzinfo=moment.tzinfo or UTC).astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"
