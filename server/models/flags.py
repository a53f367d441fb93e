"""Flags: submissions that look like probing of the gold."""

from datetime import datetime

from sqlalchemy import ForeignKey, String
from sqlalchemy.orm import Mapped, mapped_column, relationship

from server.core.db import Base, UtcDateTime
from server.domain.probing import FlagCode
from server.models.submissions import Submission


class Flag(Base):
    """Why an organizer may want to look at a submission; `other_id`: the one from which it differs little."""

    __tablename__ = "flag"

    submission_id: Mapped[int] = mapped_column(ForeignKey("submission.id"), primary_key=True)
    code: Mapped[FlagCode] = mapped_column(String(24), primary_key=True)
    words: Mapped[str] = mapped_column(String(255))
    other_id: Mapped[int | None] = mapped_column(ForeignKey("submission.id"))
    made_at: Mapped[datetime] = mapped_column(UtcDateTime)
    submission: Mapped[Submission] = relationship(foreign_keys=[submission_id])
