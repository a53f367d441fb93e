"""Emails of a request: rendered by its views, and made jobs after its commit."""

from datetime import datetime
from typing import Any

from flask import Response, current_app, g, request
from flask_security import MailUtil
from sqlalchemy.orm import Session

from server.accounts import account_mails, rate_limits
from server.core import clock, db
from server.core.site_resources import Site

OPEN_MAIL_REQUESTS = {
    ("POST", "security.register"),
    ("POST", "security.forgot_password"),
    ("POST", "security.send_confirmation"),
    ("POST", "security.change_email"),
}
"""Endpoints by which anyone can have an email sent to any address."""


def put_mail(recipient: str, subject: str, body: str) -> None:
    """Keep an email until the end of the request."""
    g.setdefault("outbox", []).append((recipient, subject, body.strip() + "\n"))


def normal_address(typed: str) -> str:
    """Return the address by which an account is found, so that other spellings of it have the same limits."""
    try:
        return str(current_app.extensions["security"].mail_util.normalize(typed.strip()))
    except ValueError:
        return typed.strip().lower()


class OutboxMailUtil(MailUtil):
    """Replaces Flask-Security's sending: emails wait until the end of the request."""

    def send_mail(
        self, template: str, subject: str, recipient: Any, sender: Any, body: Any, html: Any, **_context: Any
    ) -> None:
        """Keep an email until the end of the request."""
        del template, sender, html
        put_mail(str(recipient), str(subject), str(body))

    def normalize(self, email: str) -> str:
        """Normalize an address for lookups: to lower case."""
        return str(super().normalize(email)).lower()

    def validate(self, email: str) -> str:
        """Normalize an address for storage: to lower case."""
        return str(super().validate(email)).lower()


class Outbox:
    """Queues the emails that a request has kept."""

    def __init__(self, site: Site) -> None:
        self._site = site

    def queue(self, response: Response) -> Response:
        """Queue the emails, so that no request waits for the mail server."""
        mails = g.pop("outbox", [])
        is_open = (request.method, request.endpoint) in OPEN_MAIL_REQUESTS
        if response.status_code < 400 and (mails or is_open):
            session, now = self._site.session(), clock.now()
            with db.writing(session):
                if not is_open or self._may_ask(session, now):
                    account_mails.queue_mails(session, mails, now)
        return response

    def _may_ask(self, session: Session, now: datetime) -> bool:
        """Allow a few emails an hour for each address, whether it has an account or not."""
        key = [(rate_limits.MAIL_LIMIT, normal_address(request.form.get("email", "")))]
        if rate_limits.find_lock(session, key, now) is not None:
            return False
        rate_limits.note_attempt(session, key, now)
        return True
