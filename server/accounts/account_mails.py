"""Emails about accounts: each is a job, which forgets the email and its links when it ends."""

import json
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from email.utils import make_msgid
from typing import Any
from urllib.parse import urlsplit

from sqlalchemy.orm import Session

from server.core.identity import get_identity
from server.core.mailer import OutgoingMail
from server.core.site_resources import Site
from server.jobs import service as jobs

ACCOUNT_MAIL_JOB = "account.mail"
"""The kind of job that sends one email about an account."""
USEFUL_FOR = timedelta(days=1)
"""An email that could not be sent for so long is dropped: its links are no longer valid."""


def queue_mails(session: Session, mails: Iterable[tuple[str, str, str]], now: datetime) -> None:
    """Add the jobs that send emails, each of a recipient, a subject and a text, which are encrypted."""
    identity = get_identity(session)
    domain = urlsplit(identity.site_url).hostname
    for recipient, subject, text in mails:
        mail = {
            "recipient": recipient,
            "subject": subject,
            "text": text,
            "message_id": make_msgid(domain=domain),
        }
        payload = {
            jobs.SEALED: identity.seal(json.dumps(mail).encode()),
            "useful_until": str(now + USEFUL_FOR),
        }
        jobs.add_job(session, ACCOUNT_MAIL_JOB, payload, now)


def send_account_mail(site: Site, payload: Mapping[str, Any], now: datetime) -> None:
    """Send an email about an account, unless it is too old.

    Raises:
        MailFailed: the mail server did not accept it.
    """
    if now < datetime.fromisoformat(payload["useful_until"]):
        mail = json.loads(get_identity(site.session()).open(payload[jobs.SEALED]))
        site.mailer.deliver(OutgoingMail(**mail))
