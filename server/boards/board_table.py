"""The table of a leaderboard as its page shows it: columns, sorted and filtered rows, pages.

A pure function of the marked board and the query. Missing values are sorted after all numbers, in either
direction; equal values keep the order of the leaderboard.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import ceil
from typing import Any

from scorer.boards.board import BoardLevel, Cell, ColumnKey, Row, Total, comparable, rows_of
from scorer.values import Undefined, number_or_none
from server.boards.inference_marks import Mark, MarkedBoard
from server.boards.interval_bars import MAX_STEPS, Axis, fit_axis
from server.boards.query_parameters import (
    GROUPS,
    MAX_FILTER_LENGTH,
    BoardQuery,
    SortOrder,
    metrics_of,
    official_metric,
)
from server.boards.systems import format_system_key
from server.core.errors import NotFound

ROWS_PER_PAGE = 200
TOTAL_STEPS = 40
"""Totals differ much more than their intervals are wide, so their axis fits them more closely."""


@dataclass(frozen=True, slots=True)
class BoardColumn:
    """A column of values or of ranks; `metric`: what it shows; `level`: None for the total."""

    board: MarkedBoard
    name: str
    """The name of the column in the query parameter for sorting."""
    metric: str
    level: BoardLevel | None
    is_rank: bool = False
    higher: bool = True
    """Whether higher is better."""
    axis: Axis | None = None
    """The axis on which its intervals are drawn; None: it has no intervals."""

    @property
    def key(self) -> ColumnKey:
        """Its level and metric."""
        return None if self.level is None else self.level.slug, self.metric

    @property
    def first(self) -> SortOrder:
        """The order in which the best value comes first."""
        return "desc" if self.higher and not self.is_rank else "asc"

    def cell(self, row: Row) -> Cell | Total | None:
        """Return the column's cell in a row; None: the level has no such metric."""
        return self.board.cell(row, self.key)

    def mark(self, row: Row) -> Mark:
        """Return what the inference says about the cell."""
        return self.board.mark(row, self.key)

    def sort_value(self, row: Row) -> float | None:
        """Return the value of a row to sort by; None: it is missing."""
        cell = self.cell(row)
        if cell is None or self.is_rank:
            return None if cell is None else cell.rank
        if isinstance(cell.value, Undefined):
            return None
        return comparable(cell.value, higher_is_better=self.higher)


@dataclass(slots=True)
class BoardTableRow:
    """A row of the table."""

    group: str
    record: Row
    at: int
    """Its index in the order by rank, among the rows of its group."""
    keys: tuple[int | None, ...] = ()
    """Its index in the order by each column, small values first; None: missing."""
    cluster: int | None = None
    rule: bool = False
    """Whether it is the last row of a cluster."""

    @property
    def key(self) -> str:
        """The key of its system in addresses."""
        return format_system_key(*self.record.key)

    @property
    def places(self) -> str:
        """Its keys, for the script that sorts the table in the browser."""
        return ",".join("" if key is None else str(key) for key in self.keys)


