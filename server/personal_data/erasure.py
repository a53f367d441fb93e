"""Erases a person's name and address from the one table that has them; their records refer to a number."""

import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, Select, delete, func, select, update
from sqlalchemy.orm import Session, aliased

from server.access import service as access
from server.accounts.models import SignIn, User
from server.audit import service as audit
from server.core import db
from server.core.actors import WORKER, Actor
from server.core.errors import Conflict
from server.core.i18n import _
from server.core.site_resources import Site
from server.mail.models import Mail, mail_receipts
from server.tasks.models import Task, TaskRole
from server.teams.models import Membership, Team

ERASED_NAME = "a person who was removed"
"""The name that pages show for such a person."""
ERASED_DOMAIN = "removed.invalid"
"""The domain of their new address, which cannot exist."""
CONFIRMATION_PERIOD = timedelta(days=2)
"""How long after a sign-up its address can be confirmed, like the link in its email."""


@dataclass(frozen=True, slots=True)
class Involvement:
    """Where a person takes part."""

    teams: tuple[str, ...]
    roles: tuple[str, ...]
    mails: int
    """Emails to the person that were not sent yet."""


def find_participation(session: Session, user: User) -> Involvement:
    """Return where a person takes part, to be shown before they are erased."""
    teams = select(Team.name, Task.slug).join(Membership, Membership.team_id == Team.id)
    teams = teams.join(Task, Task.id == Team.task_id).where(Membership.user_id == user.id)
    roles = (
        select(TaskRole.role, Task.slug).join(Task, Task.id == TaskRole.task_id).where(*_current_roles(user))
    )
    waiting = select(func.count(Mail.id)).where(Mail.user_id == user.id, Mail.state != "sent")
    return Involvement(
        tuple(f"{row.name} of {row.slug}" for row in session.execute(teams.order_by(Task.slug))),
        tuple(f"{row.role} of {row.slug}" for row in session.execute(roles.order_by(Task.slug))),
        session.scalar(waiting) or 0,
    )


def erase_person(session: Session, actor: Actor, user: User, now: datetime) -> None:
    """Erase name, address and everything needed to sign in.

    Memberships stay, under a number.

    Raises:
        NotFound: `actor` is neither the person nor a site administrator.
        Conflict: the person is the last organizer of a task, or the captain of a team with other members.
    """
    if actor.user_id is not None and actor.user_id == user.id:
        if (obstacle := find_obstacle(session, user)) is not None:
            raise Conflict(obstacle)
    else:
        access.require_admin(session, actor)
        _require_successors(session, user)
    _erase(session, actor, user, now)


def erase_unconfirmed(site: Site, now: datetime) -> None:
    """Erase accounts whose addresses were not confirmed in time; that frees the addresses."""
    late = User.created_at <= now - CONFIRMATION_PERIOD
    with db.writing(session := site.session()):
        for user in session.scalars(select(User).where(User.active, User.confirmed_at.is_(None), late)).all():
            _erase(session, WORKER, user, now)


def _erase(session: Session, actor: Actor, user: User, now: datetime) -> None:
    for role in session.scalars(
        select(TaskRole).where(*_current_roles(user)).order_by(TaskRole.task_id)
    ).all():
        role.ended_at = now
        audit.record(session, actor, now, "role.remove", role.task_id, user=f"user:{user.id}")
    _delete_unsent(session, user)
    session.execute(update(Mail).where(Mail.user_id == user.id).values(error=None))
    session.execute(delete(SignIn).where(SignIn.user_id == user.id))
    _clear_account(user)
    audit.record(session, actor, now, "account.forget", user=f"user:{user.id}")


def find_obstacle(session: Session, user: User) -> str | None:
    """Say what a person has to do before they can delete their account; None: nothing."""
    for slug in session.scalars(_tasks_led_alone(user)):
        return _(
            "You are the last organizer of %(task)s. Invite another organizer first, or delete the task if "
            "it is a draft. Then delete your account.",
            task=slug,
        )
    for team, slug in session.execute(_teams_captained(user)):
        return _(
            "You are the captain of %(team)s in %(task)s, which has other members. Make one of them the "
            "captain first, then delete your account.",
            team=team,
            task=slug,
        )
    return None


def _delete_unsent(session: Session, user: User) -> None:
    unsent = (Mail.user_id == user.id, Mail.state != "sent")
    of_them = mail_receipts.c.mail_id.in_(select(Mail.id).where(*unsent))
    session.execute(delete(mail_receipts).where(of_them))
    session.execute(delete(Mail).where(*unsent))


def _clear_account(user: User) -> None:
    user.name, user.email, user.active = ERASED_NAME, f"{uuid.uuid4().hex}@{ERASED_DOMAIN}", False
    user.password = ""
    user.fs_uniquifier, user.confirmed_at, user.time_zone = uuid.uuid4().hex, None, None
    user.tf_primary_method = user.tf_totp_secret = user.mf_recovery_codes = None
    user.site_roles = []


def _current_roles(user: User) -> tuple[ColumnElement[bool], ...]:
    return TaskRole.user_id == user.id, TaskRole.ended_at.is_(None)


def _require_successors(session: Session, user: User) -> None:
    for slug in session.scalars(_tasks_led_alone(user)):
        raise Conflict(f"This is the last organizer of {slug}: make another person one first.")
    for team_name, slug in session.execute(_teams_captained(user)):
        raise Conflict(
            f"This is the captain of {team_name} ({slug}), which has other members: name another captain "
            f'first (`assay team captain {slug} "{team_name}" EMAIL`).'
        )


def _tasks_led_alone(user: User) -> Select[str]:
    """Select the tasks whose only organizer they are."""
    other = aliased(TaskRole)
    others = select(other).where(
        other.task_id == TaskRole.task_id,
        other.user_id != user.id,
        other.role == "organizer",
        other.ended_at.is_(None),
    )
    query = select(Task.slug).join(TaskRole, TaskRole.task_id == Task.id)
    return query.where(*_current_roles(user), TaskRole.role == "organizer", ~others.exists()).order_by(
        Task.slug
    )


def _teams_captained(user: User) -> Select[str, str]:
    """Select the teams whose captain they are, if these have other members."""
    others = select(Membership).where(Membership.team_id == Team.id, Membership.user_id != user.id)
    query = select(Team.name, Task.slug).join(Task, Task.id == Team.task_id)
    return query.where(Team.captain_id == user.id, others.exists()).order_by(Task.slug, Team.id)
