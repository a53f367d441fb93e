"""Receipts: what the site signed when it accepted a file."""

from sqlalchemy import ForeignKey, Text
from sqlalchemy.orm import Mapped, mapped_column, relationship

from server.core.db import Base
from server.models.submissions import Submission


class Receipt(Base):
    """The signed receipt of one submission. Never changed, never deleted."""

    __tablename__ = "receipt"

    submission_id: Mapped[int] = mapped_column(ForeignKey("submission.id"), primary_key=True)
    text: Mapped[str] = mapped_column(Text)
    submission: Mapped[Submission] = relationship()
