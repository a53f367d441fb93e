"""A calendar file (iCalendar, RFC 5545) with the time at which a pass opens."""

import re
from datetime import UTC, datetime, timedelta

_LINE = 24
"""A line can have 75 octets, and a character has at most 3 or 4."""


def write_event(uid: str, title: str, opens_at: datetime, now: datetime) -> bytes:
    """Write a calendar with one event of an hour."""
    lines = [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//Assay//EN",
        "BEGIN:VEVENT",
        f"UID:{uid}",
        f"DTSTAMP:{_format(now)}",
        f"DTSTART:{_format(opens_at)}",
        f"DTEND:{_format(opens_at + timedelta(hours=1))}",
        *re.sub(rf"(.{{{_LINE}}})(?=.)", r"\1\n ", "SUMMARY:" + _escape(title)).split("\n"),
        "END:VEVENT",
        "END:VCALENDAR",
    ]
    return "".join(f"{line}\r\n" for line in lines).encode()


def _format(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y%m%dT%H%M%SZ}"


def _escape(text: str) -> str:
    return re.sub(r"([\\;,])", r"\\\1", " ".join(text.split()))
