"""Report -> text for people, TSV and JSON for programs, and the official scorer's two lines.

Numbers are rounded here and in `board_report`, nowhere else.
"""

from typing import Any

from scorer._version import __version__
from scorer.errors import RequestError
from scorer.evaluate import Report, Result, Undefined

FORMATS = ("text", "tsv", "json", "semeval2014")
SCHEMA = "assay.score/1"
TSV_COLUMNS = ("metric", "value", "n", "undefined", "signature")
"""The columns of the TSV format, after `genre` in a report by genre. New ones are only appended."""
DASH = "–"


def render_report(report: Report, format_: str) -> str:
    """Write a report in one of the formats.

    Parameters
    ----------
    report : Report
        From `evaluate`. It is shown by genre if its results have one.
    format_ : str
        One of `FORMATS`. "text" rounds; "tsv" and "json" have full precision; "semeval2014" is what the
        official scorer of SemEval-2014 Task 3 prints.

    Returns
    -------
    str
        With a newline at its end.

    Raises
    ------
    RequestError
        If there is no such format, or "semeval2014" is to show anything but Pearson and Spearman.

    Examples
    --------
    >>> print(render_report(Report((Result("pearson", 0.5, 3, "pearson|n:3|v:1"),)), "text"), end="")
    metric    value  n  signature
    pearson  0.5000  3  pearson|n:3|v:1
    """
    if format_ not in FORMATS:
        raise RequestError(f'there is no format "{format_}" (known: {", ".join(FORMATS)})')
    return {"text": _text, "tsv": _tsv, "json": _json, "semeval2014": _semeval2014}[format_](report)


def _tsv(report: Report) -> str:
    by_genre = _by_genre(report)
    lines = ["\t".join((*(("genre",) if by_genre else ()), *TSV_COLUMNS))]
    for result in report.results:
        value, reason = (
            ("", result.value.reason) if isinstance(result.value, Undefined) else (result.value, "")
        )
        shown = "" if value == "" else repr(value)
        cells = [result.metric, shown, str(result.n), reason, result.signature]
        lines.append("\t".join(" ".join(cell.split("\t")) for cell in [*_genre(result), *cells]))
    return "\n".join(lines) + "\n"


def _json(report: Report) -> str:
    import json  # noqa: PLC0415  the other formats do not pay for it

    values = {
        "schema": SCHEMA,
        "scorer": __version__,
        "results": [_result_dict(each) for each in report.results],
    }
    return json.dumps(values, ensure_ascii=False, indent=1) + "\n"


def _result_dict(result: Result) -> dict[str, Any]:
    undefined = result.value if isinstance(result.value, Undefined) else None
    return {
        **({} if result.genre is None else {"genre": result.genre}),
        "metric": result.metric,
        "value": None if undefined else result.value,
        "n": result.n,
        "undefined": {"code": undefined.code, "reason": undefined.reason} if undefined else None,
        "signature": result.signature,
    }


def _text(report: Report) -> str:
    head = [*(("genre",) if _by_genre(report) else ()), "metric", "value", "n", "signature"]
    rows = [
        [*_genre(each), each.metric, _rounded(each.value), str(each.n), each.signature]
        for each in report.results
    ]
    right = {head.index("value"), head.index("n")}
    widths = [max(len(row[place]) for row in [head, *rows]) for place in range(len(head))]
    lines = [
        "  ".join(
            cell.rjust(width) if place in right else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in [head, *rows]
    ]
    return "\n".join([*lines, *_reasons(report)]) + "\n"


def _reasons(report: Report) -> list[str]:
    """Why a dash is a dash, once for each reason."""
    reasons = [each.value.reason for each in report.results if isinstance(each.value, Undefined)]
    return ["", *(f"{DASH} undefined: {reason}" for reason in dict.fromkeys(reasons))] if reasons else []


def _rounded(value: float | Undefined) -> str:
    if isinstance(value, Undefined):
        return DASH
    return f"{value:z.4f}" if value == 0 or 1e-4 <= abs(value) < 1e6 else f"{value:.4g}"


def _semeval2014(report: Report) -> str:
    """The official scorer's bytes: Java's %f, always with a decimal point."""
    if [(each.metric, each.genre) for each in report.results] != [("pearson", None), ("spearman", None)]:
        raise RequestError("the format semeval2014 shows pearson and spearman of all items, and nothing else")
    rho, r = (_java_float(each.value) for each in reversed(report.results))
    return f"Scores for SemEval-2014 Task 3\nPearson's correlation\t{r}\tSpearman's rho\t{rho}\n"


def _java_float(value: float | Undefined) -> str:
    """Java's `%f`: six decimals, half up on the shortest decimal that reads back as the same float."""
    from decimal import ROUND_HALF_UP, Decimal  # noqa: PLC0415  the other formats do not pay for it

    if isinstance(value, Undefined):
        return "NaN"
    return str(Decimal(repr(value)).quantize(Decimal("0.000001"), ROUND_HALF_UP))


def _by_genre(report: Report) -> bool:
    return any(result.genre is not None for result in report.results)


def _genre(result: Result) -> tuple[str, ...]:
    return () if result.genre is None else (result.genre,)
