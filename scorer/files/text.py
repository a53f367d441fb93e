"""Decodes files into lines, and collects the problems of a file."""

import re
from collections.abc import Sequence

from scorer.errors import DataError, Problem
from scorer.files.file_types import explain_non_text

BLANKS = " \t\v\f"
"""The whitespace that may surround a value."""

SENTENCE_TAGS = ("<sent>", "</sent>")
"""They enclose, in a text with context, the sentence that is rated."""

SEPARATOR_CODE = "separator_line"
"""The code of a first line `sep=`, in which Excel declares the delimiter."""

_MAX_SHOWN = 40
_MAX_KEPT = 10_000
"""How many problems of a file are stored, so that a file of only bad lines is rejected within a second."""
UTF8_BOM = b"\xef\xbb\xbf"
_SEPARATOR_LINE = re.compile(r'"?sep=.?"?', re.IGNORECASE)
_INVISIBLE = "[\x00-\x1f\x7f-\xa0\xad\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]"


class Problems:
    """Collects the problems of one file: the first ten thousand, and the number of all.

    `lines` are the lines of the file, which `decode_lines` sets; None is a line that is not text.
    """

    def __init__(self, source: str, lines: Sequence[str | None] = ()) -> None:
        self.source = source
        self.lines = lines
        self.kept: list[Problem] = []
        self.count = 0

    @property
    def full(self) -> bool:
        """Whether further problems are only counted, so that their messages need not be written."""
        return len(self.kept) >= _MAX_KEPT

    def add(self, line: int | None, code: str, message: str, text: str | None = None) -> None:
        """Add a problem."""
        self.count += 1
        if not self.full:
            self.kept.append(Problem(self.source, line, code, message, text))

    def add_line(self, line: int, code: str, message: str) -> None:
        """Add a problem of a line, with the text of the line."""
        self.add(line, code, message, self.lines[line - 1])

    def raise_as(self, error: type[DataError]) -> None:
        """Raise an error with all problems in the order of the lines, if there are any."""
        if self.count:
            raise error(sorted(self.kept, key=lambda problem: problem.line or 0), self.count)

    def explained_by(self, code: str) -> None:
        """Keep only the problems with this code, if there are any: they explain the others."""
        explanation = [problem for problem in self.kept if problem.code == code]
        if explanation:
            self.kept, self.count = explanation, len(explanation)


def count_noun(n: int, singular: str, plural: str | None = None) -> str:
    """Write a count with its noun.

    >>> count_noun(1, "line"), count_noun(2, "line"), count_noun(2, "entry", "entries")
    ('1 line', '2 lines', '2 entries')
    """
    return f"{n} {singular if n == 1 else plural or singular + 's'}"


def shorten(text: str) -> str:
    """Quote a text for a message: its first 40 characters, with invisible characters escaped.

    >>> shorten("n/a\\x1b[2J")
    '"n/a\\\\u001b[2J"'
    """
    cut = text if len(text) <= _MAX_SHOWN else text[:_MAX_SHOWN] + "…"
    mark = "'" if '"' in cut and "'" not in cut else '"'
    return f"{mark}{re.sub(_INVISIBLE, _escape_character, cut)}{mark}"


def first_invisible(text: str) -> str | None:
    """Return the code point of the first invisible character, such as U+00A0, or None."""
    match = re.search(_INVISIBLE, text)
    return f"U+{ord(match[0]):04X}" if match else None


def decode_lines(data: bytes, problems: Problems) -> list[str | None]:
    """Split a file into lines at LF, CR LF and CR, skipping a byte order mark.

    Returns
    -------
    list of str or None
        The lines without line ends. None is a line that is not text and has been noted in `problems`. Empty
        if the whole file is not text, which has been noted too.
    """
    refusal = _explain_whole_file(data)
    if refusal is not None:
        problems.add(None, *refusal)
        return []
    lines = [_decode(raw, number, problems) for number, raw in enumerate(_lines(data), start=1)]
    problems.lines = lines
    return lines


def count_content_lines(lines: Sequence[str | None]) -> int:
    """Return the number of lines without the blank lines at the end."""
    n = len(lines)
    while n and (last := lines[n - 1]) is not None and not last.strip(BLANKS):
        n -= 1
    return n


def note_blank(problems: Problems, number: int, content_end: int, need: str, text: str) -> None:
    """Add a problem for a blank line: remove it at the end of the file, fill it in the middle."""
    if number > content_end:
        problems.add(number, "blank_last_line", "blank line at the end; remove it", text)
    else:
        problems.add(number, "empty_line", f"empty line; {need}", text)


def decode_text(data: bytes, problems: Problems) -> str | None:
    """Decode a file without its byte order mark; None if a line is not text, which has been noted."""
    decode_lines(data, problems)
    return None if problems.count else data.removeprefix(UTF8_BOM).decode()


def whole_lines(data: bytes) -> bytes:
    """Return a file without its byte order mark, with a line end after its last line.

    >>> whole_lines(b"1\\n2")
    b'1\\n2\\n'
    """
    text = data.removeprefix(UTF8_BOM)
    return text if text.endswith(b"\n") else text + b"\n"


def consists_of(lines: re.Pattern[bytes], text: bytes) -> bool:
    """Whether a pattern for some lines matches a text part after part, to its end.

    The pattern repeats its group a thousand times at most, since Python remembers a way back for each time.

    >>> consists_of(re.compile(rb"(?:[0-9]\\n){1,2}"), b"1\\n2\\n3\\n")
    True
    """
    at = 0
    while at < len(text) and (part := lines.match(text, at)) is not None:
        at = part.end()
    return at == len(text)


def _lines(data: bytes) -> list[bytes]:
    # bytes.splitlines splits at LF, CR LF and CR only; str.splitlines also splits at U+0085 and others.
    return data.removeprefix(UTF8_BOM).splitlines()


def _explain_whole_file(data: bytes) -> tuple[str, str] | None:
    """Return the code and the message of what makes a whole file unreadable, or None."""
    if not data.removeprefix(UTF8_BOM).strip():
        fact = "has nothing but blank lines" if data else "is empty"
        return "empty_file", f"the file {fact}; is it the right one?"
    return explain_non_text(data)


def _decode(raw: bytes, number: int, problems: Problems) -> str | None:
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        place = (
            f"byte 0x{raw[error.start]:02X} at column {error.start + 1}{_windows_character(raw[error.start])}"
        )
        message = f"{place} is not UTF-8; save the file as UTF-8"
        problems.add(number, "not_utf8", message, raw.decode(errors="replace"))
        return None
    if "\0" in text:
        problems.add(number, "nul", "the line has a NUL byte; write plain text", text)
        return None
    if number == 1 and _SEPARATOR_LINE.fullmatch(text):
        problems.add(1, SEPARATOR_CODE, "this line is one that Excel adds for itself; remove it", text)
        return None
    return text


def _windows_character(byte: int) -> str:
    """Return what a byte means in Windows-1252, which it most likely comes from."""
    char = bytes((byte,)).decode("cp1252", "replace")
    return f" ({char} in Windows-1252)" if char.isprintable() and char != "\N{REPLACEMENT CHARACTER}" else ""


def _escape_character(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"
