"""Addresses that people give of their systems: which of them a page may make a link of."""

import re

from server.runs.models import Run

MAX_LINKS = 20
"""Links of a run."""
MAX_LINK_LENGTH = 500
_LINK = re.compile(r"https?://[^\s/?#@<>\"']+(?:[/?#][^\s<>\"']*)?", re.IGNORECASE)


def is_link(text: str) -> bool:
    """Whether the text is an address that begins with http:// or https://, without a user's name."""
    return len(text) <= MAX_LINK_LENGTH and text.isprintable() and _LINK.fullmatch(text) is not None


def split_links(text: str) -> list[str]:
    """The addresses of a text that has one a line."""
    return [line.strip() for line in text.splitlines() if line.strip()]


def has_paper_details(run: Run) -> bool:
    """Whether its team has said anything of a run for the paper."""
    return any((run.method, run.resources, run.links, run.authors))


def list_links(run: Run) -> list[str]:
    """The addresses of a run that a page may make links of."""
    return [link for link in split_links(run.links) if is_link(link)]
