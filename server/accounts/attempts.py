"""Counts attempts for rate limits: wrong passwords, wrong codes, emails. Unknown accounts count alike."""

import hashlib
from collections.abc import Iterable
from datetime import datetime

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from server.accounts.models import Attempt
from server.accounts.rate_limits import LONGEST_WINDOW, RateLimit

LimitKey = tuple[RateLimit, str]
"""A limit, and the key of what it is counted for."""


def find_lock(session: Session, keyed: Iterable[LimitKey], now: datetime) -> datetime | None:
    """Return when the limits reset, or None if none has been reached."""
    ends = []
    for limit, key in keyed:
        query = select(Attempt.at).where(Attempt.kind == limit.kind, Attempt.key == _hashed(key))
        end = limit.ends(list(session.scalars(query.where(Attempt.at > now - limit.within))), now)
        if end is not None:
            ends.append(end)
    return max(ends, default=None)


def note_attempt(session: Session, keyed: Iterable[LimitKey], now: datetime) -> None:
    """Count one attempt for each of the limits, and delete attempts that are too old for any limit."""
    session.execute(delete(Attempt).where(Attempt.at < now - LONGEST_WINDOW))
    session.add_all(Attempt(kind=limit.kind, key=_hashed(key), at=now) for limit, key in keyed)
    session.flush()


def forget_attempts(session: Session, keyed: Iterable[LimitKey]) -> None:
    """Reset the counters, after a correct answer."""
    for limit, key in keyed:
        session.execute(delete(Attempt).where(Attempt.kind == limit.kind, Attempt.key == _hashed(key)))


def _hashed(key: str) -> str:
    """Hash a key, so that an address that was typed by mistake is not stored."""
    return hashlib.sha256(key.encode()).hexdigest()
