"""Files of a level that cannot be used yet."""

from typing import Literal

from sqlalchemy import ForeignKey, String
from sqlalchemy.orm import Mapped, mapped_column

from server.core.db import Base

FileKind = Literal["items", "gold"]


class WaitingFile(Base):
    """A file that was uploaded for a split, and waits until it, the columns or the scale are corrected."""

    __tablename__ = "waiting_file"

    level_id: Mapped[int] = mapped_column(ForeignKey("level.id"), primary_key=True)
    split: Mapped[str] = mapped_column(String(16), primary_key=True)
    kind: Mapped[FileKind] = mapped_column(String(8), primary_key=True)
    sha256: Mapped[str] = mapped_column(String(64))
    name: Mapped[str] = mapped_column(String(255))
    """What the person calls it."""
    size: Mapped[int]
    public_gold: Mapped[bool]
    """Whether everyone is to be able to download the gold of the split."""
