"""Bytes -> lines, and what can be wrong with them before anything is read in them."""

import re
from collections.abc import Sequence

from scorer.errors import MAX_PROBLEMS, DataError, Problem

BLANKS = " \t\v\f"
"""What may surround a value."""

_SHOWN = 40
_PACKED = (
    (b"\x1f\x8b", "a gzip archive"),
    (b"PK\x03\x04", "a zip archive or a spreadsheet"),
    (b"PK\x05\x06", "an empty zip archive"),
    (b"BZh", "a bzip2 archive"),
    (b"\xfd7zXZ\x00", "an xz archive"),
    (b"\x28\xb5\x2f\xfd", "a zstandard archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"Rar!\x1a\x07", "a rar archive"),
    (b"\xd0\xcf\x11\xe0", "an Office document"),
    (b"%PDF-", "a PDF document"),
)
_UTF8_BOM = b"\xef\xbb\xbf"
_WIDE_BOMS = (b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")
_INVISIBLE = "[\x00-\x1f\x7f-\xa0\xad\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]"


class Problems:
    """Collects what is wrong with one file: the first hundred problems, and the count of all."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.kept: list[Problem] = []
        self.count = 0

    @property
    def full(self) -> bool:
        """Whether a further problem is only counted, so that its sentence need not be written."""
        return len(self.kept) >= MAX_PROBLEMS

    def add(self, line: int | None, code: str, message: str, text: str | None = None) -> None:
        """Note one problem."""
        self.count += 1
        if not self.full:
            self.kept.append(Problem(self.source, line, code, message, text))

    def raise_as(self, error: type[DataError]) -> None:
        """Raise everything that was noted, in the order of the lines, if anything was."""
        if self.count:
            raise error(sorted(self.kept, key=lambda problem: problem.line or 0), self.count)

    def explained_by(self, code: str) -> None:
        """Drop every other problem, if there is one of this code."""
        explanation = [problem for problem in self.kept if problem.code == code]
        if explanation:
            self.kept, self.count = explanation, len(explanation)


def shorten(text: str) -> str:
    """Quote a text for a message: its first 40 characters, with invisible ones spelled out.

    >>> shorten("n/a\\x1b[2J")
    '"n/a\\\\u001b[2J"'
    """
    cut = text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
    mark = "'" if '"' in cut and "'" not in cut else '"'
    return f"{mark}{re.sub(_INVISIBLE, _spell, cut)}{mark}"


def first_invisible(text: str) -> str | None:
    """The code point of the first character that nobody can see, such as U+00A0."""
    found = re.search(_INVISIBLE, text)
    return f"U+{ord(found[0]):04X}" if found else None


def decode_lines(data: bytes, problems: Problems) -> list[str | None]:
    """Split a file into lines at LF, CR LF and CR, skipping a byte order mark.

    Returns
    -------
    list of str or None
        The lines without their ends. None stands for a line that is not text and has been noted in
        `problems`. Empty if the file as a whole is none, which has been noted too.
    """
    refusal = _whole_file(data)
    if refusal is not None:
        problems.add(None, *refusal)
        return []
    return [_decode(raw, number, problems) for number, raw in enumerate(_lines(data), start=1)]


def drop_blank_end(lines: Sequence[str | None]) -> int:
    """How many lines there are before the blank ones at the end."""
    n = len(lines)
    while n and (last := lines[n - 1]) is not None and not last.strip(BLANKS):
        n -= 1
    return n


def note_blank(problems: Problems, number: int, content_end: int, need: str, text: str) -> None:
    """Note a blank line: one at the end goes, one in the middle lacks something."""
    if number > content_end:
        problems.add(number, "blank_last_line", "blank line at the end; remove it", text)
    else:
        problems.add(number, "empty_line", f"empty line; {need}", text)


def _lines(data: bytes) -> list[bytes]:
    # bytes.splitlines knows LF, CR LF and CR only; str.splitlines would also split at U+0085 and others.
    return data.removeprefix(_UTF8_BOM).splitlines()


def _whole_file(data: bytes) -> tuple[str, str] | None:
    """Code and sentence of what makes a file unreadable as a whole."""
    if not data.removeprefix(_UTF8_BOM).strip():
        fact = "has nothing but blank lines" if data else "is empty"
        return "empty_file", f"the file {fact}; is it the right one?"
    for magic, name in _PACKED:
        if data.startswith(magic):
            return "packed_file", f"this is {name}; unpack it first, or export it as plain text"
    if data.startswith(_WIDE_BOMS) or data[:2000].count(0) * 3 > len(data[:2000]):
        return "utf16", "this is UTF-16 or UTF-32, or no text; save it as UTF-8"
    return None


def _decode(raw: bytes, number: int, problems: Problems) -> str | None:
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        place = f"byte 0x{raw[error.start]:02X} at column {error.start + 1}"
        message = f"{place} is not UTF-8; save the file as UTF-8"
        problems.add(number, "not_utf8", message, raw.decode(errors="replace"))
        return None
    if "\0" in text:
        problems.add(number, "nul", "the line has a NUL byte; write plain text", text)
        return None
    return text


def _spell(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"
