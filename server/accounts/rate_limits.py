"""Rate limits: how often a wrong password, a wrong code or an email is allowed."""

from dataclasses import dataclass
from datetime import datetime, timedelta


@dataclass(frozen=True, slots=True)
class RateLimit:
    """At most `times` within any stretch of `within`."""

    kind: str
    times: int
    within: timedelta

    def ends(self, tried: list[datetime], now: datetime) -> datetime | None:
        """When the next try is welcome, if that is not now."""
        recent = sorted(at for at in tried if at > now - self.within)
        return None if len(recent) < self.times else recent[-self.times] + self.within


SIGN_IN_FROM_ONE_IP = RateLimit("sign-in-here", 10, timedelta(minutes=15))
"""Wrong passwords for one address from one network address."""
SIGN_IN_FROM_ANYWHERE = RateLimit("sign-in", 100, timedelta(hours=1))
"""Wrong passwords for one address from anywhere: many, so that nobody locks another out at a deadline."""
CODE_LIMIT = RateLimit("code", 10, timedelta(minutes=15))
"""Wrong second factors, or wrong answers to "your password again", of one account."""
MAIL_LIMIT = RateLimit("mail", 5, timedelta(hours=1))
"""Mails with links to one address."""
LONGEST_WINDOW = max(
    limit.within for limit in (SIGN_IN_FROM_ONE_IP, SIGN_IN_FROM_ANYWHERE, CODE_LIMIT, MAIL_LIMIT)
)
"""Older tries are forgotten."""
