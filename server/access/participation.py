"""The team and the role of a person in a task, read with what else is queried, once a request."""

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
    """A person's team in a task, and role in the task: every page of it asks for both."""

    team: Team | None
    role: RoleName | None
    """The one that has not ended."""
    members: str | None
    """What the people of that team are called, the first to join first, a line each."""


def add_participation(
    query: Select[*Rows], task_id: InstrumentedAttribute[int]
) -> Select[*Rows, Team, RoleName, str]:
    """A question about a task, answered with the place in it of the person whose id is `user_id`."""
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
    """Where a person belongs in a task; every check of a page asks for it, and the database once."""
    cache, key = db.transaction_cache(session), ("place", user_id, task.id)
    if key not in cache:
        row = session.execute(_PARTICIPATION, {"user_id": user_id, "task_id": task.id}).one()
        cache[key] = Participation(row[1], row[2], row[3])
    place: Participation = cache[key]
    return place


def cache_participation(session: Session, user_id: int, task_id: int, place: Participation) -> None:
    """Keep what `add_participation` told of a person and a task."""
    db.transaction_cache(session)["place", user_id, task_id] = place


def list_member_names(session: Session, actor: Actor, task: Task) -> list[str]:
    """What the people of the team of `actor` are called, the first to join first."""
    members = None if actor.user_id is None else find_participation(session, actor.user_id, task).members
    return members.split("\n") if members else []
