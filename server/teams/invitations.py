"""Invitation links by which people join a team: they expire, and can be revoked."""

from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from server.access import service as access
from server.audit import service as audit
from server.core.actors import Actor
from server.core.errors import Conflict, Gone, NotFound, require_found
from server.core.i18n import _
from server.core.identity import get_identity
from server.tasks.models import Task
from server.teams import service as teams
from server.teams.models import Team, TeamInvitation
from server.teams.rules import INVITATION_LIFETIME, MAX_OPEN_INVITATIONS, explain_invalid_link


def invite(session: Session, actor: Actor, team: Team, now: datetime) -> TeamInvitation:
    """Create an invitation link for the team, by which anyone can join it for seven days.

    Raises:
        NotFound: `actor` is not in the team.
        Conflict: the team has the maximum number of open links, or is dissolved.
    """
    access.require_member(session, actor, team, "team")
    if team.state == "dissolved":
        access.require_competing(team)
    if len(list_open(session, team, now)) >= MAX_OPEN_INVITATIONS:
        words = _(
            "The team already has %(most)d invitation links. Share one of them, or revoke one.",
            most=MAX_OPEN_INVITATIONS,
        )
        raise Conflict(words)
    invitation = TeamInvitation(
        team_id=team.id,
        **actor.made(now),
        expires_at=now + INVITATION_LIFETIME,
    )
    invitation.team = team
    session.add(invitation)
    session.flush()
    audit.record(session, actor, now, "team.invite", team.task_id, team.id, invitation=invitation.id)
    return invitation


def revoke(session: Session, actor: Actor, team: Team, invitation_id: int, now: datetime) -> None:
    """Revoke an invitation link of the team; an invalid one does not change.

    Raises:
        NotFound: `actor` is not in the team, or the team has no such link.
    """
    invitation = _get_invitation(session, actor, team, invitation_id)
    if explain_invalid_link(invitation.expires_at, invitation.revoked_at, now) is None:
        invitation.revoked_at = now
        audit.record(session, actor, now, "team.revoke", team.task_id, team.id, invitation=invitation.id)


def replace(session: Session, actor: Actor, team: Team, invitation_id: int, now: datetime) -> TeamInvitation:
    """Revoke an invitation link of the team, and create a new one in its place.

    Raises:
        NotFound: `actor` is not in the team, or the team has no such link.
        Conflict: the link is not valid, or the team is dissolved.
    """
    invitation = _get_invitation(session, actor, team, invitation_id)
    reason = explain_invalid_link(invitation.expires_at, invitation.revoked_at, now)
    if reason is not None:
        raise Conflict(reason)
    revoke(session, actor, team, invitation_id, now)
    return invite(session, actor, team, now)


def _get_invitation(session: Session, actor: Actor, team: Team, invitation_id: int) -> TeamInvitation:
    access.require_member(session, actor, team, "team")
    invitation = session.get(TeamInvitation, invitation_id)
    if invitation is None or invitation.team_id != team.id:
        raise NotFound.of("There is no such invitation link.")
    return invitation


def revoke_all(session: Session, team: Team, now: datetime) -> None:
    """Revoke every invitation link of a team that is dissolved, or from which a member was removed."""
    for invitation in list_open(session, team, now):
        invitation.revoked_at = now
    session.flush()


def list_open(session: Session, team: Team, now: datetime) -> list[TeamInvitation]:
    """List the invitation links of a team that can be used, the oldest first."""
    query = select(TeamInvitation).where(
        TeamInvitation.team_id == team.id,
        TeamInvitation.revoked_at.is_(None),
        TeamInvitation.expires_at >= now,
    )
    return list(session.scalars(query.order_by(TeamInvitation.id)))


def get_invitation(session: Session, actor: Actor, task: Task, token: str, now: datetime) -> TeamInvitation:
    """Return the invitation of a link; for members of its team even if the link is invalid.

    Raises:
        NotFound: no team of the task has this link.
        Gone: the link has expired, or was revoked.
    """
    nonce = get_identity(session).read_link(token)
    query = select(TeamInvitation).join(Team).where(Team.task_id == task.id, TeamInvitation.nonce == nonce)
    invitation = session.scalar(query)
    invitation = require_found(
        invitation, _("This invitation is not valid. Ask a team member for a new link.")
    )
    reason = explain_invalid_link(invitation.expires_at, invitation.revoked_at, now)
    if reason is not None and access.find_team(session, actor, task) is not invitation.team:
        words = _("%(why)s Ask a member of %(team)s for a new one.", why=reason, team=invitation.team.name)
        raise Gone(words)
    return invitation


def join_team(session: Session, actor: Actor, task: Task, token: str, now: datetime) -> Team:
    """Join a team by an invitation link; nothing changes for its members.

    Raises:
        NotFound, Gone: no team has the link, or it is invalid.
        Conflict: the person is in another team of the task, or may see its gold; or the team is full.
    """
    team = get_invitation(session, actor, task, token, now).team
    if access.find_team(session, actor, task) is team:
        return team
    access.require_may_join_team(session, actor, task, team)
    teams.add_member(session, actor, team, now)
    audit.record(session, actor, now, "team.join", task.id, team.id)
    return team
