"""When a request arrived, by the word of the proxy that read its head."""

import re
from datetime import UTC, datetime, timedelta

MOST = timedelta(minutes=10)
"""Longer than this no body may take: what is whole later arrived when it was whole."""
_MOMENT = re.compile(r"(?:t=)?([0-9]{1,11})\.([0-9]{3})")


def arrived_at(told: str | None, now: datetime) -> datetime:
    """The instant that a proxy tells as `t=SECONDS.MILLIS`; `now` if that cannot be, or it tells none."""
    found = _MOMENT.fullmatch(told or "")
    if found is None:
        return now
    at = datetime.fromtimestamp(int(found[1]), UTC) + timedelta(milliseconds=int(found[2]))
    return at if now - MOST <= at <= now else now


def whole_at(arrived: datetime, now: datetime) -> datetime:
    """When a request that is whole now has arrived: when its head did, unless its body took too long."""
    return arrived if now - arrived <= MOST else now
