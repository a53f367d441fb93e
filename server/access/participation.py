"""The team and the role of a person in a task, joined to another query, once for each request."""

from dataclasses import dataclass
from typing import TypeVarTuple

from sqlalchemy import BindParameter, Select, bindparam, func, select
from sqlalchemy.orm import InstrumentedAttribute, Session

from server.accounts.models import User
from server.core import db
from server.core.actors import Actor
from server.tasks.models import Task, TaskRole
from server.tasks.rules import RoleName
from server.teams.models import Membership, Team

_NAMES = (
    select(User.name)
    .join(Membership, Membership.user_id == User.id)
    .where(Membership.team_id == Team.id)
    .order_by(Membership.joined_at, User.id)
    .correlate(Team)
    .subquery()
)
_MEMBERS = select(func.aggregate_strings(_NAMES.c.name, "\n")).correlate(Team).scalar_subquery()
Rows = TypeVarTuple("Rows")


@dataclass(frozen=True, slots=True)
class Participation:
    """A person's team and role in a task, which every page of the task needs."""

    team: Team | None
    role: RoleName | None
    """The current role."""
    members: str | None
    """The names of the team's members, in the order in which they joined, one a line."""


def add_participation(
    query: Select[*Rows], task_id: InstrumentedAttribute[int]
) -> Select[*Rows, Team, RoleName, str]:
    """Add to a query about a task the team and the role of the person whose id is `user_id`."""
    person: BindParameter[int] = bindparam("user_id")
    return (
        query.add_columns(Team, TaskRole.role, _MEMBERS)
        .outerjoin(Membership, (Membership.task_id == task_id) & (Membership.user_id == person))
        .outerjoin(Membership.team)
        .outerjoin(
            TaskRole,
            (TaskRole.task_id == task_id) & (TaskRole.user_id == person) & TaskRole.ended_at.is_(None),
        )
    )


_PARTICIPATION = add_participation(select(Task.id).where(Task.id == bindparam("task_id")), Task.id)


def find_participation(session: Session, user_id: int, task: Task) -> Participation:
    """Return a person's team and role in a task; cached, because every check of a page needs them."""
    cache, key = db.transaction_cache(session), ("place", user_id, task.id)
    if key not in cache:
        row = session.execute(_PARTICIPATION, {"user_id": user_id, "task_id": task.id}).one()
        cache[key] = Participation(row[1], row[2], row[3])
    place: Participation = cache[key]
    return place


def cache_participation(session: Session, user_id: int, task_id: int, place: Participation) -> None:
    """Cache what a query with `add_participation` returned for a person and a task."""
    db.transaction_cache(session)["place", user_id, task_id] = place


def list_member_names(session: Session, actor: Actor, task: Task) -> list[str]:
    """List the names of the members of the actor's team, in the order in which they joined."""
    members = None if actor.user_id is None else find_participation(session, actor.user_id, task).members
    return members.split("\n") if members else []
