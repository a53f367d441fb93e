"""People who sign in. Flask-Security's mixins live here, the listed exception to the import rules."""

from datetime import datetime

from flask_security import RoleMixin, UserMixin
from sqlalchemy import Column, ForeignKey, String, Table
from sqlalchemy.orm import Mapped, mapped_column, relationship

from server import clock
from server.db import Base, UtcDateTime

user_roles = Table(
    "account_role",
    Base.metadata,
    Column("user_id", ForeignKey("account.id"), primary_key=True),
    Column("role_id", ForeignKey("role.id"), primary_key=True),
)


class Role(Base, RoleMixin):
    """A role of the whole site; roles of a task are organizers and teams."""

    __tablename__ = "role"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(80), unique=True)


class User(Base, UserMixin):
    """One person; everything else knows them by `id` alone."""

    __tablename__ = "account"

    id: Mapped[int] = mapped_column(primary_key=True)
    email: Mapped[str] = mapped_column(String(255), unique=True)
    name: Mapped[str] = mapped_column(String(80))
    password: Mapped[str] = mapped_column(String(255))
    active: Mapped[bool]
    fs_uniquifier: Mapped[str] = mapped_column(String(64), unique=True)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime, default=lambda: clock.now())  # noqa: PLW0108  (looked up when called, so that tests can set it)
    roles: Mapped[list[Role]] = relationship(secondary=user_roles)  # type: ignore[assignment]
