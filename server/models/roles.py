"""Who runs a task or looks on, and the invitations to do so."""

from datetime import datetime

from sqlalchemy import ForeignKey, String
from sqlalchemy.orm import Mapped, mapped_column

from server.core.db import Base, UtcDateTime
from server.domain.roles import RoleName


class TaskRole(Base):
    """A person's role in a task, which shows its gold. It ends, and is not forgotten: they have seen it."""

    __tablename__ = "task_role"

    task_id: Mapped[int] = mapped_column(ForeignKey("task.id"), primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("account.id"), primary_key=True, index=True)
    role: Mapped[RoleName] = mapped_column(String(16))
    added_at: Mapped[datetime] = mapped_column(UtcDateTime)
    ended_at: Mapped[datetime | None] = mapped_column(UtcDateTime)


class RoleInvitation(Base):
    """A link that gives one person a role, once."""

    __tablename__ = "role_invitation"

    id: Mapped[int] = mapped_column(primary_key=True)
    task_id: Mapped[int] = mapped_column(ForeignKey("task.id"), index=True)
    role: Mapped[RoleName] = mapped_column(String(16))
    token: Mapped[str] = mapped_column(String(64), unique=True)
    made_by: Mapped[int | None] = mapped_column(ForeignKey("account.id"))
    made_at: Mapped[datetime] = mapped_column(UtcDateTime)
    expires_at: Mapped[datetime] = mapped_column(UtcDateTime)
    revoked_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    accepted_by: Mapped[int | None] = mapped_column(ForeignKey("account.id"))
    accepted_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
