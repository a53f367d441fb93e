"""Logging requests that failed, without the control characters that a client may have sent."""

import logging
import secrets

from flask import request

LOG = logging.getLogger("assay.errors")


def log_failure(cause: BaseException | None) -> str:
    """Log why a request failed, and return the reference that its page shows."""
    reference = secrets.token_hex(4)
    LOG.error("%s: %s %s failed: %r", reference, request.method, printable(request.path), cause)
    return reference


def printable(text: str) -> str:
    """A text in one line, with its control characters spelled out."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)