@dataclass(frozen=True, slots=True)
class BoardView:
    """The part of a leaderboard that a page shows."""

    query: BoardQuery
    base: str
    """The address of the board without a query."""
    level: BoardLevel | None
    rank: BoardColumn | None
    ranks: tuple[BoardColumn, ...]
    """The ranks by other metrics, beside the one that decides here."""
    values: tuple[BoardColumn, ...]
    order: SortOrder
    groups: tuple[tuple[str, tuple[BoardTableRow, ...]], ...]
    found: int
    """The number of rows that match the filter, on all pages."""
    rows: int
    pages: int
    clustered: bool
    """Whether the rows have clusters."""
    ruled: bool
    """Whether the whole leaderboard has a line between clusters, by rank."""
    lined: bool
    """Whether one of the rows that match the filter has such a line."""
    metrics: tuple[str | None, ...]
    """The metrics to choose from; None: the official one of each level, if they differ."""
    official: str | None
    kinds: tuple[str, ...]
    """The groups that have rows."""
    by_genre: tuple[str, ...]
    """The levels that have values by genre."""

    def link(self, **changes: Any) -> str:
        """Return the address of this view with some changes."""
        return self.query.address(self.base, **changes)

    @property
    def shown(self) -> set[ColumnKey]:
        """The level (None: the total) and the metric of each column."""
        return {column.key for column in (*self.values, *self.ranks)}

    @property
    def choices(self) -> list[str]:
        """Return the groups to choose from, if there are several."""
        sets = (("official",), ("official", "late"), ("official", "baselines"), ("late",), ("baselines",))
        board_kinds = set(self.kinds)
        return [",".join(kinds) for kinds in sets if set(kinds) < board_kinds]

    @property
    def inferred(self) -> bool:
        """Whether there are intervals."""
        return any(column.axis is not None for column in self.values)

    @property
    def marked(self) -> set[str]:
        """Which marks the cells on the page have, so that only these are explained."""
        rows = [row.record for _, rows in self.groups for row in rows]
        cells = [(column, cell) for column in self.values for row in rows if (cell := column.cell(row))]
        ranges = [self.rank.mark(row).range or (0, 0) for row in rows] if self.rank is not None else []
        marks = {
            "rank": any(column.level is not None and cell.rank is not None for column, cell in cells),
            "best": any(cell.rank == 1 for _column, cell in cells),
            "range": any(low != high for low, high in ranges),
            "dash": any(isinstance(cell.value, Undefined) for _column, cell in cells),
        }
        return {name for name, is_there in marks.items() if is_there}

    @property
    def beyond(self) -> bool:
        """Whether a value on the page is outside the axis of its column."""
        rows = [row.record for _, rows in self.groups for row in rows]
        drawn = [(column.axis, value) for column in self.values for _, value in _defined_values(column, rows)]
        return any(axis is not None and not axis[0] <= value <= axis[1] for axis, value in drawn)

    @property
    def by_rank(self) -> bool:
        """Whether the rows are sorted by rank."""
        return self.query.sort == "rank" and self.order == "asc"

    @property
    def columns(self) -> tuple[BoardColumn, ...]:
        """The columns that sort by a number, in the order of the page, without the names of the systems."""
        return (*(() if self.rank is None else (self.rank,)), *self.ranks, *self.values)

    @property
    def names(self) -> str:
        """The names of the sortable columns, in the order of each row's keys."""
        return ",".join(["rank", "system", *_column_names(self.columns)])

    @property
    def whole(self) -> bool:
        """Whether all rows are on the page, so that the script can sort and filter them in the browser."""
        return self.pages == 1 and not self.query.q

    def direction(self, name: str) -> str:
        """Return how a column is sorted, as pages tell screen readers."""
        if self.query.sort != name:
            return "none"
        return "ascending" if self.order == "asc" else "descending"

    def other_order(self, name: str, first: SortOrder) -> SortOrder | None:
        """Return the order that a click on a column's head requests; None: its own."""
        if self.query.sort != name:
            return None
        turned: SortOrder = "desc" if self.order == "asc" else "asc"
        return None if turned == first else turned


def view_board(board: MarkedBoard, query: BoardQuery, base: str) -> BoardView:
    """Select the rows and columns for a query.

    Raises:
        NotFound: it sorts by a column that is not there, or asks for a page after the last one.
    """
    slug = query.level or (None if board.ranking is None else board.ranking[0])
    level = next((entry for entry in board.levels if entry.slug == slug), None)
    rank, ranks, values = _all_levels(board, query) if level is None else _one_level(board, query, level)
    columns = [*([] if rank is None else [rank]), *ranks, *values]
    order = _sort_order(query, columns)
    groups = {
        group: _rank_rows(group, [row for row in rows_of(board) if row.kind == kind], rank, columns)
        for group, kind in GROUPS.items()
    }
    matches = _match_rows(groups, query, order, _column_names(columns))
    pages = _count_pages(matches, query)
    clusters = {row.cluster for rows in groups.values() for row in rows} - {None}
    official = official_metric(board, query.level)
    return BoardView(
        query=query,
        base=base,
        level=level,
        rank=rank,
        ranks=tuple(ranks),
        values=tuple(values),
        order=order,
        groups=tuple(_group_rows(matches[(query.page - 1) * ROWS_PER_PAGE : query.page * ROWS_PER_PAGE])),
        found=len(matches),
        rows=sum(map(len, groups.values())),
        pages=pages,
        clustered=bool(clusters),
        ruled=len(clusters) > 1,
        lined=any(row.rule for row in matches),
        metrics=(*(() if official else (None,)), *(metrics_of(board) if level is None else level.metrics)),
        official=official,
        kinds=tuple(group for group, rows in groups.items() if rows),
        by_genre=() if board.inference is None else board.inference.genres,
    )


