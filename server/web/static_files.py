"""Static files: an address that changes with the content, so that browsers may cache it for good.

They are compressed by the proxy: see deploy/nginx.conf.
"""

import hashlib
from functools import cache
from pathlib import Path
from typing import Any

from flask import Flask, Response, current_app, request

IMMUTABLE = "public, max-age=31536000, immutable"
REVALIDATED = "public, no-cache"
VERSION_PARAMETER = "v"


def init_static_files(app: Flask) -> None:
    """Add the version of each static file to its address."""
    app.url_defaults(_add_version)
    app.after_request(_set_cache_control)


def _add_version(endpoint: str, values: dict[str, Any]) -> None:
    if endpoint == "static":
        values.setdefault(VERSION_PARAMETER, _version(_path(values["filename"])))


def _set_cache_control(response: Response) -> Response:
    """Let browsers cache an address with the current version for good."""
    if request.endpoint != "static" or response.status_code != 200:
        return response
    path = _path((request.view_args or {})["filename"])
    if request.args.get(VERSION_PARAMETER) == _version(path):
        response.headers["Cache-Control"] = IMMUTABLE
    elif response.mimetype == "text/javascript":
        response.headers["Cache-Control"] = REVALIDATED  # modules import each other without a version
    return response


def _path(filename: str) -> Path:
    return Path(current_app.static_folder or "", filename)


@cache
def _version(path: Path) -> str:
    """As much of the content's hash as tells two contents apart; nothing where no file is."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:10] if path.is_file() else ""
