"""Tables as CSV, TSV, Markdown and LaTeX: each cell reads as text in other programs, and is nothing else."""

import csv
from collections.abc import Sequence
from io import StringIO
from typing import Literal, get_args

from scorer.reports.escaping import csv_cell, latex_cell, markdown_cell, single_line

TableFormat = Literal["csv", "tsv", "markdown", "latex"]
TABLE_FORMATS: tuple[TableFormat, ...] = get_args(TableFormat)
FILE_EXTENSIONS: dict[TableFormat, str] = {"csv": "csv", "tsv": "tsv", "markdown": "md", "latex": "tex"}
Row = Sequence[str]


def write_table(
    format_: TableFormat,
    head: Row,
    rows: Sequence[Row],
    wide: Sequence[str] = (),
) -> str:
    """A table as text; `wide`: the columns that need lines of their own, where the format knows any."""
    if format_ == "csv":
        return _csv(head, rows)
    if format_ == "tsv":
        return _tsv(head, rows)
    return _markdown(head, rows) if format_ == "markdown" else _latex(head, rows, wide)


def _csv(head: Row, rows: Sequence[Row]) -> str:
    out = StringIO()
    csv.writer(out, lineterminator="\r\n").writerows(
        [[csv_cell(cell) for cell in row] for row in (head, *rows)]
    )
    return out.getvalue()


def _tsv(head: Row, rows: Sequence[Row]) -> str:
    """For programs: names as they are. CSV, which spreadsheets open, has no formulas."""
    return "".join("\t".join(map(single_line, row)) + "\n" for row in (head, *rows))


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
