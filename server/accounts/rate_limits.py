"""Rate limits: how often a wrong password, a wrong code or an email is allowed."""

from dataclasses import dataclass
from datetime import datetime, timedelta


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
CODE_LIMIT = RateLimit("code", 10, timedelta(minutes=15))
"""Wrong codes, or wrong answers when a password has to be entered again, of one account."""
MAIL_LIMIT = RateLimit("mail", 5, timedelta(hours=1))
"""Emails with links to one address."""
LONGEST_WINDOW = max(
    limit.within for limit in (SIGN_IN_FROM_ONE_IP, SIGN_IN_FROM_ANYWHERE, CODE_LIMIT, MAIL_LIMIT)
)
"""Older attempts are deleted."""
