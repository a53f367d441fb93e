"""People's words in tables for other programs: each cell reads as text there, and is nothing else.

TSV and JSON are for programs and keep names as they are; CSV is for spreadsheets, which run formulas.
"""

import re

_FORMULA = re.compile(r"\s*[=+\-@\uff1d\uff0b\uff0d\uff20]")
"""What makes a spreadsheet run a cell, the full-width signs too."""
_LINE_ENDS = re.compile(r"[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]+")
_MARKDOWN_CHARACTERS = re.compile(r"([\\`*_\[\]<>|~&#!$])")
_DIRECTION_MARKS = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Marks that turn the direction of the text around them."""
_UNSUPPORTED_BY_LATEX = re.compile(r"[\x00-\x1f\x7f\u2600-\u27bf\ud800-\uf8ff\U00010000-\U0010ffff]")
"""What pdflatex stops at: controls, pictures, private signs, all outside the Basic Multilingual Plane."""
_INVISIBLE = re.compile("[\u200b-\u200d\u2060\ufe00-\ufe0f\ufeff]")
"""What has no shape of its own: joiners, and the choice between two shapes of a sign."""
_LATEX_ESCAPES = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{",
    "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}",
    ">": r"\textgreater{}", "|": r"\textbar{}", "[": "{[}", "]": "{]}", "*": "{*}", '"': "''", "–": "--",
}  # fmt: skip
"""Brackets and stars in braces: after a line's end they would be its arguments."""


def single_line(text: str) -> str:
    """Text in one line, without tabs: a cell of TSV, which is for programs and has ids as they are.

    >>> single_line("two\\nlines\\tand a tab ")
    'two; lines and a tab'
    """
    return _LINE_ENDS.sub("; ", text.strip()).replace("\t", " ")


def csv_cell(text: str) -> str:
    """A cell of CSV, in one line, that no spreadsheet runs: an apostrophe before what would be a formula.

    >>> csv_cell("=1+1"), csv_cell(" @x"), csv_cell("a = b")
    ("'=1+1", "'@x", 'a = b')
    """
    line = single_line(text)
    return f"'{line}" if _FORMULA.match(line) else line


def markdown_cell(text: str) -> str:
    """Text in one line, with all that Markdown, HTML or GitHub's mathematics could read as mark-up escaped.

    >>> print(markdown_cell("a|b <i> $x$"))
    a\\|b \\<i\\> \\$x\\$
    """
    return _MARKDOWN_CHARACTERS.sub(r"\\\1", single_line(text))


def latex_cell(text: str) -> str:
    """Text in one line, with every special character of LaTeX escaped, and "?" for what pdflatex cannot set.

    >>> print(latex_cell("50% of {x}"))
    50\\% of \\{x\\}
    >>> latex_cell("owl \U0001f989"), latex_cell("a\u202eb")
    ('owl ?', 'ab')
    """
    line = _UNSUPPORTED_BY_LATEX.sub("?", _INVISIBLE.sub("", _DIRECTION_MARKS.sub("", single_line(text))))
    return "".join(_LATEX_ESCAPES.get(char, char) for char in line)
