"""Terms of a task: immutable texts, the newest of a task is in force; and who accepted which."""

from datetime import datetime

from sqlalchemy import ForeignKey, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, relationship

from server.core.db import Base, UtcDateTime
from server.models.tasks import Task


class TermsVersion(Base):
    """One text of the terms; an empty one says that there are none any more."""

    __tablename__ = "terms_version"
    __table_args__ = (UniqueConstraint("task_id", "number"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    task_id: Mapped[int] = mapped_column(ForeignKey("task.id"))
    number: Mapped[int]
    text: Mapped[str] = mapped_column(Text)
    made_by: Mapped[int | None] = mapped_column(ForeignKey("account.id"))
    made_at: Mapped[datetime] = mapped_column(UtcDateTime)
    task: Mapped[Task] = relationship()


class TermsAcceptance(Base):
    """A person's word for one version of the terms."""

    __tablename__ = "terms_acceptance"

    terms_version_id: Mapped[int] = mapped_column(ForeignKey("terms_version.id"), primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("account.id"), primary_key=True, index=True)
    accepted_at: Mapped[datetime] = mapped_column(UtcDateTime)
