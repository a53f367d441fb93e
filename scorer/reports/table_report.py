"""Named tables with notes and a signature, as text, TSV, JSON or LaTeX; annotation commands print them."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from scorer._version import __version__
from scorer.reports.records import write_json, write_tsv
from scorer.reports.scores import DASH, undefined_notes
from scorer.reports.tables import NEEDS_BOOKTABS, Paragraph, WordTable, plain_table, write_latex, write_text
from scorer.values import Undefined

FORMATS = ("text", "tsv", "json", "latex")
DECIMALS = 10
"""Of numbers in TSV and JSON: the same on every machine, whose sums differ in the last digits."""

TableCell = str | int | float | Undefined | None
"""None: there is nothing to say. Undefined: there is no value, for a reason."""


@dataclass(frozen=True, slots=True)
class ReportTable:
    """Rows of cells under names of columns.

    Parameters
    ----------
    name : str
        Its key in JSON, and the first field of its rows in TSV where a sheet has several tables.
    title : str
        What stands above it for people.
    head : sequence of str
        The names of the columns, which are keys in JSON.
    rows : sequence of sequence of TableCell
        Each as long as the head.
    words : collection of str
        The columns of names or sentences, which stand to the left.
    decimals : mapping of str to int
        Those of a column in text and LaTeX where they are not four; whole numbers have none, and numbers that
        are too small for them have two digits.
    """

    name: str
    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[TableCell]]
    words: Collection[str] = ()
    decimals: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TableReport:
    """What a command found.

    Parameters
    ----------
    schema : str
        Such as "assay.agree/1".
    signature : str
        What was computed, with n, every option that changes it, and the scorer's version.
    tables : tuple of ReportTable
    about : mapping of str to TableCell
        Counts and options that are no table, in JSON alone.
    notes : tuple of str
        Sentences on how it was computed and what is to be minded, for people; JSON has them too.
    """

    schema: str
    signature: str
    tables: tuple[ReportTable, ...]
    about: Mapping[str, TableCell] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def render_table_report(sheet: TableReport, format_: str) -> str:
    """Write a sheet in one of FORMATS, with a newline at its end.

    Parameters
    ----------
    sheet : TableReport
    format_ : str
        "text" and "latex" round; "tsv" and "json" have ten decimals. In TSV the rows of a sheet with several
        tables begin with the table's name, and a blank line stands between tables; the last column says why
        values are missing.

    Returns
    -------
    str

    Examples
    --------
    >>> table = ReportTable("alpha", "Agreement", ["genre", "alpha"], [["CQA", 0.5]], words=["genre"])
    >>> render_table_report(TableReport("assay.agree/1", "alpha|v:1", (table,)), "tsv")
    'genre\\talpha\\tundefined\\nCQA\\t0.5\\t\\n'
    """
    renderers: dict[str, Callable[[TableReport], str]] = {
        "text": _text,
        "tsv": _tsv,
        "json": _json,
        "latex": _latex,
    }
    return renderers[format_](sheet)


def _text(sheet: TableReport) -> str:
    paragraphs: list[Paragraph] = []
    for table in sheet.tables:
        paragraphs += [[table.title], [_rounded(table) if table.rows else "(none)"]]
    return write_text([*paragraphs, _all_notes(sheet)])


def _latex(sheet: TableReport) -> str:
    paragraphs: list[Paragraph] = [
        [" ".join(table.title.split()), NEEDS_BOOKTABS, _rounded(table)] for table in sheet.tables
    ]
    return write_latex([*paragraphs, [" ".join(note.split()) for note in _all_notes(sheet)]])


def _tsv(sheet: TableReport) -> str:
    several = len(sheet.tables) > 1
    parts = []
    for table in sheet.tables:
        head = [*(["table"] if several else []), *table.head, "undefined"]
        rows = [
            [*([table.name] if several else []), *map(_ten_decimals, row), _reasons(table, row)]
            for row in table.rows
        ]
        parts.append(write_tsv(head, rows))
    return "\n".join(parts)


def _json(sheet: TableReport) -> str:
    return write_json(
        {
            "schema": sheet.schema,
            "scorer": __version__,
            **{name: _value(cell) for name, cell in sheet.about.items()},
            "tables": {table.name: [_row(table, row) for row in table.rows] for table in sheet.tables},
            "notes": list(sheet.notes),
            "signature": sheet.signature,
        }
    )


def _row(table: ReportTable, row: Sequence[TableCell]) -> dict[str, Any]:
    return dict(zip(table.head, map(_value, row), strict=True))


def _value(cell: TableCell) -> Any:
    if isinstance(cell, Undefined):
        return {"undefined": cell.code, "reason": cell.reason}
    return _ten_decimals(cell)


def _ten_decimals(cell: TableCell) -> TableCell:
    """A cell as programs get it, without a sign before a zero."""
    return round(cell, DECIMALS) + 0.0 if isinstance(cell, float) else cell


def _reasons(table: ReportTable, row: Sequence[TableCell]) -> str:
    named = zip(table.head, row, strict=True)
    return "; ".join(f"{name}: {cell.reason}" for name, cell in named if isinstance(cell, Undefined))


def _rounded(table: ReportTable) -> WordTable:
    decimals = [table.decimals.get(name, 4) for name in table.head]
    rows = [list(map(_format_cell, row, decimals)) for row in table.rows]
    return plain_table(table.head, rows, table.words)


def _format_cell(cell: TableCell, decimals: int) -> str:
    if cell is None:
        return ""
    if isinstance(cell, Undefined):
        return DASH
    if not isinstance(cell, float):
        return str(cell)
    return f"{cell:z.{decimals}f}" if cell == 0 or abs(cell) >= 10**-decimals else f"{cell:.2g}"


def _all_notes(sheet: TableReport) -> list[str]:
    cells = (cell for table in sheet.tables for row in table.rows for cell in row)
    return [*sheet.notes, *undefined_notes(cells), sheet.signature]
