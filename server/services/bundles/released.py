"""Whether a released board that comes with an import has everything that its page shows."""

import json
from typing import Any

from scorer.board_report import SCHEMA

_UNDEFINED = {"code": str, "reason": str}
_CELL = {"value": (float, None), "rank": (int, None), "undefined?": _UNDEFINED, "n?": int, "signature?": str}
_TOTAL = {"value": (float, None), "rank": (int, None), "undefined?": _UNDEFINED, "entered": int, "of": int}
_ROW = {"team": str, "run": str, "total": {"*": _TOTAL}, "levels": {"*": {"*": _CELL}}}
_BOARD = {
    "schema": str,
    "task": str,
    "title": str,
    "split": str,
    "scorer": str,
    "rules": {"total": str, "total_needs": str, "enter_at_least": int},
    "levels": [{"slug": str, "title": str, "metrics": [str], "counts": bool}],
    "totals": [{"name": str, "higher_is_better": bool}],
    "official": [_ROW],
    "late": [_ROW],
    "baselines": [_ROW],
}
"""The shape: a key that ends in "?" may be missing, "*" stands for any, a tuple lists what may be."""
_LARGEST = 1e12


def is_board(data: bytes) -> bool:
    """Whether this is a board as `board_json` writes it."""
    try:
        board = json.loads(data.decode())
    except (ValueError, RecursionError):
        return False
    return _fits(board, _BOARD) and board["schema"] == SCHEMA and _is_whole(board)


def _fits(value: Any, shape: Any) -> bool:
    """Whether a value has a shape; keys that the shape does not know are of a later version."""
    if isinstance(shape, tuple):
        return any(_fits(value, one) for one in shape)
    if isinstance(shape, list):
        return isinstance(value, list) and all(_fits(one, shape[0]) for one in value)
    if isinstance(shape, dict):
        return isinstance(value, dict) and all(_has(value, name, inner) for name, inner in shape.items())
    if shape is float:
        return type(value) in (int, float) and abs(value) < _LARGEST
    return value is None if shape is None else type(value) is shape


def _has(value: dict[str, Any], name: str, shape: Any) -> bool:
    if name == "*":
        return all(_fits(inner, shape) for inner in value.values())
    key = name.removesuffix("?")
    return _fits(value[key], shape) if key in value else name.endswith("?")


def _is_whole(board: dict[str, Any]) -> bool:
    """Whether each row has each level, metric and total, and a reason where it has no value."""
    metrics = {level["slug"]: level["metrics"] for level in board["levels"]}
    totals = {total["name"] for total in board["totals"]}
    rows = [row for kind in ("official", "late", "baselines") for row in board[kind]]
    cells = [cell for row in rows for by in (*row["levels"].values(), row["total"]) for cell in by.values()]
    return (
        all(metrics.values())
        and board["rules"]["total"] in ("sum", "mean", "weighted", "none")
        and all(row["levels"].keys() == metrics.keys() and row["total"].keys() == totals for row in rows)
        and all(row["levels"][slug].keys() == set(names) for row in rows for slug, names in metrics.items())
        and all(cell["value"] is not None or "undefined" in cell for cell in cells)
    )
