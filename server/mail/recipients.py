"""Whom emails about a task reach: its organizers, or the members of a team."""

from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from server.accounts.models import User
from server.tasks.models import TaskRole
from server.tasks.rules import ROLE_CAPABILITIES
from server.teams.models import Membership

_ORGANIZING = [role for role, capabilities in ROLE_CAPABILITIES.items() if "run" in capabilities]


def list_organizers(session: Session, task_id: int) -> Sequence[User]:
    """List the people who run a task."""
    roles = TaskRole.task_id == task_id, TaskRole.ended_at.is_(None), TaskRole.role.in_(_ORGANIZING)
    people = select(User).join(TaskRole, TaskRole.user_id == User.id)
    return session.scalars(people.where(*roles).order_by(User.id)).all()


def list_members(session: Session, team_id: int) -> Sequence[User]:
    """List the members of a team."""
    people = select(User).join(Membership, Membership.user_id == User.id)
    return session.scalars(people.where(Membership.team_id == team_id).order_by(User.id)).all()
