"""Site administrators: they look after accounts, and see no more of a task than anyone else."""

from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from server.access import accounts, service as access
from server.accounts.models import Role, User
from server.audit import service as audit
from server.core.actors import Actor
from server.core.errors import NameTaken, require_found
from server.core.i18n import _


def add_admin(session: Session, actor: Actor, user: User, now: datetime) -> None:
    """Make a person a site administrator.

    Raises:
        NotFound: `actor` is not an administrator.
        NameTaken: the person is one already.
        Conflict: their address is not confirmed.
    """
    access.require_admin(session, actor)
    accounts.require_confirmed(user)
    if access.is_admin(session, Actor(user_id=user.id)):
        raise NameTaken.of("This person is already a site administrator.")
    role = session.scalar(select(Role).where(Role.name == access.ADMIN))
    user.site_roles.append(role if role is not None else Role(name=access.ADMIN))
    audit.record(session, actor, now, "admin.add", user=f"user:{user.id}")


def remove_admin(session: Session, actor: Actor, user: User, now: datetime) -> None:
    """Remove a person as site administrator.

    Raises:
        NotFound: `actor` or the person is not an administrator.
    """
    access.require_admin(session, actor)
    admin_role = next((role for role in user.site_roles if role.name == access.ADMIN), None)
    admin_role = require_found(admin_role, _("This person is not a site administrator."))
    user.site_roles.remove(admin_role)
    audit.record(session, actor, now, "admin.remove", user=f"user:{user.id}")
