"""Files as downloads."""

from collections.abc import Callable, Iterable
from tempfile import SpooledTemporaryFile
from typing import IO

from flask import Response, request
from werkzeug.wsgi import wrap_file

from server.core.zips import MEGABYTE, write_zip


def send_content(content: str | bytes, filename: str, content_type: str) -> Response:
    """Send a file as a download. `filename` must not come from a user."""
    headers = {"Content-Disposition": f'attachment; filename="{filename}"'}
    return Response(content, content_type=content_type, headers=headers)


def send_tsv(content: bytes, filename: str) -> Response:
    """Send a table as a download. `filename` is the site's or was cleaned: ASCII letters, digits and dots."""
    safe = "".join(char if char.isascii() and (char.isalnum() or char in "._-") else "_" for char in filename)
    return send_content(content, safe, "text/tab-separated-values; charset=utf-8")


def send_json(content: str, filename: str) -> Response:
    """Send a JSON file as a download. `filename` must not come from a user."""
    return send_content(content, filename, "application/json")


def send_zip(folder: str, files: Iterable[tuple[str, Callable[[], bytes]]]) -> Response:
    """Send files as one zip, which is named like the folder that it contains; the name is made of slugs."""
    file = SpooledTemporaryFile(max_size=8 * MEGABYTE)  # noqa: SIM115  (the server closes it when it is sent)
    write_zip(file, folder, files)
    return send_file(file, f"{folder}.zip", "application/zip")


def send_file(file: IO[bytes], filename: str, content_type: str) -> Response:
    """Stream a file that was just written as a download. `filename` is made of slugs."""
    size = file.tell()
    file.seek(0)
    headers = {"Content-Disposition": f'attachment; filename="{filename}"', "Content-Length": str(size)}
    response = Response(wrap_file(request.environ, file), content_type=content_type, headers=headers)
    response.direct_passthrough = True
    return response
