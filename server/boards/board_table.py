"""The table of a leaderboard as its page shows it: columns, sorted and filtered rows, pages.

A pure function of the marked board and the query. Missing values are sorted after all numbers, in either
direction; equal values keep the order of the leaderboard.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import ceil
from typing import Any

from server.boards.inference_marks import GROUP_KINDS
from server.boards.interval_bars import MAX_STEPS, Axis, fit_axis
from server.boards.query_parameters import (
    MAX_FILTER_LENGTH,
    BoardQuery,
    SortOrder,
    metrics_of,
    official_metric,
)
from server.boards.systems import format_system_key, ranking_column
from server.core.errors import NotFound
from server.core.i18n import _

COMPARED_DECIMALS = 12
"""The scorer compares values rounded to this many decimal places."""
ROWS_PER_PAGE = 200
TOTAL_STEPS = 40
"""Totals differ much more than their intervals are wide, so their axis fits them more closely."""

Cell = Mapping[str, Any]
Record = Mapping[str, Any]
"""A row of the leaderboard's JSON."""


@dataclass(frozen=True, slots=True)
class BoardColumn:
    """A column of values or of ranks; `metric`: what it shows; `level`: None for the total."""

    name: str
    """The name of the column in the query parameter for sorting."""
    metric: str
    level: Mapping[str, Any] | None
    is_rank: bool = False
    higher: bool = True
    """Whether higher is better."""
    axis: Axis | None = None
    """The axis on which its intervals are drawn; None: it has no intervals."""

    @property
    def first(self) -> SortOrder:
        """The order in which the best value comes first."""
        return "desc" if self.higher and not self.is_rank else "asc"

    def cell(self, row: Record) -> Cell | None:
        """Return the column's cell in a row; None: the level has no such metric."""
        by = row["total"] if self.level is None else row["levels"][self.level["slug"]]
        part: Cell | None = by.get(self.metric)
        return part

    def key(self, row: Record) -> float | None:
        """Return the value of a row to sort by; None: it is missing."""
        cell = self.cell(row)
        if cell is None:
            return None
        if self.is_rank:
            rank: int | None = cell["rank"]
            return rank
        return None if cell["value"] is None else round(cell["value"], COMPARED_DECIMALS)


@dataclass(slots=True)
class BoardTableRow:
    """A row of the table."""

    group: str
    record: Record
    at: int
    """Its index in the order by rank, among the rows of its group."""
    keys: tuple[int | None, ...] = ()
    """Its index in the order by each column, small values first; None: missing."""
    cluster: int | None = None
    rule: bool = False
    """Whether it is the last row of a cluster."""

    @property
    def who(self) -> tuple[str, str, str]:
        """The kind, team and run of its system."""
        return GROUP_KINDS[self.group], self.record["team"], self.record["run"]

    @property
    def key(self) -> str:
        """The key of its system in addresses."""
        return format_system_key(*self.who)

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
    level: Mapping[str, Any] | None
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
    def shown(self) -> set[tuple[str | None, str]]:
        """The level (None: the total) and the metric of each column."""
        columns = (*self.values, *self.ranks)
        return {(None if column.level is None else column.level["slug"], column.metric) for column in columns}

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
    def beyond(self) -> bool:
        """Whether a value on the page is outside the axis of its column."""
        records = [row.record for _, rows in self.groups for row in rows]
        drawn = [(column.axis, column.cell(record)) for column in self.values for record in records]
        return any(
            axis and cell and cell["value"] is not None and not axis[0] <= cell["value"] <= axis[1]
            for axis, cell in drawn
        )

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


def view_board(board: Mapping[str, Any], query: BoardQuery, base: str) -> BoardView:
    """Select the rows and columns for a query.

    Raises:
        NotFound: it sorts by a column that is not there, or asks for a page after the last one.
    """
    ranking = ranking_column(board)
    slug = query.level or (None if ranking is None else ranking.level)
    level = next((board_level for board_level in board["levels"] if board_level["slug"] == slug), None)
    rank, ranks, values = _all_levels(board, query) if level is None else _one_level(board, query, level)
    columns = [*([] if rank is None else [rank]), *ranks, *values]
    order = _sort_order(query, columns)
    groups = [(group, _rank_rows(group, board[group], rank, columns)) for group in GROUP_KINDS]
    every = [row for _, rows in groups for row in rows]
    place = 0 if query.sort == "rank" else 1 + ["system", *_column_names(columns)].index(query.sort)
    matches = [
        row
        for group, rows in groups
        if not query.show or group in query.show
        for row in _sort_rows(rows, place, order)
        if query.q.lower() in f"{row.record['team']} {row.record['run']}".lower()
    ]
    clustered = any(row.cluster is not None for row in every)
    if query.sort == "rank" and order == "asc":
        _mark_cluster_ends([row for row in matches if row.group == "official"])
    pages = max(1, ceil(len(matches) / ROWS_PER_PAGE))
    if query.page > pages:
        raise NotFound(
            _("There is no page %(page)d; this leaderboard has %(pages)d.", page=query.page, pages=pages)
        )
    shown = matches[(query.page - 1) * ROWS_PER_PAGE : query.page * ROWS_PER_PAGE]
    official = official_metric(board, query.level)
    return BoardView(
        query=query,
        base=base,
        level=level,
        rank=rank,
        ranks=tuple(ranks),
        values=tuple(values),
        order=order,
        groups=tuple(_group_rows(shown)),
        found=len(matches),
        rows=len(every),
        pages=pages,
        clustered=clustered,
        ruled=len({row.cluster for row in every if row.cluster is not None}) > 1,
        lined=any(row.rule for row in matches),
        metrics=(*(() if official else (None,)), *(metrics_of(board) if level is None else level["metrics"])),
        official=official,
        kinds=tuple(group for group in GROUP_KINDS if board[group]),
        by_genre=tuple(board.get("inference", {}).get("genres", ())),
    )


