"""How long to wait before a site is asked again."""

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

TRIES = 5
"""How often one thing is asked for."""
LONGEST = 60.0
"""Seconds; a site that wants more is believed, and not waited for."""


def pause_of(tried: int, retry_after: str | None) -> float:
    """Seconds to wait.

    Parameters
    ----------
    tried : int
        How often it was asked so far, from 1.
    retry_after : str or None
        The header of that name: seconds, or an instant as HTTP writes it.

    Returns
    -------
    float
        What the header says; without one 1, 2, 4, 8 and so on.

    Examples
    --------
    >>> pause_of(3, None), pause_of(1, "7"), pause_of(2, "soon")
    (4.0, 7.0, 2.0)
    """
    usual = float(2 ** (tried - 1))
    if retry_after is None:
        return usual
    if retry_after.isascii() and retry_after.isdigit():
        return float(retry_after[:9])
    try:
        at = parsedate_to_datetime(retry_after)
    except ValueError:
        return usual
    return max(0.0, (at.replace(tzinfo=at.tzinfo or UTC) - datetime.now(UTC)).total_seconds())
