"""Renders scores by genre as text, TSV or JSON."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from scorer.errors import RequestError
from scorer.reports.escaping import single_line
from scorer.reports.records import write_records
from scorer.reports.scores import DASH
from scorer.reports.tables import Paragraph, plain_table, write_text

FORMATS = ("text", "tsv", "json")
TSV_COLUMNS = ("kind", "team", "run", "level", "genre", "metric", "value", "n", "undefined", "signature")


def render_genres(values: Mapping[str, Any], format_: str) -> str:
    """Render the scores by genre of a leaderboard, with a newline at the end.

    Parameters
    ----------
    values : mapping
        The result of `board_by_genre`.
    format_ : "text", "tsv" or "json"
        text is for people and rounds. tsv has one line per value. tsv and json do not round.

    Returns
    -------
    str
        The report. Its bytes are the same on the site and offline.

    Raises
    ------
    RequestError
        If the format is unknown.

    Examples
    --------
    >>> values = {"systems": [], "levels": [], "schema": "assay.genres/1", "scorer": "1"}
    >>> render_genres(values, "tsv").split("\\t")[:3]
    ['kind', 'team', 'run']
    """
    if format_ not in FORMATS:
        raise RequestError(f"scores by genre can be printed as {', '.join(FORMATS)}; choose one of these")
    if format_ == "json":
        return json.dumps(values, ensure_ascii=False, separators=(",", ":")) + "\n"
    return _tsv(values) if format_ == "tsv" else _text(values)


def _tsv(values: Mapping[str, Any]) -> str:
    return write_records(TSV_COLUMNS, _records(values))


def _records(values: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for level in values["levels"]:
        for row in level["rows"]:
            for column, value in zip(level["columns"], row["values"], strict=True):
                number = {"undefined": value} if isinstance(value, Mapping) else {"value": value}
                yield {**values["systems"][row["system"]], "level": level["level"], **column, **number}


def _text(values: Mapping[str, Any]) -> str:
    paragraphs = [
        _paragraph(values, level, metric)
        for level in values["levels"]
        for metric in dict.fromkeys(column["metric"] for column in level["columns"])
    ]
    if not paragraphs:
        return "No level has items of at least two genres.\n"
    return write_text([*paragraphs, [f"{DASH}: no value; --format tsv has the reasons."]])


def _paragraph(values: Mapping[str, Any], level: Mapping[str, Any], metric: str) -> Paragraph:
    """Build the title and the table of a level and a metric."""
    places = [place for place, column in enumerate(level["columns"]) if column["metric"] == metric]
    columns = [level["columns"][place] for place in places]
    genres = [f"{single_line(column['genre']) or DASH} ({column['n']})" for column in columns]
    rows = []
    for row in level["rows"]:
        system = values["systems"][row["system"]]
        late = " (late)" if system["kind"] == "late" else ""
        run = single_line(system["run"]) + late
        rows.append([system["team"], run, *(_rounded(row["values"][place]) for place in places)])
    return [f"{level['level']} by {metric}", plain_table(["Team", "Run", *genres], rows, ["Team", "Run"])]


def _rounded(value: float | Mapping[str, str]) -> str:
    return DASH if isinstance(value, Mapping) else f"{value:z.3f}"
