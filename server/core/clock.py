"""The only source of time: deadlines are law here."""

from datetime import UTC, datetime


def now() -> datetime:
    """The server's time, aware and in UTC."""
    return datetime.now(UTC)
