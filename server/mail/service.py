"""Emails to people of a task: each is a row, written once for its cause, and a job that sends it."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from sqlalchemy import Select, and_, func, or_, select
from sqlalchemy.orm import Session, joinedload
from sqlalchemy.sql import ColumnElement

from server.access import service as access
from server.accounts.models import User
from server.audit import service as audit
from server.core.actors import Actor
from server.core.config import Config
from server.core.errors import require_found
from server.core.i18n import _
from server.core.site_resources import Site
from server.jobs import service as jobs
from server.mail import opt_outs
from server.mail.models import Mail, MailKind, MailState
from server.mail.rendering import render_mail
from server.submissions.models import Receipt
from server.tasks.models import Task
from server.tasks.rules import HIDDEN_STATES

SEND_JOB = "mail.send"
"""The kind of job that sends one email."""
STUCK_AFTER = timedelta(hours=12)
"""An email that has been waiting for longer than all its retries take is shown as failed."""
MAX_SHOWN = 200


def queue_mail(
    site: Site,
    task: Task,
    user: User,
    kind: MailKind,
    cause: str,
    now: datetime,
    *,
    useful_until: datetime | None = None,
    letter: str | None = None,
    receipts: Sequence[Receipt] = (),
    **facts: Any,
) -> Mail | None:
    """Write an email and the job that sends it; None: there is one for this cause, or it is not wanted.

    Nothing is written about a draft, which does not exist for the people of its teams.

    `letter`: the name of its templates if that is not the kind; `receipts`: what is attached.
    """
    session, config = site.session(), site.config
    message_id = make_message_id(config, cause, user.id)
    duplicates = select(Mail.id).where(Mail.user_id == user.id, Mail.message_id == message_id)
    if task.state in HIDDEN_STATES or not opt_outs.wants_mail(user, kind):
        return None
    if session.scalar(duplicates) is not None:
        return None
    stop = opt_outs.opt_out_url(config, user.id, kind)
    page = f"{config.site_url}/tasks/{task.slug}/"
    written = render_mail(letter or kind, task=task, page=page, stop=stop, **facts)
    mail = Mail(
        task_id=task.id,
        user_id=user.id,
        kind=kind,
        subject=written.subject,
        text=written.text,
        html=written.html,
        receipts=list(receipts),
        message_id=message_id,
        state="waiting",
        attempts=0,
        created_at=now,
        useful_until=useful_until,
    )
    session.add(mail)
    session.flush()
    _add_job(session, mail, now)
    return mail


def queue_mails(
    site: Site, task: Task, people: Iterable[User], kind: MailKind, cause: str, now: datetime, **facts: Any
) -> None:
    """Write an email to each of the people, as `queue_mail` does."""
    for user in people:
        queue_mail(site, task, user, kind, cause, now, **facts)


def make_message_id(config: Config, cause: str, user_id: int) -> str:
    """Return the Message-ID of the email to a person for a cause: always the same for the same arguments."""
    digest = hashlib.sha256(f"{cause}|{user_id}".encode()).hexdigest()[:32]
    return f"<{digest}@{urlsplit(config.site_url).hostname}>"


@dataclass(frozen=True, slots=True)
class MailReport:
    """The emails of a task, or of all tasks, that have problems, and the number of emails in each state."""

    troubled: Sequence[Mail]
    """Emails that failed, or wait after a failed attempt."""
    counts: dict[MailState, int]
    now: datetime

    @property
    def any_to_try(self) -> bool:
        """Whether one of them can be retried."""
        return any(map(self.may_be_tried, self.troubled))

    def may_be_tried(self, mail: Mail) -> bool:
        """Whether an email is still useful, and so can be retried."""
        return mail.useful_until is None or self.now < mail.useful_until


def read_mail_report(session: Session, task: Task | None, now: datetime) -> MailReport:
    """Report the problem emails of a task, or of all (None); the caller checks who may see them."""
    of_task = () if task is None else (Mail.task_id == task.id,)
    options = (joinedload(Mail.task), joinedload(Mail.user))
    query = select(Mail).options(*options).where(*of_task, _is_troubled(now)).order_by(Mail.id.desc())
    counted = select(Mail.state, func.count(Mail.id)).where(*of_task).group_by(Mail.state)
    counts: dict[MailState, int] = {state: number for state, number in session.execute(counted)}  # noqa: C416  (rows, not pairs)
    return MailReport(list(session.scalars(query.limit(MAX_SHOWN))), counts, now)


def count_failed_mails(session: Session, task: Task, now: datetime) -> int:
    """Count the failed emails of a task."""
    query = select(func.count(Mail.id)).where(Mail.task_id == task.id, _has_failed(now))
    return session.scalar(query) or 0


def send_again(session: Session, actor: Actor, task: Task | None, mail_id: int, now: datetime) -> None:
    """Retry an email with problems from the first attempt on: of a task, or as site administrator of any.

    Raises:
        NotFound: there is no such email, or this person may not see it.
        Forbidden: `actor` may see the task, but not organize it.
    """
    access.require_organizer_or_admin(session, actor, task)
    mail = session.scalar(_retryable(task, now).where(Mail.id == mail_id))
    mail = require_found(
        mail, _("This email cannot be sent again. It may have been sent in the meantime or be outdated.")
    )
    _try_now(session, mail, now)
    audit.record(session, actor, now, "mail.again", mail.task_id, mail=mail.id, kind=mail.kind)


def send_all_again(session: Session, actor: Actor, task: Task | None, now: datetime) -> int:
    """Retry all emails with problems, of a task or as site administrator all; return their number.

    Raises:
        NotFound: this person may not see the task.
        Forbidden: `actor` may see the task, but not organize it.
    """
    access.require_organizer_or_admin(session, actor, task)
    failed_mails = list(session.scalars(_retryable(task, now)))
    for mail in failed_mails:
        _try_now(session, mail, now)
    if failed_mails:
        of_task = None if task is None else task.id
        audit.record(session, actor, now, "mail.all_again", of_task, mails=len(failed_mails))
    return len(failed_mails)


def _try_now(session: Session, mail: Mail, now: datetime) -> None:
    """Retry an email at once as if it were new, without the delay after its failed attempts."""
    mail.state, mail.attempts, mail.error, mail.created_at = "waiting", 0, None, now
    _add_job(session, mail, now)


def _add_job(session: Session, mail: Mail, now: datetime) -> None:
    jobs.add_job(session, SEND_JOB, {"mail": mail.id}, now, key=f"{SEND_JOB}:{mail.id}")


def _retryable(task: Task | None, now: datetime) -> Select[Mail]:
    """Select emails with problems that can be retried, of a task or of all."""
    of_task = () if task is None else (Mail.task_id == task.id,)
    of_use = or_(Mail.useful_until.is_(None), Mail.useful_until > now)
    return select(Mail).where(*of_task, _is_troubled(now), of_use).order_by(Mail.id)


def _has_failed(now: datetime) -> ColumnElement[bool]:
    return or_(Mail.state == "failed", and_(Mail.state == "waiting", Mail.created_at < now - STUCK_AFTER))


def _is_troubled(now: datetime) -> ColumnElement[bool]:
    """Select emails that failed, or wait after a failed attempt."""
    return or_(_has_failed(now), and_(Mail.state == "waiting", Mail.attempts > 0))
