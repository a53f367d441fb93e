"""The id of each request, which its answer, its log entries and its error page have, and the entry on it."""

import logging
import re
import secrets
import time

from flask import Response, current_app, g, request

from server.core import logs, metrics
from server.web import context

LOG = logging.getLogger(logs.REQUESTS)
HEADER = "X-Request-ID"
UNKNOWN = "(unknown)"
"""The route of a request for an address that does not exist."""
_WELL_FORMED = re.compile(r"[A-Za-z0-9._-]{8,64}")


_METHODS = frozenset({"GET", "HEAD", "OPTIONS", *context.WRITE_METHODS})
"""A client can send any word as the method, and each would be a metric of its own."""


def begin_request() -> None:
    """Give the request an id: the one that a trusted proxy sends, or a new one."""
    sent = request.headers.get(HEADER, "") if context.site_of(current_app).config.proxies else ""
    g.request_id = sent if _WELL_FORMED.fullmatch(sent) else secrets.token_hex(8)
    g.began = time.perf_counter()
    logs.request_fields.set({"request_id": g.request_id, "route": _route()})


def note_response(response: Response) -> Response:
    """Send the id, and log and count the request by its route, because a path may be a personal link."""
    response.headers[HEADER] = g.request_id
    seconds = time.perf_counter() - g.began
    method = request.method if request.method in _METHODS else "other"
    LOG.info(
        "request", extra={"method": method, "status": response.status_code, "ms": round(seconds * 1000, 1)}
    )
    metrics.count(metrics.REQUESTS, _route(), method, str(response.status_code))
    metrics.observe(metrics.REQUEST_SECONDS, seconds, _route(), method)
    return response


def end_request(_error: BaseException | None) -> None:
    """Forget the request, so that no later entry of this thread has its id."""
    logs.request_fields.set(logs.NO_REQUEST)


def _route() -> str:
    return UNKNOWN if request.url_rule is None else request.url_rule.rule
