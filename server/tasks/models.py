"""Tasks, their levels and splits."""

from datetime import datetime
from functools import partial
from secrets import token_urlsafe
from typing import Any, Literal

from sqlalchemy import JSON, CheckConstraint, ForeignKey, String, Text, UniqueConstraint, select
from sqlalchemy.orm import Mapped, column_property, declared_attr, mapped_column, object_session, relationship

from server.core.db import AuthoredRow, Base, NumberedRow, UtcDateTime
from server.core.errors import Conflict
from server.core.identity import get_identity
from server.tasks.rules import DRAFT_MARK, Registration, RoleName, TaskState


class TaskFile(NumberedRow):
    """A picture of a task, without metadata, or a file of its starter kit; a name has the newest upload."""

    __tablename__ = "task_file"
    __table_args__ = (UniqueConstraint("task_id", "name"),)

    task_id: Mapped[int] = mapped_column(ForeignKey("task.id"))
    name: Mapped[str] = mapped_column(String(80))
    """What texts call it, and the last part of its address."""
    sha256: Mapped[str] = mapped_column(String(64))
    content_type: Mapped[str] = mapped_column(String(16))
    width: Mapped[int | None]
    """None, as the height: it is no picture, but a file of the starter kit."""
    height: Mapped[int | None]
    is_logo: Mapped[bool] = mapped_column(default=False)

    @property
    def is_picture(self) -> bool:
        """Whether it is a picture, not a file of the starter kit."""
        return self.width is not None


class Task(NumberedRow):
    """One shared task. A draft may lack its scale, its levels and their items."""

    __tablename__ = "task"
    __table_args__ = (
        CheckConstraint(
            "state IN ('draft', 'deleted') OR (scale_min IS NOT NULL AND scale_max IS NOT NULL)",
            name="published_has_scale",
        ),
    )

    slug: Mapped[str] = mapped_column(String(80), unique=True)
    """The task in addresses: its short name, which a draft that was never published has with its own id."""
    title: Mapped[str] = mapped_column(String(200))
    description: Mapped[str] = mapped_column(Text)
    terms: Mapped[str | None] = mapped_column(Text)
    """The text of the newest version of the terms; None: there are no terms."""
    licence: Mapped[str] = mapped_column(Text)
    organizers: Mapped[str] = mapped_column(String(500), server_default="")
    """The names of the organizers; a published task has them."""
    contact: Mapped[str] = mapped_column(String(255), server_default="")
    """An email address or a link, which everyone can see."""
    mailing_list: Mapped[str] = mapped_column(String(255), server_default="")
    citation: Mapped[str] = mapped_column(Text, server_default="")
    """The BibTeX entries by which the organizers ask to be cited; empty for none."""
    scale_min: Mapped[float | None]
    scale_max: Mapped[float | None]
    scale_step: Mapped[float | None]
    labels: Mapped[list[Any]] = mapped_column(JSON)
    keyed: Mapped[dict[str, Any] | None] = mapped_column(JSON)
    confidence_max: Mapped[float] = mapped_column(server_default="1")
    metrics: Mapped[list[str]] = mapped_column(JSON, server_default='["pearson", "spearman"]')
    """The metrics of levels that have no others, the official one first."""
    board_rules: Mapped[dict[str, Any]] = mapped_column(JSON)
    oov: Mapped[Literal["mean", "zero"]] = mapped_column(String(8), server_default="mean")
    """What a baseline predicts for words outside its dictionary; set when the task was imported."""
    team_size: Mapped[int | None]
    """The maximum number of people in a team; None: unlimited."""
    registration: Mapped[Registration] = mapped_column(String(16))
    """Whether a new team needs the approval of an organizer."""
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    state: Mapped[TaskState] = mapped_column(String(16), server_default="draft")
    published_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    """When the task was first published; None: never, so nobody but its organizers has seen it."""
    levels: Mapped[list["Level"]] = relationship(back_populates="task", order_by="Level.position")

    @declared_attr
    @classmethod
    def logo(cls) -> Mapped[str | None]:
        """Return the name of the picture that is the logo, found with the query that finds the task."""
        names = select(TaskFile.name).where(TaskFile.task_id == cls.id, TaskFile.is_logo)
        return column_property(names.scalar_subquery())

    @property
    def short_name(self) -> str:
        """The short name, which is reserved when the task is published."""
        return self.slug.partition(DRAFT_MARK)[0]

    @property
    def scale(self) -> tuple[float, float]:
        """The lowest and the highest value of gold labels and scores.

        Raises:
            Conflict: the task is a draft without a scale.
        """
        if self.scale_min is None or self.scale_max is None:
            raise Conflict.of("The task has no scale yet. Enter it under Scale and metrics.")
        return self.scale_min, self.scale_max


