"""Gold versions, which are immutable, and the events that put them in force or discard them."""

from typing import Any, Literal

from sqlalchemy import JSON, ForeignKey, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, relationship

from server.core.db import AuthoredRow
from server.tasks.models import Split

GoldEventName = Literal["candidate", "published", "dropped"]


class GoldVersion(AuthoredRow):
    """One set of gold values of a split, with the version of the scorer, who uploaded it and why.

    A new scorer makes a new version with the same file: organizers preview what it changes in the same way.
    """

    __tablename__ = "gold_version"
    __table_args__ = (UniqueConstraint("split_id", "number"),)

    split_id: Mapped[int] = mapped_column(ForeignKey("split.id"))
    number: Mapped[int]
    sha256: Mapped[str] = mapped_column(String(64))
    salt: Mapped[str] = mapped_column(String(64))
    """The salt of the commitment in receipts; it is secret and published together with the gold file."""
    scorer: Mapped[str] = mapped_column(String(32))
    """The version of the scorer for its first scores; the signature of each score names the one used."""
    reason: Mapped[str] = mapped_column(Text)
    human_ceiling: Mapped[list[dict[str, Any]] | None] = mapped_column(JSON(none_as_null=True))
    """How well the annotators of its campaign would do, by each metric; None: no campaign made it."""
    split: Mapped[Split] = relationship()


class GoldEvent(AuthoredRow):
    """Something that happened to a gold version; the version that was published last is in force."""

    __tablename__ = "gold_event"

    gold_version_id: Mapped[int] = mapped_column(ForeignKey("gold_version.id"), index=True)
    event: Mapped[GoldEventName] = mapped_column(String(16))
    reason: Mapped[str] = mapped_column(Text)
    version: Mapped[GoldVersion] = relationship()
