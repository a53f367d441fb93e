"""The only source of time, and when a request arrived: deadlines go by these instants."""

import re
from datetime import UTC, datetime, timedelta


def now() -> datetime:
    """The server's time, aware and in UTC."""
    return datetime.now(UTC)


MAX_BODY_TIME = timedelta(minutes=10)
"""Longer than this no body may take: what is whole later arrived when it was whole."""
_TIMESTAMP = re.compile(r"(?:t=)?([0-9]{1,11})\.([0-9]{3})")


def parse_arrival(told: str | None, now: datetime) -> datetime:
    """The instant that a proxy tells as `t=SECONDS.MILLIS`; `now` if that cannot be, or it tells none."""
    match = _TIMESTAMP.fullmatch(told or "")
    if match is None:
        return now
    at = datetime.fromtimestamp(int(match[1]), UTC) + timedelta(milliseconds=int(match[2]))
    return at if now - MAX_BODY_TIME <= at <= now else now


def arrival_after_body(arrived: datetime, now: datetime) -> datetime:
    """When a request that is whole now has arrived: when its head did, unless its body took too long."""
    return arrived if now - arrived <= MAX_BODY_TIME else now
