"""Leaving a team, removing members, and changing the captain; what was submitted stays the team's."""

from datetime import datetime

from sqlalchemy.orm import Session

from server.access import service as access
from server.accounts.models import User
from server.audit import service as audit
from server.core.actors import VISITOR, Actor
from server.core.errors import Conflict, NotFound
from server.core.i18n import _
from server.jobs import service as jobs
from server.tasks.models import Task
from server.teams import invitations, service as teams
from server.teams.models import Membership, Team

REMOVAL_JOB = "mail.removal"
"""The kind of job that writes the emails about a removed member."""


def leave_team(session: Session, actor: Actor, task: Task, now: datetime) -> Team:
    """Leave the actor's team; when the last member leaves, it is dissolved and its name is free again.

    Raises:
        Forbidden: `actor` is not in a team.
        Conflict: `actor` has to stay, see `explain_staying`.
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
        Conflict: `actor` has to stay, see `explain_staying`.
    """
    reason = explain_staying(session, actor, team)
    if reason is not None:
        raise Conflict(reason)


def explain_staying(session: Session, actor: Actor, team: Team) -> str | None:
    """Explain why a member cannot leave the team; None: they can.

    A captain with other members appoints another captain first. Nobody leaves a team with a scored file
    without members, or one in whose files they took part.
    """
    last = teams.count_members(session, team) == 1
    captain = access.is_captain(actor, team) and not last
    reason = None
    if access.is_fixed(session, team):
        reason = _explain_fixed(session, actor, team, last=last, captain=captain)
    if reason is None and captain:
        reason = _("You are the captain. Make another member captain before you leave.")
    return reason


def _explain_fixed(session: Session, actor: Actor, team: Team, *, last: bool, captain: bool) -> str | None:
    """Explain why a member cannot leave a team with a scored file; None: they can."""
    if last:
        return _(
            "You cannot leave %(team)s because you are its only member and it has a scored submission.",
            team=team.name,
        )
    if not access.took_part(session, session.get_one(Membership, (team.task_id, actor.user_id))):
        return None
    if captain:
        return _(
            "You cannot leave %(team)s because you uploaded a file for it, or were a member when its first "
            "file was scored. If you make another member captain, they can remove you.",
            team=team.name,
        )
    return _(
        "You cannot leave %(team)s because you uploaded a file for it, or were a member when its first "
        "file was scored. Ask the captain to remove you.",
        team=team.name,
    )


def remove_member(session: Session, actor: Actor, team: Team, user_id: int, now: datetime) -> None:
    """Remove a member from the team, tell them and the captain by email, and revoke the invitation links.

    If an organizer removes the captain, the member who joined first becomes captain.

    Raises:
        Forbidden: `actor` is neither the captain nor an organizer of the task.
        NotFound: there is no such member.
        Conflict: the member is the captain, and `actor` is; or the only member; or the task is archived.
    """
    get_removable_member(session, actor, team, user_id)
    _end_membership(session, team, user_id)
    audit.record(session, actor, now, "team.remove", team.task_id, team.id, user=f"user:{user_id}")
    by_captain = actor.user_id == team.captain_id
    succeeds = team.captain_id == user_id
    if succeeds:
        _appoint(session, actor, team, teams.list_members(session, team)[0].id, now)
    invitations.revoke_all(session, team, now)
    facts = {"user": user_id, "captain": team.captain_id, "by_captain": by_captain, "succeeds": succeeds}
    jobs.add_job(session, REMOVAL_JOB, {"team": team.id, "at": now.isoformat(), **facts}, now)


def remove_annotator(session: Session, team: Team, user_id: int, campaign: str, now: datetime) -> None:
    """Remove a member who agreed to annotate test data, from a team without a scored file.

    If it is the captain, the member who joined first becomes captain; without members, the team is dissolved.
    """
    _end_membership(session, team, user_id)
    details = {"user": f"user:{user_id}", "campaign": campaign}
    audit.record(session, VISITOR, now, "team.annotate", team.task_id, team.id, **details)
    members = teams.list_members(session, team)
    if not members:
        _dissolve(session, VISITOR, team, now)
    elif team.captain_id == user_id:
        _appoint(session, VISITOR, team, members[0].id, now)
    invitations.revoke_all(session, team, now)


def get_removable_member(session: Session, actor: Actor, team: Team, user_id: int) -> User:
    """Return a member whom `actor` may remove from the team; raises as `remove_member` does."""
    organizer = access.is_organizer(session, actor, team.task)
    if not organizer:
        access.require_captain(actor, team)
    member = get_member(session, team, user_id)
    access.require_not_archived(team.task)
    if user_id == team.captain_id and not organizer:
        raise Conflict.of("The captain cannot be removed. Make another member captain first.")
    if teams.count_members(session, team) == 1:
        raise Conflict.of(
            "%(name)s is the only member of %(team)s and cannot be removed. Another person has to join "
            "the team first.",
            name=member.name,
            team=team.name,
        )
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
        _appoint(session, actor, team, user_id, now)


def get_member(session: Session, team: Team, user_id: int) -> User:
    """Return a member of the team.

    Raises:
        NotFound: there is no such member.
    """
    membership = session.get(Membership, (team.task_id, user_id))
    if membership is None or membership.team_id != team.id:
        raise NotFound.of("There is no such team member.")
    return session.get_one(User, user_id)


def _appoint(session: Session, actor: Actor, team: Team, user_id: int, now: datetime) -> None:
    team.captain_id = user_id
    audit.record(session, actor, now, "team.captain", team.task_id, team.id, user=f"user:{user_id}")


def _end_membership(session: Session, team: Team, user_id: int | None) -> None:
    session.delete(session.get_one(Membership, (team.task_id, user_id)))
    session.flush()


def _dissolve(session: Session, actor: Actor, team: Team, now: datetime) -> None:
    """Dissolve a team without members: it stays listed, and its name is free for another."""
    team.state, team.captain_id = "dissolved", None
    teams.release_name(session, team)
    invitations.revoke_all(session, team, now)
    audit.record(session, actor, now, "team.dissolve", team.task_id, team.id)
