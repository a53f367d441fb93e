"""Values by genre -> text, TSV, JSON."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from scorer.errors import RequestError
from scorer.reports.escaping import single_line
from scorer.reports.scores import DASH

FORMATS = ("text", "tsv", "json")
TSV_COLUMNS = ("kind", "team", "run", "level", "genre", "metric", "value", "n", "undefined", "signature")


def render_genres(values: Mapping[str, Any], format_: str) -> str:
    """What `board_by_genre` found, with a newline at its end.

    Parameters
    ----------
    values : mapping
        From `board_by_genre`.
    format_ : "text", "tsv" or "json"
        text is for people, and rounds; tsv has a line a value; tsv and json have all digits.

    Returns
    -------
    str
        The same bytes on the site and offline.

    Raises
    ------
    RequestError
        If the format is none of these.

    Examples
    --------
    >>> found = {"systems": [], "levels": [], "schema": "assay.genres/1", "scorer": "1"}
    >>> render_genres(found, "tsv").split("\\t")[:3]
    ['kind', 'team', 'run']
    """
    if format_ not in FORMATS:
        raise RequestError(f"values by genre are printed as {', '.join(FORMATS)}; choose one of these")
    if format_ == "json":
        return json.dumps(values, ensure_ascii=False, separators=(",", ":")) + "\n"
    return _tsv(values) if format_ == "tsv" else _text(values)


def _tsv(values: Mapping[str, Any]) -> str:
    lines = ["\t".join(TSV_COLUMNS)]
    for level in values["levels"]:
        for row in level["rows"]:
            who = values["systems"][row["system"]]
            names = [
                who["kind"],
                single_line(who["team"]),
                single_line(who["run"]),
                single_line(level["level"]),
            ]
            lines += [
                "\t".join([*names, *_tsv_cells(column, value)])
                for column, value in zip(level["columns"], row["values"], strict=True)
            ]
    return "\n".join(lines) + "\n"


def _tsv_cells(column: Mapping[str, Any], value: float | Mapping[str, str]) -> list[str]:
    number, why = ("", value["reason"]) if isinstance(value, Mapping) else (repr(value), "")
    words = single_line(column["genre"]), single_line(column["metric"])
    return [*words, number, str(column["n"]), single_line(why), single_line(column["signature"])]


def _text(values: Mapping[str, Any]) -> str:
    lines: list[str] = []
    for level in values["levels"]:
        for metric in dict.fromkeys(column["metric"] for column in level["columns"]):
            lines += [f"{level['level']} by {metric}", *_table(values, level, metric), ""]
    if not lines:
        return "No level has items of two genres or more.\n"
    return "\n".join([*lines, f"{DASH}: no value; --format tsv has the reasons."]) + "\n"


def _table(values: Mapping[str, Any], level: Mapping[str, Any], metric: str) -> list[str]:
    places = [place for place, column in enumerate(level["columns"]) if column["metric"] == metric]
    heads = [level["columns"][place] for place in places]
    rows = [["Team", "Run", *(f"{single_line(head['genre']) or DASH} ({head['n']})" for head in heads)]]
    for row in level["rows"]:
        who = values["systems"][row["system"]]
        late = " (late)" if who["kind"] == "late" else ""
        rows.append(
            [
                single_line(who["team"]),
                single_line(who["run"]) + late,
                *(_rounded(row["values"][p]) for p in places),
            ]
        )
    return _padded_lines(rows)


def _padded_lines(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.ljust(width) if place < 2 else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def _rounded(value: float | Mapping[str, str]) -> str:
    return DASH if isinstance(value, Mapping) else f"{value:z.3f}"
