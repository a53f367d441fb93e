"""Recognizes files that are not text, such as archives, and says how to convert them to text."""

import re

_UNPACK = "unpack it first"
_EXPORT = "export it as plain text"
_KINDS = (
    (b"\x1f\x8b", "a gzip archive", _UNPACK),
    (b"PK\x05\x06", "an empty zip archive", "is it the right one?"),
    (b"BZh", "a bzip2 archive", _UNPACK),
    (b"\xfd7zXZ\x00", "an xz archive", _UNPACK),
    (b"\x28\xb5\x2f\xfd", "a zstandard archive", _UNPACK),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", _UNPACK),
    (b"Rar!\x1a\x07", "a rar archive", _UNPACK),
    (b"\xd0\xcf\x11\xe0", "an Office document", _EXPORT),
    (b"%PDF-", "a PDF document", _EXPORT),
    (b"{\\rtf", "a rich text document", "save it as plain text"),
    (b"\x93NUMPY", "a NumPy array", "write it as text, one value per line"),
    (b"SQLite format 3\x00", "an SQLite database", _EXPORT),
    (b"\x89PNG", "a picture", "is it the right file?"),
    (b"\xff\xd8\xff", "a picture", "is it the right file?"),
)
_ZIP = b"PK\x03\x04"
_SPREADSHEETS = ((b"xl/", "an Excel workbook"), (b"opendocument.spreadsheet", "an OpenDocument spreadsheet"))
_DOCUMENTS = ((b"word/", "a Word document"), (b"opendocument.text", "an OpenDocument text"))
_HTML = rb"(?i)\s*<(?:!doctype html|html)[\s>]"
_WIDE_BOMS = (
    (b"\xff\xfe\x00\x00", "UTF-32"),
    (b"\x00\x00\xfe\xff", "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
)
_SAMPLE = 2000
_TINY = 100


def explain_non_text(data: bytes) -> tuple[str, str] | None:
    """Return a code and a sentence on the type of a file if it is not text; else None.

    >>> explain_non_text(b"\\x1f\\x8b\\x08rest")
    ('packed_file', 'this is a gzip archive; unpack it first')
    """
    if data.startswith(_ZIP):
        return _explain_zip(data)
    for magic, name, fix in _KINDS:
        if data.startswith(magic):
            return "packed_file", f"this is {name}; {fix}"
    if re.match(_HTML, data[:_SAMPLE]):
        return "web_page", "this is a web page; download the file itself, not the page that shows it"
    wide = _wide_encoding(data)
    if wide is not None:
        return "utf16", f"this is {wide}; save it as UTF-8"
    sample = data[:_SAMPLE]
    if sample.count(0) * (10 if len(sample) > _TINY else 3) > len(sample):
        return "binary_file", f"this is not text; {_EXPORT} in UTF-8"
    return None


def _explain_zip(data: bytes) -> tuple[str, str]:
    for mark, name in (*_SPREADSHEETS, *_DOCUMENTS):
        if mark in data:
            kind = "tab-separated text" if (mark, name) in _SPREADSHEETS else "plain text"
            return "packed_file", f"this is {name}; save it as {kind} in UTF-8"
    return "packed_file", f"this is a zip archive; {_UNPACK}"


def _wide_encoding(data: bytes) -> str | None:
    """Detect UTF-16 or UTF-32 by the byte order mark or by the positions of NUL bytes in Latin text."""
    for mark, name in _WIDE_BOMS:
        if data.startswith(mark):
            return name
    sample = data[: min(len(data), _SAMPLE) // 4 * 4] or data
    zeros = [sample[place::4].count(0) * 4 for place in range(4)]
    often = [count * 2 > len(sample) for count in zeros]
    if often in ([False, True, True, True], [True, True, True, False]):
        return "UTF-32"
    return "UTF-16" if often in ([False, True] * 2, [True, False] * 2) else None
