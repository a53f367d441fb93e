"""Addresses by which the organizers of a task can be reached."""

from scorer.bundles import addresses
from server.core.placeholders import is_placeholder
from server.tasks.models import Task


def is_contact(text: str) -> bool:
    """Whether the text is an email address or a link, without invisible characters."""
    return text.isprintable() and addresses.is_contact(text)


def is_link(text: str) -> bool:
    """Whether the text is a link, without invisible characters."""
    return text.isprintable() and addresses.is_web_address(text)


def contact_url(text: str) -> str | None:
    """Return the address to which a page links; None: the text is no contact."""
    if not is_contact(text):
        return None
    return text if is_link(text) else f"mailto:{text}"


def has_contact(task: Task) -> bool:
    """Whether everyone can see who organizes the task and how to reach them."""
    named = task.organizers.strip() and not is_placeholder(task.organizers)
    return bool(named) and is_contact(task.contact)
