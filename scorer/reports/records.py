"""What every report gives to programs: rows as TSV or CSV, and plain values as JSON, with all digits."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from scorer.reports.escaping import csv_cell, single_line
from scorer.values import Undefined


def write_tsv(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Rows as tab-separated lines: names as they are but for tabs and line ends, numbers with all digits.

    >>> write_tsv(["run", "d", "n"], [["@first\\trun", -0.5, None]])
    'run\\td\\tn\\n@first run\\t-0.5\\t\\n'
    """
    return "".join("\t".join(map(_exact_cell, row)) + "\n" for row in (columns, *rows))


def write_records(columns: Sequence[str], records: Iterable[Mapping[str, Any]]) -> str:
    """Records as TSV, each by the names of the columns; what a record lacks is an empty cell.

    >>> write_records(["d", "undefined"], [{"undefined": {"code": "no_gold", "reason": "no gold"}}])
    'd\\tundefined\\n\\tno gold\\n'
    """
    return write_tsv(columns, ([record.get(name) for name in columns] for record in records))


def write_csv(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Rows as RFC 4180 has them, with names that no spreadsheet takes for a formula; numbers stay numbers.

    >>> write_csv(["run", "d"], [["=first", -0.5]])
    "run,d\\r\\n'=first,-0.5\\r\\n"
    """
    import csv  # noqa: PLC0415  the other formats do not pay for it
    from io import StringIO  # noqa: PLC0415  the same

    out = StringIO()
    csv.writer(out, lineterminator="\r\n").writerows(
        [csv_cell(cell) if isinstance(cell, str) else _exact_cell(cell) for cell in row]
        for row in (head, *rows)
    )
    return out.getvalue()


def write_json(values: Any) -> str:
    """Plain values as JSON, at full precision; an undefined value is null.

    >>> write_json({"value": Undefined("no_gold", "no gold")})
    '{\\n "value": null\\n}\\n'
    """
    import json  # noqa: PLC0415  the other formats do not pay for it

    text = json.dumps(values, ensure_ascii=False, indent=1, allow_nan=False, default=_null_for_undefined)
    return text + "\n"


def _null_for_undefined(value: object) -> None:
    if not isinstance(value, Undefined):
        raise TypeError(f"{type(value).__name__} is no plain value")


def undefined_dict(value: object) -> dict[str, str] | None:
    """Why there is no number, as JSON has it; None where there is one."""
    return {"code": value.code, "reason": value.reason} if isinstance(value, Undefined) else None


def _exact_cell(value: Any) -> str:
    """A text in one line, a number with all digits, the reason of what JSON calls undefined, or nothing."""
    if isinstance(value, str):
        return single_line(value)
    if value is None or isinstance(value, Undefined):
        return ""
    return single_line(value["reason"]) if isinstance(value, dict) else repr(value)
