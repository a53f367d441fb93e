"""The marks that an inference adds to a leaderboard: intervals, rank ranges, clusters."""

from collections.abc import Mapping
from math import comb
from typing import Any

GROUP_KINDS = {"official": "official", "late": "late", "baselines": "baseline"}
"""What a board calls its groups, and what an inference calls the systems in them."""


def mark_board(board: dict[str, Any], values: Mapping[str, Any] | None) -> dict[str, Any]:
    """The board with an interval at each value, and a range of ranks and a cluster where there were tests.

    A cell gets "interval" (or "no_interval", the reason) and perhaps "range" and "cluster".
    """
    if values is None:
        return board
    marks = _marks(values)
    groups = {
        group: [_mark_row(row, kind, board, marks) for row in board[group]]
        for group, kind in GROUP_KINDS.items()
    }
    titles = {level["slug"]: level["title"] for level in board["levels"]}
    return {**board, **groups, "inference": _facts(values) | {"titles": titles}}


def _facts(values: Mapping[str, Any]) -> dict[str, Any]:
    """What a page says of an inference beside the marks; the tests are those of the total, if it has any."""
    columns = sorted(values["columns"], key=lambda column: column["level"] is not None)
    told = [column["tests"] for column in columns if column.get("tests")]
    tested = [tests for tests in told if tests["pairs"] and not tests["refused"]]
    return {
        "options": values["options"],
        "stability": values["stability"]
        if any(one["tau"] is not None for one in values["stability"])
        else [],
        "left_out": values.get("left_out") or [],
        "genres": values.get("genres") or [],
        "tests": tested[0] if tested else None,
        "untested": comb(tested[0]["systems"], 2) - tested[0]["pairs"] if tested else 0,
        "refused": next((tests["refused"] for tests in told if tests["refused"]), None),
        "grouped": any(column["groups"] is not None for column in columns),
        "intervals": any(one["low"] is not None for column in columns for one in column["intervals"]),
        "level_tests": {
            column["level"]: {"n": column["n"], **column["tests"]}
            for column in columns
            if column["level"] is not None and column.get("tests") in tested
        },
    }


Marks = dict[tuple[str, str, str, str | None, str], dict[str, Any]]
"""What belongs to a value: by kind, team, run, level (None: the total) and metric."""


def _marks(values: Mapping[str, Any]) -> Marks:
    who = [(one["kind"], one["team"], one["run"]) for one in values["systems"]]
    marks: Marks = {}
    for column in values["columns"]:
        at = column["level"], column["metric"]
        for one in column["intervals"]:
            ends = None if one["low"] is None or one["high"] is None else (one["low"], one["high"])
            gap = {} if ends or not one["undefined"] else {"no_interval": one["undefined"]["reason"]}
            marks[*who[one["system"]], *at] = {"interval": ends, **gap}
        for one in column.get("ranks") or ():
            mark = {"range": (one["low"], one["high"]), "cluster": one["cluster"]}
            marks.setdefault((*who[one["system"]], *at), {}).update(mark)
    return marks


def _mark_row(row: Mapping[str, Any], kind: str, board: Mapping[str, Any], marks: Marks) -> dict[str, Any]:
    who = kind, row["team"], row["run"]
    return {
        **row,
        "total": {name: cell | marks.get((*who, None, name), {}) for name, cell in row["total"].items()},
        "levels": {
            level["slug"]: {
                metric: cell | marks.get((*who, level["slug"], metric), {})
                for metric, cell in row["levels"][level["slug"]].items()
            }
            for level in board["levels"]
        },
    }
