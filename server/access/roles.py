"""Organizers, co-organizers and observers of a task: giving, changing and ending roles. All is audited."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from server.access import accounts, service as access
from server.accounts.models import User
from server.audit import service as audit
from server.core.actors import Actor
from server.core.errors import Conflict, NameTaken, NotFound
from server.core.i18n import N_, translate
from server.tasks.models import Task, TaskRole
from server.tasks.rules import ROLE_NAMES, RoleName
from server.teams.models import Membership


@dataclass(frozen=True, slots=True)
class RoleHolder:
    """A person and their role."""

    user: User
    held: TaskRole


def list_people(session: Session, actor: Actor, task: Task) -> list[RoleHolder]:
    """List the people with a role in the task, organizers first, for people who may see all of the task."""
    access.require_observer(session, actor, task)
    query = (
        select(User, TaskRole)
        .join(TaskRole, TaskRole.user_id == User.id)
        .where(TaskRole.task_id == task.id, TaskRole.ended_at.is_(None))
        .order_by(TaskRole.added_at, User.id)
    )
    holders = [RoleHolder(user, task_role) for user, task_role in session.execute(query)]
    return sorted(holders, key=lambda holder: ROLE_NAMES.index(holder.held.role))


def get_holder(session: Session, actor: Actor, task: Task, user_id: int) -> RoleHolder:
    """Return a person with a role in the task, for organizers.

    Raises:
        Forbidden, NotFound: `actor` is no organizer of the task.
        NotFound: the person has no role in it.
    """
    access.require_people_manager(session, actor, task)
    task_role = session.get(TaskRole, (task.id, user_id))
    if task_role is None or task_role.ended_at is not None:
        raise NotFound.of("This person has no role in the task.")
    return RoleHolder(session.get_one(User, user_id), task_role)


def add_person(
    session: Session, actor: Actor, task: Task, user: User, role: RoleName, now: datetime
) -> TaskRole:
    """Give a person a role, or change the role that they have.

    Raises:
        Forbidden, NotFound: `actor` is no organizer of the task.
        NameTaken: the person has this role already.
        Conflict: the person is in a team of the task, or is its last organizer; or their address is not
            confirmed.
    """
    access.require_people_manager(session, actor, task)
    task_role = session.get(TaskRole, (task.id, user.id))
    if task_role is None or task_role.ended_at is not None:
        return give_role(session, actor, task, user.id, role, now)
    if task_role.role == role:
        raise NameTaken.of("This person is already %(role)s of the task.", role=with_article(role))
    return change_role(session, actor, task, user.id, role, now)


def give_role(
    session: Session, actor: Actor, task: Task, user_id: int, role: RoleName, now: datetime
) -> TaskRole:
    """Give a role to a person who has none; the caller checks that it may be given.

    Raises:
        Conflict: the person is in a team of the task, or their address is not confirmed.
    """
    accounts.require_confirmed(session.get_one(User, user_id))
    if session.get(Membership, (task.id, user_id)) is not None:
        raise Conflict.of(
            "This person is in a team of the task. People with access to the gold "
            "standard cannot be in a team."
        )
    task_role = session.get(TaskRole, (task.id, user_id))
    if task_role is None:
        task_role = TaskRole(task_id=task.id, user_id=user_id)
        session.add(task_role)
    task_role.role, task_role.added_at, task_role.ended_at = role, now, None
    audit.record(session, actor, now, "role.add", task.id, user=f"user:{user_id}", role=role)
    return task_role


def change_role(
    session: Session, actor: Actor, task: Task, user_id: int, role: RoleName, now: datetime
) -> TaskRole:
    """Change the role of a person who has one.

    Raises:
        Forbidden, NotFound: `actor` is no organizer of the task; the person has no role.
        Conflict: the person is the last organizer.
    """
    task_role = get_holder(session, actor, task, user_id).held
    if task_role.role != role:
        _require_other_organizer(session, task_role)
        task_role.role = role
        audit.record(session, actor, now, "role.change", task.id, user=f"user:{user_id}", role=role)
    return task_role


def remove_person(session: Session, actor: Actor, task: Task, user_id: int, now: datetime) -> None:
    """End a person's role. They have seen the gold standard, so they cannot join a team of the task.

    Raises:
        Forbidden, NotFound: `actor` is no organizer of the task; the person has no role.
        Conflict: the person is the last organizer.
    """
    task_role = get_holder(session, actor, task, user_id).held
    _require_other_organizer(session, task_role)
    task_role.ended_at = now
    audit.record(session, actor, now, "role.remove", task.id, user=f"user:{user_id}")


def with_article(role: RoleName) -> str:
    """Return a role with its article: "an organizer", "a co-organizer"."""
    return translate(ROLES_WITH_ARTICLE[role])


ROLES_WITH_ARTICLE: dict[RoleName, str] = {
    "organizer": N_("an organizer"),
    "co-organizer": N_("a co-organizer"),
    "observer": N_("an observer"),
}
"""What a person with the role is called."""


def _require_other_organizer(session: Session, held: TaskRole) -> None:
    query = select(func.count()).where(
        TaskRole.task_id == held.task_id, TaskRole.role == "organizer", TaskRole.ended_at.is_(None)
    )
    if held.role == "organizer" and (session.scalar(query) or 0) < 2:
        raise Conflict.of("A task needs at least one organizer. Make another person organizer first.")
