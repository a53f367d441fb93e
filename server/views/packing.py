"""Pages that anybody gets are sent packed; none that is made for one browser ever is.

What is answered without a cookie, and sets none, is the same for whoever asks for the same address. So it
holds no secret from one who makes others ask for addresses of their choice and watches the lengths (BREACH).
Every page of somebody who is signed in has a token beside what an address says, and so has each form.
"""

import gzip

from flask import Flask, Response, request, session

from server.views import keeping

LEVEL = 6


def init_packing(app: Flask) -> None:
    """Pack what may be packed, for browsers that take it."""
    app.after_request(_send)


def _send(response: Response) -> Response:
    if request.endpoint == "static" or response.mimetype != "text/html":
        return response
    if response.status_code not in (200, 304) or request.method not in ("GET", "HEAD"):
        return response
    response.vary.add("Accept-Encoding")
    if not _is_anybodys(response):
        return response
    keeping.mark(response)
    if request.accept_encodings["gzip"]:
        _pack(response)
    return response


def _is_anybodys(response: Response) -> bool:
    told = request.cookies or "Authorization" in request.headers
    return not told and not session.modified and "Set-Cookie" not in response.headers


def _pack(response: Response) -> None:
    """The page and its tag, which is weak: the same words in other bytes. A 304 names the tag alone."""
    tag, _ = response.get_etag()
    if tag is not None:
        response.set_etag(tag, weak=True)
    if response.status_code == 200:
        response.set_data(gzip.compress(response.get_data(), LEVEL, mtime=0))
        response.content_encoding = "gzip"
