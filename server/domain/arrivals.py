"""When a request arrived, by the word of the proxy that read its head."""

import re
from datetime import UTC, datetime, timedelta

MOST = timedelta(hours=1)
"""Longer than this no body takes: a time that is older is not believed."""
_MOMENT = re.compile(r"(?:t=)?([0-9]{1,11})\.([0-9]{3})")


def arrived_at(told: str | None, now: datetime) -> datetime:
    """The instant that a proxy tells as `t=SECONDS.MILLIS`; `now` if that cannot be, or it tells none."""
    found = _MOMENT.fullmatch(told or "")
    if found is None:
        return now
    at = datetime.fromtimestamp(int(found[1]), UTC) + timedelta(milliseconds=int(found[2]))
    return at if now - MOST <= at <= now else now
