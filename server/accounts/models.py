"""Accounts, sessions and tokens. Flask-Security's mixins are a listed exception to the import rules."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, ClassVar

from flask_security import RoleMixin, UserMixin
from sqlalchemy import JSON, Column, ForeignKey, Index, String, Table, UniqueConstraint, true
from sqlalchemy.ext.mutable import MutableList
from sqlalchemy.orm import Mapped, mapped_column, relationship

from server.core import clock
from server.core.db import Base, NumberedRow, UtcDateTime

user_roles = Table(
    "account_role",
    Base.metadata,
    Column("user_id", ForeignKey("account.id"), primary_key=True),
    Column("role_id", ForeignKey("role.id"), primary_key=True),
)


class Role(Base, RoleMixin):
    """A role of the whole site; roles in a task are in other tables."""

    __tablename__ = "role"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(80), unique=True)


class User(Base, UserMixin):
    """A person with an account; other tables refer to people by `id` only."""

    __tablename__ = "account"

    id: Mapped[int] = mapped_column(primary_key=True)
    email: Mapped[str] = mapped_column(String(255), unique=True)
    name: Mapped[str] = mapped_column(String(80))
    password: Mapped[str] = mapped_column(String(255))
    active: Mapped[bool]
    fs_uniquifier: Mapped[str] = mapped_column(String(64), unique=True)
    confirmed_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    tf_primary_method: Mapped[str | None] = mapped_column(String(64))
    """Flask-Security's name of the second factor in use: "authenticator" or none."""
    tf_totp_secret: Mapped[str | None] = mapped_column(String(255))
    tf_last_counter: Mapped[int | None]
    """The time step of the newest code that was used, because each code can be used only once."""
    mf_recovery_codes: Mapped[list[Any] | None] = mapped_column(MutableList.as_mutable(JSON))
    time_zone: Mapped[str | None] = mapped_column(String(64))
    """A name of the IANA database; times are shown in this zone beside UTC."""
    mail_confirmations: Mapped[bool] = mapped_column(default=True)
    mail_announcements: Mapped[bool] = mapped_column(default=True)
    mail_reminders: Mapped[bool] = mapped_column(default=True)
    mail_questions: Mapped[bool] = mapped_column(default=True, server_default=true())
    mail_dates: Mapped[bool] = mapped_column(default=True, server_default=true())
    mail_releases: Mapped[bool] = mapped_column(default=True, server_default=true())
    mail_memberships: Mapped[bool] = mapped_column(default=True, server_default=true())
    created_at: Mapped[datetime] = mapped_column(UtcDateTime, default=lambda: clock.now())  # noqa: PLW0108  (looked up when called, so that tests can set it)
    site_roles: Mapped[list[Role]] = relationship(secondary=user_roles)
    roles: ClassVar[Sequence[Role]] = ()  # type: ignore[assignment,misc]  # declared as an instance's
    """Flask-Security reads this at each request for its decorators, which nothing here uses."""


class SignIn(NumberedRow):
    """A browser session of a person, and its end; the token that the browser sends is stored as a hash."""

    __tablename__ = "sign_in"

    user_id: Mapped[int] = mapped_column(ForeignKey("account.id"), index=True)
    token_sha256: Mapped[str] = mapped_column(String(64), unique=True)
    browser: Mapped[str] = mapped_column(String(200))
    began_at: Mapped[datetime] = mapped_column(UtcDateTime)
    ends_at: Mapped[datetime] = mapped_column(UtcDateTime)
    ended_at: Mapped[datetime | None] = mapped_column(UtcDateTime)


class Attempt(NumberedRow):
    """An attempt that a rate limit counts; `key` is a hash of what it is counted for."""

    __tablename__ = "attempt"
    __table_args__ = (Index(None, "kind", "key", "at"),)

    kind: Mapped[str] = mapped_column(String(16))
    key: Mapped[str] = mapped_column(String(64))
    at: Mapped[datetime] = mapped_column(UtcDateTime)


class ApiToken(NumberedRow):
    """What one script of one person may do, and until when; the token itself is stored as a hash."""

    __tablename__ = "api_token"

    user_id: Mapped[int] = mapped_column(ForeignKey("account.id"), index=True)
    name: Mapped[str] = mapped_column(String(80))
    scopes: Mapped[list[str]] = mapped_column(JSON)
    token_sha256: Mapped[str] = mapped_column(String(64), unique=True)
    made_at: Mapped[datetime] = mapped_column(UtcDateTime)
    ends_at: Mapped[datetime] = mapped_column(UtcDateTime)
    revoked_at: Mapped[datetime | None] = mapped_column(UtcDateTime)


class IdempotencyKey(NumberedRow):
    """The idempotency key of an upload, so that a script can retry it without counting twice."""

    __tablename__ = "idempotency_key"
    __table_args__ = (UniqueConstraint("user_id", "key"),)

    user_id: Mapped[int] = mapped_column(ForeignKey("account.id"))
    key: Mapped[str] = mapped_column(String(255))
    request_sha256: Mapped[str] = mapped_column(String(64))
    """The hash of the path and the bytes of the first request with the key."""
    submission_id: Mapped[int] = mapped_column(ForeignKey("submission.id"))
    """The submission that was stored, or had counted already; the first one if there are several."""
    whole: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))
    """For an upload of several files: all submissions, and which files were ignored."""
    at: Mapped[datetime] = mapped_column(UtcDateTime, index=True)
