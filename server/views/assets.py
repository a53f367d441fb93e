"""Files that every page shares: an address that changes with the content, and fewer bytes on the way."""

import gzip
import hashlib
from functools import cache
from pathlib import Path
from typing import Any

from flask import Flask, Response, current_app, request

KEPT = "public, max-age=31536000, immutable"
ASKED = "public, no-cache"
TEXTS = ("text/css", "text/javascript", "image/svg+xml")
VERSION = "v"


def init_assets(app: Flask) -> None:
    """Name each file of `static` by its content, and send it packed to whoever takes that."""
    app.url_defaults(_add_version)
    app.after_request(_send)


def _add_version(endpoint: str, values: dict[str, Any]) -> None:
    if endpoint == "static":
        values.setdefault(VERSION, _version(_path(values["filename"])))


def _send(response: Response) -> Response:
    """An address with the content's version may be kept for ever; texts are packed once."""
    if request.endpoint != "static" or response.status_code != 200 or request.range is not None:
        return response
    path = _path((request.view_args or {})["filename"])
    if request.args.get(VERSION) == _version(path):
        response.headers["Cache-Control"] = KEPT
    elif response.mimetype == "text/javascript":
        response.headers["Cache-Control"] = ASKED  # modules import each other without a version
    if response.mimetype in TEXTS:
        response.vary.add("Accept-Encoding")
        if request.accept_encodings["gzip"]:
            _pack(response, path)
    return response


def _pack(response: Response, path: Path) -> None:
    tag, _ = response.get_etag()
    if tag is not None:
        response.set_etag(tag, weak=True)
    response.close()  # the file itself, which is not sent
    response.direct_passthrough = False
    response.set_data(_packed(path))
    response.content_encoding = "gzip"


def _path(filename: str) -> Path:
    return Path(current_app.static_folder or "", filename)


@cache
def _version(path: Path) -> str:
    """As much of the content's hash as tells two contents apart; nothing where no file is."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:10] if path.is_file() else ""


@cache
def _packed(path: Path) -> bytes:
    return gzip.compress(path.read_bytes(), mtime=0)
