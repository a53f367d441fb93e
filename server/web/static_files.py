"""Static files, whose addresses change with their contents, so that browsers can cache them for good.

The proxy compresses them: see deploy/nginx.conf.
"""

import hashlib
from functools import cache
from pathlib import Path

from flask import Flask, Response, request

FOLDER = Path(__file__).parents[1] / "static"
IMMUTABLE = "public, max-age=31536000, immutable"
REVALIDATED = "public, no-cache"
VERSION_PARAMETER = "v"


def init_static_files(app: Flask) -> None:
    """Let templates name static files by their versions, and let browsers cache them."""
    app.jinja_env.globals["static_url"] = static_url
    app.after_request(_set_cache_control)


@cache
def static_url(filename: str) -> str:
    """Return the address of a static file, with a part of its content's hash as its version."""
    version = hashlib.sha256((FOLDER / filename).read_bytes()).hexdigest()[:10]
    return f"/static/{filename}?{VERSION_PARAMETER}={version}"


def _set_cache_control(response: Response) -> Response:
    """Let browsers cache an address with the current version for good."""
    if request.endpoint != "static" or response.status_code != 200:
        return response
    if static_url((request.view_args or {})["filename"]) == request.full_path:
        response.headers["Cache-Control"] = IMMUTABLE
    elif response.mimetype == "text/javascript":
        response.headers["Cache-Control"] = REVALIDATED  # modules are imported without a version
    return response
