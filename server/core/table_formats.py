"""Tables as CSV, TSV, Markdown and LaTeX, escaped so that other programs read each cell as text only."""

import re
from collections.abc import Sequence
from typing import Literal, get_args

from scorer.reports.escaping import csv_cell
from scorer.reports.records import write_csv, write_tsv
from scorer.reports.tables import NEEDS_BOOKTABS, TableSection, WordTable, write_latex, write_markdown

TableFormat = Literal["csv", "tsv", "markdown", "latex"]
TABLE_FORMATS: tuple[TableFormat, ...] = get_args(TableFormat)
FILE_EXTENSIONS: dict[TableFormat, str] = {"csv": "csv", "tsv": "tsv", "markdown": "md", "latex": "tex"}
Row = Sequence[str]
_NUMBER = re.compile(r"-?\d+(\.\d+)?(e[+-]?\d+)?")
"""Programs read it, and a spreadsheet runs nothing."""


def write_table(format_: TableFormat, head: Row, rows: Sequence[Row], wide: Sequence[str] = ()) -> str:
    """Write a table as text; `wide`: the columns that need lines of their own, in formats that have them."""
    if format_ == "csv":
        return write_csv(head, rows)
    if format_ == "tsv":
        cells = [
            [cell if _NUMBER.fullmatch(cell.strip()) else csv_cell(cell) for cell in row] for row in rows
        ]
        return write_tsv(head, cells)
    table = WordTable(head, [TableSection(rows)], words=head, wide=wide, typeset_minus=False)
    return write_markdown([[table]]) if format_ == "markdown" else write_latex([[NEEDS_BOOKTABS, table]])
