"""Renders tables with notes and a signature as text, TSV, JSON or LaTeX, for the annotation commands."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from scorer._version import __version__
from scorer.reports.records import write_document, write_tsv
from scorer.reports.scores import DASH, undefined_notes
from scorer.reports.tables import NEEDS_BOOKTABS, Paragraph, WordTable, plain_table, write_latex, write_text
from scorer.values import Undefined, round_by_size

FORMATS = ("text", "tsv", "json", "latex")
DECIMALS = 10
"""Decimal places of numbers in TSV and JSON; a column of small numbers has more, for six significant digits.
The rest would not be the same on every machine."""

TableCell = str | int | float | Undefined | None
"""None is an empty cell. Undefined is a missing value with a reason."""


@dataclass(frozen=True, slots=True)
class ReportTable:
    """A table with a name, a title, named columns and rows.

    Parameters
    ----------
    name : str
        Its key in JSON, and the first field of its rows in TSV if a report has several tables.
    title : str
        The heading of the table for people.
    head : sequence of str
        The names of the columns, which are the header in TSV and keys in JSON.
    rows : sequence of sequence of TableCell
        Each row is as long as the head.
    words : collection of str
        The columns of text, which are left-aligned.
    decimals : mapping of str to int
        The decimal places of a column in text and LaTeX if they are not four. Whole numbers have none, and
        smaller numbers have two significant digits.
    headings : mapping of str to str
        The headings of columns in text and LaTeX if they are not their names.
    """

    name: str
    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[TableCell]]
    words: Collection[str] = ()
    decimals: Mapping[str, int] = field(default_factory=dict)
    headings: Mapping[str, str] = field(default_factory=dict)

    @property
    def records(self) -> list[dict[str, TableCell]]:
        """The rows by the names of their columns."""
        return [dict(zip(self.head, row, strict=True)) for row in self.rows]


@dataclass(frozen=True, slots=True)
class TableReport:
    """The output of an annotation command.

    Parameters
    ----------
    schema : str
        The name of the JSON schema, such as "assay.agree/1".
    computed : str
        What was computed, with n and every option that changes the result.
    tables : tuple of ReportTable
    about : mapping of str to TableCell
        Counts and options that are not in a table, only for JSON.
    notes : tuple of str
        Sentences on the methods and their limits.
    """

    schema: str
    computed: str
    tables: tuple[ReportTable, ...]
    about: Mapping[str, TableCell] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def signature(self) -> str:
        """What was computed, and the version of the scorer."""
        return f"{self.computed}|v:{__version__}"

    def records(self, name: str) -> list[dict[str, TableCell]]:
        """Return the rows of a table by the names of their columns; none if there is no such table."""
        return [record for table in self.tables if table.name == name for record in table.records]


def render_table_report(report: TableReport, format_: str) -> str:
    """Render a report in one of FORMATS, with a newline at its end.

    Parameters
    ----------
    report : TableReport
    format_ : str
        "text" and "latex" round; "tsv" and "json" have ten decimal places, or six significant digits of the
        largest number of a column if that is small. In TSV, if a report has several tables, its rows begin
        with the name of the table, and a blank line separates tables. The last column has the reasons for
        missing values.

    Returns
    -------
    str

    Examples
    --------
    >>> table = ReportTable("alpha", "Agreement", ["genre", "alpha"], [["CQA", 0.5]], words=["genre"])
    >>> render_table_report(TableReport("assay.agree/1", "alpha", (table,)), "tsv")
    'genre\\talpha\\tundefined\\nCQA\\t0.5\\t\\n'
    """
    return {"text": _text, "tsv": _tsv, "json": _json, "latex": _latex}[format_](report)


def _text(report: TableReport) -> str:
    paragraphs: list[Paragraph] = []
    for table in report.tables:
        paragraphs += [[table.title], [round_table(table) if table.rows else "(none)"]]
    return write_text([*paragraphs, _all_notes(report)])


def _latex(report: TableReport) -> str:
    paragraphs: list[Paragraph] = [
        [" ".join(table.title.split()), NEEDS_BOOKTABS, round_table(table)] for table in report.tables
    ]
    return write_latex([*paragraphs, [" ".join(note.split()) for note in _all_notes(report)]])


def _tsv(report: TableReport) -> str:
    several = len(report.tables) > 1
    parts = []
    for table in report.tables:
        head, sizes = [*(["table"] if several else []), *table.head, "undefined"], _sizes(table)
        rows = [
            [*([table.name] if several else []), *map(_round_cell, row, sizes), _reasons(table, row)]
            for row in table.rows
        ]
        parts.append(write_tsv(head, rows))
    return "\n".join(parts)


def _json(report: TableReport) -> str:
    return write_document(
        report.schema,
        **{name: _value(cell) for name, cell in report.about.items()},
        tables={table.name: _rows(table) for table in report.tables},
        notes=list(report.notes),
        signature=report.signature,
    )


def _rows(table: ReportTable) -> list[dict[str, Any]]:
    sizes = _sizes(table)
    return [dict(zip(table.head, map(_value, row, sizes), strict=True)) for row in table.rows]


def _value(cell: TableCell, size: float = 1.0) -> Any:
    if isinstance(cell, Undefined):
        return {"undefined": cell.code, "reason": cell.reason}
    return _round_cell(cell, size)


def _sizes(table: ReportTable) -> list[float]:
    """Return the largest absolute number of each column."""
    columns = zip(*table.rows, strict=True) if table.rows else [()] * len(table.head)
    return [max((abs(cell) for cell in column if isinstance(cell, float)), default=0.0) for column in columns]


def _round_cell(cell: TableCell, size: float) -> TableCell:
    """Round a cell for programs, without a sign before zero."""
    return round_by_size(cell, size, DECIMALS) if isinstance(cell, float) else cell


def _reasons(table: ReportTable, row: Sequence[TableCell]) -> str:
    named = zip(table.head, row, strict=True)
    return "; ".join(f"{name}: {cell.reason}" for name, cell in named if isinstance(cell, Undefined))


def round_table(table: ReportTable) -> WordTable:
    """Round the numbers of a table, and name its columns for people."""
    decimals = [table.decimals.get(name, 4) for name in table.head]
    rows = [list(map(format_cell, row, decimals)) for row in table.rows]
    head, words = ([table.headings.get(name, name) for name in names] for names in (table.head, table.words))
    return plain_table(head, rows, words)


def format_cell(cell: TableCell, decimals: int) -> str:
    """Format a cell for people: a small number has two significant digits, and a missing one is a dash."""
    if cell is None:
        return ""
    if isinstance(cell, Undefined):
        return DASH
    if not isinstance(cell, float):
        return str(cell)
    return f"{cell:z.{decimals}f}" if cell == 0 or abs(cell) >= 10**-decimals else f"{cell:.2g}"


def _all_notes(report: TableReport) -> list[str]:
    cells = (cell for table in report.tables for row in table.rows for cell in row)
    return [*report.notes, *undefined_notes(cells), report.signature]
