"""The files of a starter kit: texts, and zip files of texts, so that hidden gold in them can be found."""

from server.core.errors import InvalidFile
from server.core.i18n import _
from server.core.zips import MEGABYTE, read_members

MAX_UNPACKED = 4 * MEGABYTE
"""The maximum size of the files in a zip together."""
ZIP, TEXT = "application/zip", "text/plain"
_ZIP_START = b"PK"


def find_content_type(data: bytes) -> str:
    """Return whether a file is text or a zip of texts.

    Raises:
        InvalidFile: it is neither.
    """
    list_texts(data)
    return ZIP if data.startswith(_ZIP_START) else TEXT


def list_texts(data: bytes) -> list[str]:
    """Return the text of a file, or of each file in a zip.

    Raises:
        InvalidFile: it is not UTF-8 text, or the zip is damaged, too large, or has a file that is not.
    """
    if not data.startswith(_ZIP_START):
        return [_decode(None, data)]
    return [_decode(path, content) for path, content in read_members(data, MAX_UNPACKED)]


def _decode(path: str | None, data: bytes) -> str:
    """Decode a file; `path`: its name in a zip."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" not in text:
        return text
    if path is None:
        words = _(
            "This file is neither a picture, nor text in UTF-8, nor a zip of texts. Choose another file."
        )
    else:
        words = _(
            "%(path)s in the zip is not text in UTF-8. Leave it out, and upload the zip again.", path=path
        )
    raise InvalidFile(words, (), 0)
