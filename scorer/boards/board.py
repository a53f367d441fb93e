"""The one ranking function: totals, ranks and ties, for the site and offline alike.

What is missing never ranks: a level that was not entered and an undefined value come after every number.
Systems whose values are equal at twelve decimals share a rank (1, 2, 2, 4).
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
"""Values are compared at this many decimals, and shown rounded only by the reports."""

Kind = Literal["official", "late", "baseline"]
ColumnKey = tuple[str | None, str]
"""A level's slug, None for a total; and a metric, or the total's name."""
NOT_ENTERED = Undefined("not_entered", "not entered")


@dataclass(frozen=True, slots=True)
class BoardLevel:
    """One column of a board; the first of `metrics` is the official one of the level."""

    slug: str
    title: str
    metrics: tuple[str, ...]
    counts: bool = True


@dataclass(frozen=True, slots=True)
class BoardRules:
    """How the levels make a total, as the task's bundle states it."""

    total: Literal["sum", "mean", "weighted", "none"] = "sum"
    total_needs: Literal["entered", "all"] = "entered"
    enter_at_least: int = 1

    def check(self, levels: Sequence[BoardLevel]) -> None:
        """Raise RequestError where these rules make no sense for these levels."""
        counted = [level for level in levels if level.counts]
        directions = {METRICS[level.metrics[0]].higher_is_better for level in counted}
        if self.total == "none":
            return
        if len(directions) > 1:
            raise RequestError('higher is better at some levels and lower at others; use total = "none"')
        if directions == {False} and self.total == "sum" and self.total_needs == "entered":
            raise RequestError('a sum of errors rewards leaving levels out; use total_needs = "all"')
        if counted and self.enter_at_least > len(counted):
            raise RequestError(f"enter_at_least is {self.enter_at_least}, but {len(counted)} levels count")


@dataclass(frozen=True, slots=True)
class Entry:
    """One system as it comes to the board: its results by level and metric."""

    team: str
    run: str
    kind: Kind
    results: Mapping[str, Mapping[str, Result]]


@dataclass(frozen=True, slots=True)
class Cell:
    """One value of a row, with its rank among the official rows (None: not ranked)."""

    value: float | Undefined
    rank: int | None = None
    n: int | None = None
    signature: str | None = None


@dataclass(frozen=True, slots=True)
class Total:
    """The total of a row over the levels that it entered, `entered` of `of`."""

    value: float | Undefined
    rank: int | None
    entered: int
    of: int


@dataclass(frozen=True, slots=True)
class TotalColumn:
    """One total: which metric it takes from each level that counts."""

    name: str
    metrics: Mapping[str, str]
    higher_is_better: bool


@dataclass(frozen=True, slots=True)
class Row:
    """One system on the board: cells by level and metric, totals in the order of the board's columns."""

    team: str
    run: str
    kind: Kind
    cells: Mapping[str, Mapping[str, Cell]]
    totals: tuple[Total, ...]


@dataclass(frozen=True, slots=True)
class Board:
    """The ordered table: official rows in rank order, late and baseline rows apart."""

    levels: tuple[BoardLevel, ...]
    rules: BoardRules
    totals: tuple[TotalColumn, ...]
    official: tuple[Row, ...]
    late: tuple[Row, ...]
    baselines: tuple[Row, ...]

    @property
    def ranking(self) -> ColumnKey | None:
        """The column that ranks the systems: the official total, or the official metric of a single level.

        None where several levels have no total: then each level ranks the systems by itself.
        """
        if self.totals:
            return None, self.totals[0].name
        return (self.levels[0].slug, self.levels[0].metrics[0]) if len(self.levels) == 1 else None

    def rank(self, row: Row) -> int | None:
        """The rank of a row in the column that ranks the systems; None: it has none."""
        if self.ranking is None:
            return None
        slug, metric = self.ranking
        return row.totals[0].rank if slug is None else row.cells[slug][metric].rank


def boards_by_level(board: Board) -> dict[str, Board]:
    """A board for each level, by its slug: the same values and ranks, in the order of that level."""
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
    """Each metric of each level, then the totals."""
    levels: list[ColumnKey] = [(level.slug, metric) for level in board.levels for metric in level.metrics]
    return levels + [(None, column.name) for column in board.totals]


