"""Files as downloads."""

from flask import Response


def send_tsv(content: bytes, filename: str) -> Response:
    """A table as a download. The name is ours or was cleaned: ASCII letters, digits and dots."""
    safe = "".join(char if char.isascii() and (char.isalnum() or char in "._-") else "_" for char in filename)
    headers = {"Content-Disposition": f'attachment; filename="{safe}"'}
    return Response(content, content_type="text/tab-separated-values; charset=utf-8", headers=headers)
