"""Calendar files (iCalendar, RFC 5545)."""

import re
from collections.abc import Iterable
from datetime import UTC, datetime

_LINE = 24
"""A line can have 75 octets, and a character has at most 3 or 4."""


def write_calendar(events: Iterable[tuple[str, str, datetime]], now: datetime) -> bytes:
    """Write a calendar with events of a moment: their unique id, title and time."""
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Assay//EN"]
    for uid, title, at in events:
        lines += [
            "BEGIN:VEVENT",
            f"UID:{uid}",
            f"DTSTAMP:{_format(now)}",
            f"DTSTART:{_format(at)}",
            *re.sub(rf"(.{{{_LINE}}})(?=.)", r"\1\n ", "SUMMARY:" + _escape(title)).split("\n"),
            "END:VEVENT",
        ]
    return "".join(f"{line}\r\n" for line in [*lines, "END:VCALENDAR"]).encode()


def _format(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y%m%dT%H%M%SZ}"


def _escape(text: str) -> str:
    return re.sub(r"([\\;,])", r"\\\1", " ".join(text.split()))
