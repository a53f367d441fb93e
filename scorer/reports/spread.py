"""Mean and spread over the runs of one system, and what each run got -> text, TSV, JSON, LaTeX."""

from collections.abc import Mapping, Sequence
from typing import Any

from scorer._version import __version__
from scorer.errors import RequestError
from scorer.reports.records import undefined_dict, write_json, write_records
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
    notes = dict.fromkeys([*_reasons(spreads), *result_notes(_all_results(reports))])
    return write_text([[_spread_table(spreads)], [_run_table(reports, signature=True)], list(notes)])


def _latex(reports: Mapping[str, Report], spreads: Sequence[Spread]) -> str:
    signatures = [each.signature for each in spreads]
    runs, notes = _run_table(reports, signature=False), result_notes(_all_results(reports))
    return write_latex(
        [
            [NEEDS_BOOKTABS, _spread_table(spreads), *_reasons(spreads), *signatures],
            [NEEDS_BOOKTABS, runs, *notes],
        ]
    )


def _all_results(reports: Mapping[str, Report]) -> list[Result]:
    return [result for report in reports.values() for result in report.results]


def _spread_table(spreads: Sequence[Spread]) -> WordTable:
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
    return plain_table([*genre, "metric", "runs", *STATISTICS], rows, TEXT_COLUMNS)


def _run_table(reports: Mapping[str, Report], *, signature: bool) -> WordTable:
    names = [name for name, report in reports.items() for _ in report.results]
    head, rows = text_rows(_all_results(reports), signature=signature)
    named_rows = [[name, *row] for name, row in zip(names, rows, strict=True)]
    return plain_table(["run", *head], named_rows, TEXT_COLUMNS)


def _reasons(spreads: Sequence[Spread]) -> list[str]:
    return [note for each in spreads for note in undefined_notes([each.mean])]


def _tsv(reports: Mapping[str, Report], spreads: Sequence[Spread]) -> str:
    records: list[dict[str, Any]] = [
        {"statistic": "run", "run": name, **tsv_record(result)}
        for name, report in reports.items()
        for result in report.results
    ]
    for each in spreads:
        for statistic, field in STATISTICS.items():
            value = getattr(each, field)
            records.append(
                {
                    "statistic": statistic,
                    "genre": each.genre,
                    "metric": each.metric,
                    "value": value,
                    "undefined": undefined_dict(value),
                    "signature": f"{statistic}|{each.signature}",
                }
            )
    return write_records(["statistic", "run", *tsv_columns(_all_results(reports))], records)


def _json(reports: Mapping[str, Report], spreads: Sequence[Spread]) -> str:
    return write_json(
        {
            "schema": SCHEMA,
            "scorer": __version__,
            "spread": [_spread_dict(each) for each in spreads],
            "runs": [
                {"run": name, "results": [result_dict(each) for each in report.results]}
                for name, report in reports.items()
            ],
        }
    )


def _spread_dict(each: Spread) -> dict[str, Any]:
    statistics = {name: getattr(each, field) for name, field in STATISTICS.items()}
    return {
        **({} if each.genre is None else {"genre": each.genre}),
        "metric": each.metric,
        "runs": each.k,
        **statistics,
        "undefined": undefined_dict(each.mean),
        "signature": each.signature,
    }
