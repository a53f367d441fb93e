"""Invitation links that give one person a role in a task, once."""

from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from server.access import roles, service as access
from server.audit import service as audit
from server.core.actors import Actor
from server.core.errors import Conflict, Forbidden, Gone, NotFound, require_found
from server.core.i18n import _
from server.core.identity import get_identity
from server.tasks.models import RoleInvitation, Task
from server.tasks.rules import RoleName
from server.teams import memberships
from server.teams.models import Team
from server.teams.rules import INVITATION_LIFETIME, MAX_OPEN_INVITATIONS, explain_invalid_link


def invite(session: Session, actor: Actor, task: Task, role: RoleName, now: datetime) -> RoleInvitation:
    """Create an invitation link that gives one person a role; it is valid for seven days.

    Raises:
        Forbidden, NotFound: `actor` is no organizer of the task.
        Conflict: there are as many open links as there may be.
    """
    access.require_people_manager(session, actor, task)
    if len(list_open(session, actor, task, now)) >= MAX_OPEN_INVITATIONS:
        raise Conflict.of(
            "There are already %(most)d invitation links. Revoke one first.", most=MAX_OPEN_INVITATIONS
        )
    invitation = RoleInvitation(
        task_id=task.id,
        role=role,
        **actor.made(now),
        expires_at=now + INVITATION_LIFETIME,
    )
    session.add(invitation)
    session.flush()
    audit.record(session, actor, now, "role.invite", task.id, invitation=invitation.id, role=role)
    return invitation


def revoke(session: Session, actor: Actor, task: Task, invitation_id: int, now: datetime) -> None:
    """Revoke an invitation link; an invalid one does not change.

    Raises:
        Forbidden, NotFound: `actor` is no organizer of the task; there is no such link.
    """
    access.require_people_manager(session, actor, task)
    invitation = session.get(RoleInvitation, invitation_id)
    if invitation is None or invitation.task_id != task.id:
        raise NotFound.of("There is no such invitation link.")
    if _explain_invalid_link(invitation, now) is None:
        invitation.revoked_at = now
        audit.record(session, actor, now, "role.revoke", task.id, invitation=invitation.id)


def list_open(session: Session, actor: Actor, task: Task, now: datetime) -> list[RoleInvitation]:
    """List the invitation links that can be used, the oldest first; empty for people who do not organize."""
    if not access.manages_people(session, actor, task):
        return []
    query = select(RoleInvitation).where(
        RoleInvitation.task_id == task.id,
        RoleInvitation.revoked_at.is_(None),
        RoleInvitation.accepted_at.is_(None),
        RoleInvitation.expires_at >= now,
    )
    return list(session.scalars(query.order_by(RoleInvitation.id)))


def get_invitation(session: Session, actor: Actor, task: Task, token: str, now: datetime) -> RoleInvitation:
    """Return an invitation link that `actor` may use now, or after signing in.

    Raises:
        NotFound: the task has no such link.
        Gone: it has expired, was revoked or used.
        Conflict: `actor` has a role in the task already, or is in a team that cannot be left.
    """
    nonce = get_identity(session).read_link(token)
    query = select(RoleInvitation).where(RoleInvitation.task_id == task.id, RoleInvitation.nonce == nonce)
    invitation = session.scalar(query)
    invitation = require_found(
        invitation, _("This invitation is not valid. Ask an organizer of the task for a new one.")
    )
    role = access.find_role(session, actor, task)
    if role is not None:
        raise Conflict.of(
            "You are already %(role)s of this task. An organizer can change your role.",
            role=roles.with_article(role),
        )
    reason = _explain_invalid_link(invitation, now)
    if reason is not None:
        raise Gone.of("%(why)s Ask an organizer of the task for a new one.", why=reason)
    team = access.find_team(session, actor, task)
    if team is not None:
        memberships.require_may_leave(session, actor, team)
    return invitation


def accept(session: Session, actor: Actor, task: Task, token: str, now: datetime) -> RoleName:
    """Take the role of an invitation link and leave the current team; raises as `get_invitation` does.

    Raises:
        Forbidden: nobody is signed in.
    """
    if actor.user_id is None:
        raise Forbidden.of("Sign in first.")
    invitation = get_invitation(session, actor, task, token, now)
    team: Team | None = access.find_team(session, actor, task)
    if team is not None:
        memberships.leave_team(session, actor, task, now)
    roles.give_role(session, actor, task, actor.user_id, invitation.role, now)
    invitation.accepted_by, invitation.accepted_at = actor.user_id, now
    audit.record(session, actor, now, "role.accept", task.id, invitation=invitation.id)
    return invitation.role


def _explain_invalid_link(invitation: RoleInvitation, now: datetime) -> str | None:
    if invitation.accepted_at is not None:
        return _("This link has already been used.")
    return explain_invalid_link(invitation.expires_at, invitation.revoked_at, now)
