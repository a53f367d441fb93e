"""Compare two boards, for example before and after a correction of the gold, or of two scorer versions."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Literal

from scorer.boards.board import NOT_ENTERED, Board, ColumnKey, Kind, Row, SystemKey, columns_of, rows_of
from scorer.boards.serialization import BoardFile
from scorer.values import Undefined


@dataclass(frozen=True, slots=True)
class BoardValue:
    """A value on one board. `n` and `signature` belong to the value of a level, and `entered` to a total."""

    value: float | Undefined
    rank: int | None
    n: int | None = None
    signature: str | None = None
    entered: int | None = None


@dataclass(frozen=True, slots=True)
class FactChange:
    """A changed property of the whole board or of a level, such as `rules.total`, `scorer` or `p2s.title`."""

    name: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class ColumnChange:
    """A column that only one of the boards has: a metric of a level, or a total (`level` is None)."""

    level: str | None
    metric: str
    change: Literal["came", "left"]


_ROW_NAMES: dict[Kind, str] = {
    "official": "an official row", "late": "a late row", "baseline": "a row as a baseline"
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class SystemChange:
    """A system that was added or removed, or whose rows are of other kinds.

    `before` and `after` have the kinds of its rows on each board. They are empty if the system is not on it.
    """

    team: str
    run: str
    before: tuple[Kind, ...]
    after: tuple[Kind, ...]

    @property
    def change(self) -> Literal["came", "left", "changed kind"]:
        """The type of the change."""
        if not self.before:
            return "came"
        return "changed kind" if self.after else "left"

    @property
    def words(self) -> str:
        """The change as a phrase that follows the name of the system."""
        new_rows = [_ROW_NAMES[kind] for kind in self.after if kind not in self.before]
        lost_kinds = [kind for kind in self.before if kind not in self.after]
        if not self.before:
            return f"is new ({' and '.join(self.after)})"
        if not self.after:
            return f"was removed ({' and '.join(self.before)})"
        if not lost_kinds:
            return f"now also has {' and '.join(new_rows)}"
        if not new_rows:
            return f"no longer has {' or '.join(_ROW_NAMES[kind] for kind in lost_kinds)}"
        return f"was {' and '.join(self.before)} and is now {' and '.join(self.after)}"


@dataclass(frozen=True, slots=True)
class ValueChange:
    """A value that differs in any way between the boards.

    `level` is None for a total. `before` or `after` is None if that board does not have the row.
    """

    kind: Kind
    team: str
    run: str
    level: str | None
    metric: str
    before: BoardValue | None
    after: BoardValue | None

    @property
    def on_both(self) -> bool:
        """Whether both boards have the row."""
        return self.before is not None and self.after is not None

    @property
    def new_value(self) -> bool:
        """Whether the value itself differs, in any digit or in the reason why it is undefined."""
        before, after = (figure and figure.value for figure in (self.before, self.after))
        return not self.on_both or before != after

    @property
    def ranks(self) -> tuple[int | None, int | None]:
        """The rank before and after."""
        before, after = self.before, self.after
        return before.rank if before else None, after.rank if after else None

    @property
    def new_rank(self) -> bool:
        """Whether the rank differs."""
        return self.ranks[0] != self.ranks[1]

    @property
    def new_signature(self) -> bool:
        """Whether the value is the same but was computed from other items or by another scorer version."""
        if self.new_value or self.before is None or self.after is None:
            return False
        return (self.before.n, self.before.signature) != (self.after.n, self.after.signature)


@dataclass(frozen=True, slots=True)
class RankChange:
    """A system whose overall rank differs. A rank is None if the system is not ranked on that board."""

    team: str
    run: str
    before: int | None
    after: int | None


@dataclass(frozen=True, slots=True)
class BoardChanges:
    """All differences in the order of the later board, followed by what the later board does not have."""

    facts: tuple[FactChange, ...]
    columns: tuple[ColumnChange, ...]
    systems: tuple[SystemChange, ...]
    values: tuple[ValueChange, ...]
    moves: tuple[RankChange, ...]

    @property
    def nothing(self) -> bool:
        """Whether the boards are the same."""
        return not (self.facts or self.columns or self.systems or self.values)

    @property
    def new_values(self) -> tuple[ValueChange, ...]:
        """The values that differ in more than rank, n or signature, or whose row was added or removed."""
        return tuple(change for change in self.values if change.new_value)

    @property
    def new_ranks(self) -> tuple[ValueChange, ...]:
        """The values whose rank differs, including those that are equal."""
        return tuple(change for change in self.values if change.new_rank)

    @property
    def new_signatures(self) -> tuple[ValueChange, ...]:
        """The values that are the same but were computed from other items or by another scorer version."""
        return tuple(change for change in self.values if change.new_signature)


def board_changes(before: BoardFile, after: BoardFile) -> BoardChanges:
    """Compare two boards, value by value and rank by rank.

    Parameters
    ----------
    before, after : BoardFile
        The boards, as `read_board` returns them.

    Returns
    -------
    BoardChanges
        Systems are identified by team and run. Their values are compared between rows of the same kind, in
        the columns that both boards have. Values are compared at full precision. For a row that was added or
        removed, the values of entered levels are listed with None for the other board.

    Notes
    -----
    `moves` uses the column that ranks the systems of each board: its official total, or the official metric
    of its only level. It includes ranked systems that were added or removed. If a board has several levels
    and no total, each level has its own ranking, so systems have no overall rank.

    Examples
    --------
    >>> from scorer.boards.board import BoardLevel, BoardRules, Entry, build_board
    >>> from scorer.boards.serialization import BoardFile
    >>> from scorer.scoring.evaluate import Result
    >>> def board(**values):
    ...     entries = [
    ...         Entry("ash", run, "official", {"p2s": {"pearson": Result("pearson", value, 500, "")}})
    ...         for run, value in values.items()
    ...     ]
    ...     made = build_board([BoardLevel("p2s", "P2S", ("pearson",))], BoardRules(), entries)
    ...     return BoardFile(made, task="small", title="Small", split="test")
    >>> changes = board_changes(board(one=0.5, two=0.75), board(one=0.875, two=0.75))
    >>> [(move.run, move.before, move.after) for move in changes.moves]
    [('one', 2, 1), ('two', 1, 2)]
    >>> [(c.run, c.level, c.before.value, c.after.value) for c in changes.new_values]
    [('one', 'p2s', 0.5, 0.875), ('one', None, 0.5, 0.875)]
    """
    old, new = before.board, after.board
    return BoardChanges(
        facts=tuple(_facts(_facts_of(before), _facts_of(after))),
        columns=tuple(_columns(columns_of(old), columns_of(new))),
        systems=tuple(_systems(old, new)),
        values=tuple(_values(old, new)),
        moves=tuple(_moves(old, new)),
    )


_System = tuple[str, str]


def _facts_of(file: BoardFile) -> dict[str, str]:
    """Return the properties of a whole board and of its levels, by name."""
    board, facts = file.board, {**file.names, "scorer": file.scorer}
    facts |= {f"rules.{name}": str(value) for name, value in asdict(board.rules).items()}
    for level in board.levels:
        facts[f"{level.slug}.title"] = level.title
        facts[f"{level.slug}.official"] = level.metrics[0]
        facts[f"{level.slug}.counts"] = "yes" if level.counts else "no"
    if board.totals:
        facts["total.official"] = board.totals[0].name
    return facts


def _facts(old: dict[str, str], new: dict[str, str]) -> Iterator[FactChange]:
    for name, after in new.items():
        if old.get(name, after) != after:
            yield FactChange(name, old[name], after)


def _columns(old: list[ColumnKey], new: list[ColumnKey]) -> Iterator[ColumnChange]:
    yield from (ColumnChange(*column, "came") for column in new if column not in old)
    yield from (ColumnChange(*column, "left") for column in old if column not in new)


def _kinds(board: Board) -> dict[_System, tuple[Kind, ...]]:
    kinds: dict[_System, tuple[Kind, ...]] = {}
    for row in rows_of(board):
        kinds[row.team, row.run] = (*kinds.get((row.team, row.run), ()), row.kind)
    return kinds


def _systems(old: Board, new: Board) -> Iterator[SystemChange]:
    before, after = _kinds(old), _kinds(new)
    for system in dict.fromkeys((*after, *before)):
        change = SystemChange(*system, before.get(system, ()), after.get(system, ()))
        if change.before != change.after:
            yield change


def _values(old: Board, new: Board) -> Iterator[ValueChange]:
    rows_before, rows_after = _rows_of(old), _rows_of(new)
    shared_columns = set(columns_of(old)) & set(columns_of(new))
    for row in dict.fromkeys((*rows_after, *rows_before)):
        before, after = rows_before.get(row, {}), rows_after.get(row, {})
        for column in (key for key in after or before if key in shared_columns):
            change = ValueChange(*row, *column, before.get(column), after.get(column))
            if change.before != change.after and (change.on_both or _is_entered(change)):
                yield change


def _rows_of(board: Board) -> dict[SystemKey, dict[ColumnKey, BoardValue]]:
    return {row.key: _values_by_column(row, board) for row in rows_of(board)}


def _is_entered(change: ValueChange) -> bool:
    """Whether a row that was added or removed entered this column."""
    value = (change.before or change.after or _NOT_ENTERED_VALUE).value
    return not (isinstance(value, Undefined) and value.code == NOT_ENTERED.code)


_NOT_ENTERED_VALUE = BoardValue(NOT_ENTERED, None)


def _values_by_column(row: Row, board: Board) -> dict[ColumnKey, BoardValue]:
    values: dict[ColumnKey, BoardValue] = {
        (slug, metric): BoardValue(cell.value, cell.rank, cell.n, cell.signature)
        for slug, cells in row.cells.items()
        for metric, cell in cells.items()
    }
    for column, total in zip(board.totals, row.totals, strict=True):
        values[None, column.name] = BoardValue(total.value, total.rank, entered=total.entered)
    return values


def _moves(old: Board, new: Board) -> Iterator[RankChange]:
    before, after = _ranks(old), _ranks(new)
    for system in dict.fromkeys((*after, *before)):
        if before.get(system) != after.get(system):
            yield RankChange(*system, before.get(system), after.get(system))


def _ranks(board: Board) -> dict[_System, int | None]:
    return {(row.team, row.run): board.rank(row) for row in board.official}
