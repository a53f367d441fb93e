"""Convert boards to JSON and back. Reading validates the JSON and reports all problems."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Annotated, Any

from scorer._version import __version__
from scorer.boards.board import Board, BoardLevel, BoardRules, Cell, Kind, Row, Total, TotalColumn
from scorer.errors import BoardError, Problem
from scorer.typed_json import Fault, Scalar, TypedReader, parse_json
from scorer.values import Undefined, write_json

SCHEMA = "assay.board/1"


@dataclass(frozen=True, slots=True)
class BoardFile:
    """A board as its file has it, with what its file says about it.

    Parameters
    ----------
    board : Board
        The same rows, ranks and order as in the file. Nothing is ranked again.
    task, title, split : str
        The task's slug and title, and the split that was scored.
    scorer : str
        The version of the scorer that made it.
    """

    board: Board
    task: str
    title: str
    split: str
    scorer: str = __version__

    @property
    def names(self) -> dict[str, Any]:
        """The task, title and split, as `render_board` takes them."""
        return {"task": self.task, "title": self.title, "split": self.split}


def board_dict(file: BoardFile) -> dict[str, Any]:
    """Convert a board to JSON values, at full precision and in a fixed order."""
    board = file.board
    return {
        "schema": SCHEMA,
        **file.names,
        "scorer": file.scorer,
        "rules": asdict(board.rules),
        "levels": [asdict(level) | {"metrics": list(level.metrics)} for level in board.levels],
        "totals": [
            {"name": column.name, "higher_is_better": column.higher_is_better} for column in board.totals
        ],
        "official": [_row_dict(row, board) for row in board.official],
        "late": [_row_dict(row, board) for row in board.late],
        "baselines": [_row_dict(row, board) for row in board.baselines],
    }


def board_json(board: Board, *, task: str, title: str, split: str, scorer: str = __version__) -> str:
    """Convert a board to JSON. The bytes are the same on every machine.

    Parameters
    ----------
    board : Board
        The board, as `build_board` returns it.
    task, title, split, scorer : str
        As in `BoardFile`.
    """
    return write_json(board_dict(BoardFile(board, task, title, split, scorer)))


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


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and abs(value) < _MAX_NUMBER


_READER = TypedReader(
    {
        str: Scalar("a text", lambda value: type(value) is str),
        bool: Scalar("true or false", lambda value: type(value) is bool),
        int: Scalar("a whole number", lambda value: type(value) is int and 0 <= value < _MAX_NUMBER),
    }
)
"""Reads boards. Other keys are ignored."""
_Number = Annotated[
    float | None,
    Scalar(
        "a number or null",
        lambda value: value is None or _is_number(value),
        lambda value: None if value is None else float(value),
    ),
]
_Rank = Annotated[
    int | None, Scalar("a rank or null", lambda value: value is None or (type(value) is int and value > 0))
]


@dataclass(slots=True)  # not frozen: a board has thousands of values, and frozen ones take longer to make
class _StoredValue:
    value: _Number
    rank: _Rank
    undefined: Undefined | None = field(default=None, kw_only=True, metadata={"type": Undefined})

    @property
    def content(self) -> float | Undefined | None:
        """The value, or the reason why there is none; None: the file has neither."""
        return self.undefined if self.value is None else self.value


@dataclass(slots=True)
class _StoredTotal(_StoredValue):
    entered: int
    of: int


@dataclass(slots=True)
class _StoredCell(_StoredValue):
    n: int | None = field(default=None, metadata={"type": int})
    signature: str | None = field(default=None, metadata={"type": str})


@dataclass(slots=True)
class _StoredRow:
    team: str
    run: str
    total: dict[str, _StoredTotal]
    levels: dict[str, dict[str, _StoredCell]]

    @property
    def parts(self) -> dict[str, Mapping[str, _StoredValue]]:
        """The values by column of each level and of the total, by their places in the file."""
        return {f"levels.{slug}": cells for slug, cells in self.levels.items()} | {"total": self.total}


@dataclass(slots=True)
class _StoredRules:
    total: str
    total_needs: str
    enter_at_least: int


@dataclass(slots=True)
class _StoredLevel:
    slug: str
    title: str
    metrics: tuple[str, ...]
    counts: bool


@dataclass(slots=True)
class _StoredColumn:
    name: str
    higher_is_better: bool


@dataclass(slots=True)
class _StoredBoard:
    schema: str
    task: str
    title: str
    split: str
    scorer: str
    rules: _StoredRules
    levels: tuple[_StoredLevel, ...]
    totals: tuple[_StoredColumn, ...]
    official: tuple[_StoredRow, ...]
    late: tuple[_StoredRow, ...]
    baselines: tuple[_StoredRow, ...]

    @property
    def groups(self) -> dict[str, tuple[_StoredRow, ...]]:
        """The rows of each kind, by their key in the file."""
        return {"official": self.official, "late": self.late, "baselines": self.baselines}


def read_board(data: bytes, source: str) -> BoardFile:
    """Parse and validate the JSON of a board.

    Parameters
    ----------
    data : bytes
        The contents of the file.
    source : str
        The name of the file in messages.

    Returns
    -------
    BoardFile
        The board with the same rows, ranks and order. Other keys of the file are ignored.

    Raises
    ------
    BoardError
        If the file is not a board that `board_json` wrote. The error lists all problems.
    """
    faults = list[Fault]()
    try:
        stored = _READER.read(_StoredBoard, parse_json(data), faults)
    except UnicodeDecodeError:
        faults = [("", "is not UTF-8")]
    except ValueError:
        faults = [("", "is not JSON")]
    faults = faults or list(_consistency_faults(stored))
    if faults:
        problems = [
            Problem(source, None, "bad_board", f"{at or 'the file'}: {fault}") for at, fault in faults
        ]
        raise BoardError(problems)
    return BoardFile(_board(stored), stored.task, stored.title, stored.split, stored.scorer)


def is_board(data: bytes) -> bool:
    """Whether the contents of a file are a board that `board_json` wrote."""
    try:
        read_board(data, "")
    except BoardError:
        return False
    return True


def _board(stored: _StoredBoard) -> Board:
    levels = tuple(
        BoardLevel(level.slug, level.title, level.metrics, level.counts) for level in stored.levels
    )
    counted = [level for level in levels if level.counts]
    columns = tuple(
        TotalColumn(
            total.name,
            {level.slug: total.name if k else level.metrics[0] for level in counted},
            total.higher_is_better,
        )
        for k, total in enumerate(stored.totals)
    )
    names = [column.name for column in columns]

    def rows(group: tuple[_StoredRow, ...], kind: Kind) -> tuple[Row, ...]:
        return tuple(_row(row, kind, levels, names) for row in group)

    return Board(
        levels,
        BoardRules(**asdict(stored.rules)),
        columns,
        official=rows(stored.official, "official"),
        late=rows(stored.late, "late"),
        baselines=rows(stored.baselines, "baseline"),
    )


def _row(row: _StoredRow, kind: Kind, levels: tuple[BoardLevel, ...], totals: list[str]) -> Row:
    cells = {
        level.slug: {metric: _cell(row.levels[level.slug][metric]) for metric in level.metrics}
        for level in levels
    }
    return Row(row.team, row.run, kind, cells, tuple(_total(row.total[name]) for name in totals))


def _cell(cell: _StoredCell) -> Cell:
    return Cell(_content(cell), cell.rank, cell.n, cell.signature)


def _total(total: _StoredTotal) -> Total:
    return Total(_content(total), total.rank, total.entered, total.of)


def _content(cell: _StoredValue) -> float | Undefined:
    content = cell.content
    assert content is not None  # noqa: S101  (_consistency_faults reports it)
    return content


def _consistency_faults(board: _StoredBoard) -> Iterator[Fault]:
    """Yield the contradictions in a board that has the required structure."""
    if board.schema != SCHEMA:
        yield "schema", f'is not "{SCHEMA}"'
    if board.rules.total not in _TOTALS:
        yield "rules.total", f"is not one of {', '.join(_TOTALS)}"
    if board.rules.total_needs not in _NEEDS:
        yield "rules.total_needs", f"is not one of {', '.join(_NEEDS)}"
    columns = {level.slug: level.metrics for level in board.levels}
    yield from ((f"levels[{slug}].metrics", "is empty") for slug, metrics in columns.items() if not metrics)
    if len(columns) < max(1, len(board.levels)):
        yield "levels", "has none, or one twice"
    names_by_part = {f"levels.{slug}": set(metrics) for slug, metrics in columns.items()}
    names_by_part["total"] = {total.name for total in board.totals}
    for group, rows in board.groups.items():
        systems = set()
        for k, row in enumerate(rows):
            yield from _row_faults(row, names_by_part, f"{group}[{k}]")
            if (row.team, row.run) in systems:
                yield f"{group}[{k}]", f'run "{row.run}" of team "{row.team}" stands there twice'
            systems.add((row.team, row.run))


def _row_faults(row: _StoredRow, names_by_part: dict[str, set[str]], place: str) -> Iterator[Fault]:
    """Yield where a row does not have the columns of the board, or has neither a value nor a reason."""
    parts = row.parts
    for name in dict.fromkeys((*names_by_part, *parts)):
        if parts.get(name, {}).keys() != names_by_part.get(name, set()):
            yield f"{place}.{name}", "does not have the columns of the board"
    for name, cells in parts.items():
        for column, cell in cells.items():
            if cell.content is None:
                yield f"{place}.{name}.{column}", "has neither a value nor a reason"
