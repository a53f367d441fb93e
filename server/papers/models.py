"""The zip files of tables and figures that jobs have made."""

from datetime import datetime

from sqlalchemy import ForeignKey, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from server.core.db import NumberedRow, UtcDateTime


class StoredPaper(NumberedRow):
    """The tables and figures of a public release, or (without one) of a task for its organizers."""

    __tablename__ = "paper"

    task_id: Mapped[int] = mapped_column(ForeignKey("task.id"), index=True)
    release_id: Mapped[int | None] = mapped_column(ForeignKey("release.id"), unique=True)
    inputs_sha256: Mapped[str] = mapped_column(String(64))
    """The hash of what it was made from; it is offered only while that has not changed."""
    style: Mapped[str] = mapped_column(String(8))
    sha256: Mapped[str | None] = mapped_column(String(64))
    """The zip file; None: the scorer made none."""
    made_at: Mapped[datetime] = mapped_column(UtcDateTime)
    error: Mapped[str | None] = mapped_column(Text)
    """What the scorer said if it made none."""
