"""Mails to people of a task: each a row, written once for its cause, and a job that sends it."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from sqlalchemy import and_, func, or_, select
from sqlalchemy.orm import Session, joinedload
from sqlalchemy.sql import ColumnElement

from server.config import Config
from server.domain.actors import Actor
from server.errors import NotFound
from server.letters import write_letter
from server.models import Mail, Task, User
from server.models.mails import MailKind, MailState
from server.services import access, audit, jobs, opt_outs

SEND = "mail.send"
"""The kind of job that sends one mail."""
STUCK = timedelta(hours=12)
"""A mail that waits for longer than all its attempts take is shown as failed."""
SHOWN = 200


def put_mail(
    session: Session,
    config: Config,
    task: Task,
    user: User,
    kind: MailKind,
    cause: str,
    now: datetime,
    **facts: Any,
) -> Mail | None:
    """Write a mail with the job that sends it; None: there is one for this cause, or it is not wanted."""
    message_id = make_message_id(config, cause, user.id)
    there = select(Mail.id).where(Mail.user_id == user.id, Mail.message_id == message_id)
    if not opt_outs.wants(user, kind) or session.scalar(there) is not None:
        return None
    stop = opt_outs.opt_out_url(config, user.id, kind)
    letter = write_letter(kind, task=task, site=config.site_url, stop=stop, **facts)
    mail = Mail(
        task_id=task.id,
        user_id=user.id,
        kind=kind,
        subject=letter.subject,
        text=letter.text,
        html=letter.html,
        message_id=message_id,
        state="waiting",
        attempts=0,
        created_at=now,
    )
    session.add(mail)
    session.flush()
    _add_job(session, mail, now)
    return mail


def make_message_id(config: Config, cause: str, user_id: int) -> str:
    """The Message-ID of the mail to a person about something: the same, however often it is asked for."""
    digest = hashlib.sha256(f"{cause}|{user_id}".encode()).hexdigest()[:32]
    return f"<{digest}@{urlsplit(config.site_url).hostname}>"


@dataclass(frozen=True, slots=True)
class Post:
    """The mails of a task, or of all: those that failed, and how many there are of each state."""

    failed: Sequence[Mail]
    counts: dict[MailState, int]


def list_post(session: Session, task: Task | None, now: datetime) -> Post:
    """The failed mails of a task, or None: of all tasks; the caller asks whether they may be seen."""
    of_task = () if task is None else (Mail.task_id == task.id,)
    options = (joinedload(Mail.task), joinedload(Mail.user))
    query = select(Mail).options(*options).where(*of_task, _has_failed(now)).order_by(Mail.id.desc())
    counted = select(Mail.state, func.count(Mail.id)).where(*of_task).group_by(Mail.state)
    counts: dict[MailState, int] = {state: number for state, number in session.execute(counted)}  # noqa: C416  (rows, not pairs)
    return Post(list(session.scalars(query.limit(SHOWN))), counts)


def count_failed(session: Session, task: Task, now: datetime) -> int:
    """How many mails of a task failed."""
    query = select(func.count(Mail.id)).where(Mail.task_id == task.id, _has_failed(now))
    return session.scalar(query) or 0


def send_again(session: Session, actor: Actor, task: Task | None, mail_id: int, now: datetime) -> Mail:
    """Try a mail that failed once more, from the beginning: one of a task, or as the site's admin one of any.

    Raises:
        NotFound: there is none, or not for this person.
        Forbidden: `actor` may see the task, and not run it.
    """
    of_task = () if task is None else (Mail.task_id == task.id,)
    if task is None:
        access.require_admin(session, actor)
    else:
        access.require_organizer(session, actor, task)
    mail = session.scalar(select(Mail).where(Mail.id == mail_id, *of_task, _has_failed(now)))
    if mail is None:
        raise NotFound("There is no such mail that failed; it may have been sent meanwhile.")
    mail.state, mail.attempts, mail.error, mail.created_at = "waiting", 0, None, now
    _add_job(session, mail, now)
    audit.record(session, actor, now, "mail.again", mail.task_id, mail=mail.id, kind=mail.kind)
    return mail


def _add_job(session: Session, mail: Mail, now: datetime) -> None:
    jobs.add_job(session, SEND, {"mail": mail.id}, now, key=f"{SEND}:{mail.id}")


def _has_failed(now: datetime) -> ColumnElement[bool]:
    return or_(Mail.state == "failed", and_(Mail.state == "waiting", Mail.created_at < now - STUCK))
