"""The job that sends one email: it can run twice safely, and is retried with growing delays."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy.orm import Session, joinedload

from server.core import db
from server.core.mailer import MailFailed, OutgoingMail
from server.core.site_resources import Site
from server.jobs import service as jobs
from server.mail import opt_outs
from server.mail.models import Mail
from server.submissions import receipts


def send_mail(site: Site, payload: Mapping[str, Any], now: datetime) -> None:
    """Send an email unless it was sent; if it is sent twice, both have the same Message-ID.

    Raises:
        MailFailed: sending failed and should be retried.
    """
    with site.reading() as session:
        mail = session.get(Mail, payload["mail"], options=[joinedload(Mail.user), joinedload(Mail.task)])
        if mail is None or mail.state != "waiting":
            return
        reason, outgoing = _find_skip_reason(mail, now), _build_outgoing(site, mail)
    if reason is not None:
        _record_attempt(session, payload["mail"], now, MailFailed(reason, final=True))
        return
    try:
        site.mailer.deliver(outgoing)
    except MailFailed as failure:
        if not _record_attempt(session, payload["mail"], now, failure):
            raise
    else:
        _record_attempt(session, payload["mail"], now, None)


def _find_skip_reason(mail: Mail, now: datetime) -> str | None:
    """Return why an email must no longer be sent, or None if it must be sent."""
    if not opt_outs.wants_mail(mail.user, mail.kind):
        return "The recipient unsubscribed before it was sent."
    if mail.useful_until is not None and mail.useful_until <= now:
        return "The deadline passed before it could be sent, so it will not be sent."
    return None


def _build_outgoing(site: Site, mail: Mail) -> OutgoingMail:
    return OutgoingMail(
        recipient=mail.user.email,
        subject=mail.subject,
        text=mail.text,
        html=mail.html,
        message_id=mail.message_id,
        title=mail.task.title,
        contact=mail.task.contact,
        stop=opt_outs.opt_out_url(site.config, mail.user_id, mail.kind),
        attachments=tuple((receipts.filename_of(receipt), receipt.text) for receipt in mail.receipts),
    )


def _record_attempt(session: Session, mail_id: int, now: datetime, failure: MailFailed | None) -> bool:
    """Record how an attempt ended; return whether it was the last one."""
    with db.writing(session):
        mail = session.get_one(Mail, mail_id)
        if mail.state != "waiting":
            return True  # another worker took the job over and has recorded it
        mail.attempts += 1
        if failure is None:
            mail.state, mail.sent_at, mail.error = "sent", now, None
        else:
            mail.error = str(failure)[:1000]
            if failure.final or mail.attempts >= jobs.MAX_ATTEMPTS:
                mail.state = "failed"
        return mail.state != "waiting"
