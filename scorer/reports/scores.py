"""Renders scores as text, TSV, JSON, LaTeX, or in the format of the official scorer of SemEval-2014.

Only reports round numbers.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from scorer.files.text import count_noun
from scorer.reports.records import undefined_dict, write_document, write_records
from scorer.reports.tables import NEEDS_BOOKTABS, plain_table, write_latex, write_text
from scorer.scoring.evaluate import Report, Result
from scorer.values import Undefined

FORMATS = ("text", "tsv", "json", "latex", "semeval2014")
SCHEMA = "assay.score/1"
TSV_COLUMNS = ("metric", "value", "n", "undefined", "signature")
"""The columns that TSV always has. Add new columns only at the end."""
_ALL_TSV_COLUMNS = (
    "genre", *TSV_COLUMNS, "low", "high", "degenerate", "standard_error", "relative_difference",
)  # fmt: skip
"""All columns in order. The optional ones are present only if a result has them."""
TEXT_COLUMNS = ("run", "genre", "metric", "signature")
"""The columns of text, which are left-aligned."""
DIFFERENCE_FORMULA = "(rest - held-out) / |rest|"
"""The definition of the relative difference."""
DASH = "–"


def render_report(report: Report, format_: str) -> str:
    """Render a report in one of the formats.

    Parameters
    ----------
    report : Report
        The result of `evaluate`. If its results have genres, the output has a column of genres.
    format_ : str
        One of `FORMATS`. "text" and "latex" round. "tsv" and "json" have full precision, except that ends of
        intervals have six decimal places, or six significant digits if values are small; an end that would
        then miss the value is the value. "semeval2014" is the output of the official scorer of SemEval-2014
        Task 3.

    Returns
    -------
    str
        The rendered report, which ends in a newline.

    Examples
    --------
    >>> print(render_report(Report((Result("pearson", 0.5, 3, "pearson|n:3|v:1"),)), "text"), end="")
    metric    value  n  signature
    pearson  0.5000  3  pearson|n:3|v:1
    """
    render = {"text": _text, "tsv": _tsv, "json": _json, "latex": _latex, "semeval2014": _semeval2014}
    return render[format_](report)


def tsv_columns(records: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the columns that these records need."""
    present = {*TSV_COLUMNS, *(name for record in records for name in record)}
    return [name for name in _ALL_TSV_COLUMNS if name in present]


def tsv_record(result: Result) -> dict[str, Any]:
    """Return a result for TSV, whose column of reasons also explains a missing interval."""
    values = result_dict(result)
    interval_undefined = values.get("interval_undefined")
    if values["undefined"] is None and interval_undefined is not None:
        values["undefined"] = f"interval: {interval_undefined['reason']}"
    return values


def text_rows(results: Sequence[Result], *, signature: bool) -> tuple[list[str], list[list[str]]]:
    """Return the names of the columns, and one row per result with rounded values."""
    by_genre = any(result.genre is not None for result in results)
    has_intervals = any(result.interval is not None for result in results)
    has_errors = any(result.standard_error is not None for result in results)
    head = [*(["genre"] if by_genre else []), "metric", "value"]
    if has_intervals:
        head.append("interval" if signature else _interval_name(results))
    head += [*(["standard error"] if has_errors else []), "n", *(["signature"] if signature else [])]
    rows = [
        [
            *([result.genre or "all"] if by_genre else []),
            result.metric,
            format_number(result.value),
            *([_text_interval(result)] if has_intervals else []),
            *([format_number(result.standard_error)] if has_errors else []),
            str(result.n),
            *([result.signature] if signature else []),
        ]
        for result in results
    ]
    return head, rows


def result_dict(result: Result) -> dict[str, Any]:
    """Return a result for JSON."""
    values = {
        **({} if result.genre is None else {"genre": result.genre}),
        "metric": result.metric,
        "value": result.value,
        "n": result.n,
        "undefined": undefined_dict(result.value),
        "signature": result.signature,
    }
    if (interval := result.interval) is not None:
        low, high = _interval_ends(result)
        values |= {"low": low, "high": high, "degenerate": interval.degenerate}
        values["interval_undefined"] = undefined_dict(interval.undefined)
    if result.standard_error is not None:
        values["standard_error"] = result.standard_error
    return values


def undefined_notes(values: Iterable[object]) -> list[str]:
    """Return each reason for a dash once."""
    reasons = dict.fromkeys(value.reason for value in values if isinstance(value, Undefined))
    return [f"{DASH} undefined: {reason}" for reason in reasons]


