"""Emails of a request: rendered by its views, sent after its commit and its response."""

from collections.abc import Callable
from typing import Any

from flask import Response, g, request
from flask_security import MailUtil

from server.accounts import rate_limits
from server.accounts.rate_limits import MAIL_LIMIT
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
    """Sends the emails that a request has kept."""

    def __init__(self, site: Site) -> None:
        self._site = site

    def deliver(self, response: Response) -> Response:
        """Send the emails once the response has been sent."""
        mails = g.pop("outbox", [])
        if response.status_code >= 400:
            return response
        if (request.method, request.endpoint) in OPEN_MAIL_REQUESTS and not self._may_ask():
            return response
        for recipient, subject, body in mails:
            response.call_on_close(self._sending(recipient, subject, body))
        return response

    def _sending(self, recipient: str, subject: str, body: str) -> Callable[[], None]:
        return lambda: self._site.mailer.send(recipient, subject, body)

    def _may_ask(self) -> bool:
        """Allow a few emails an hour for each address, whether it has an account or not."""
        session, now = self._site.session(), clock.now()
        key = [(MAIL_LIMIT, request.form.get("email", "").strip().lower())]
        if rate_limits.find_lock(session, key, now) is not None:
            return False
        with db.writing(session):
            rate_limits.note_attempt(session, key, now)
        return True
