"""Releases, which are immutable copies of a leaderboard; their schedules and pseudonyms."""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, CheckConstraint, ForeignKey, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, relationship

from server.core.db import Base, NumberedRow, UtcDateTime
from server.phases.feedback import Feedback
from server.phases.models import Phase


class Release(NumberedRow):
    """A leaderboard as it was published; `board` is the JSON that `sha256` is the hash of."""

    __tablename__ = "release"
    __table_args__ = (
        UniqueConstraint("phase_id", "number"),
        CheckConstraint("(named_board IS NULL) = (named_sha256 IS NULL)", "named"),
    )

    phase_id: Mapped[int] = mapped_column(ForeignKey("phase.id"))
    number: Mapped[int]
    sha256: Mapped[str] = mapped_column(String(64))
    named_sha256: Mapped[str | None] = mapped_column(String(64))
    feedback: Mapped[Feedback | None] = mapped_column(String(16))
    """None: a release with final scores; else a live one, with scores as this feedback shows them."""
    made_by: Mapped[int | None] = mapped_column(ForeignKey("account.id"))
    made_at: Mapped[datetime] = mapped_column(UtcDateTime)
    opens_gold: Mapped[bool] = mapped_column(default=False)
    """Whether the gold standard became public with it."""
    rules: Mapped[dict[str, Any]] = mapped_column(JSON)
    """The rules that it was made under."""
    note: Mapped[str | None] = mapped_column(Text)
    """The organizers' note to readers."""
    files: Mapped[list[dict[str, Any]] | None] = mapped_column(JSON(none_as_null=True))
    """The run files that are published with it; None: they are not published."""
    named_board: Mapped[str | None] = mapped_column(Text)
    """The leaderboard of an anonymous release with the teams' names, public once they are revealed."""
    board: Mapped[str] = mapped_column(Text)
    """Millions of characters perhaps, which make any columns after it in the row slow to read."""
    phase: Mapped[Phase] = relationship()

    @property
    def anonymous(self) -> bool:
        """Whether teams had pseudonyms when it was made."""
        return self.named_sha256 is not None


class ReleaseWithdrawal(Base):
    """The withdrawal of a release, with the reason that the public reads."""

    __tablename__ = "release_withdrawal"

    release_id: Mapped[int] = mapped_column(ForeignKey("release.id"), primary_key=True)
    reason: Mapped[str] = mapped_column(Text)
    made_by: Mapped[int | None] = mapped_column(ForeignKey("account.id"))
    made_at: Mapped[datetime] = mapped_column(UtcDateTime)
    release: Mapped[Release] = relationship()


class ReleaseNaming(Base):
    """The end of a release's anonymity: after that it shows the teams' names."""

    __tablename__ = "release_naming"

    release_id: Mapped[int] = mapped_column(ForeignKey("release.id"), primary_key=True)
    made_by: Mapped[int | None] = mapped_column(ForeignKey("account.id"))
    made_at: Mapped[datetime] = mapped_column(UtcDateTime)
    release: Mapped[Release] = relationship()


class ReleaseSeal(NumberedRow):
    """The signed statement about a release's leaderboard; there is another once its names are shown."""

    __tablename__ = "release_seal"
    __table_args__ = (UniqueConstraint("release_id", "board_sha256"),)

    release_id: Mapped[int] = mapped_column(ForeignKey("release.id"))
    board_sha256: Mapped[str] = mapped_column(String(64))
    text: Mapped[str] = mapped_column(Text)
    made_at: Mapped[datetime] = mapped_column(UtcDateTime)
    release: Mapped[Release] = relationship()


class ReleasePlan(NumberedRow):
    """A scheduled release; a job makes it, once."""

    __tablename__ = "release_plan"

    phase_id: Mapped[int] = mapped_column(ForeignKey("phase.id"), index=True)
    due_at: Mapped[datetime] = mapped_column(UtcDateTime)
    anonymous: Mapped[bool]
    opens_gold: Mapped[bool]
    note: Mapped[str | None] = mapped_column(Text)
    made_by: Mapped[int | None] = mapped_column(ForeignKey("account.id"))
    made_at: Mapped[datetime] = mapped_column(UtcDateTime)
    ended_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    """When it was carried out or cancelled; None: it is still scheduled."""
    release_id: Mapped[int | None] = mapped_column(ForeignKey("release.id"))
    """The release that was made."""
    outcome: Mapped[str | None] = mapped_column(Text)
    """Why no release was made."""
    phase: Mapped[Phase] = relationship()


class Pseudonym(Base):
    """The name of a team in the anonymous releases of a phase, drawn at random."""

    __tablename__ = "pseudonym"
    __table_args__ = (UniqueConstraint("phase_id", "name"),)

    phase_id: Mapped[int] = mapped_column(ForeignKey("phase.id"), primary_key=True)
    team_id: Mapped[int] = mapped_column(ForeignKey("team.id"), primary_key=True)
    name: Mapped[str] = mapped_column(String(16))


class Inference(NumberedRow):
    """Intervals, tests, clusters of a leaderboard: of a release, or (without one) of the draft of a phase.

    All of it can be recomputed; the inference of a manual release does not change.
    """

    __tablename__ = "inference"
    __table_args__ = (
        UniqueConstraint("release_id", "board_sha256"),
        CheckConstraint("(text IS NULL) = (made_at IS NULL)", "made"),
    )

    phase_id: Mapped[int] = mapped_column(ForeignKey("phase.id"), index=True)
    release_id: Mapped[int | None] = mapped_column(ForeignKey("release.id"))
    """None: it belongs to the phase's draft, which organizers see."""
    gold_version_id: Mapped[int | None] = mapped_column(ForeignKey("gold_version.id"))
    """The candidate that the draft is computed with, in place of the gold version in force."""
    board_sha256: Mapped[str] = mapped_column(String(64))
    """The hash of the leaderboard that it belongs to."""
    sha256: Mapped[str | None] = mapped_column(String(64))
    noted_at: Mapped[datetime] = mapped_column(UtcDateTime)
    """The time of the inputs."""
    made_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    shown: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))
    """The small part of it that a leaderboard's page needs."""
    inputs: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True), deferred=True)
    """The gold versions and files as they were; None: it was imported."""
    genres: Mapped[str | None] = mapped_column(Text, deferred=True)
    """The values by genre as JSON; None: they are not public, or were not requested."""
    text: Mapped[str | None] = mapped_column(Text, deferred=True)
    """The inference as JSON; None: it is not computed yet."""
    phase: Mapped[Phase] = relationship()
    release: Mapped[Release | None] = relationship()
