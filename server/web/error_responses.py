"""What pages and the API share when a request fails: the log entry, and the header Retry-After."""

import logging
from email.utils import format_datetime

from flask import g, request

from server.core.errors import RateLimited, ServerError

LOG = logging.getLogger("assay.errors")
SECRET_PARTS = frozenset({"key", "token"})
"""The parts of addresses by which people enter: links of annotators, invitations, links in emails."""


def log_failure(cause: BaseException | None) -> str:
    """Log why a request failed, and return the reference that its page shows, which is the request's id."""
    reference: str = g.request_id
    LOG.error("%s: %s %s failed: %r", reference, request.method, printable_path(), cause)
    return reference


def printable_path() -> str:
    """Return the path of the request for the log, without the secret of a personal link."""
    path = request.path
    for name in SECRET_PARTS & set(request.view_args or ()):
        path = path.replace((request.view_args or {})[name], "...")
    return printable(path)


def printable(text: str) -> str:
    """Return a text in one line, with its control characters escaped."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def retry_after(error: ServerError | None) -> dict[str, str]:
    """Return the header `Retry-After`, if the error says when the next request is accepted."""
    if not isinstance(error, RateLimited):
        return {}
    return {"Retry-After": format_datetime(error.retry_at, usegmt=True)}
