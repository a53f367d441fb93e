"""Teams: creating one, joining it by its link."""

import secrets
import unicodedata
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from server.domain.actors import Actor
from server.errors import Conflict, Forbidden, NameTaken, NotFound
from server.models import Membership, Task, Team, User
from server.services import access, audit

ORGANIZERS = "organizers"
"""The team that the baselines belong to."""


def create_team(session: Session, actor: Actor, task: Task, name: str, now: datetime) -> Team:
    """Create a team, its captain being the person who asks.

    Raises:
        NameTaken: another team of the task has this name, or one that reads like it.
        Conflict: the person is in a team of the task already.
    """
    require_free(session, actor, task)
    if name_key(name) == name_key(ORGANIZERS):
        raise NameTaken(f'"{ORGANIZERS}" is the team that the baselines belong to; choose another name.')
    team = add_team(session, task, name, now, captain_id=actor.user_id)
    _join(session, actor, team, now)
    audit.record(session, actor, now, "team.create", task.id, team=team.id)
    return team


def add_team(session: Session, task: Task, name: str, now: datetime, captain_id: int | None = None) -> Team:
    """A team without members.

    Raises:
        NameTaken: another team of the task has this name, or one that reads like it.
    """
    name = " ".join(name.split())
    if find_team_by_name(session, task, name) is not None:
        raise NameTaken(f'There is a team "{name}" in this task already; choose another name.')
    team = Team(
        task_id=task.id,
        name=name,
        name_key=name_key(name),
        captain_id=captain_id,
        invitation=secrets.token_urlsafe(24),
        created_at=now,
    )
    team.task = task
    session.add(team)
    session.flush()
    return team


def find_team_by_name(session: Session, task: Task, name: str) -> Team | None:
    """A team of the task by its name, or one that reads like it."""
    return session.scalar(select(Team).where(Team.task_id == task.id, Team.name_key == name_key(name)))


def get_invitation(session: Session, task: Task, token: str) -> Team:
    """The team that an invitation link belongs to.

    Raises:
        NotFound: no team of the task has this link.
    """
    team = session.scalar(select(Team).where(Team.task_id == task.id, Team.invitation == token))
    if team is None:
        raise NotFound("This invitation is not valid; ask a member of the team for its link.")
    return team


def join_team(session: Session, actor: Actor, task: Task, token: str, now: datetime) -> Team:
    """Join a team by its invitation link.

    Raises:
        NotFound: no team of the task has this link.
        Conflict: the person is in a team of the task already.
    """
    team = get_invitation(session, task, token)
    require_free(session, actor, task)
    _join(session, actor, team, now)
    audit.record(session, actor, now, "team.join", task.id, team=team.id)
    return team


def list_members(session: Session, team: Team) -> list[User]:
    """The people of a team, the first to join first."""
    ids = access.team_member_ids(session, team)
    people = {user.id: user for user in session.scalars(select(User).where(User.id.in_(ids)))}
    return [people[user_id] for user_id in ids]


def name_key(name: str) -> str:
    """What names that read alike have in common: no case, no variants of a letter, nothing invisible."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    return "".join(char for char in folded if unicodedata.category(char) != "Cf")[:160]


def require_free(session: Session, actor: Actor, task: Task) -> None:
    """Let those pass who may be in a team of the task, and are in none.

    Raises:
        Forbidden: nobody is signed in.
        Conflict: the person organizes the task, or is in a team of it.
    """
    if actor.user_id is None:
        raise Forbidden("Sign in first.")
    if access.is_organizer(session, actor, task):
        raise Conflict("You organize this task; organizers see the gold, so they are in no competing team.")
    team = access.find_team(session, actor, task)
    if team is not None:
        raise Conflict(f'You are in the team "{team.name}" of this task already; one team a person and task.')


def _join(session: Session, actor: Actor, team: Team, now: datetime) -> None:
    session.add(Membership(task_id=team.task_id, user_id=actor.user_id, team_id=team.id, joined_at=now))
    session.flush()
