"""Personal tokens: what a script shows instead of a password, and the names that it gives its uploads."""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, ForeignKey, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from server.core.db import Base, UtcDateTime


class ApiToken(Base):
    """What one script of one person may do, and until when; the token itself is kept as a hash."""

    __tablename__ = "api_token"

    id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("account.id"), index=True)
    name: Mapped[str] = mapped_column(String(80))
    scopes: Mapped[list[str]] = mapped_column(JSON)
    token_sha256: Mapped[str] = mapped_column(String(64), unique=True)
    made_at: Mapped[datetime] = mapped_column(UtcDateTime)
    ends_at: Mapped[datetime] = mapped_column(UtcDateTime)
    revoked_at: Mapped[datetime | None] = mapped_column(UtcDateTime)


class IdempotencyKey(Base):
    """An upload that a script gave a name, so that it can be sent again without counting twice."""

    __tablename__ = "idempotency_key"
    __table_args__ = (UniqueConstraint("user_id", "key"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("account.id"))
    key: Mapped[str] = mapped_column(String(255))
    request_sha256: Mapped[str] = mapped_column(String(64))
    """Of the address and the bytes that came with the key first."""
    submission_id: Mapped[int] = mapped_column(ForeignKey("submission.id"))
    """The file that was stored, or counted already; of several the first."""
    whole: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))
    """Of an upload of several files: all submissions, and what was ignored."""
    at: Mapped[datetime] = mapped_column(UtcDateTime, index=True)
