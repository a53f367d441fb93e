"""Texts and dates that `scorer bundle new` left for someone to write."""

from datetime import UTC, datetime

from scorer.bundles.placeholders import PLACEHOLDER_WORD, PLACEHOLDER_YEAR


def is_placeholder(text: str) -> bool:
    """Whether a text still has to be written."""
    return text.startswith(PLACEHOLDER_WORD)


def is_placeholder_date(at: datetime | None) -> bool:
    """Whether a date is in the year of placeholders, or later: a grace period ends after its deadline."""
    return at is not None and at.astimezone(UTC).year >= PLACEHOLDER_YEAR
