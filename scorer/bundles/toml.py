"""Reads TOML after checking limits.

Some files of a few kilobytes make `tomllib` use far too much memory and time: a key with thousands of parts
takes gigabytes, nested lists cause a RecursionError, and long integers a ValueError. Therefore the text is
first scanned in linear time. The scan recognizes strings and comments, which may contain anything. All other
errors are left to `tomllib`."""

import re
import tomllib
from typing import Any

from scorer.errors import BundleError, Problem
from scorer.files.text import Problems, decode_text

_CURLY_QUOTES = "“”„‘’‚«»"


def parse_toml(data: bytes, source: str) -> dict[str, Any]:
    """Parse a TOML file in UTF-8, with any line ends.

    Raises
    ------
    BundleError
        Lists every line that is not text, or the place where the TOML is not valid or exceeds a limit.
    """
    require_size(data, source)
    problems = Problems(source)
    text = decode_text(data, problems)
    problems.raise_as(BundleError)
    assert text is not None  # noqa: S101  (there was no problem)
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    require_limits(text, source)
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = re.search(r"at line (\d+)", str(error))
        line = int(place[1]) if place else None
        broken = text.split("\n")[line - 1] if line is not None else None
        curled = broken is not None and any(char in _CURLY_QUOTES for char in broken)
        hint = '; write straight quotes, ", around texts' if curled else ""
        problem = Problem(source, line, "bad_toml", f"is not valid TOML: {error}{hint}", broken)
        raise BundleError([problem]) from error


MAX_TOML_BYTES = 2_000_000
MAX_DEPTH = 20
"""The maximum nesting depth of lists and tables."""
MAX_PARTS = 10
"""The maximum number of dot-separated parts of a key."""
MAX_WORD_LENGTH = 200
"""The maximum number of characters of a key, a number or a date."""
MAX_NESTS = 50_000
"""The maximum number of lists, tables and dots; each takes about a kilobyte of memory."""

_WORD = r"""[^\s"'\#\[\]{},=.]"""
_TEXT = r""""[^"\\\n]*+(?:\\[^\n][^"\\\n]*+)*"|'[^'\n]*+'"""
_TOKENS = re.compile(
    rf'''
    \#[^\n]*+
    |"""[^"\\]*+(?:(?:\\.|"{{1,2}}+(?!"))[^"\\]*+)*"{{3,5}}+
    |\'\'\'[^']*+(?:'{{1,2}}+(?!')[^']*+)*'{{3,5}}+
    |(?P<unclosed>"""|\'\'\')
    |(?P<long_key>(?:(?:{_WORD}++|{_TEXT})[ \t]*+\.[ \t]*+){{{MAX_PARTS}}})
    |{_TEXT}
    |(?P<unclosed_text>["'])
    |(?P<open>[\[{{])
    |(?P<close>[\]}}])
    |(?P<dot>\.)
    |(?P<long_word>{_WORD}{{{MAX_WORD_LENGTH + 1}}})
    |{_WORD}++
    |[\s,=]++
    ''',
    re.VERBOSE | re.DOTALL,
)
"""The scan stops at a string that is not closed, because it would misread everything after it."""
_UNCLOSED = "bad_toml", "is not valid TOML: a string that begins in this line is not closed"
_LIMIT_FAULTS = {
    "unclosed": _UNCLOSED,
    "unclosed_text": _UNCLOSED,
    "long_key": ("long_key", f"a key has more than {MAX_PARTS} parts between dots; use at most 3"),
    "long_word": ("long_word", f"a key, number or date has more than {MAX_WORD_LENGTH} characters"),
    "depth": ("too_deep", f"lists and tables are nested more than {MAX_DEPTH} deep; use at most 3"),
    "nests": ("too_large", f"the file has more than {MAX_NESTS} lists and tables"),
}


def require_size(data: bytes, source: str) -> None:
    """Raise BundleError if a file is too large.

    Raises
    ------
    BundleError
        If it has more than `MAX_TOML_BYTES`.
    """
    if len(data) > MAX_TOML_BYTES:
        message = (
            f"has {len(data)} bytes; the maximum is {MAX_TOML_BYTES}. Put long texts into separate files"
        )
        raise BundleError([Problem(source, None, "too_large", message)])


def require_limits(text: str, source: str) -> None:
    r"""Raise BundleError at the first place where a text exceeds a limit.

    Parameters
    ----------
    text : str
        The file, with "\n" at the end of its lines.
    source : str
        The name of the file in messages.

    Raises
    ------
    BundleError
        If the text exceeds a limit.

    Examples
    --------
    >>> require_limits('about = "[[[[[[[[[[[[[[[[[[[[[[[[ a.b.c.d.e.f.g.h.i.j.k.l"', "task.toml")
    >>> require_limits("a = " + "[" * 21, "task.toml")
    Traceback (most recent call last):
    scorer.errors.BundleError: task.toml:1: lists and tables are nested more than 20 deep; use at most 3
    """
    excess = _find_excess(text)
    if excess is not None:
        at, (code, message) = excess[0], _LIMIT_FAULTS[excess[1]]
        start = text.rfind("\n", 0, at) + 1
        line = text[start : start + MAX_WORD_LENGTH].partition("\n")[0]
        raise BundleError([Problem(source, text.count("\n", 0, at) + 1, code, message, line)])


def _find_excess(text: str) -> tuple[int, str] | None:
    """Return the first position where a limit is exceeded, and the name of the limit."""
    depth = nests = 0
    for token in _TOKENS.finditer(text):
        match token.lastgroup:
            case None:
                continue
            case "open":
                depth, nests = depth + 1, nests + 1
            case "close":
                depth -= 1
            case "dot":
                nests += 1
            case fault:
                return token.start(), fault
        if depth > MAX_DEPTH or nests > MAX_NESTS:
            return token.start(), "depth" if depth > MAX_DEPTH else "nests"
    return None
