"""Task setups and the files that were uploaded for them."""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, ForeignKey, String
from sqlalchemy.orm import Mapped, mapped_column, relationship

from server.core.db import Base, UtcDateTime


class TaskSetup(Base):
    """A task that a person is setting up; nobody else may know of it. It ends when the task is created."""

    __tablename__ = "task_setup"

    id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("account.id"), index=True)
    made_at: Mapped[datetime] = mapped_column(UtcDateTime)
    changed_at: Mapped[datetime] = mapped_column(UtcDateTime)
    tables: Mapped[dict[str, Any]] = mapped_column(JSON)
    """Those of its `task.toml`; the texts are in place of the files that the bundle has for them."""
    files: Mapped[list["SetupFile"]] = relationship(order_by="SetupFile.path", cascade="all, delete-orphan")

    @property
    def title(self) -> str:
        """The title of the task."""
        return str(self.tables["task"]["title"])

    @property
    def slug(self) -> str:
        """The short name of the task."""
        return str(self.tables["task"]["slug"])


class SetupFile(Base):
    """An uploaded file of items or gold, by its path in the bundle; `name` is what the person calls it."""

    __tablename__ = "task_setup_file"

    setup_id: Mapped[int] = mapped_column(ForeignKey("task_setup.id"), primary_key=True)
    path: Mapped[str] = mapped_column(String(100), primary_key=True)
    sha256: Mapped[str] = mapped_column(String(64))
    name: Mapped[str] = mapped_column(String(255))
    size: Mapped[int]
