"""How often something may be tried: the patience of the site with guesses and with mails."""

from dataclasses import dataclass
from datetime import datetime, timedelta


@dataclass(frozen=True, slots=True)
class Limit:
    """At most `times` within any stretch of `within`."""

    kind: str
    times: int
    within: timedelta

    def ends(self, tried: list[datetime], now: datetime) -> datetime | None:
        """When the next try is welcome, if that is not now."""
        recent = sorted(at for at in tried if at > now - self.within)
        return None if len(recent) < self.times else recent[-self.times] + self.within


SIGN_IN_HERE = Limit("sign-in-here", 10, timedelta(minutes=15))
"""Wrong passwords for one address from one network address."""
SIGN_IN_ANYWHERE = Limit("sign-in", 100, timedelta(hours=1))
"""Wrong passwords for one address from anywhere: many, so that nobody locks another out at a deadline."""
CODE = Limit("code", 10, timedelta(minutes=15))
"""Wrong second factors, or wrong answers to "your password again", of one account."""
MAIL = Limit("mail", 5, timedelta(hours=1))
"""Mails with links to one address."""
KEPT = max(limit.within for limit in (SIGN_IN_HERE, SIGN_IN_ANYWHERE, CODE, MAIL))
"""Older tries are forgotten."""
