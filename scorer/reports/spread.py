"""Mean and spread over the runs of one system, and what each run got -> text, TSV, JSON, LaTeX."""

from collections.abc import Mapping, Sequence
from typing import Any

from scorer._version import __version__
from scorer.errors import RequestError
from scorer.reports.scores import (
    DASH,
    TEXT_COLUMNS,
    format_number,
    latex_comments,
    result_dict,
    result_notes,
    text_rows,
    tsv_rows,
    undefined_dict,
)
from scorer.reports.tables import latex_table, text_table, tsv_table
from scorer.scoring.evaluate import Report
from scorer.scoring.spread import Spread, spread_of_runs
from scorer.values import Undefined

FORMATS = ("text", "tsv", "json", "latex")
SCHEMA = "assay.spread/1"
STATISTICS = {"mean": "mean", "sd": "sd", "min": "low", "max": "high"}
"""What is shown of a spread, and its field."""


def render_spread(reports: Mapping[str, Report], format_: str) -> str:
    """Write what the runs of one system got, and their mean and spread.

    Parameters
    ----------
    reports : mapping of str to Report
        By the name of the run; two at least.
    format_ : str
        One of `FORMATS`. "text" and "latex" round. "tsv" has a line a value; its first column says whether it
        is that of a "run", or the "mean", "sd", "min" or "max" of all.

    Returns
    -------
    str
        With a newline at its end.

    Raises
    ------
    RequestError
        If there is no such format or only one run.
    """
    if format_ not in FORMATS:
        raise RequestError(f'a spread has no format "{format_}" (it has {", ".join(FORMATS)})')
    spreads = spread_of_runs(list(reports.values()))
    return {"text": _text, "tsv": _tsv, "json": _json, "latex": _latex}[format_](reports, spreads)


def _text(reports: Mapping[str, Report], spreads: Sequence[Spread]) -> str:
    every = [result for report in reports.values() for result in report.results]
    lines = text_table(*_spread_rows(spreads), TEXT_COLUMNS)
    lines += ["", *text_table(*_run_rows(reports, signature=True), TEXT_COLUMNS)]
    reasons = list(dict.fromkeys([*_reasons(spreads), *result_notes(every)]))
    return "\n".join([*lines, *(["", *reasons] if reasons else [])]) + "\n"


def _latex(reports: Mapping[str, Report], spreads: Sequence[Spread]) -> str:
    every = [result for report in reports.values() for result in report.results]
    lines = latex_table(*_spread_rows(spreads), TEXT_COLUMNS)
    comments = [*_reasons(spreads), *(each.signature for each in spreads)]
    lines += [*latex_comments(comments), "", *latex_table(*_run_rows(reports, signature=False), TEXT_COLUMNS)]
    return "\n".join([*lines, *latex_comments(result_notes(every))]) + "\n"


def _spread_rows(spreads: Sequence[Spread]) -> tuple[list[str], list[list[str]]]:
    genre = ["genre"] if any(each.genre is not None for each in spreads) else []
    rows = [
        [
            *([each.genre or "all"] if genre else []),
            each.metric,
            str(each.k),
            *(format_number(getattr(each, field)) for field in STATISTICS.values()),
        ]
        for each in spreads
    ]
    return [*genre, "metric", "runs", *STATISTICS], rows


def _run_rows(reports: Mapping[str, Report], *, signature: bool) -> tuple[list[str], list[list[str]]]:
    every = [result for report in reports.values() for result in report.results]
    names = [name for name, report in reports.items() for _ in report.results]
    head, rows = text_rows(every, signature=signature)
    return ["run", *head], [[name, *row] for name, row in zip(names, rows, strict=True)]


def _reasons(spreads: Sequence[Spread]) -> list[str]:
    return [f"{DASH} undefined: {each.mean.reason}" for each in spreads if isinstance(each.mean, Undefined)]


def _tsv(reports: Mapping[str, Report], spreads: Sequence[Spread]) -> str:
    every = [result for report in reports.values() for result in report.results]
    names = [name for name, report in reports.items() for _ in report.results]
    head, rows = tsv_rows(every)
    lines = [["run", name, *row] for name, row in zip(names, rows, strict=True)]
    for each in spreads:
        for statistic, field in STATISTICS.items():
            value = getattr(each, field)
            shown, reason = ("", value.reason) if isinstance(value, Undefined) else (repr(value), "")
            cells = {"genre": each.genre or "", "metric": each.metric, "value": shown, "undefined": reason}
            cells["signature"] = f"{statistic}|{each.signature}"
            lines.append([statistic, "", *(cells.get(name, "") for name in head)])
    return "\n".join(tsv_table(["statistic", "run", *head], lines)) + "\n"


def _json(reports: Mapping[str, Report], spreads: Sequence[Spread]) -> str:
    import json  # noqa: PLC0415  the other formats do not pay for it

    values = {
        "schema": SCHEMA,
        "scorer": __version__,
        "spread": [_spread_dict(each) for each in spreads],
        "runs": [
            {"run": name, "results": [result_dict(each) for each in report.results]}
            for name, report in reports.items()
        ],
    }
    return json.dumps(values, ensure_ascii=False, indent=1) + "\n"


def _spread_dict(each: Spread) -> dict[str, Any]:
    undefined = each.mean if isinstance(each.mean, Undefined) else None
    statistics = {name: None if undefined else getattr(each, field) for name, field in STATISTICS.items()}
    return {
        **({} if each.genre is None else {"genre": each.genre}),
        "metric": each.metric,
        "runs": each.k,
        **statistics,
        "undefined": undefined_dict(undefined),
        "signature": each.signature,
    }
