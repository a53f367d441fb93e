"""Texts and dates that `scorer bundle new` left for someone to write."""

from datetime import datetime

from scorer.bundles.placeholders import PLACEHOLDER_WORD, PLACEHOLDER_YEAR
from server.core.dates import AOE


def is_placeholder(text: str) -> bool:
    """Whether a text still has to be written."""
    return text.startswith(PLACEHOLDER_WORD)


def is_placeholder_date(at: datetime | None) -> bool:
    """Whether a date is in the year of placeholders, in UTC or anywhere on earth."""
    return at is not None and PLACEHOLDER_YEAR in (at.year, at.astimezone(AOE).year)
