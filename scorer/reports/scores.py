"""Report -> text for people, TSV and JSON for programs, LaTeX for papers, the official scorer's two lines.

Numbers are rounded here, in the other reports and in `board_report`, nowhere else.
"""

from collections.abc import Callable, Sequence
from typing import Any

from scorer._version import __version__
from scorer.errors import RequestError
from scorer.scoring.evaluate import HeldOutDifference, Report, Result
from scorer.values import Undefined

FORMATS = ("text", "tsv", "json", "latex", "semeval2014")
SCHEMA = "assay.score/1"
TSV_COLUMNS = ("metric", "value", "n", "undefined", "signature")
"""The columns of the TSV format, after `genre` in a report by genre. New ones are only appended."""
INTERVAL_COLUMNS = ("low", "high", "degenerate")
"""Appended where there are intervals."""
TEXT_COLUMNS = ("run", "genre", "metric", "signature")
"""The columns that are no numbers."""
DIFFERENCE_FORMULA = "(rest - held-out) / |rest|"
"""What the relative difference is."""
DASH = "–"


def render_report(report: Report, format_: str) -> str:
    """Write a report in one of the formats.

    Parameters
    ----------
    report : Report
        From `evaluate`. It is shown by genre if its results have one.
    format_ : str
        One of `FORMATS`. "text" and "latex" round; "tsv" and "json" have full precision, and of the ends of
        intervals six decimals, or six digits of small values; "semeval2014" is what the official scorer of
        SemEval-2014 Task 3 prints.

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
    extras = _extra_columns(results)
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
    extras = _extra_columns(results)
    head = [*_genre_column(results), "metric", "value"]
    for name in extras:
        is_bare = name == "interval" and not signature
        head.append(_interval_name(results) if is_bare else name.replace("_", " "))
    head += ["n", *(("signature",) if signature else ())]
    rows = []
    for result in results:
        row = [result.genre or "all"] if head[0] == "genre" else []
        row += [result.metric, format_number(result.value)]
        for name in extras:
            row.append(_text_interval(result) if name == "interval" else format_number(result.standard_error))
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
        low, high = _interval_ends(result)
        values |= {"low": low, "high": high, "degenerate": interval.degenerate}
        values["interval_undefined"] = undefined_dict(interval.undefined)
    if result.standard_error is not None:
        error = result.standard_error
        values["standard_error"] = None if isinstance(error, Undefined) else error
    return values


def undefined_dict(undefined: Undefined | None) -> dict[str, str] | None:
    """Why there is no number, as JSON has it."""
    return None if undefined is None else {"code": undefined.code, "reason": undefined.reason}


def result_notes(results: Sequence[Result]) -> list[str]:
    """Why a dash is a dash, once for each reason, and how many resamples had no value."""
    notes = []
    for result in results:
        reasons = [result.value, result.standard_error, result.interval and result.interval.undefined]
        notes += [f"{DASH} undefined: {each.reason}" for each in reasons if isinstance(each, Undefined)]
    for result in results:
        if result.interval is not None and result.interval.degenerate:
            where = "" if result.genre is None else f" of {result.genre}"
            resamples = (
                "1 resample" if result.interval.degenerate == 1 else f"{result.interval.degenerate} resamples"
            )
            notes.append(f"{resamples}{where} had no {result.metric}")
    return list(dict.fromkeys(notes))


def format_number(value: float | Undefined | None) -> str:
    """A number as people read it."""
    if value is None or isinstance(value, Undefined):
        return DASH
    return f"{value:z.4f}" if value == 0 or 1e-4 <= abs(value) < 1e6 else f"{value:.4g}"


def _tsv(report: Report) -> str:
    head, rows = tsv_rows(report.results)
    if report.differences:
        head, rows = [*head, "relative_difference"], _with_differences(report, rows, _exact)
    return "\n".join("\t".join(row) for row in [head, *rows]) + "\n"


def _with_differences(
    report: Report, rows: Sequence[list[str]], shown: Callable[[float | Undefined], str]
) -> list[list[str]]:
    """Rows with the relative difference behind those of what is held out."""
    differences = {each.metric: shown(each.value) for each in report.differences}
    return [
        [*row, differences[result.metric] if result.genre == "held-out" else ""]
        for result, row in zip(report.results, rows, strict=True)
    ]


def _json(report: Report) -> str:
    import json  # noqa: PLC0415  the other formats do not pay for it

    values: dict[str, Any] = {
        "schema": SCHEMA,
        "scorer": __version__,
        "results": [result_dict(each) for each in report.results],
    }
    if report.differences:
        values["relative_difference"] = {
            "definition": DIFFERENCE_FORMULA,
            "metrics": [_difference_dict(each) for each in report.differences],
        }
    return json.dumps(values, ensure_ascii=False, indent=1) + "\n"


def _difference_dict(difference: HeldOutDifference) -> dict[str, Any]:
    undefined = difference.value if isinstance(difference.value, Undefined) else None
    value = None if undefined else difference.value
    return {"metric": difference.metric, "value": value, "undefined": undefined_dict(undefined)}


def _text(report: Report) -> str:
    from scorer.reports.tables import text_table  # noqa: PLC0415  the official format does not pay for it

    lines = text_table(*text_rows(report.results, signature=True), TEXT_COLUMNS)
    for block in (_difference_lines(report), result_notes(report.results)):
        lines += ["", *block] if block else []
    return "\n".join(lines) + "\n"


def _latex(report: Report) -> str:
    from scorer.reports.tables import latex_table  # noqa: PLC0415  the same

    head, rows = text_rows(report.results, signature=False)
    if report.differences:
        head, rows = [*head, "relative difference"], _with_differences(report, rows, format_number)
    lines = latex_table(head, rows, TEXT_COLUMNS)
    comments = [*_difference_lines(report), *result_notes(report.results)]
    comments += [result.signature for result in report.results]
    return "\n".join([*lines, *latex_comments(comments)]) + "\n"


def latex_comments(lines: Sequence[str]) -> list[str]:
    """Lines that LaTeX passes over."""
    from scorer.reports.escaping import single_line  # noqa: PLC0415  the same

    return [f"% {single_line(line)}" for line in lines]


def _difference_lines(report: Report) -> list[str]:
    if not report.differences:
        return []
    differences = ", ".join(f"{each.metric} {format_number(each.value)}" for each in report.differences)
    reasons = [each.value.reason for each in report.differences if isinstance(each.value, Undefined)]
    return [
        f"{DIFFERENCE_FORMULA}: {differences}",
        *(f"{DASH} undefined: {reason}" for reason in dict.fromkeys(reasons)),
    ]


def _extra_columns(results: Sequence[Result]) -> list[str]:
    """What some of the results have beside a value."""
    columns = ["interval"] if any(each.interval is not None for each in results) else []
    return [
        *columns,
        *(["standard_error"] if any(each.standard_error is not None for each in results) else []),
    ]


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
    return [*(map(_exact, _interval_ends(result))), str(result.interval.degenerate)]


def _text_interval(result: Result) -> str:
    low, high = _interval_ends(result)
    return DASH if low is None else f"[{format_number(low)}, {format_number(high)}]"


def _interval_ends(result: Result) -> tuple[float | None, float | None]:
    """The ends of an interval as every machine agrees on them."""
    if result.interval is None or result.interval.low is None or result.interval.high is None:
        return None, None
    from scorer.statistics.intervals import round_end  # noqa: PLC0415  it loads numpy, as the interval did

    value = 0.0 if isinstance(result.value, Undefined) else result.value
    low, high = result.interval.low, result.interval.high
    scale = max(abs(value), abs(low), abs(high))
    return round_end(low, scale), round_end(high, scale)


def _interval_name(results: Sequence[Result]) -> str:
    """Which interval it is, and its coverage: what a table without signatures says in its head.

    >>> from scorer.statistics.intervals import Interval
    >>> made = Interval(0.1, 0.2, 0, "ci:bca|level:0.9|b:200|seed:1")
    >>> _interval_name([Result("mse", 0.15, 9, "", interval=made)])
    '90 % BCa interval'
    """
    signature = next(each.interval.signature for each in results if each.interval is not None)
    parts = dict(part.split(":", 1) for part in signature.split("|"))
    name = {"bca": "BCa", "fisher": "Fisher"}.get(parts["ci"], parts["ci"])
    return f"{100 * float(parts.get('level', 0.95)):g} % {name} interval"


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
