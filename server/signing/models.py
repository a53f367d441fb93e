"""The keys that the site signs with."""

from datetime import datetime

from sqlalchemy import ForeignKey, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from server.core.db import Base, UtcDateTime


class SigningKey(Base):
    """A pair of Ed25519 keys; the newest signs, and older ones stay published to verify what they signed."""

    __tablename__ = "signing_key"

    id: Mapped[int] = mapped_column(primary_key=True)
    public: Mapped[str] = mapped_column(String(64), unique=True)
    sealed: Mapped[str] = mapped_column(Text)
    """The private key, encrypted with the site's secret."""
    made_by: Mapped[int | None] = mapped_column(ForeignKey("account.id"))
    made_at: Mapped[datetime] = mapped_column(UtcDateTime)
