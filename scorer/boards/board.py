"""Leaderboards: the totals, ranks and ties of systems, computed in the same way on the site and offline.

Missing values have no rank: a level that was not entered and an undefined value come after every number.
Systems with equal values share a rank (1, 2, 2, 4); `comparable` rounds values before they are compared.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from scorer.errors import RequestError
from scorer.metrics import METRICS
from scorer.scoring.evaluate import Result
from scorer.values import Undefined, number_or_none

DECIMALS = 12
"""The number of decimal places at which values are compared. Only reports round values for display."""

Kind = Literal["official", "late", "baseline"]
ColumnKey = tuple[str | None, str]
"""The slug of a level and a metric, or None and the name of a total."""
SystemKey = tuple[Kind, str, str]
"""The kind, team and run of a system."""
NOT_ENTERED = Undefined("not_entered", "not entered")


@dataclass(frozen=True, slots=True)
class BoardLevel:
    """A level of a board. The first of `metrics` is the official metric of the level."""

    slug: str
    title: str
    metrics: tuple[str, ...]
    counts: bool = True


@dataclass(frozen=True, slots=True)
class BoardRules:
    """The rules for computing a total from the levels, as in the task's bundle.

    By default, a mean needs all levels, and other totals need the levels that a system entered.
    """

    total: Literal["sum", "mean", "weighted", "none"] = "sum"
    total_needs: Literal["entered", "all"] = None  # type: ignore[assignment]  # depends on the total
    enter_at_least: int = 1

    def __post_init__(self) -> None:
        if self.total_needs is None:
            needs = "all" if self.total in ("mean", "weighted") else "entered"
            object.__setattr__(self, "total_needs", needs)

    def rewards_gaps(self, metric: str) -> bool:
        """Whether a total of this metric can get better if a system leaves out a level."""
        is_safe = self.total == "none" or (self.total == "sum" and METRICS[metric].higher_is_better)
        return self.total_needs == "entered" and not is_safe

    def check(self, levels: Sequence[BoardLevel]) -> None:
        """Raise RequestError if these rules are not valid for these levels."""
        counted = [level for level in levels if level.counts]
        directions = {METRICS[level.metrics[0]].higher_is_better for level in counted}
        if self.total == "none":
            return
        if len(directions) > 1:
            raise RequestError('higher is better at some levels and lower at others; use total = "none"')
        if counted and self.rewards_gaps(counted[0].metrics[0]):
            kind = "a sum of errors" if self.total == "sum" else "a mean over the levels entered"
            other = "sum" if directions == {True} else "none"
            raise RequestError(
                f'{kind} rewards leaving hard levels out; use total_needs = "all", or total = "{other}"'
            )
        if counted and self.enter_at_least > len(counted):
            raise RequestError(f"enter_at_least is {self.enter_at_least}, but {len(counted)} levels count")


@dataclass(frozen=True, slots=True)
class Entry:
    """A system that enters the board, with its results by level and metric."""

    team: str
    run: str
    kind: Kind
    results: Mapping[str, Mapping[str, Result]]


@dataclass(frozen=True, slots=True)
class Cell:
    """A value of a row, with its rank among the official rows (None if it is not ranked)."""

    value: float | Undefined
    rank: int | None = None
    n: int | None = None
    signature: str | None = None


@dataclass(frozen=True, slots=True)
class Total:
    """The total of a row. The system entered `entered` of the `of` levels that count."""

    value: float | Undefined
    rank: int | None
    entered: int
    of: int


@dataclass(frozen=True, slots=True)
class TotalColumn:
    """A column with a total, and the metric that it uses from each level that counts."""

    name: str
    metrics: Mapping[str, str]
    higher_is_better: bool


@dataclass(frozen=True, slots=True)
class Row:
    """A system on the board: its cells by level and metric, and its totals in the order of the columns."""

    team: str
    run: str
    kind: Kind
    cells: Mapping[str, Mapping[str, Cell]]
    totals: tuple[Total, ...]

    @property
    def key(self) -> SystemKey:
        """The kind, team and run of its system."""
        return self.kind, self.team, self.run


@dataclass(frozen=True, slots=True)
class Board:
    """A leaderboard. The official rows are in rank order; late and baseline rows are separate."""

    levels: tuple[BoardLevel, ...]
    rules: BoardRules
    totals: tuple[TotalColumn, ...]
    official: tuple[Row, ...]
    late: tuple[Row, ...]
    baselines: tuple[Row, ...]

    @property
    def ranking(self) -> ColumnKey | None:
        """The column that ranks the systems: the official total, or the official metric of a single level.

        It is None if there are several levels and no total, because then each level has its own ranking.
        """
        if self.totals:
            return None, self.totals[0].name
        return (self.levels[0].slug, self.levels[0].metrics[0]) if len(self.levels) == 1 else None

    def cell(self, row: Row, column: ColumnKey) -> Cell | Total | None:
        """Return the cell of a row in a column, or None if the board has no such column."""
        slug, name = column
        if slug is not None:
            return row.cells.get(slug, {}).get(name)
        for total_column, total in zip(self.totals, row.totals, strict=True):
            if total_column.name == name:
                return total
        return None

    def higher_is_better(self, column: ColumnKey) -> bool:
        """Return whether the higher values of a column are the better ones."""
        slug, name = column
        if slug is not None:
            return METRICS[name].higher_is_better
        return next(total.higher_is_better for total in self.totals if total.name == name)

    def rank(self, row: Row) -> int | None:
        """Return the rank of a row in the column that ranks the systems, or None if it has no rank."""
        cell = None if self.ranking is None else self.cell(row, self.ranking)
        return None if cell is None else cell.rank


def boards_by_level(board: Board) -> dict[str, Board]:
    """Return a board for each level, by its slug, with the same values and ranks, sorted by that level."""
    return {
        level.slug: replace(
            board,
            levels=(level,),
            totals=(),
            official=_sort_rows(board.official, (level,), ()),
            late=_sort_rows(board.late, (level,), ()),
            baselines=_sort_rows(board.baselines, (level,), ()),
        )
        for level in board.levels
    }


def columns_of(board: Board) -> list[ColumnKey]:
    """Return the columns of a board: each metric of each level, then the totals."""
    levels: list[ColumnKey] = [(level.slug, metric) for level in board.levels for metric in level.metrics]
    return levels + [(None, column.name) for column in board.totals]


def official_columns(board: Board) -> list[ColumnKey]:
    """Return the official metric of each level, then the official total."""
    levels: list[ColumnKey] = [(level.slug, level.metrics[0]) for level in board.levels]
    return levels + [(None, column.name) for column in board.totals[:1]]


def systems_of(board: Board) -> list[dict[str, str]]:
    """Return the kind, team and run of each row, in the order of `rows_of`."""
    return [{"kind": row.kind, "team": row.team, "run": row.run} for row in rows_of(board)]


def rows_of(board: Board) -> list[Row]:
    """Return all rows of a board in order: official, late, baselines."""
    return [*board.official, *board.late, *board.baselines]


def comparable(value: float, *, higher_is_better: bool) -> float:
    """Round a value to the digits at which values are compared, so that no rank depends on rounding errors.

    These are twelve decimal places or, for errors, twelve significant digits, because an error can be as
    small as the unit of the ratings makes it.

    >>> comparable(0.1 + 0.2, higher_is_better=True), comparable(2e-15 / 3, higher_is_better=False)
    (0.3, 6.66666666667e-16)
    """
    return round(value, DECIMALS) if higher_is_better else float(f"{value:.{DECIMALS - 1}e}")


def rank_values(values: Sequence[float | None], *, higher_is_better: bool = True) -> list[int | None]:
    """Compute competition ranks, where equal values share a rank and missing values have no rank.

    Parameters
    ----------
    values : (m,) sequence of float or None
        The values, finite. None is a missing value.
    higher_is_better : bool
        Whether the largest value has rank 1 (default) or the smallest.

    Returns
    -------
    (m,) list of int or None
        1 + the number of better values, or None for a missing value. Values are compared at twelve decimal
        places or, if lower is better, twelve significant digits.

    Examples
    --------
    >>> rank_values([0.5, 0.9, None, 0.5])
    [2, 1, None, 2]
    >>> rank_values([0.5, 0.9, None, 0.5], higher_is_better=False)
    [1, 3, None, 1]
    """
    rounded = [
        None if value is None else comparable(value, higher_is_better=higher_is_better) for value in values
    ]
    present = sorted((value for value in rounded if value is not None), reverse=higher_is_better)
    first: dict[float, int] = {}
    for position, value in enumerate(present, start=1):
        first.setdefault(value, position)
    return [None if value is None else first[value] for value in rounded]


def build_board(levels: Sequence[BoardLevel], rules: BoardRules, entries: Sequence[Entry]) -> Board:
    """Rank systems by the task's rules.

    Parameters
    ----------
    levels : sequence of BoardLevel
        The levels, in order.
    rules : BoardRules
        How a total is computed from the levels, and which levels a system must enter to have a total.
    entries : sequence of Entry
        The systems, in any order. Only those of kind "official" are ranked.

    Returns
    -------
    Board
        The board. The rows of each kind are sorted from best to worst by the official total or, if there are
        no totals, by the first level. Rows without a value come last, and ties are sorted by team and run.

    Raises
    ------
    RequestError
        If the rules are not valid for the levels, or if a system is repeated.

    Notes
    -----
    A total over the entered levels comes with their number. A level with an undefined value counts as not
    entered (Jurgens, Pilehvar & Navigli, SemEval-2014 Task 3, section 5). With `total="weighted"`, the weight
    of a level is the number of its items that were scored.

    Examples
    --------
    >>> level = BoardLevel("p2s", "Paragraph to sentence", ("pearson",))
    >>> def entry(run, value):
    ...     return Entry("ash", run, "official", {"p2s": {"pearson": Result("pearson", value, 500, "")}})
    >>> board = build_board([level], BoardRules(), [entry("one", 0.5), entry("two", 0.75)])
    >>> [(row.run, row.totals[0].rank) for row in board.official]
    [('two', 1), ('one', 2)]
    """
    rules.check(levels)
    system_keys = set()
    for entry in entries:
        if (entry.kind, entry.team, entry.run) in system_keys:
            raise RequestError(f'run "{entry.run}" of team "{entry.team}" stands there twice')
        system_keys.add((entry.kind, entry.team, entry.run))
    columns = _total_columns(levels, rules)
    rows = [_row(entry, levels, rules, columns) for entry in entries]
    official = _rank_rows([row for row in rows if row.kind == "official"], levels, columns)
    return Board(
        levels=tuple(levels),
        rules=rules,
        totals=columns,
        official=_sort_rows(official, levels, columns),
        late=_sort_rows([row for row in rows if row.kind == "late"], levels, columns),
        baselines=_sort_rows([row for row in rows if row.kind == "baseline"], levels, columns),
    )


def _total_columns(levels: Sequence[BoardLevel], rules: BoardRules) -> tuple[TotalColumn, ...]:
    """Return the official total, then a total for each other metric that every counting level has."""
    counted = [level for level in levels if level.counts]
    if rules.total == "none" or not counted:
        return ()
    officials = {level.slug: level.metrics[0] for level in counted}
    same = len(set(officials.values())) == 1
    name = counted[0].metrics[0] if same else "official"
    columns = [TotalColumn(name, officials, METRICS[counted[0].metrics[0]].higher_is_better)]
    for metric in counted[0].metrics:
        higher = METRICS[metric].higher_is_better
        is_shared = all(metric in level.metrics for level in counted)
        if metric != name and is_shared and not rules.rewards_gaps(metric):
            columns.append(TotalColumn(metric, {level.slug: metric for level in counted}, higher))
    return tuple(columns)


def _row(
    entry: Entry, levels: Sequence[BoardLevel], rules: BoardRules, columns: Sequence[TotalColumn]
) -> Row:
    cells: dict[str, dict[str, Cell]] = {}
    for level in levels:
        results = entry.results.get(level.slug, {})
        cells[level.slug] = {metric: _cell(results.get(metric)) for metric in level.metrics}
    totals = tuple(_total(cells, rules, column) for column in columns)
    return Row(entry.team, entry.run, entry.kind, cells, totals)


def _cell(result: Result | None) -> Cell:
    if result is None:
        return Cell(NOT_ENTERED)
    return Cell(result.value, None, result.n, result.signature)


def _total(cells: Mapping[str, Mapping[str, Cell]], rules: BoardRules, column: TotalColumn) -> Total:
    of = len(column.metrics)
    entered = (cells[slug][metric] for slug, metric in column.metrics.items())
    values = [(cell.value, cell.n or 0) for cell in entered if not isinstance(cell.value, Undefined)]
    return Total(_total_value(values, of, rules), None, len(values), of)


def _total_value(values: list[tuple[float, int]], of: int, rules: BoardRules) -> float | Undefined:
    entered = len(values)
    if entered == 0:
        return Undefined("not_entered", "no level with a value")
    if entered < rules.enter_at_least:
        reason = f"has values at {entered} of {of} levels; the total needs at least {rules.enter_at_least}"
        return Undefined("too_few_levels", reason)
    if rules.total_needs == "all" and entered < of:
        return Undefined("not_all_levels", f"has values at {entered} of {of} levels; the total needs all")
    is_weighted = rules.total == "weighted"
    try:
        total = math.fsum(value * n if is_weighted else value for value, n in values)
    except OverflowError:
        total = math.inf
    if not math.isfinite(total):
        return Undefined("overflow", "the values are too large for a total")
    weights = {"sum": 1, "mean": entered, "weighted": sum(n for _, n in values)}
    return total / weights[rules.total]


def _rank_rows(rows: list[Row], levels: Sequence[BoardLevel], columns: Sequence[TotalColumn]) -> list[Row]:
    """Add the rank of each value among these rows, which must be the official rows."""
    cell_ranks = {
        (level.slug, metric): _rank_column(
            [row.cells[level.slug][metric] for row in rows], METRICS[metric].higher_is_better
        )
        for level in levels
        for metric in level.metrics
    }
    total_ranks = [
        _rank_column([row.totals[k] for row in rows], column.higher_is_better)
        for k, column in enumerate(columns)
    ]
    return [
        replace(
            row,
            cells={
                slug: {
                    metric: replace(cell, rank=cell_ranks[slug, metric][i]) for metric, cell in cells.items()
                }
                for slug, cells in row.cells.items()
            },
            totals=tuple(
                replace(total, rank=ranks[i]) for total, ranks in zip(row.totals, total_ranks, strict=True)
            ),
        )
        for i, row in enumerate(rows)
    ]


def _rank_column(cells: Sequence[Cell | Total], higher: bool) -> list[int | None]:
    return rank_values([number_or_none(cell.value) for cell in cells], higher_is_better=higher)


def _sort_rows(
    rows: Sequence[Row], levels: Sequence[BoardLevel], columns: Sequence[TotalColumn]
) -> tuple[Row, ...]:
    def key(row: Row) -> tuple[bool, float, str, str, str, str]:
        worth = row_worth(row, levels, columns)
        order = (row.team.casefold(), row.run.casefold(), row.team, row.run)
        return (worth is None, 0.0 if worth is None else -worth, *order)

    return tuple(sorted(rows, key=key))


def row_worth(row: Row, levels: Sequence[BoardLevel], columns: Sequence[TotalColumn]) -> float | None:
    """Return the first total or, without totals, the first official value, for comparisons.

    It is rounded, and negated if lower is better.
    """
    if columns:
        value, higher = row.totals[0].value, columns[0].higher_is_better
    else:
        slug, metric = levels[0].slug, levels[0].metrics[0]
        value, higher = row.cells[slug][metric].value, METRICS[metric].higher_is_better
    if isinstance(value, Undefined):
        return None
    worth = comparable(value, higher_is_better=higher)
    return worth if higher else -worth
