"""The keys that the site signs with."""

from sqlalchemy import String, Text
from sqlalchemy.orm import Mapped, mapped_column

from server.core.db import AuthoredRow


class SigningKey(AuthoredRow):
    """A pair of Ed25519 keys; the newest signs, and older ones stay published to verify what they signed."""

    __tablename__ = "signing_key"

    public: Mapped[str] = mapped_column(String(64), unique=True)
    sealed: Mapped[str] = mapped_column(Text)
    """The private key, encrypted with the site's secret."""
