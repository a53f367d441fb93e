"""Escapes text for CSV, Markdown and LaTeX, so that other programs read each cell as plain text.

TSV and JSON are for programs and have names unchanged; CSV is for spreadsheets, which run formulas.
"""

import re
from functools import lru_cache

_FORMULA = re.compile(r"\s*[=+\-@\uff1d\uff0b\uff0d\uff20]")
"""The beginning of a formula in a spreadsheet, also with full-width characters."""
_LINE_ENDS = re.compile(r"[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]+")
_MARKDOWN_CHARACTERS = re.compile(r"([\\`*_\[\]<>|~&#!$])")
_DIRECTION_MARKS = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Characters that change the text direction."""
_UNSUPPORTED_BY_LATEX = re.compile(r"[\x00-\x1f\x7f\u2600-\u27bf\ud800-\uf8ff\U00010000-\U0010ffff]")
"""Characters that pdflatex rejects: control characters, symbols, private use, and those beyond U+FFFF."""
_INVISIBLE = re.compile("[\u200b-\u200d\u2060\ufe00-\ufe0f\ufeff]")
"""Characters without a glyph: joiners and variation selectors."""
_LATEX_ESCAPES = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{",
    "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}",
    ">": r"\textgreater{}", "|": r"\textbar{}", "[": "{[}", "]": "{]}", "*": "{*}", '"': "''", "–": "--",
}  # fmt: skip
"""Brackets and asterisks are in braces: after the end of a table row they would be its arguments."""


def single_line(text: str) -> str:
    """Put text on one line without tabs, for a cell of TSV.

    >>> single_line("two\\nlines\\tand a tab ")
    'two; lines and a tab'
    """
    return _LINE_ENDS.sub("; ", text.strip()).replace("\t", " ")


def _line_for_people(text: str) -> str:
    """Put text on one line, without characters that show it, and what follows, in another order."""
    return _DIRECTION_MARKS.sub("", single_line(text))


@lru_cache(4096)
def csv_cell(text: str) -> str:
    """Escape a cell of CSV: one line, with an apostrophe before what a spreadsheet would run as a formula.

    >>> csv_cell("=1+1"), csv_cell(" @x"), csv_cell("a\u202e = b")
    ("'=1+1", "'@x", 'a = b')
    """
    line = _line_for_people(text)
    return f"'{line}" if _FORMULA.match(line) else line


def markdown_cell(text: str) -> str:
    """Escape text for Markdown: one line, without markup for Markdown, HTML or GitHub's mathematics.

    >>> print(markdown_cell("a|b <i> $x$"))
    a\\|b \\<i\\> \\$x\\$
    """
    return _MARKDOWN_CHARACTERS.sub(r"\\\1", _line_for_people(text))


def latex_cell(text: str) -> str:
    """Escape text for LaTeX: one line, special characters escaped, "?" for characters pdflatex cannot set.

    >>> print(latex_cell("50% of {x}"))
    50\\% of \\{x\\}
    >>> latex_cell("owl \U0001f989"), latex_cell("a\u202eb")
    ('owl ?', 'ab')
    """
    line = _UNSUPPORTED_BY_LATEX.sub("?", _INVISIBLE.sub("", _line_for_people(text)))
    return "".join(_LATEX_ESCAPES.get(char, char) for char in line)
