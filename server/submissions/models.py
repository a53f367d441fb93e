"""Submissions, withdrawals, rejections, flags, receipts, and which submissions count."""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, ForeignKey, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column, relationship

from server.accounts.models import User
from server.core.db import AuthoredRow, Base, NumberedRow, UtcDateTime
from server.runs.models import Run
from server.submissions.probing import FlagCode
from server.tasks.models import Level


class Submission(NumberedRow):
    """One uploaded file for one run and one level. It is never changed or deleted."""

    __tablename__ = "submission"
    __table_args__ = (
        Index(None, "run_id", "level_id", "arrived_at", "id"),
        Index(None, "submitted_by", "id"),
    )

    run_id: Mapped[int] = mapped_column(ForeignKey("run.id"))
    level_id: Mapped[int] = mapped_column(ForeignKey("level.id"))
    sha256: Mapped[str] = mapped_column(String(64))
    size: Mapped[int]
    filename: Mapped[str] = mapped_column(String(255))
    warnings: Mapped[list[str]] = mapped_column(JSON)
    late: Mapped[bool]
    submitted_by: Mapped[int | None] = mapped_column(ForeignKey("account.id"))
    arrived_at: Mapped[datetime] = mapped_column(UtcDateTime)
    run: Mapped[Run] = relationship()
    level: Mapped[Level] = relationship()
    sender: Mapped[User | None] = relationship()


class Withdrawal(AuthoredRow):
    """A submission withdrawn, or (`withdrawn` false) restored; the newest row applies."""

    __tablename__ = "withdrawal"

    submission_id: Mapped[int] = mapped_column(ForeignKey("submission.id"), index=True)
    withdrawn: Mapped[bool]


class Rejection(NumberedRow):
    """A rejected upload with its problems; the file itself is not stored."""

    __tablename__ = "rejection"
    __table_args__ = (Index(None, "run_id", "arrived_at"),)

    run_id: Mapped[int] = mapped_column(ForeignKey("run.id"))
    level_id: Mapped[int] = mapped_column(ForeignKey("level.id"))
    sha256: Mapped[str] = mapped_column(String(64))
    filename: Mapped[str] = mapped_column(String(255))
    problems: Mapped[list[dict[str, Any]]] = mapped_column(JSON)
    count: Mapped[int]
    submitted_by: Mapped[int | None] = mapped_column(ForeignKey("account.id"))
    arrived_at: Mapped[datetime] = mapped_column(UtcDateTime)
    run: Mapped[Run] = relationship()
    level: Mapped[Level] = relationship()
    sender: Mapped[User | None] = relationship()


class Standing(Base):
    """A submission that counts: the newest of a run and level not withdrawn, on time and late separately."""

    __tablename__ = "standing"

    run_id: Mapped[int] = mapped_column(ForeignKey("run.id"), primary_key=True)
    level_id: Mapped[int] = mapped_column(ForeignKey("level.id"), primary_key=True)
    late: Mapped[bool] = mapped_column(primary_key=True)
    submission_id: Mapped[int] = mapped_column(ForeignKey("submission.id"))
    submission: Mapped[Submission] = relationship()


class Flag(Base):
    """Why to examine a submission; `other_id`: a submission from which it hardly differs."""

    __tablename__ = "flag"

    submission_id: Mapped[int] = mapped_column(ForeignKey("submission.id"), primary_key=True)
    code: Mapped[FlagCode] = mapped_column(String(24), primary_key=True)
    words: Mapped[str] = mapped_column(String(255))
    other_id: Mapped[int | None] = mapped_column(ForeignKey("submission.id"))
    made_at: Mapped[datetime] = mapped_column(UtcDateTime)
    submission: Mapped[Submission] = relationship(foreign_keys=[submission_id])


class Receipt(Base):
    """The signed receipt of one submission. It is never changed or deleted."""

    __tablename__ = "receipt"

    submission_id: Mapped[int] = mapped_column(ForeignKey("submission.id"), primary_key=True)
    text: Mapped[str] = mapped_column(Text)
    submission: Mapped[Submission] = relationship()
