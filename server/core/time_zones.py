"""The names of time zones, as the IANA database of this machine has them."""

from functools import cache
from zoneinfo import available_timezones


@cache
def time_zones() -> tuple[str, ...]:
    """All of them in order; looking for them opens hundreds of files, so once."""
    return tuple(sorted(available_timezones()))
