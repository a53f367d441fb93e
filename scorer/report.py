"""Report -> text for people, TSV and JSON for programs, LaTeX for papers, the official scorer's two lines.

Numbers are rounded here, in the other reports and in `board_report`, nowhere else.
"""

from collections.abc import Sequence
from typing import Any

from scorer._version import __version__
from scorer.errors import RequestError
from scorer.evaluate import HeldOutDifference, Report, Result, Undefined

FORMATS = ("text", "tsv", "json", "latex", "semeval2014")
SCHEMA = "assay.score/1"
TSV_COLUMNS = ("metric", "value", "n", "undefined", "signature")
"""The columns of the TSV format, after `genre` in a report by genre. New ones are only appended."""
INTERVAL_COLUMNS = ("low", "high", "degenerate")
"""Appended where there are intervals."""
WORDS = ("run", "genre", "metric", "signature")
"""The columns that are no numbers."""
DIFFERENCE = "(rest - held-out) / |rest|"
"""What the relative difference is."""
DASH = "–"


def render_report(report: Report, format_: str) -> str:
    """Write a report in one of the formats.

    Parameters
    ----------
    report : Report
        From `evaluate`. It is shown by genre if its results have one.
    format_ : str
        One of `FORMATS`. "text" and "latex" round; "tsv" and "json" have full precision, and six decimals of
        the ends of intervals; "semeval2014" is what the official scorer of SemEval-2014 Task 3 prints.

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
    render = {"text": _text, "tsv": _tsv, "json": _json, "latex": _latex, "semeval2014": _semeval2014}
    return render[format_](report)


def tsv_rows(results: Sequence[Result]) -> tuple[list[str], list[list[str]]]:
    """Names of columns and a row for each result, at full precision."""
    extras = _extras(results)
    head = [*_genre_column(results), *TSV_COLUMNS]
    head += [column for name in extras for column in (INTERVAL_COLUMNS if name == "interval" else (name,))]
    rows = []
    for result in results:
        value, reason = _value_and_reason(result)
        row = [result.genre or ""] if head[0] == "genre" else []
        row += [result.metric, value, str(result.n), reason, result.signature]
        for name in extras:
            row += _tsv_interval(result) if name == "interval" else [_exact(result.standard_error)]
        rows.append([" ".join(cell.split("\t")) for cell in row])
    return head, rows


def text_rows(results: Sequence[Result], *, signature: bool) -> tuple[list[str], list[list[str]]]:
    """Names of columns and a row for each result, rounded."""
    extras = _extras(results)
    head = [*_genre_column(results), "metric", "value"]
    head += [name.replace("_", " ") for name in extras]
    head += ["n", *(("signature",) if signature else ())]
    rows = []
    for result in results:
        row = [result.genre or "all"] if head[0] == "genre" else []
        row += [result.metric, rounded(result.value)]
        for name in extras:
            row.append(_text_interval(result) if name == "interval" else rounded(result.standard_error))
        rows.append([*row, str(result.n), *((result.signature,) if signature else ())])
    return head, rows


def result_dict(result: Result) -> dict[str, Any]:
    """A result as JSON has it."""
    undefined = result.value if isinstance(result.value, Undefined) else None
    values = {
        **({} if result.genre is None else {"genre": result.genre}),
        "metric": result.metric,
        "value": None if undefined else result.value,
        "n": result.n,
        "undefined": undefined_dict(undefined),
        "signature": result.signature,
    }
    if (interval := result.interval) is not None:
        low, high = (None if end is None else round(end, 6) + 0.0 for end in (interval.low, interval.high))
        values |= {"low": low, "high": high, "degenerate": interval.degenerate}
        values["interval_undefined"] = undefined_dict(interval.undefined)
    if result.standard_error is not None:
        error = result.standard_error
        values["standard_error"] = None if isinstance(error, Undefined) else error
    return values


def undefined_dict(undefined: Undefined | None) -> dict[str, str] | None:
    """Why there is no number, as JSON has it."""
    return None if undefined is None else {"code": undefined.code, "reason": undefined.reason}


def notes(results: Sequence[Result]) -> list[str]:
    """Why a dash is a dash, once for each reason, and how many resamples had no value."""
    found = []
    for result in results:
        reasons = [result.value, result.standard_error, result.interval and result.interval.undefined]
        found += [f"{DASH} undefined: {each.reason}" for each in reasons if isinstance(each, Undefined)]
    for result in results:
        if result.interval is not None and result.interval.degenerate:
            where = "" if result.genre is None else f" of {result.genre}"
            resamples = (
                "1 resample" if result.interval.degenerate == 1 else f"{result.interval.degenerate} resamples"
            )
            found.append(f"{resamples}{where} had no {result.metric}")
    return list(dict.fromkeys(found))


def rounded(value: float | Undefined | None) -> str:
    """A number as people read it."""
    if value is None or isinstance(value, Undefined):
        return DASH
    return f"{value:z.4f}" if value == 0 or 1e-4 <= abs(value) < 1e6 else f"{value:.4g}"


def _tsv(report: Report) -> str:
    head, rows = tsv_rows(report.results)
    if report.differences:
        differences = {each.metric: _exact(each.value) for each in report.differences}
        head.append("relative_difference")
        for result, row in zip(report.results, rows, strict=True):
            row.append(differences[result.metric] if result.genre == "held-out" else "")
    return "\n".join("\t".join(row) for row in [head, *rows]) + "\n"


def _json(report: Report) -> str:
    import json  # noqa: PLC0415  the other formats do not pay for it

    values: dict[str, Any] = {
        "schema": SCHEMA,
        "scorer": __version__,
        "results": [result_dict(each) for each in report.results],
    }
    if report.differences:
        values["relative_difference"] = {
            "definition": DIFFERENCE,
            "metrics": [_difference_dict(each) for each in report.differences],
        }
    return json.dumps(values, ensure_ascii=False, indent=1) + "\n"


def _difference_dict(difference: HeldOutDifference) -> dict[str, Any]:
    undefined = difference.value if isinstance(difference.value, Undefined) else None
    value = None if undefined else difference.value
    return {"metric": difference.metric, "value": value, "undefined": undefined_dict(undefined)}


def _text(report: Report) -> str:
    from scorer.typeset import text_table  # noqa: PLC0415  the official format does not pay for it

    lines = text_table(*text_rows(report.results, signature=True), WORDS)
    for block in (_difference_lines(report), notes(report.results)):
        lines += ["", *block] if block else []
    return "\n".join(lines) + "\n"


def _latex(report: Report) -> str:
    from scorer.typeset import latex_table  # noqa: PLC0415  the same

    lines = latex_table(*text_rows(report.results, signature=False), WORDS)
    comments = [*_difference_lines(report), *notes(report.results)]
    comments += [result.signature for result in report.results]
    return "\n".join([*lines, *latex_comments(comments)]) + "\n"


def latex_comments(lines: Sequence[str]) -> list[str]:
    """Lines that LaTeX passes over."""
    from scorer.cells import flat  # noqa: PLC0415  the same

    return [f"% {flat(line)}" for line in lines]


def _difference_lines(report: Report) -> list[str]:
    if not report.differences:
        return []
    found = ", ".join(f"{each.metric} {rounded(each.value)}" for each in report.differences)
    reasons = [each.value.reason for each in report.differences if isinstance(each.value, Undefined)]
    return [f"{DIFFERENCE}: {found}", *(f"{DASH} undefined: {reason}" for reason in dict.fromkeys(reasons))]


def _extras(results: Sequence[Result]) -> list[str]:
    """What some of the results have beside a value."""
    found = ["interval"] if any(each.interval is not None for each in results) else []
    return [*found, *(["standard_error"] if any(each.standard_error is not None for each in results) else [])]


def _genre_column(results: Sequence[Result]) -> list[str]:
    return ["genre"] if any(result.genre is not None for result in results) else []


def _value_and_reason(result: Result) -> tuple[str, str]:
    if isinstance(result.value, Undefined):
        return "", result.value.reason
    undefined = None if result.interval is None else result.interval.undefined
    return repr(result.value), "" if undefined is None else f"interval: {undefined.reason}"


def _tsv_interval(result: Result) -> list[str]:
    if result.interval is None:
        return ["", "", ""]
    ends = ["" if end is None else f"{end:z.6f}" for end in (result.interval.low, result.interval.high)]
    return [*ends, str(result.interval.degenerate)]


def _text_interval(result: Result) -> str:
    if result.interval is None or result.interval.low is None:
        return DASH
    return f"[{rounded(result.interval.low)}, {rounded(result.interval.high)}]"


def _exact(value: float | Undefined | None) -> str:
    return "" if value is None or isinstance(value, Undefined) else repr(value)


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