class Level(NumberedRow):
    """One comparison level; the first of `metrics` is the official one."""

    __tablename__ = "level"
    __table_args__ = (UniqueConstraint("task_id", "slug"),)

    task_id: Mapped[int] = mapped_column(ForeignKey("task.id"))
    position: Mapped[int]
    slug: Mapped[str] = mapped_column(String(64))
    title: Mapped[str] = mapped_column(String(200))
    sides: Mapped[list[str]] = mapped_column(JSON)
    layout: Mapped[dict[str, Any]] = mapped_column(JSON)
    metrics: Mapped[list[str]] = mapped_column(JSON)
    counts: Mapped[bool]
    senses_sha256: Mapped[str | None] = mapped_column(String(64))
    task: Mapped[Task] = relationship(back_populates="levels")
    splits: Mapped[list["Split"]] = relationship(back_populates="level", order_by="Split.name.desc()")
    """Trial, training, test, also where a campaign added one later: the names are in reverse order."""


class Split(NumberedRow):
    """The items of one split of a level: a file, parsed when it is needed."""

    __tablename__ = "split"
    __table_args__ = (UniqueConstraint("level_id", "name"),)

    level_id: Mapped[int] = mapped_column(ForeignKey("level.id"))
    name: Mapped[str] = mapped_column(String(16))
    items_sha256: Mapped[str] = mapped_column(String(64))
    n_items: Mapped[int]
    public_gold: Mapped[bool]
    held_out_genres: Mapped[list[str]] = mapped_column(JSON)
    public_items_sha256: Mapped[str | None] = mapped_column(String(64))
    """The file with the ids of public items, one in each line, whose scores a public-part phase shows."""
    n_public: Mapped[int | None]
    """The number of public items."""
    level: Mapped[Level] = relationship(back_populates="splits")


class TaskRole(Base):
    """A person's role in a task. The row stays when the role ends, because the person has seen the gold."""

    __tablename__ = "task_role"

    task_id: Mapped[int] = mapped_column(ForeignKey("task.id"), primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("account.id"), primary_key=True, index=True)
    role: Mapped[RoleName] = mapped_column(String(16))
    added_at: Mapped[datetime] = mapped_column(UtcDateTime)
    ended_at: Mapped[datetime | None] = mapped_column(UtcDateTime)


class InvitationLink(AuthoredRow):
    """The base of tables of links that people can use for a limited time."""

    __abstract__ = True

    nonce: Mapped[str] = mapped_column("token", String(64), unique=True, default=partial(token_urlsafe, 12))
    expires_at: Mapped[datetime] = mapped_column(UtcDateTime, sort_order=2)
    revoked_at: Mapped[datetime | None] = mapped_column(UtcDateTime, sort_order=2)

    @property
    def token(self) -> str:
        """The last part of the link, signed, so that no copy of the database has it."""
        return get_identity(object_session(self)).sign_link(self.nonce)


class RoleInvitation(InvitationLink):
    """An invitation link that gives one person a role, once."""

    __tablename__ = "role_invitation"

    task_id: Mapped[int] = mapped_column(ForeignKey("task.id"), index=True)
    role: Mapped[RoleName] = mapped_column(String(16))
    accepted_by: Mapped[int | None] = mapped_column(ForeignKey("account.id"), sort_order=3)
    accepted_at: Mapped[datetime | None] = mapped_column(UtcDateTime, sort_order=3)


class TermsVersion(AuthoredRow):
    """One version of the terms; an empty text ends them."""

    __tablename__ = "terms_version"
    __table_args__ = (UniqueConstraint("task_id", "number"),)

    task_id: Mapped[int] = mapped_column(ForeignKey("task.id"))
    number: Mapped[int]
    text: Mapped[str] = mapped_column(Text)
    task: Mapped[Task] = relationship()


class TermsAcceptance(Base):
    """A person's acceptance of one version of the terms."""

    __tablename__ = "terms_acceptance"

    terms_version_id: Mapped[int] = mapped_column(ForeignKey("terms_version.id"), primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("account.id"), primary_key=True, index=True)
    accepted_at: Mapped[datetime] = mapped_column(UtcDateTime)
