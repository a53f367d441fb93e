"""Convert boards to JSON and back. Reading validates the JSON and reports all problems."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from scorer._version import __version__
from scorer.boards.board import Board, BoardLevel, BoardRules, Cell, Kind, Row, Total, TotalColumn
from scorer.errors import BoardError, Problem
from scorer.shapes import Fault, Scalars, shape_faults
from scorer.values import Undefined, write_json

SCHEMA = "assay.board/1"


def board_dict(board: Board, *, task: str, title: str, split: str) -> dict[str, Any]:
    """Convert a board to JSON values, at full precision and in a fixed order.

    Parameters
    ----------
    board : Board
        The board, as `build_board` returns it.
    task, title, split : str
        The task's slug and title, and the split that was scored.

    Returns
    -------
    dict
        The values that `board_json` writes and that the site's leaderboard page shows.
    """
    return {
        "schema": SCHEMA,
        "task": task,
        "title": title,
        "split": split,
        "scorer": __version__,
        "rules": asdict(board.rules),
        "levels": [asdict(level) | {"metrics": list(level.metrics)} for level in board.levels],
        "totals": [
            {"name": column.name, "higher_is_better": column.higher_is_better} for column in board.totals
        ],
        "official": [_row_dict(row, board) for row in board.official],
        "late": [_row_dict(row, board) for row in board.late],
        "baselines": [_row_dict(row, board) for row in board.baselines],
    }


def board_json(board: Board, *, task: str, title: str, split: str) -> str:
    """Convert a board to JSON. The bytes are the same on every machine."""
    values = board_dict(board, task=task, title=title, split=split)
    return write_json(values)


def _row_dict(row: Row, board: Board) -> dict[str, Any]:
    return {
        "team": row.team,
        "run": row.run,
        "total": {
            column.name: _total_dict(total) for column, total in zip(board.totals, row.totals, strict=True)
        },
        "levels": {
            slug: {metric: _cell_dict(cell) for metric, cell in cells.items()}
            for slug, cells in row.cells.items()
        },
    }


def _value_dict(value: float | Undefined) -> dict[str, Any]:
    if isinstance(value, Undefined):
        return {"value": None, "undefined": asdict(value)}
    return {"value": value}


def _total_dict(total: Total) -> dict[str, Any]:
    return _value_dict(total.value) | {"rank": total.rank, "entered": total.entered, "of": total.of}


def _cell_dict(cell: Cell) -> dict[str, Any]:
    values = _value_dict(cell.value) | {"rank": cell.rank}
    return values if cell.signature is None else values | {"n": cell.n, "signature": cell.signature}


_MAX_NUMBER = 1e12
_TOTALS = ("sum", "mean", "weighted", "none")
_NEEDS = ("entered", "all")
_GROUPS: tuple[tuple[str, Kind], ...] = (
    ("official", "official"),
    ("late", "late"),
    ("baselines", "baseline"),
)

_UNDEFINED_SHAPE = {"code": "text", "reason": "text"}
_VALUE_SHAPE = {"value": "number or null", "rank": "rank or null", "undefined?": _UNDEFINED_SHAPE}
_CELL_SHAPE = {**_VALUE_SHAPE, "n?": "count", "signature?": "text"}
_TOTAL_SHAPE = {**_VALUE_SHAPE, "entered": "count", "of": "count"}
_ROW_SHAPE = {
    "team": "text",
    "run": "text",
    "total": {"*": _TOTAL_SHAPE},
    "levels": {"*": {"*": _CELL_SHAPE}},
}
_BOARD_SHAPE = {
    "schema": "text",
    "task": "text",
    "title": "text",
    "split": "text",
    "scorer": "text",
    "rules": {"total": "text", "total_needs": "text", "enter_at_least": "count"},
    "levels": [{"slug": "text", "title": "text", "metrics": ["text"], "counts": "truth"}],
    "totals": [{"name": "text", "higher_is_better": "truth"}],
    "official": [_ROW_SHAPE],
    "late": [_ROW_SHAPE],
    "baselines": [_ROW_SHAPE],
}
"""The required structure of a board. Other keys are ignored."""


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and abs(value) < _MAX_NUMBER


_SCALARS: Scalars = {
    "text": ("a text", lambda value: type(value) is str),
    "truth": ("true or false", lambda value: type(value) is bool),
    "count": ("a whole number", lambda value: type(value) is int and 0 <= value < _MAX_NUMBER),
    "number or null": ("a number or null", lambda value: value is None or _is_number(value)),
    "rank or null": ("a rank or null", lambda value: value is None or (type(value) is int and value > 0)),
}


def read_board(data: bytes, source: str) -> dict[str, Any]:
    """Parse and validate the JSON of a board.

    Parameters
    ----------
    data : bytes
        The contents of the file.
    source : str
        The name of the file in messages.

    Returns
    -------
    dict
        The values, as `board_dict` returns them. They may have additional keys.

    Raises
    ------
    BoardError
        If the file is not a board that `board_json` wrote. The error lists all problems.
    """
    try:
        values = json.loads(data.decode("utf-8"))
    except UnicodeDecodeError:
        faults = [("", "is not UTF-8")]
    except (ValueError, RecursionError):
        faults = [("", "is not JSON")]
    else:
        faults = list(shape_faults(values, _BOARD_SHAPE, _SCALARS)) or list(_consistency_faults(values))
    if faults:
        problems = [
            Problem(source, None, "bad_board", f"{at or 'the file'}: {fault}") for at, fault in faults
        ]
        raise BoardError(problems)
    board: dict[str, Any] = values
    return board


def is_board(data: bytes) -> bool:
    """Whether the contents of a file are a board that `board_json` wrote."""
    try:
        read_board(data, "")
    except BoardError:
        return False
    return True


def board_of(values: dict[str, Any]) -> Board:
    """Create a board from its JSON values. This is the inverse of `board_dict`.

    Parameters
    ----------
    values : dict
        The values, as `board_dict` or `read_board` returns them.

    Returns
    -------
    Board
        The board with the same rows, ranks and order. Nothing is ranked again.
    """
    levels = tuple(
        BoardLevel(level["slug"], level["title"], tuple(level["metrics"]), level["counts"])
        for level in values["levels"]
    )
    counted = [level for level in levels if level.counts]
    columns = tuple(
        TotalColumn(
            total["name"],
            {level.slug: total["name"] if k else level.metrics[0] for level in counted},
            total["higher_is_better"],
        )
        for k, total in enumerate(values["totals"])
    )
    names = [column.name for column in columns]
    rows = {group: tuple(_row(row, kind, levels, names) for row in values[group]) for group, kind in _GROUPS}
    rules = {key: values["rules"][key] for key in ("total", "total_needs", "enter_at_least")}
    return Board(levels, BoardRules(**rules), columns, **rows)


def _row(row: dict[str, Any], kind: Kind, levels: tuple[BoardLevel, ...], totals: list[str]) -> Row:
    cells = {
        level.slug: {metric: _cell(row["levels"][level.slug][metric]) for metric in level.metrics}
        for level in levels
    }
    return Row(row["team"], row["run"], kind, cells, tuple(_total(row["total"][name]) for name in totals))


def _cell(cell: dict[str, Any]) -> Cell:
    return Cell(_value(cell), cell["rank"], cell.get("n"), cell.get("signature"))


def _total(total: dict[str, Any]) -> Total:
    return Total(_value(total), total["rank"], total["entered"], total["of"])


def _value(cell: dict[str, Any]) -> float | Undefined:
    if cell["value"] is None:
        return Undefined(cell["undefined"]["code"], cell["undefined"]["reason"])
    return float(cell["value"])


def _consistency_faults(board: dict[str, Any]) -> Iterator[Fault]:
    """Yield the contradictions in a board that has the required structure."""
    if board["schema"] != SCHEMA:
        yield "schema", f'is not "{SCHEMA}"'
    if board["rules"]["total"] not in _TOTALS:
        yield "rules.total", f"is not one of {', '.join(_TOTALS)}"
    if board["rules"]["total_needs"] not in _NEEDS:
        yield "rules.total_needs", f"is not one of {', '.join(_NEEDS)}"
    columns = {level["slug"]: level["metrics"] for level in board["levels"]}
    yield from ((f"levels[{slug}].metrics", "is empty") for slug, metrics in columns.items() if not metrics)
    if len(columns) < max(1, len(board["levels"])):
        yield "levels", "has none, or one twice"
    names_by_part = {f"levels.{slug}": set(metrics) for slug, metrics in columns.items()}
    names_by_part["total"] = {total["name"] for total in board["totals"]}
    for group, _ in _GROUPS:
        systems = set()
        for k, row in enumerate(board[group]):
            yield from _row_faults(row, names_by_part, f"{group}[{k}]")
            if (row["team"], row["run"]) in systems:
                yield f"{group}[{k}]", f'run "{row["run"]}" of team "{row["team"]}" stands there twice'
            systems.add((row["team"], row["run"]))


def _row_faults(row: dict[str, Any], names_by_part: dict[str, set[str]], place: str) -> Iterator[Fault]:
    """Yield where a row does not have the columns of the board, or has neither a value nor a reason."""
    cells = {f"levels.{slug}": by for slug, by in row["levels"].items()} | {"total": row["total"]}
    for name in dict.fromkeys((*names_by_part, *cells)):
        if cells.get(name, {}).keys() != names_by_part.get(name, set()):
            yield f"{place}.{name}", "does not have the columns of the board"
    for name, by in cells.items():
        for column, cell in by.items():
            if cell["value"] is None and "undefined" not in cell:
                yield f"{place}.{name}.{column}", "has neither a value nor a reason"
