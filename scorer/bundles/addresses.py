"""Addresses that a bundle may have: links, and how to reach people."""

import re

MAX_LINK_LENGTH = 500
_LINK = re.compile(r"https?://[^\s/?#@<>\"']+(?:[/?#][^\s<>\"']*)?", re.IGNORECASE)
_EMAIL = re.compile(r"[^\s@<>\"'/?#:]+@[^\s@<>\"'/?#:]+\.[^\s@<>\"'/?#:.]+")


def is_web_address(text: str) -> bool:
    """Whether a text is an address that begins with http:// or https://, without a user name."""
    return len(text) <= MAX_LINK_LENGTH and _LINK.fullmatch(text) is not None


def is_contact(text: str) -> bool:
    """Whether a text is an email address or a web address.

    >>> is_contact("ada@example.org"), is_contact("https://example.org/task"), is_contact("Ada")
    (True, True, False)
    """
    return _EMAIL.fullmatch(text) is not None or is_web_address(text)