def _match_rows(
    groups: Mapping[str, Sequence[BoardTableRow]], query: BoardQuery, order: SortOrder, names: Sequence[str]
) -> list[BoardTableRow]:
    """Return the rows that a query asks for, in its order, with the lines between clusters."""
    place = 0 if query.sort == "rank" else 1 + ["system", *names].index(query.sort)
    matches = [
        row
        for group, rows in groups.items()
        if not query.show or group in query.show
        for row in _sort_rows(rows, place, order)
        if query.q.lower() in f"{row.record.team} {row.record.run}".lower()
    ]
    if query.sort == "rank" and order == "asc":
        _mark_cluster_ends([row for row in matches if row.group == "official"])
    return matches


def _count_pages(rows: Sequence[BoardTableRow], query: BoardQuery) -> int:
    """Return the number of pages.

    Raises:
        NotFound: the query asks for a page after the last one.
    """
    pages = max(1, ceil(len(rows) / ROWS_PER_PAGE))
    if query.page > pages:
        raise NotFound.of(
            "There is no page %(page)d; this leaderboard has %(pages)d.", page=query.page, pages=pages
        )
    return pages


def _all_levels(
    board: MarkedBoard, query: BoardQuery
) -> tuple[BoardColumn | None, list[BoardColumn], list[BoardColumn]]:
    """Return the total, its ranks by every metric, and each level by one metric."""
    totals = {total.name: total.higher_is_better for total in board.totals}
    main = query.metric or next(iter(totals), "")
    rank, ranks, values, taken = None, [], [], {"rank", "system", "total"}
    if main in totals:
        rank = BoardColumn(board, "rank", main, None, is_rank=True)
        others = [name for name in totals if name != main]
        ranks = [
            BoardColumn(board, _unique_name(f"rank-{name}", taken), name, None, is_rank=True)
            for name in others
        ]
        values.append(_with_axis(BoardColumn(board, "total", main, None, higher=totals[main])))
    for level in board.levels:
        metric = query.metric or level.metrics[0]
        if metric in level.metrics:
            values.append(_value_column(board, _unique_name(level.slug, taken), metric, level))
    return rank, ranks, values


def _one_level(
    board: MarkedBoard, query: BoardQuery, level: BoardLevel
) -> tuple[BoardColumn | None, list[BoardColumn], list[BoardColumn]]:
    """Return a level's rank, ranks by the total, and all metrics of the level, the requested one first."""
    main, taken = query.metric or level.metrics[0], {"rank", "system"}
    values = [
        _value_column(board, _unique_name(metric, taken), metric, level)
        for metric in [main, *(name for name in level.metrics if name != main)]
    ]
    overall = [
        BoardColumn(board, _unique_name("overall", taken), total.name, None, is_rank=True)
        for total in board.totals[:1]
    ]
    return BoardColumn(board, "rank", main, level, is_rank=True), overall, values


def _unique_name(name: str, taken: set[str]) -> str:
    """Return a unique name for a column: a level may be called "total"."""
    while name in taken:
        name = f"level-{name}"
    taken.add(name)
    return name


def _column_names(columns: Iterable[BoardColumn]) -> list[str]:
    return [column.name for column in columns if column.name != "rank"]


def _sort_order(query: BoardQuery, columns: Sequence[BoardColumn]) -> SortOrder:
    """Return the requested order, or the default of the column."""
    firsts: dict[str, SortOrder] = {"rank": "asc", "system": "asc"}
    firsts |= {column.name: column.first for column in columns}
    if query.sort not in firsts:
        column_names = ", ".join(f"“{name}”" for name in firsts)
        unknown_name = query.sort[:MAX_FILTER_LENGTH]
        raise NotFound.of(
            "There is no column “%(sort)s”. Choose one of: %(known)s.", sort=unknown_name, known=column_names
        )
    return query.order or firsts[query.sort]