def official_columns(board: Board) -> list[ColumnKey]:
    """The official metric of each level, then the official total."""
    levels: list[ColumnKey] = [(level.slug, level.metrics[0]) for level in board.levels]
    return levels + [(None, column.name) for column in board.totals[:1]]


def systems_of(board: Board) -> list[dict[str, str]]:
    """What names each row, in the order of `rows_of`."""
    return [{"kind": row.kind, "team": row.team, "run": row.run} for row in rows_of(board)]


def rows_of(board: Board) -> list[Row]:
    """Every row, in the order of the board: official, late, baselines."""
    return [*board.official, *board.late, *board.baselines]


def rank_values(values: Sequence[float | None], *, higher_is_better: bool = True) -> list[int | None]:
    """Competition ranks of values, where equal ones share a rank and missing ones have none.

    Parameters
    ----------
    values : (m,) sequence of float or None
        Finite values; None where a system has none.
    higher_is_better : bool
        Whether the largest value has rank 1 (default) or the smallest.

    Returns
    -------
    (m,) list of int or None
        1 + the number of better values, compared at twelve decimals; None for None.

    Examples
    --------
    >>> rank_values([0.5, 0.9, None, 0.5])
    [2, 1, None, 2]
    >>> rank_values([0.5, 0.9, None, 0.5], higher_is_better=False)
    [1, 3, None, 1]
    """
    rounded = [None if value is None else round(value, DECIMALS) for value in values]
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
        The columns, in order.
    rules : BoardRules
        How levels make a total and what a system must enter to have one.
    entries : sequence of Entry
        The systems, in any order. Only those of kind "official" are ranked.

    Returns
    -------
    Board
        Rows of each kind ordered by the official total (without totals: by the first level), the best first,
        rows without one after all others, equals by team and run.

    Raises
    ------
    RequestError
        If the rules make no sense for the levels, or one system stands there twice.

    Notes
    -----
    A total over the levels entered says how many they were; undefined counts as not entered (Jurgens,
    Pilehvar & Navigli, SemEval-2014 Task 3, section 5). With `total="weighted"` each level weighs as much as
    the number of its items that were scored.

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
    """The official total first, then one for each other metric that every counted level has."""
    counted = [level for level in levels if level.counts]
    if rules.total == "none" or not counted:
        return ()
    officials = {level.slug: level.metrics[0] for level in counted}
    same = len(set(officials.values())) == 1
    name = counted[0].metrics[0] if same else "official"
    columns = [TotalColumn(name, officials, METRICS[counted[0].metrics[0]].higher_is_better)]
    for metric in counted[0].metrics:
        higher = METRICS[metric].higher_is_better
        rewards_gaps = not higher and rules.total == "sum" and rules.total_needs == "entered"
        if metric != name and not rewards_gaps and all(metric in level.metrics for level in counted):
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
    if rules.total == "weighted":
        return math.fsum(value * n for value, n in values) / sum(n for _, n in values)
    total = math.fsum(value for value, _ in values)
    return total if rules.total == "sum" else total / entered


def _rank_rows(rows: list[Row], levels: Sequence[BoardLevel], columns: Sequence[TotalColumn]) -> list[Row]:
    """Give each value its rank; only rows that count are handed in."""
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
                slug: {metric: replace(cell, rank=cell_ranks[slug, metric][i]) for metric, cell in by.items()}
                for slug, by in row.cells.items()
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
        return (worth is None, 0.0 if worth is None else -round(worth, DECIMALS), *order)

    return tuple(sorted(rows, key=key))


def row_worth(row: Row, levels: Sequence[BoardLevel], columns: Sequence[TotalColumn]) -> float | None:
    """The first total, else the first official value; with its sign turned where lower is better."""
    if columns:
        value, higher = row.totals[0].value, columns[0].higher_is_better
    else:
        slug, metric = levels[0].slug, levels[0].metrics[0]
        value, higher = row.cells[slug][metric].value, METRICS[metric].higher_is_better
    number = number_or_none(value)
    return number if number is None or higher else -number
