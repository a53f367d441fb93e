"""Tables of people's words for other programs: each cell reads as text there, and is nothing else."""

import csv
import re
from collections.abc import Sequence
from io import StringIO
from typing import Literal, get_args

Format = Literal["csv", "tsv", "markdown", "latex"]
FORMATS: tuple[Format, ...] = get_args(Format)
ENDINGS: dict[Format, str] = {"csv": "csv", "tsv": "tsv", "markdown": "md", "latex": "tex"}
Row = Sequence[str]

_FORMULA = re.compile(r"\s*[=+\-@\uff1d\uff0b\uff0d\uff20]")
"""What makes a spreadsheet run a cell, the full-width signs too."""
_LINES = re.compile(r"[\r\n\v\f\x85\u2028\u2029]+")
_MARKDOWN = re.compile(r"([\\`*_\[\]<>|~&#!])")
_LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{",
    "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}",
    ">": r"\textgreater{}", "|": r"\textbar{}", "[": "{[}", "]": "{]}", "*": "{*}", '"': "''",
}  # fmt: skip
"""Brackets and stars in braces: after a line's end they would be its arguments."""


def write_table(format_: Format, head: Row, rows: Sequence[Row], wide: Sequence[str] = ()) -> str:
    """A table as text; `wide`: the columns that need lines of their own, where the format knows any."""
    if format_ == "csv":
        return _csv(head, rows)
    if format_ == "tsv":
        return _tsv(head, rows)
    return _markdown(head, rows) if format_ == "markdown" else _latex(head, rows, wide)


def inert(text: str) -> str:
    """A cell that no spreadsheet runs: an apostrophe before what would be a formula."""
    return f"'{text}" if _FORMULA.match(text) else text


def _flat(text: str) -> str:
    """Text in one line."""
    return _LINES.sub("; ", text.strip()).replace("\t", " ")


def _csv(head: Row, rows: Sequence[Row]) -> str:
    out = StringIO()
    csv.writer(out, lineterminator="\r\n").writerows(
        [[inert(_flat(cell)) for cell in row] for row in (head, *rows)]
    )
    return out.getvalue()


def _tsv(head: Row, rows: Sequence[Row]) -> str:
    """Without quoting: a leading quote gets an apostrophe, for it would swallow the cells that follow."""
    cells = [[inert(_flat(cell)) for cell in row] for row in (head, *rows)]
    return "".join(
        "\t".join(f"'{cell}" if cell.startswith('"') else cell for cell in row) + "\n" for row in cells
    )


def _markdown(head: Row, rows: Sequence[Row]) -> str:
    lines = [[_MARKDOWN.sub(r"\\\1", _flat(cell)) for cell in row] for row in (head, *rows)]
    lines.insert(1, ["---"] * len(head))
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _latex(head: Row, rows: Sequence[Row], wide: Sequence[str]) -> str:
    columns = "".join("p{4cm}" if name in wide else "l" for name in head)
    body = [" & ".join(_latex_text(cell) for cell in row) + r" \\" for row in rows]
    return "\n".join(
        [
            r"% needs \usepackage{booktabs}",
            rf"\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            " & ".join(_latex_text(cell) for cell in head) + r" \\",
            r"\midrule",
            *body,
            r"\bottomrule",
            r"\end{tabular}",
            "",
        ]
    )


def _latex_text(text: str) -> str:
    return "".join(_LATEX.get(char, char) for char in _flat(text))