def result_notes(results: Sequence[Result]) -> list[str]:
    """Return each reason for a dash once, and the number of resamples without a value."""
    notes = undefined_notes(
        value
        for result in results
        for value in (result.value, result.standard_error, result.interval and result.interval.undefined)
    )
    for result in results:
        if result.interval is not None and result.interval.degenerate:
            where = "" if result.genre is None else f" of {result.genre}"
            resamples = count_noun(result.interval.degenerate, "resample")
            notes.append(f"{resamples}{where} had no {result.metric}")
    return list(dict.fromkeys(notes))


def format_number(value: float | Undefined | None) -> str:
    """Format a number for people."""
    if value is None or isinstance(value, Undefined):
        return DASH
    return f"{value:z.4f}" if value == 0 or 1e-4 <= abs(value) < 1e6 else f"{value:.4g}"


def _tsv(report: Report) -> str:
    records = [tsv_record(result) for result in report.results]
    if report.differences:
        for record, difference in zip(records, _differences_by_result(report), strict=True):
            record["relative_difference"] = difference
    return write_records(tsv_columns(records), records)


def _differences_by_result(report: Report) -> list[float | Undefined | None]:
    """Return the relative difference for each result of the held-out genres, None for the others."""
    differences = {difference.metric: difference.value for difference in report.differences}
    return [differences[result.metric] if result.genre == "held-out" else None for result in report.results]


def _json(report: Report) -> str:
    values: dict[str, Any] = {"results": [result_dict(result) for result in report.results]}
    if report.differences:
        metrics = [
            {
                "metric": difference.metric,
                "value": difference.value,
                "undefined": undefined_dict(difference.value),
            }
            for difference in report.differences
        ]
        values["relative_difference"] = {"definition": DIFFERENCE_FORMULA, "metrics": metrics}
    return write_document(SCHEMA, **values)


def _text(report: Report) -> str:
    table = plain_table(*text_rows(report.results, signature=True), TEXT_COLUMNS)
    return write_text([[table], _difference_notes(report), result_notes(report.results)])


def _latex(report: Report) -> str:
    head, rows = text_rows(report.results, signature=False)
    if report.differences:
        head.append("relative difference")
        for row, difference in zip(rows, _differences_by_result(report), strict=True):
            row.append("" if difference is None else format_number(difference))
    notes = [*_difference_notes(report), *result_notes(report.results)]
    signatures = [result.signature for result in report.results]
    return write_latex([[NEEDS_BOOKTABS, plain_table(head, rows, TEXT_COLUMNS), *notes, *signatures]])


def _difference_notes(report: Report) -> list[str]:
    if not report.differences:
        return []
    differences = ", ".join(f"{entry.metric} {format_number(entry.value)}" for entry in report.differences)
    reasons = undefined_notes(entry.value for entry in report.differences)
    return [f"{DIFFERENCE_FORMULA}: {differences}", *reasons]


def _text_interval(result: Result) -> str:
    low, high = _interval_ends(result)
    return DASH if low is None else f"[{format_number(low)}, {format_number(high)}]"


def _interval_ends(result: Result) -> tuple[float | None, float | None]:
    """Return the ends of an interval, rounded to be the same on every machine."""
    if result.interval is None or result.interval.low is None or result.interval.high is None:
        return None, None
    from scorer.statistics.intervals import round_ends  # noqa: PLC0415  imports numpy, which the interval needed too

    value = 0.0 if isinstance(result.value, Undefined) else result.value
    return round_ends(result.interval.low, result.interval.high, value)


def _interval_name(results: Sequence[Result]) -> str:
    """Return the kind and the level of the intervals, for the heading of a table without signatures.

    >>> from scorer.statistics.intervals import Interval
    >>> interval = Interval(0.1, 0.2, 0, "ci:bca|level:0.9|b:200|seed:1")
    >>> _interval_name([Result("mse", 0.15, 9, "", interval=interval)])
    '90 % BCa interval'
    """
    signature = next(result.interval.signature for result in results if result.interval is not None)
    parts = dict(part.split(":", 1) for part in signature.split("|"))
    name = {"bca": "BCa", "fisher": "Fisher"}.get(parts["ci"], parts["ci"])
    return f"{100 * float(parts.get('level', 0.95)):g} % {name} interval"


def _semeval2014(report: Report) -> str:
    """Render the exact output of the official scorer: Java's %f, always with a decimal point."""
    rho, r = (_java_float(result.value) for result in reversed(report.results))
    return f"Scores for SemEval-2014 Task 3\nPearson's correlation\t{r}\tSpearman's rho\t{rho}\n"


def _java_float(value: float | Undefined) -> str:
    """Format like Java's `%f`: six decimal places, half up from the shortest decimal of the float."""
    from decimal import ROUND_HALF_UP, Decimal  # noqa: PLC0415  not needed for other formats

    if isinstance(value, Undefined):
        return "NaN"
    return str(Decimal(repr(value)).quantize(Decimal("0.000001"), ROUND_HALF_UP))
