"""Counting tries: wrong passwords, wrong codes, mails. Whether an account exists makes no difference."""

import hashlib
from collections.abc import Iterable
from datetime import datetime

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from server.accounts.models import Attempt
from server.accounts.rate_limits import LONGEST_WINDOW, RateLimit

LimitKey = tuple[RateLimit, str]
"""A limit, and whom it is counted for."""


def find_lock(session: Session, keyed: Iterable[LimitKey], now: datetime) -> datetime | None:
    """When the next try is welcome, if one of the limits is reached."""
    ends = []
    for limit, key in keyed:
        query = select(Attempt.at).where(Attempt.kind == limit.kind, Attempt.key == _hashed(key))
        end = limit.ends(list(session.scalars(query.where(Attempt.at > now - limit.within))), now)
        if end is not None:
            ends.append(end)
    return max(ends, default=None)


def note_attempt(session: Session, keyed: Iterable[LimitKey], now: datetime) -> None:
    """Count one try for each of the limits, and forget those that no limit counts any more."""
    session.execute(delete(Attempt).where(Attempt.at < now - LONGEST_WINDOW))
    session.add_all(Attempt(kind=limit.kind, key=_hashed(key), at=now) for limit, key in keyed)
    session.flush()


def forget_attempts(session: Session, keyed: Iterable[LimitKey]) -> None:
    """Begin anew: the right answer was given."""
    for limit, key in keyed:
        session.execute(delete(Attempt).where(Attempt.kind == limit.kind, Attempt.key == _hashed(key)))


def _hashed(key: str) -> str:
    """Keys are kept as hashes: an address that somebody typed by mistake is not ours to keep."""
    return hashlib.sha256(key.encode()).hexdigest()
