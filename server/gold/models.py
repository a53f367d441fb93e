"""Gold versions: immutable, one beside the other; what became of each stands in events."""

from datetime import datetime
from typing import Literal

from sqlalchemy import ForeignKey, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, relationship

from server.core.db import Base, UtcDateTime
from server.tasks.models import Split

GoldEventName = Literal["candidate", "published", "dropped"]


class GoldVersion(Base):
    """One set of gold values of a split, to be scored by one version of the scorer; who brought it and why.

    A new scorer makes a new version with the same file: what it would change is looked at in the same way.
    """

    __tablename__ = "gold_version"
    __table_args__ = (UniqueConstraint("split_id", "number"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    split_id: Mapped[int] = mapped_column(ForeignKey("split.id"))
    number: Mapped[int]
    sha256: Mapped[str] = mapped_column(String(64))
    salt: Mapped[str] = mapped_column(String(64))
    """Of the commitment to it that receipts name; as secret as the gold, and published with it alone."""
    scorer: Mapped[str] = mapped_column(String(32))
    """The scorer that its first scores came from; each score's signature names its own."""
    reason: Mapped[str] = mapped_column(Text)
    made_by: Mapped[int | None] = mapped_column(ForeignKey("account.id"))
    made_at: Mapped[datetime] = mapped_column(UtcDateTime)
    split: Mapped[Split] = relationship()


class GoldEvent(Base):
    """What became of a gold version; of those that were published, the newest of a split is in force."""

    __tablename__ = "gold_event"

    id: Mapped[int] = mapped_column(primary_key=True)
    gold_version_id: Mapped[int] = mapped_column(ForeignKey("gold_version.id"), index=True)
    event: Mapped[GoldEventName] = mapped_column(String(16))
    reason: Mapped[str] = mapped_column(Text)
    made_by: Mapped[int | None] = mapped_column(ForeignKey("account.id"))
    made_at: Mapped[datetime] = mapped_column(UtcDateTime)
    version: Mapped[GoldVersion] = relationship()
