"""Tables of people's words for other programs: each cell reads as text there, and is nothing else."""

import csv
from collections.abc import Sequence
from io import StringIO
from typing import Literal, get_args

from scorer.cells import inert, latex_cell, markdown_cell, tsv_cell

Format = Literal["csv", "tsv", "markdown", "latex"]
FORMATS: tuple[Format, ...] = get_args(Format)
ENDINGS: dict[Format, str] = {"csv": "csv", "tsv": "tsv", "markdown": "md", "latex": "tex"}
Row = Sequence[str]


def write_table(
    format_: Format,
    head: Row,
    rows: Sequence[Row],
    wide: Sequence[str] = (),
    numbers: Sequence[str] = (),
) -> str:
    """A table as text; `wide`: the columns that need lines of their own, where the format knows any.

    `numbers`: columns of numbers, which TSV has as they are, a minus too.
    """
    if format_ == "csv":
        return _csv(head, rows)
    if format_ == "tsv":
        return _tsv(head, rows, numbers)
    return _markdown(head, rows) if format_ == "markdown" else _latex(head, rows, wide)


def _csv(head: Row, rows: Sequence[Row]) -> str:
    out = StringIO()
    csv.writer(out, lineterminator="\r\n").writerows([[inert(cell) for cell in row] for row in (head, *rows)])
    return out.getvalue()


def _tsv(head: Row, rows: Sequence[Row], numbers: Sequence[str]) -> str:
    plain = [name in numbers for name in head]
    cells = (
        [cell if is_number else tsv_cell(cell) for cell, is_number in zip(row, plain, strict=True)]
        for row in rows
    )
    return "".join("\t".join(row) + "\n" for row in ([tsv_cell(name) for name in head], *cells))


def _markdown(head: Row, rows: Sequence[Row]) -> str:
    lines = [[markdown_cell(cell) for cell in row] for row in (head, *rows)]
    lines.insert(1, ["---"] * len(head))
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _latex(head: Row, rows: Sequence[Row], wide: Sequence[str]) -> str:
    columns = "".join("p{4cm}" if name in wide else "l" for name in head)
    body = [" & ".join(latex_cell(cell) for cell in row) + r" \\" for row in rows]
    return "\n".join(
        [
            r"% needs \usepackage{booktabs}",
            rf"\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            " & ".join(latex_cell(cell) for cell in head) + r" \\",
            r"\midrule",
            *body,
            r"\bottomrule",
            r"\end{tabular}",
            "",
        ]
    )
