"""Rate limits: how often a wrong password, code or email is allowed. Unknown accounts count alike.

Networks have limits, too, so that nobody tries one password at many addresses. They are high enough for a
class whose browsers share one IP address.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from ipaddress import IPv6Address, ip_address, ip_network

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from server.accounts.models import Attempt


@dataclass(frozen=True, slots=True)
class RateLimit:
    """At most `times` attempts within any period of length `within`."""

    kind: str
    times: int
    within: timedelta

    def ends(self, tried: list[datetime], now: datetime) -> datetime | None:
        """Return when the limit resets, or None if it has not been reached."""
        recent = sorted(at for at in tried if at > now - self.within)
        return None if len(recent) < self.times else recent[-self.times] + self.within


SIGN_IN_FROM_ONE_IP = RateLimit("sign-in-here", 10, timedelta(minutes=15))
"""Wrong passwords for one email address from one IP address."""
SIGN_IN_FROM_ANYWHERE = RateLimit("sign-in", 100, timedelta(hours=1))
"""Wrong passwords for one email address from anywhere: many, so that nobody can lock others out."""
ANY_SIGN_IN_FROM_ONE_IP = RateLimit("sign-in-ip", 30, timedelta(minutes=15))
ANY_SIGN_IN_FROM_ONE_NETWORK = RateLimit("sign-in-network", 100, timedelta(hours=1))
"""Wrong passwords for any email addresses."""
CODE_LIMIT = RateLimit("code", 10, timedelta(minutes=15))
"""Wrong codes, or wrong answers when a password has to be entered again, of one account."""
MAIL_LIMIT = RateLimit("mail", 5, timedelta(hours=1))
"""Emails with links to one address."""
REQUESTS_FROM_ONE_IP = RateLimit("request-ip", 200, timedelta(hours=1))
REQUESTS_FROM_ONE_NETWORK = RateLimit("request-network", 400, timedelta(hours=1))
"""Forms that create an account or have an email sent, for any email addresses."""
LONGEST_WINDOW = timedelta(hours=1)
"""The longest period of a limit; older attempts are deleted."""
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


def find_networks(remote_addr: str | None) -> tuple[str, str]:
    """Return what counts as one IP address, and the network that it belongs to: IPv4 /24, IPv6 /48.

    A device can choose any IPv6 address of its /64, so that all of these count as one.
    """
    try:
        ip = ip_address(remote_addr or "")
    except ValueError:  # a proxy passed on something else
        return str(remote_addr), str(remote_addr)
    if isinstance(ip, IPv6Address) and ip.ipv4_mapped is not None:
        ip = ip.ipv4_mapped
    one, many = ((int(ip), length) for length in ((32, 24) if ip.version == 4 else (64, 48)))
    return str(ip_network(one, strict=False)), str(ip_network(many, strict=False))


def _hashed(key: str) -> str:
    """Hash a key, so that an address that was typed by mistake is not stored."""
    return hashlib.sha256(key.encode()).hexdigest()
