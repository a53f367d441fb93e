"""Invitation links: their lifetime, how many may be open, and why one is no longer valid."""

from datetime import datetime, timedelta

from server.core.dates import format_utc
from server.core.i18n import _

INVITATION_LIFETIME = timedelta(days=7)
MAX_OPEN_INVITATIONS = 5
"""The maximum number of open links of one team, or of one task's roles."""


def explain_invalid_link(expires_at: datetime, revoked_at: datetime | None, now: datetime) -> str | None:
    """Explain why a link can no longer be used; None: it can."""
    if revoked_at is not None and revoked_at <= now:
        return _("This link was revoked on %(at)s.", at=format_utc(revoked_at))
    return _("This link expired on %(at)s.", at=format_utc(expires_at)) if expires_at < now else None
