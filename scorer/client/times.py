"""Times of a site, for people."""

from datetime import UTC, datetime


def format_time(time: object) -> str:
    """A time that a site names, in UTC; what is none stays as it is.

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
