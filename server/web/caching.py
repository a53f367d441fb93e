"""HTTP caching: caches may store nothing, unless a view allows it; then they revalidate every time."""

import hashlib

from flask import Response, request

PUBLIC, PRIVATE = CACHEABLE = ("public, no-cache", "private, no-cache")
"""The values of Cache-Control for responses that may be cached, but must be revalidated before each use."""


def require_revalidation(response: Response, *, public: bool, tag: str | None = None) -> Response:
    """Let caches store a response, if they revalidate it; answer 304 if they have exactly these bytes.

    The ETag is a hash of the bytes that are sent, so nobody can know it before they are public. A release
    that is withdrawn disappears from every cache with its next request. Responses that depend on the reader
    are not for shared caches. With `tag`, the bytes are not read: the tag identifies the contents of a zip,
    however they are compressed.
    """
    response.set_etag(tag or hashlib.sha256(response.get_data()).hexdigest(), weak=tag is not None)
    response.headers["Cache-Control"] = PUBLIC if public else PRIVATE
    if not public:
        response.vary.add("Cookie")
    response.make_conditional(request)
    response.headers.remove("Date")  # the web server sets it
    return response
