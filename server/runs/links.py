"""Links that people give for their systems, and which of them a page may show as a link."""

import re

from server.runs.models import Run

MAX_LINKS = 20
"""The maximum number of links of a run."""
MAX_LINK_LENGTH = 500
_LINK = re.compile(r"https?://[^\s/?#@<>\"']+(?:[/?#][^\s<>\"']*)?", re.IGNORECASE)


def is_link(text: str) -> bool:
    """Whether the text is an address that begins with http:// or https://, without a user name."""
    return len(text) <= MAX_LINK_LENGTH and text.isprintable() and _LINK.fullmatch(text) is not None


def split_links(text: str) -> list[str]:
    """Return the addresses of a text that has one in each line."""
    return [line.strip() for line in text.splitlines() if line.strip()]


def has_paper_details(run: Run) -> bool:
    """Whether the team has given any details about a run for the paper."""
    return any((run.method, run.resources, run.links, run.authors))


def list_links(run: Run) -> list[str]:
    """List the addresses of a run that a page may show as links."""
    return [link for link in split_links(run.links) if is_link(link)]
