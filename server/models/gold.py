"""Gold versions: immutable, one beside the other; the newest of a split is in force."""

from datetime import datetime

from sqlalchemy import ForeignKey, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, relationship

from server.db import Base, UtcDateTime
from server.models.tasks import Split


class GoldVersion(Base):
    """One set of gold values of a split: a file, who brought it and why."""

    __tablename__ = "gold_version"
    __table_args__ = (UniqueConstraint("split_id", "number"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    split_id: Mapped[int] = mapped_column(ForeignKey("split.id"))
    number: Mapped[int]
    sha256: Mapped[str] = mapped_column(String(64))
    reason: Mapped[str] = mapped_column(Text)
    made_by: Mapped[int | None] = mapped_column(ForeignKey("account.id"))
    made_at: Mapped[datetime] = mapped_column(UtcDateTime)
    split: Mapped[Split] = relationship()
