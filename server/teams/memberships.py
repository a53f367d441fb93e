"""Leaving a team, removing members, and changing the captain, until one of the team's files was scored."""

from datetime import datetime

from sqlalchemy.orm import Session

from server.access import service as access
from server.accounts.models import User
from server.audit import service as audit
from server.core.actors import Actor
from server.core.errors import Conflict, NotFound
from server.core.i18n import _
from server.tasks.models import Task
from server.teams import invitations
from server.teams import service as teams
from server.teams.models import Membership, Team


def leave_team(session: Session, actor: Actor, task: Task, now: datetime) -> Team:
    """Leave the actor's team; when the last member leaves, it is dissolved and its name is free again.

    Raises:
        Forbidden: `actor` is not in a team.
        Conflict: the team has a scored file, or `actor` is its captain and not its only member.
    """
    team = access.require_team(session, actor, task)
    require_may_leave(session, actor, team)
    _end_membership(session, team, actor.user_id)
    audit.record(session, actor, now, "team.leave", task.id, team.id)
    if teams.count_members(session, team) == 0:
        _dissolve(session, actor, team, now)
    return team


def require_may_leave(session: Session, actor: Actor, team: Team) -> None:
    """Raise unless a member may leave the team.

    Raises:
        Conflict: the team has a scored file, or `actor` is its captain and not its only member.
    """
    access.require_not_fixed(session, team, "leave")
    if access.is_captain(actor, team) and teams.count_members(session, team) > 1:
        raise Conflict(_("You are the captain. Make another member captain before you leave."))


def remove_member(session: Session, actor: Actor, team: Team, user_id: int, now: datetime) -> None:
    """Remove another member from the team.

    Raises:
        Forbidden: `actor` is not the captain.
        NotFound: there is no such member.
        Conflict: the team has a scored file, or the member is the captain.
    """
    get_removable_member(session, actor, team, user_id)
    _end_membership(session, team, user_id)
    audit.record(session, actor, now, "team.remove", team.task_id, team.id, user=f"user:{user_id}")


def get_removable_member(session: Session, actor: Actor, team: Team, user_id: int) -> User:
    """Return a member whom `actor` may remove from the team; raises as `remove_member` does."""
    access.require_captain(actor, team)
    member = get_member(session, team, user_id)
    if user_id == team.captain_id:
        raise Conflict(_("The captain cannot be removed. Make another member captain first."))
    access.require_not_fixed(session, team, "remove")
    return member


def hand_over(session: Session, actor: Actor, team: Team, user_id: int, now: datetime) -> None:
    """Make another member the captain.

    Raises:
        Forbidden: `actor` is not the captain.
        NotFound: there is no such member.
    """
    access.require_captain(actor, team)
    get_member(session, team, user_id)
    if team.captain_id != user_id:
        team.captain_id = user_id
        session.flush()
        audit.record(session, actor, now, "team.captain", team.task_id, team.id, user=f"user:{user_id}")


def get_member(session: Session, team: Team, user_id: int) -> User:
    """Return a member of the team.

    Raises:
        NotFound: there is no such member.
    """
    membership = session.get(Membership, (team.task_id, user_id))
    if membership is None or membership.team_id != team.id:
        raise NotFound(_("There is no such team member."))
    return session.get_one(User, user_id)


def _end_membership(session: Session, team: Team, user_id: int | None) -> None:
    session.delete(session.get_one(Membership, (team.task_id, user_id)))
    session.flush()


def _dissolve(session: Session, actor: Actor, team: Team, now: datetime) -> None:
    """Dissolve a team without members: it stays listed, and its name is free for another."""
    team.state, team.captain_id = "dissolved", None
    teams.release_name(session, team)
    invitations.revoke_all(session, team, now)
    audit.record(session, actor, now, "team.dissolve", team.task_id, team.id)
