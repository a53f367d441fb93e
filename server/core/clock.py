"""The only source of the current time, and a request's arrival time, which decides whether it is late."""

import re
import time
from datetime import UTC, datetime, timedelta


def now() -> datetime:
    """The server's time, aware and in UTC."""
    return datetime.now(UTC)


_OFFSET = time.time() - time.monotonic()


def step_seconds() -> float:
    """Return by how many seconds the clock was set since this process started."""
    return time.time() - time.monotonic() - _OFFSET


MAX_BODY_TIME = timedelta(minutes=10)
"""A body may take this long; a request that takes longer counts as arrived when it was complete."""
_TIMESTAMP = re.compile(r"(?:t=)?([0-9]{1,11})\.([0-9]{3})")


def parse_arrival(header: str | None, now: datetime) -> datetime:
    """Parse the time that a proxy sends as `t=SECONDS.MILLIS`; `now` if it is missing or impossible."""
    match = _TIMESTAMP.fullmatch(header or "")
    if match is None:
        return now
    at = datetime.fromtimestamp(int(match[1]), UTC) + timedelta(milliseconds=int(match[2]))
    return at if now - MAX_BODY_TIME <= at <= now else now


def arrival_after_body(arrived: datetime, now: datetime) -> datetime:
    """Return when a complete request arrived: when its headers did, unless its body took too long."""
    return arrived if now - arrived <= MAX_BODY_TIME else now
