"""Releases: immutable, published copies of a board."""

from datetime import datetime

from sqlalchemy import ForeignKey, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, relationship

from server.db import Base, UtcDateTime
from server.domain.feedback import Feedback
from server.models.phases import Phase


class Release(Base):
    """A board as it was published; `board` is the JSON whose SHA-256 stands beside it."""

    __tablename__ = "release"
    __table_args__ = (UniqueConstraint("phase_id", "number"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    phase_id: Mapped[int] = mapped_column(ForeignKey("phase.id"))
    number: Mapped[int]
    board: Mapped[str] = mapped_column(Text)
    sha256: Mapped[str] = mapped_column(String(64))
    feedback: Mapped[Feedback | None] = mapped_column(String(16))
    """None: final scores; else it was released by itself, with scores as that feedback shows them."""
    made_by: Mapped[int | None] = mapped_column(ForeignKey("account.id"))
    made_at: Mapped[datetime] = mapped_column(UtcDateTime)
    phase: Mapped[Phase] = relationship()


class ReleaseWithdrawal(Base):
    """A release taken back, with the reason that the public reads."""

    __tablename__ = "release_withdrawal"

    release_id: Mapped[int] = mapped_column(ForeignKey("release.id"), primary_key=True)
    reason: Mapped[str] = mapped_column(Text)
    made_by: Mapped[int | None] = mapped_column(ForeignKey("account.id"))
    made_at: Mapped[datetime] = mapped_column(UtcDateTime)
    release: Mapped[Release] = relationship()
