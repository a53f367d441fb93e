"""Writes the tables and figures of a paper as LaTeX for pdflatex, in the widths of a style."""

import re
import textwrap
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from typing import NamedTuple

from scorer.reports.escaping import latex_cell
from scorer.reports.paper_elements import PaperFigure, PaperTable
from scorer.reports.table_report import TableCell, format_cell
from scorer.reports.tables import latex_number

MAX_ROWS = 45
"""The rows of a page; a longer table is continued in another one."""
_HEADING = 12
"""From this number of characters on, a heading is broken into lines."""
_WIDTHS = (("%@MWmw", 0.8), (" '(),-.:;I[]fijlrt", 0.32), ("ABCDEFGHJKLNOPQRSTUVXYZ", 0.68))
_OTHER = 0.49
"""The widths of characters of Times, by which a table is estimated."""
_NARROW = 90
"""The smallest width of a column of sentences, in points."""
_GROUPING = ("level", "round", "pass", "file", "test", "subset")
"""Columns whose cell is written once for successive rows that have the same."""
_NAMES, _NAME = ("team", "system"), 32
"""Columns of names, and the characters that a table has of a name."""
_SET_BY_PDFLATEX = re.compile(
    "[\\x20-\\x7e\u00a1-\u00ac\u00ae-\u017e\u2013\u2014\u2018-\u201e\u2022\u2026\u20ac\u2264]"
)
"""The characters that pdflatex sets with the font encoding T1, and ≤."""


class Size(NamedTuple):
    """A size of tables: its command, its points, and those on each side of a column."""

    command: str
    points: float
    separation: int


_SIZES = (Size("small", 10, 4), Size("footnotesize", 9, 4), Size("scriptsize", 8, 3))
_SIZES_OF_ACL = (Size("small", 9, 4), Size(r"fontsize{8}{9}\selectfont", 8, 3), Size("scriptsize", 7, 3))


@dataclass(frozen=True, slots=True)
class Style:
    """A style of papers.

    Parameters
    ----------
    document : str
        The beginning of main.tex: its class and packages.
    column, page : float
        The width of a column and of the text, in points.
    needs : str
        The files that authors have to bring; empty if none.
    sizes : sequence of Size
        The sizes that a table may have, from the largest to the smallest.
    bibliography : str
        The style of the bibliography; empty if the files that authors bring set it.
    is_ceur : bool
        Whether the abstract stands before the command that sets the title, which needs the name of the
        workshop; and the captions of tables stand above.
    """

    document: str
    column: float
    page: float
    needs: str = ""
    sizes: Sequence[Size] = _SIZES
    bibliography: str = ""
    is_ceur: bool = False

    @property
    def has_columns(self) -> bool:
        """Whether the text has two columns."""
        return self.page > self.column


_PACKAGES = r"""\usepackage[utf8]{inputenc}
\usepackage[T1]{fontenc}
\usepackage{booktabs}
\usepackage{graphicx}
\usepackage{url}
\urlstyle{same}
"""
STYLES = {
    "plain": Style(
        "\\documentclass[11pt,a4paper]{article}\n\\usepackage[margin=2.5cm]{geometry}\n\\usepackage{mathptmx}\n"
        + _PACKAGES,
        455,
        455,
        bibliography="plain",
    ),
    "acl": Style(
        "\\documentclass[11pt]{article}\n\\usepackage{acl}\n\\usepackage{times}\n" + _PACKAGES,
        219,
        455,
        "acl.sty and acl_natbib.bst",
        _SIZES_OF_ACL,
    ),
    "ceur": Style(
        "\\documentclass{ceurart}\n" + _PACKAGES.replace("\\usepackage[utf8]{inputenc}\n", ""),
        453,
        453,
        "ceurart.cls",
        bibliography="plainnat",
        is_ceur=True,
    ),
}


@lru_cache(4096)
def transliterate(text: str) -> str:
    """Replace the characters that pdflatex cannot set by Latin letters.

    Characters with a base letter keep it. Others need the package anyascii; without it, they become "?".

    >>> transliterate("Dvořák–Ṡ"), transliterate("a\u200bb")
    ('Dvořák–S', 'ab')
    """
    return "".join(map(_replace, unicodedata.normalize("NFC", text))) or (text and "?")


def _replace(char: str) -> str:
    if _SET_BY_PDFLATEX.match(char):
        return char
    if unicodedata.category(char) in ("Cf", "Mn", "Cc"):
        return ""
    base = unicodedata.normalize("NFKD", char)[0]
    if _SET_BY_PDFLATEX.match(base):
        return base
    try:
        return str(import_module("anyascii").anyascii(char))
    except ImportError:
        return "?"


def shorten_name(text: str, length: int) -> str:
    """Leave out the middle of a name that is longer.

    >>> shorten_name("University of the Northern Islands run-3", 26)
    'University of …lands run-3'
    """
    return text if len(text) <= length else f"{text[: length - 12]}…{text[-11:]}"


def latex_text(text: str) -> str:
    """Escape text for pdflatex.

    >>> print(latex_text("50 % of a_b – ü"))
    50\\,\\% of a\\_b -- ü
    """
    text = latex_cell(transliterate(text)).replace(r" \%", r"\,\%")
    return text.replace(" ≤ ", r"~$\le$~").replace("≤", r"$\le$")


