"""Links that people give for their systems, and which of them a page may show as a link."""

from scorer.bundles import addresses
from server.runs.models import Run

MAX_LINKS = 20
"""The maximum number of links of a run."""
MAX_LINK_LENGTH = addresses.MAX_LINK_LENGTH


def is_link(text: str) -> bool:
    """Whether the text is an address that a bundle of the task may have, without invisible characters."""
    return text.isprintable() and addresses.is_web_address(text)


def split_links(text: str) -> list[str]:
    """Return the addresses of a text that has one in each line."""
    return [line.strip() for line in text.splitlines() if line.strip()]


def has_paper_details(run: Run) -> bool:
    """Whether any details about a run are given for the paper."""
    return any((run.method, run.resources, run.links, run.authors, run.version, run.licence, run.command))


def list_links(run: Run) -> list[str]:
    """List the addresses of a run that a page may show as links."""
    return [link for link in split_links(run.links) if is_link(link)]
