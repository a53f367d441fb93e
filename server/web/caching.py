"""What caches may keep. Nothing, unless a view says so; and what they keep they ask for again, each time."""

import hashlib

from flask import Response, request

PUBLIC, PRIVATE = CACHEABLE = ("public, no-cache", "private, no-cache")
"""The words by which an answer may be kept, and is asked for again before it is used."""


def require_revalidation(response: Response, *, public: bool, tag: str | None = None) -> Response:
    """An answer that caches may keep and have to ask for again; 304 if they have just these bytes.

    The tag is of the bytes that are sent, so it is known to nobody before they are public. A release that is
    withdrawn is gone from every cache with its next request. What differs by reader is not for shared caches.
    With `tag` nothing is read: it stands for what is in a zip, whatever packed it.
    """
    response.set_etag(tag or hashlib.sha256(response.get_data()).hexdigest(), weak=tag is not None)
    response.headers["Cache-Control"] = PUBLIC if public else PRIVATE
    if not public:
        response.vary.add("Cookie")
    response.make_conditional(request)
    response.headers.remove("Date")  # the web server's to say
    return response