def _all_levels(
    board: Mapping[str, Any], query: BoardQuery
) -> tuple[BoardColumn | None, list[BoardColumn], list[BoardColumn]]:
    """Return the total, its ranks by every metric, and each level by one metric."""
    totals = {total["name"]: total["higher_is_better"] for total in board["totals"]}
    main = query.metric or next(iter(totals), "")
    rank, ranks, values, taken = None, [], [], {"rank", "system", "total"}
    if main in totals:
        rank = BoardColumn("rank", main, None, is_rank=True)
        others = [name for name in totals if name != main]
        ranks = [
            BoardColumn(_unique_name(f"rank-{name}", taken), name, None, is_rank=True) for name in others
        ]
        values.append(_with_axis(BoardColumn("total", main, None, higher=totals[main]), board))
    for level in board["levels"]:
        metric = query.metric or level["metrics"][0]
        if metric in level["metrics"]:
            column = BoardColumn(_unique_name(level["slug"], taken), metric, level)
            values.append(_with_axis(_with_direction(column, board), board))
    return rank, ranks, values


def _one_level(
    board: Mapping[str, Any], query: BoardQuery, level: Mapping[str, Any]
) -> tuple[BoardColumn | None, list[BoardColumn], list[BoardColumn]]:
    """Return a level's rank, ranks by the total, and all metrics of the level, the requested one first."""
    main, taken = query.metric or level["metrics"][0], {"rank", "system"}
    values = [
        _with_axis(_with_direction(BoardColumn(_unique_name(metric, taken), metric, level), board), board)
        for metric in [main, *(name for name in level["metrics"] if name != main)]
    ]
    overall = [
        BoardColumn(_unique_name("overall", taken), total["name"], None, is_rank=True)
        for total in board["totals"][:1]
    ]
    return BoardColumn("rank", main, level, is_rank=True), overall, values


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
        raise NotFound(
            _(
                "There is no column “%(sort)s”. Choose one of: %(known)s.",
                sort=unknown_name,
                known=column_names,
            )
        )
    return query.order or firsts[query.sort]


def _rank_rows(
    group: str, records: Sequence[Record], rank: BoardColumn | None, columns: Sequence[BoardColumn]
) -> list[BoardTableRow]:
    """Return the rows of a group sorted by rank, with their index in the order of every column."""
    main = next((column for column in columns if not column.is_rank), None) if rank is not None else None
    keys = [None if main is None else main.key(record) for record in records]
    sign = -1 if main is not None and main.higher else 1
    by_worth = sorted(range(len(records)), key=lambda i: (keys[i] is None, sign * (keys[i] or 0.0)))
    rows = [BoardTableRow(group, records[i], at) for at, i in enumerate(by_worth)]
    names = _dense_ranks([_name_sort_key(row.record) for row in rows])
    places = [
        names,
        *(
            _dense_ranks([sort_column.key(row.record) for row in rows])
            for sort_column in columns
            if sort_column.name != "rank"
        ),
    ]
    ranks = _dense_ranks([None if rank is None else rank.key(row.record) for row in rows])
    for i, row in enumerate(rows):
        row.keys = (ranks[i], *(place[i] for place in places))
        cell = None if rank is None else rank.cell(row.record)
        row.cluster = None if cell is None else cell.get("cluster")
    return rows


def _name_sort_key(record: Record) -> tuple[str, str, str, str]:
    return record["team"].casefold(), record["run"].casefold(), record["team"], record["run"]


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
    for group in GROUP_KINDS:
        members = tuple(row for row in rows if row.group == group)
        if members:
            yield group, members


def _with_direction(column: BoardColumn, board: Mapping[str, Any]) -> BoardColumn:
    """Return the column with its direction, which the totals or else the level's ranks imply."""
    directions = {total["name"]: total["higher_is_better"] for total in board["totals"]}
    directions |= {official_metric(board): total["higher_is_better"] for total in board["totals"][:1]}
    higher = directions.get(column.metric)
    if higher is None:
        ranked = [
            cell for row in board["official"] if (cell := column.cell(row)) and cell["rank"] is not None
        ]
        best, worst = (choose(ranked, key=lambda cell: cell["rank"], default=None) for choose in (min, max))
        higher = best is None or worst is None or best["value"] >= worst["value"]
    return replace(column, higher=higher)


def _with_axis(column: BoardColumn, board: Mapping[str, Any]) -> BoardColumn:
    """Return the column with an axis for all its intervals, whichever rows a page shows."""
    cells = [cell for group in GROUP_KINDS for row in board[group] if (cell := column.cell(row))]
    drawn = [(cell["value"], cell.get("interval")) for cell in cells if cell["value"] is not None]
    if not any(ends for _, ends in drawn):
        return column
    return replace(column, axis=fit_axis(drawn, TOTAL_STEPS if column.level is None else MAX_STEPS))
