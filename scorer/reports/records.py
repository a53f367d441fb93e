"""Writes rows for programs as TSV or CSV, without rounding."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TextIO

from scorer._version import __version__
from scorer.reports.escaping import csv_cell, single_line
from scorer.values import Undefined, write_json


def write_tsv(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Write rows as TSV: names without tabs and line ends, numbers with all digits.

    >>> write_tsv(["run", "d", "n"], [["@first\\trun", -0.5, None]])
    'run\\td\\tn\\n@first run\\t-0.5\\t\\n'
    """
    return "".join("\t".join(map(_exact_cell, row)) + "\n" for row in (columns, *rows))


def write_records(columns: Sequence[str], records: Iterable[Mapping[str, Any]]) -> str:
    """Write records as TSV by the names of the columns; a missing value is an empty cell.

    >>> write_records(["d", "undefined"], [{"undefined": {"code": "no_gold", "reason": "no gold"}}])
    'd\\tundefined\\n\\tno gold\\n'
    """
    return write_tsv(columns, ([record.get(name) for name in columns] for record in records))


def write_csv(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Write rows as CSV (RFC 4180); names are escaped so that a spreadsheet does not run them as formulas.

    >>> write_csv(["run", "d"], [["=first", -0.5]])
    "run,d\\r\\n'=first,-0.5\\r\\n"
    """
    from io import StringIO  # noqa: PLC0415  not needed for other formats

    out = StringIO()
    csv_writer(out)([head, *rows])
    return out.getvalue()


def csv_writer(out: TextIO) -> Callable[[Iterable[Sequence[Any]]], None]:
    """Return a function that appends rows to a text file as `write_csv` writes them."""
    import csv  # noqa: PLC0415  not needed for other formats

    writer = csv.writer(out, lineterminator="\r\n")

    def append(rows: Iterable[Sequence[Any]]) -> None:
        writer.writerows(
            [csv_cell(cell) if isinstance(cell, str) else _exact_cell(cell) for cell in row] for row in rows
        )

    return append


def write_document(schema: str, **values: Any) -> str:
    """Write a JSON document that begins with its schema and the version of the scorer."""
    return write_json({"schema": schema, "scorer": __version__, **values})


def undefined_dict(value: object) -> dict[str, str] | None:
    """Return the code and the reason of an undefined value for JSON; None for any other value."""
    return {"code": value.code, "reason": value.reason} if isinstance(value, Undefined) else None


def _exact_cell(value: Any) -> str:
    """Format a cell: text on one line, a number with all digits, the reason of an undefined value."""
    if isinstance(value, str):
        return single_line(value)
    if value is None or isinstance(value, Undefined):
        return ""
    return single_line(value["reason"]) if isinstance(value, dict) else repr(value)
