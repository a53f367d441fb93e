"""Renders the scores of several runs of one system with their mean and spread."""

from collections.abc import Mapping, Sequence
from typing import Any

from scorer.reports.records import undefined_dict, write_document, write_records
from scorer.reports.scores import (
    TEXT_COLUMNS,
    format_number,
    result_dict,
    result_notes,
    text_rows,
    tsv_columns,
    tsv_record,
    undefined_notes,
)
from scorer.reports.tables import NEEDS_BOOKTABS, WordTable, plain_table, write_latex, write_text
from scorer.scoring.evaluate import Report, Result
from scorer.scoring.spread import Spread, spread_of_runs
from scorer.values import Undefined

FORMATS = ("text", "tsv", "json", "latex")
SCHEMA = "assay.spread/1"
STATISTICS = {"mean": "mean", "sd": "sd", "min": "low", "max": "high"}
"""The statistics that are shown, and their fields in `Spread`."""


def render_spread(reports: Mapping[str, Report], format_: str) -> str:
    """Render the scores of several runs of one system with their mean and spread.

    Parameters
    ----------
    reports : mapping of str to Report
        The reports of at least two runs by the name of the run.
    format_ : str
        One of `FORMATS`. "text" and "latex" round. "tsv" has one line per value; its first column says
        whether it is the value of a "run", or the "mean", "sd", "min" or "max" of all runs.

    Returns
    -------
    str
        The report, which ends in a newline.

    Raises
    ------
    RequestError
        If there is only one run.
    """
    spreads = spread_of_runs(list(reports.values()))
    return {"text": _text, "tsv": _tsv, "json": _json, "latex": _latex}[format_](reports, spreads)


def _text(reports: Mapping[str, Report], spreads: Sequence[Spread]) -> str:
    notes = dict.fromkeys([*_reasons(spreads), *result_notes(_all_results(reports))])
    return write_text([[_spread_table(spreads)], [_run_table(reports, signature=True)], list(notes)])


def _latex(reports: Mapping[str, Report], spreads: Sequence[Spread]) -> str:
    signatures = [spread.signature for spread in spreads]
    return write_latex(
        [
            [NEEDS_BOOKTABS, _spread_table(spreads), *_reasons(spreads), *signatures],
            [NEEDS_BOOKTABS, _run_table(reports, signature=False), *result_notes(_all_results(reports))],
        ]
    )


def _all_results(reports: Mapping[str, Report]) -> list[Result]:
    return [result for report in reports.values() for result in report.results]


def _spread_table(spreads: Sequence[Spread]) -> WordTable:
    genre = ["genre"] if any(spread.genre is not None for spread in spreads) else []
    rows = [
        [
            *([spread.genre or "all"] if genre else []),
            spread.metric,
            str(spread.k),
            *map(format_number, _statistics(spread).values()),
        ]
        for spread in spreads
    ]
    return plain_table([*genre, "metric", "runs", *STATISTICS], rows, TEXT_COLUMNS)


def _statistics(spread: Spread) -> dict[str, float | Undefined]:
    return {name: getattr(spread, field) for name, field in STATISTICS.items()}


def _run_table(reports: Mapping[str, Report], *, signature: bool) -> WordTable:
    names = [name for name, report in reports.items() for _ in report.results]
    head, rows = text_rows(_all_results(reports), signature=signature)
    named_rows = [[name, *row] for name, row in zip(names, rows, strict=True)]
    return plain_table(["run", *head], named_rows, TEXT_COLUMNS)


def _reasons(spreads: Sequence[Spread]) -> list[str]:
    return [note for spread in spreads for note in undefined_notes([spread.mean])]


def _tsv(reports: Mapping[str, Report], spreads: Sequence[Spread]) -> str:
    of_runs = [
        {"statistic": "run", "run": name, **tsv_record(result)}
        for name, report in reports.items()
        for result in report.results
    ]
    of_spreads = [
        {
            "statistic": name,
            "genre": spread.genre,
            "metric": spread.metric,
            "value": value,
            "undefined": undefined_dict(value),
            "signature": f"{name}|{spread.signature}",
        }
        for spread in spreads
        for name, value in _statistics(spread).items()
    ]
    return write_records(["statistic", "run", *tsv_columns(of_runs)], [*of_runs, *of_spreads])


def _json(reports: Mapping[str, Report], spreads: Sequence[Spread]) -> str:
    runs = [
        {"run": name, "results": [result_dict(result) for result in report.results]}
        for name, report in reports.items()
    ]
    return write_document(SCHEMA, spread=[_spread_dict(spread) for spread in spreads], runs=runs)


def _spread_dict(spread: Spread) -> dict[str, Any]:
    return {
        **({} if spread.genre is None else {"genre": spread.genre}),
        "metric": spread.metric,
        "runs": spread.k,
        **_statistics(spread),
        "undefined": undefined_dict(spread.mean),
        "signature": spread.signature,
    }
