"""Files as downloads."""

from typing import IO

from flask import Response, request
from werkzeug.wsgi import wrap_file


def send_tsv(content: bytes, filename: str) -> Response:
    """A table as a download. The name is ours or was cleaned: ASCII letters, digits and dots."""
    safe = "".join(char if char.isascii() and (char.isalnum() or char in "._-") else "_" for char in filename)
    headers = {"Content-Disposition": f'attachment; filename="{safe}"'}
    return Response(content, content_type="text/tab-separated-values; charset=utf-8", headers=headers)


def send_json(content: str, filename: str) -> Response:
    """A JSON file as a download. The name is ours."""
    headers = {"Content-Disposition": f'attachment; filename="{filename}"'}
    return Response(content, content_type="application/json", headers=headers)


def send_zip(file: IO[bytes], filename: str) -> Response:
    """A zip as a download, read from its file while it is sent. The name is a slug's."""
    return send_file(file, filename, "application/zip")


def send_file(file: IO[bytes], filename: str, content_type: str) -> Response:
    """What was just written as a download, read from its file while it is sent. The name is a slug's."""
    size = file.tell()
    file.seek(0)
    headers = {"Content-Disposition": f'attachment; filename="{filename}"', "Content-Length": str(size)}
    response = Response(wrap_file(request.environ, file), content_type=content_type, headers=headers)
    response.direct_passthrough = True
    return response
