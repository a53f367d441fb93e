"""The marks that an inference adds to a leaderboard: intervals, rank ranges, clusters, the best baseline."""

from collections.abc import Mapping
from math import comb
from typing import Any

GROUP_KINDS = {"official": "official", "late": "late", "baselines": "baseline"}
"""The names of a leaderboard's groups, and the kinds of their systems in an inference."""
_ADVICE = "; percentile may work"
"""The end of a reason of the scorer: its user can choose another interval, and the reader of a page cannot.

The scorer's reasons stay as they are, because releases contain them and are recomputed byte for byte.
"""
_CLEARER_REASONS = {
    "BCa is undefined because the metric has no value without one of the items": "BCa is undefined, because "
    "without one of the items the metric has no value",
}


def mark_board(board: dict[str, Any], values: Mapping[str, Any] | None) -> dict[str, Any]:
    """Add to the board an interval at each value, and rank ranges and clusters where systems were tested.

    A cell gets "interval" (or "no_interval", the reason), and perhaps "range", "cluster", and
    "beats_baseline": whether the system is significantly better than the best baseline.
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
    """Return facts about the inference beside the marks; the tests are those of the total, if it has any."""
    columns = sorted(values["columns"], key=lambda column: column["level"] is not None)
    column_tests = [column["tests"] for column in columns if column.get("tests")]
    tested = [tests for tests in column_tests if tests["pairs"] and not tests["refused"]]
    return {
        "options": values["options"],
        "stability": values["stability"]
        if any(entry["tau"] is not None for entry in values["stability"])
        else [],
        "left_out": values.get("left_out") or [],
        "genres": values.get("genres") or [],
        "tests": tested[0] if tested else None,
        "untested": comb(tested[0]["systems"], 2) - tested[0]["pairs"] if tested else 0,
        "refused": next((tests["refused"] for tests in column_tests if tests["refused"]), None),
        "grouped": any(column["groups"] is not None for column in columns),
        "intervals": any(entry["low"] is not None for column in columns for entry in column["intervals"]),
        "level_tests": {
            column["level"]: {"n": column["n"], **column["tests"]}
            for column in columns
            if column["level"] is not None and column.get("tests") in tested
        },
        "baselines": {
            column["level"]: _baseline_facts(values, column) for column in columns if "baseline" in column
        },
    }


def _baseline_facts(values: Mapping[str, Any], column: Mapping[str, Any]) -> dict[str, Any]:
    """Return the best baseline of a column, and how many systems were tested and are not better."""
    baseline = column["baseline"]
    best = values["systems"][baseline["system"]]
    return {
        "name": f"{best['team']} {best['run']}",
        "tested": len(baseline["tests"]),
        "untested": column["tests"]["systems"] - len(baseline["tests"]),
        "not_better": sum(not test["better"] for test in baseline["tests"]),
        "permutations": baseline["permutations"],
        "alpha": column["tests"]["alpha"],
    }


Marks = dict[tuple[str, str, str, str | None, str], dict[str, Any]]
"""The marks of values by kind, team, run, level (None: the total) and metric."""


def _marks(values: Mapping[str, Any]) -> Marks:
    systems = [(entry["kind"], entry["team"], entry["run"]) for entry in values["systems"]]
    marks: Marks = {}
    for column in values["columns"]:
        at = column["level"], column["metric"]
        for entry in column["intervals"]:
            ends = None if entry["low"] is None or entry["high"] is None else (entry["low"], entry["high"])
            gap = (
                {}
                if ends or not entry["undefined"]
                else {"no_interval": _explain(entry["undefined"]["reason"])}
            )
            marks[*systems[entry["system"]], *at] = {"interval": ends, **gap}
        for entry in column.get("ranks") or ():
            mark = {"range": (entry["low"], entry["high"]), "cluster": entry["cluster"]}
            marks.setdefault((*systems[entry["system"]], *at), {}).update(mark)
        for test in column["baseline"]["tests"] if "baseline" in column else ():
            mark = {"beats_baseline": test["better"]}
            marks.setdefault((*systems[test["system"]], *at), {}).update(mark)
    return marks


def _explain(reason: str) -> str:
    """Return a reason of the scorer in words for pages."""
    reason = reason.removesuffix(_ADVICE)
    return _CLEARER_REASONS.get(reason, reason)


def _mark_row(row: Mapping[str, Any], kind: str, board: Mapping[str, Any], marks: Marks) -> dict[str, Any]:
    key = kind, row["team"], row["run"]
    return {
        **row,
        "total": {name: cell | marks.get((*key, None, name), {}) for name, cell in row["total"].items()},
        "levels": {
            level["slug"]: {
                metric: cell | marks.get((*key, level["slug"], metric), {})
                for metric, cell in row["levels"][level["slug"]].items()
            }
            for level in board["levels"]
        },
    }
