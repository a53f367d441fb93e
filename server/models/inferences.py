"""Inferences: which ranks of a board are real, computed by a job from inputs that are kept beside it."""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, CheckConstraint, ForeignKey, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, relationship

from server.core.db import Base, UtcDateTime
from server.models.releases import Release
from server.phases.models import Phase


class Inference(Base):
    """Intervals, tests, clusters of one board: of a release, or (without one) of the draft of a phase.

    All of it is derived; what belongs to a release by hand stays as it was made.
    """

    __tablename__ = "inference"
    __table_args__ = (
        UniqueConstraint("release_id", "board_sha256"),
        CheckConstraint("(text IS NULL) = (made_at IS NULL)", "made"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    phase_id: Mapped[int] = mapped_column(ForeignKey("phase.id"), index=True)
    release_id: Mapped[int | None] = mapped_column(ForeignKey("release.id"))
    """None: it is of the phase's draft, which organizers see."""
    gold_version_id: Mapped[int | None] = mapped_column(ForeignKey("gold_version.id"))
    """The candidate that the draft is computed with, in place of the gold in force."""
    board_sha256: Mapped[str] = mapped_column(String(64))
    """The hash of the board that it is of."""
    sha256: Mapped[str | None] = mapped_column(String(64))
    noted_at: Mapped[datetime] = mapped_column(UtcDateTime)
    """The instant of the inputs."""
    made_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    shown: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))
    """The small part of it that a board's page needs."""
    inputs: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True), deferred=True)
    """Gold versions and files as they were; None: it was brought along."""
    genres: Mapped[str | None] = mapped_column(Text, deferred=True)
    """The values by genre, as JSON, computed with it; None: they are not public, or were not asked for."""
    text: Mapped[str | None] = mapped_column(Text, deferred=True)
    """What was computed, as JSON; None: it still has to be."""
    phase: Mapped[Phase] = relationship()
    release: Mapped[Release | None] = relationship()
