"""Scores: the results of a submission against one gold version."""

from datetime import datetime

from sqlalchemy import CheckConstraint, ForeignKey, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from server.core.db import Base, UtcDateTime
from server.phases.feedback import Part


class ScoreColumns:
    """The value of one metric, or why it is undefined; with its signature."""

    submission_id: Mapped[int] = mapped_column(ForeignKey("submission.id"), primary_key=True)
    gold_version_id: Mapped[int] = mapped_column(ForeignKey("gold_version.id"), primary_key=True)
    metric: Mapped[str] = mapped_column(String(32), primary_key=True)
    value: Mapped[float | None]
    undefined_code: Mapped[str | None] = mapped_column(String(32))
    undefined_reason: Mapped[str | None] = mapped_column(Text)
    n: Mapped[int]
    signature: Mapped[str] = mapped_column(String(255))
    made_at: Mapped[datetime] = mapped_column(UtcDateTime)


class Score(ScoreColumns, Base):
    """A score over all items. It is never changed or deleted."""

    __tablename__ = "score"
    __table_args__ = (CheckConstraint("(value IS NULL) <> (undefined_code IS NULL)", "value_or_reason"),)


class PartScore(ScoreColumns, Base):
    """A score over the public or the other items, if some were declared public. Never changed or deleted."""

    __tablename__ = "part_score"
    __table_args__ = (CheckConstraint("(value IS NULL) <> (undefined_code IS NULL)", "value_or_reason"),)

    part: Mapped[Part] = mapped_column(String(8), primary_key=True, sort_order=1)