def latex_table(table: PaperTable, style: Style) -> str:
    """Write a table and its caption, in parts if it has more than `MAX_ROWS` rows."""
    count = len(table.table.rows)
    parts = -(-count // MAX_ROWS) or 1
    size = -(-count // parts) or 1
    return "\n".join(
        "\n".join(_part(table, style, start, min(start + size, count)))
        for start in range(0, count or 1, size)
    )


def _part(table: PaperTable, style: Style, start: int, end: int) -> Iterator[str]:
    """Yield the lines of a part of a table."""
    head = [table.table.headings.get(name, name) for name in table.table.head]
    cells = [[_cell(table, row, column, start) for column in range(len(head))] for row in range(start, end)]
    environment, size, width = _fit(table, head, cells, style)
    caption = f"{_first_sentence(table.caption)} (continued)" if start else table.caption
    captions = [f"\\caption{{{latex_text(caption)}}}"]
    captions += [] if start else [f"\\label{{tab:{table.name}}}"]
    yield f"\\begin{{{environment}}}[tb]"
    yield from captions if style.is_ceur else []
    yield "\\centering"
    yield f"\\{size.command}"
    yield f"\\setlength{{\\tabcolsep}}{{{size.separation}pt}}"
    yield f"\\begin{{tabular}}{{@{{}}{_columns(table, width)}@{{}}}}"
    yield "\\toprule"
    yield (
        " & ".join(_heading(table, name, text) for name, text in zip(table.table.head, head, strict=True))
        + r" \\"
    )
    yield "\\midrule"
    for place, row in enumerate(range(start, end)):
        heading = table.sections.get(row)
        if heading is not None:
            yield from ["\\addlinespace[6pt]"] if place else []
            yield f"\\multicolumn{{{len(head)}}}{{@{{}}l}}{{\\emph{{{latex_text(heading)}}}}} \\\\"
        elif row in table.rules and place:
            yield "\\midrule"
        yield " & ".join(cells[place]) + r" \\"
    yield "\\bottomrule"
    yield "\\end{tabular}"
    yield from [] if style.is_ceur else captions
    yield f"\\end{{{environment}}}"


def _first_sentence(text: str) -> str:
    return text.partition(". ")[0].removesuffix(".")


def _cell(table: PaperTable, row: int, column: int, start: int) -> str:
    name = table.table.head[column]
    if name in _GROUPING and row > start and row not in table.sections and _repeats(table, row, column):
        return ""
    value: TableCell = table.table.rows[row][column]
    text = format_cell(value, table.table.decimals.get(name, 4))
    if name in _NAMES:
        text = shorten_name(text, _NAME)
    elif name == "range":
        text = text.replace("-", "–")
    set_text = latex_text(text) if isinstance(value, str) and name != "interval" else latex_number(text)
    return f"\\textbf{{{set_text}}}" if (row, column) in table.best else set_text


def _repeats(table: PaperTable, row: int, column: int) -> bool:
    """Whether a row has the same cells as the row above, up to a column."""
    above, below = (table.table.rows[place][: column + 1] for place in (row - 1, row))
    return list(above) == list(below)


def _heading(table: PaperTable, name: str, text: str) -> str:
    """Break a long heading into lines, which are aligned as the column is."""
    lines = textwrap.wrap(text, _HEADING, break_long_words=False) or [""]
    if len(lines) == 1:
        return latex_text(text)
    place = "l" if name in table.table.words else "r"
    stacked = r" \\ ".join(map(latex_text, lines))
    return f"\\begin{{tabular}}[b]{{@{{}}{place}@{{}}}}{stacked}\\end{{tabular}}"


def _columns(table: PaperTable, width: float) -> str:
    """Return the columns of a tabular: sentences are broken at a width, words are on the left."""
    return "".join(
        f"p{{{width:.0f}pt}}" if name in table.wide else "l" if name in table.table.words else "r"
        for name in table.table.head
    )


def _fit(
    table: PaperTable, head: Sequence[str], cells: Sequence[Sequence[str]], style: Style
) -> tuple[str, Size, float]:
    """Choose the environment, the size, and the width of columns of sentences."""
    places = [("table", style.column)] + ([("table*", style.page)] if style.has_columns else [])
    for environment, width in places:
        for size in style.sizes[:-1] if width < style.page else style.sizes:
            left = width - _width(table, head, cells, size)
            each = left / len(table.wide) if table.wide else 0
            if each >= (_NARROW if table.wide else 0) and left >= 0:
                return environment, size, each
    return places[-1][0], style.sizes[-1], _NARROW


def _width(table: PaperTable, head: Sequence[str], cells: Sequence[Sequence[str]], size: Size) -> float:
    """Estimate the width of a table without its columns of sentences, in points."""
    total = 2.0 * size.separation * (len(head) - 1)
    for place, name in enumerate(table.table.head):
        if name not in table.wide:
            lines = textwrap.wrap(head[place], _HEADING, break_long_words=False)
            total += size.points * max(map(_ems, [*lines, *(row[place] for row in cells)]), default=0)
    return total


def _ems(text: str) -> float:
    """Estimate the width of a text in LaTeX, in its size."""
    plain = re.sub(r"\\[a-z]+\{?|[{}$\\]", "", text.replace("$-$", "m"))
    return sum(next((width for chars, width in _WIDTHS if char in chars), _OTHER) for char in plain)


def latex_figure(figure: PaperFigure, style: Style) -> str:
    """Write a figure, its caption below."""
    environment = "figure*" if figure.is_wide and style.has_columns else "figure"
    width = "\\textwidth" if figure.is_wide else "\\columnwidth" if style.has_columns else "0.6\\textwidth"
    return "\n".join(
        (
            f"\\begin{{{environment}}}[tb]",
            "\\centering",
            f"\\includegraphics[width={width}]{{figures/{figure.name}.pdf}}",
            f"\\caption{{{latex_text(figure.caption)}}}",
            f"\\label{{fig:{figure.name}}}",
            f"\\end{{{environment}}}",
        )
    )