def _rank_rows(
    group: str, records: Sequence[Row], rank: BoardColumn | None, columns: Sequence[BoardColumn]
) -> list[BoardTableRow]:
    """Return the rows of a group sorted by rank, with their index in the order of every column."""
    main = next((column for column in columns if not column.is_rank), None) if rank is not None else None
    keys = [None if main is None else main.sort_value(record) for record in records]
    sign = -1 if main is not None and main.higher else 1
    by_worth = sorted(range(len(records)), key=lambda i: (keys[i] is None, sign * (keys[i] or 0.0)))
    rows = [BoardTableRow(group, records[i], at) for at, i in enumerate(by_worth)]
    places = [
        _dense_ranks([None if rank is None else rank.sort_value(row.record) for row in rows]),
        _dense_ranks([_name_sort_key(row.record) for row in rows]),
        *(
            _dense_ranks([sort_column.sort_value(row.record) for row in rows])
            for sort_column in columns
            if sort_column.name != "rank"
        ),
    ]
    for i, row in enumerate(rows):
        row.keys = tuple(place[i] for place in places)
        row.cluster = None if rank is None else rank.mark(row.record).cluster
    return rows


def _name_sort_key(row: Row) -> tuple[str, str, str, str]:
    return row.team.casefold(), row.run.casefold(), row.team, row.run


def _dense_ranks(keys: Sequence[Any]) -> list[int | None]:
    """Return the rank of each key among the different ones, from 0; None where the key is None."""
    places = {key: place for place, key in enumerate(sorted({key for key in keys if key is not None}))}
    return [None if key is None else places[key] for key in keys]


def _sort_rows(rows: Sequence[BoardTableRow], column: int, order: SortOrder) -> list[BoardTableRow]:
    """Sort rows like the script of the page: missing values last, equal values by rank."""
    sign = 1 if order == "asc" else -1
    return sorted(rows, key=lambda row: ((key := row.keys[column]) is None, sign * (key or 0)))


def _mark_cluster_ends(rows: Sequence[BoardTableRow]) -> None:
    for row, following in pairwise(rows):
        row.rule = None not in (row.cluster, following.cluster) and row.cluster != following.cluster


def _group_rows(rows: Iterable[BoardTableRow]) -> Iterator[tuple[str, tuple[BoardTableRow, ...]]]:
    rows = list(rows)
    for group in GROUPS:
        members = tuple(row for row in rows if row.group == group)
        if members:
            yield group, members


def _value_column(board: MarkedBoard, name: str, metric: str, level: BoardLevel) -> BoardColumn:
    """Return a column of a level, with the direction that the totals or else the level's ranks imply."""
    directions = {total.name: total.higher_is_better for total in board.totals}
    directions |= {official_metric(board) or "": total.higher_is_better for total in board.totals[:1]}
    column = BoardColumn(board, name, metric, level)
    higher = directions.get(metric)
    if higher is None:
        cells = [column.cell(row) for row in board.official]
        ranked = {cell.rank: number_or_none(cell.value) or 0.0 for cell in cells if cell and cell.rank}
        higher = not ranked or ranked[min(ranked)] >= ranked[max(ranked)]
    return _with_axis(replace(column, higher=higher))


def _with_axis(column: BoardColumn) -> BoardColumn:
    """Return the column with an axis for all its intervals, whichever rows a page shows."""
    if not column.board.marks:
        return column
    drawn = [
        (value, column.mark(row).interval) for row, value in _defined_values(column, rows_of(column.board))
    ]
    if not any(ends for _, ends in drawn):
        return column
    return replace(column, axis=fit_axis(drawn, TOTAL_STEPS if column.level is None else MAX_STEPS))


def _defined_values(column: BoardColumn, rows: Iterable[Row]) -> Iterator[tuple[Row, float]]:
    """Yield the rows that have a value in a column, with the value."""
    for row in rows:
        cell = column.cell(row)
        if cell is not None and not isinstance(cell.value, Undefined):
            yield row, cell.value
