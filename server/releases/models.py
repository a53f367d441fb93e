"""Releases: immutable, published copies of a board; plans for them, and names for anonymous ones."""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, CheckConstraint, ForeignKey, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, relationship

from server.core.db import Base, UtcDateTime
from server.phases.feedback import Feedback
from server.phases.models import Phase


class Release(Base):
    """A board as it was published; `board` is the JSON whose SHA-256 stands beside it."""

    __tablename__ = "release"
    __table_args__ = (
        UniqueConstraint("phase_id", "number"),
        CheckConstraint("(named_board IS NULL) = (named_sha256 IS NULL)", "named"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    phase_id: Mapped[int] = mapped_column(ForeignKey("phase.id"))
    number: Mapped[int]
    sha256: Mapped[str] = mapped_column(String(64))
    named_sha256: Mapped[str | None] = mapped_column(String(64))
    feedback: Mapped[Feedback | None] = mapped_column(String(16))
    """None: final scores; else it was released by itself, with scores as that feedback shows them."""
    made_by: Mapped[int | None] = mapped_column(ForeignKey("account.id"))
    made_at: Mapped[datetime] = mapped_column(UtcDateTime)
    opens_gold: Mapped[bool] = mapped_column(default=False)
    """Whether the gold of the items became public with it."""
    rules: Mapped[dict[str, Any]] = mapped_column(JSON, default=dict)
    """The rules that it was made under; empty for those of before these were kept."""
    note: Mapped[str | None] = mapped_column(Text)
    """What its organizers tell readers about it."""
    files: Mapped[list[dict[str, Any]] | None] = mapped_column(JSON(none_as_null=True))
    """The files of runs that are published with it; None: they are not."""
    named_board: Mapped[str | None] = mapped_column(Text)
    """Of an anonymous release: the same board with the teams' names, public once that is lifted."""
    board: Mapped[str] = mapped_column(Text)
    """It may have millions of characters: what stands behind such a text in a row is slow to read."""
    phase: Mapped[Phase] = relationship()

    @property
    def anonymous(self) -> bool:
        """Whether teams had letters for names when it was made."""
        return self.named_sha256 is not None


class ReleaseWithdrawal(Base):
    """A release taken back, with the reason that the public reads."""

    __tablename__ = "release_withdrawal"

    release_id: Mapped[int] = mapped_column(ForeignKey("release.id"), primary_key=True)
    reason: Mapped[str] = mapped_column(Text)
    made_by: Mapped[int | None] = mapped_column(ForeignKey("account.id"))
    made_at: Mapped[datetime] = mapped_column(UtcDateTime)
    release: Mapped[Release] = relationship()


class ReleaseNaming(Base):
    """The end of a release's anonymity: from then on it shows the teams' names."""

    __tablename__ = "release_naming"

    release_id: Mapped[int] = mapped_column(ForeignKey("release.id"), primary_key=True)
    made_by: Mapped[int | None] = mapped_column(ForeignKey("account.id"))
    made_at: Mapped[datetime] = mapped_column(UtcDateTime)
    release: Mapped[Release] = relationship()


class ReleaseSeal(Base):
    """The signed statement that a release is of a board; one more once its names are shown."""

    __tablename__ = "release_seal"
    __table_args__ = (UniqueConstraint("release_id", "board_sha256"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    release_id: Mapped[int] = mapped_column(ForeignKey("release.id"))
    board_sha256: Mapped[str] = mapped_column(String(64))
    text: Mapped[str] = mapped_column(Text)
    made_at: Mapped[datetime] = mapped_column(UtcDateTime)
    release: Mapped[Release] = relationship()


class ReleasePlan(Base):
    """A release that is to come at a set time; a job makes it, once."""

    __tablename__ = "release_plan"

    id: Mapped[int] = mapped_column(primary_key=True)
    phase_id: Mapped[int] = mapped_column(ForeignKey("phase.id"), index=True)
    due_at: Mapped[datetime] = mapped_column(UtcDateTime)
    anonymous: Mapped[bool]
    opens_gold: Mapped[bool]
    note: Mapped[str | None] = mapped_column(Text)
    made_by: Mapped[int | None] = mapped_column(ForeignKey("account.id"))
    made_at: Mapped[datetime] = mapped_column(UtcDateTime)
    ended_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    """When it was carried out or cancelled; None: it is still to come."""
    release_id: Mapped[int | None] = mapped_column(ForeignKey("release.id"))
    """What came of it."""
    outcome: Mapped[str | None] = mapped_column(Text)
    """Why nothing came of it."""
    phase: Mapped[Phase] = relationship()


class Pseudonym(Base):
    """The name of a team in the anonymous releases of a phase, drawn by lot."""

    __tablename__ = "pseudonym"
    __table_args__ = (UniqueConstraint("phase_id", "name"),)

    phase_id: Mapped[int] = mapped_column(ForeignKey("phase.id"), primary_key=True)
    team_id: Mapped[int] = mapped_column(ForeignKey("team.id"), primary_key=True)
    name: Mapped[str] = mapped_column(String(16))


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
