"""The table of a leaderboard as its page shows it: columns, sorted and filtered rows, pages.

A pure function of the marked board and the query. Missing values stand after every number, in either
direction; equal values keep the order of the board.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
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
"""As the scorer compares values."""
ROWS_PER_PAGE = 200
TOTAL_STEPS = 40
"""Totals lie far apart beside their intervals, so their axis fits them closely."""

Cell = Mapping[str, Any]
Record = Mapping[str, Any]
"""A row of the board."""


@dataclass(frozen=True, slots=True)
class BoardColumn:
    """A column of values or of ranks; `metric`: what it is by; `level`: None of the total."""

    name: str
    """By which an address sorts."""
    metric: str
    level: Mapping[str, Any] | None
    is_rank: bool = False
    higher: bool = True
    """Whether higher is better."""
    axis: Axis | None = None
    """Between which values its intervals are drawn; None: it has none."""

    @property
    def first(self) -> SortOrder:
        """The order in which the best comes first."""
        return "desc" if self.higher and not self.is_rank else "asc"

    def cell(self, row: Record) -> Cell | None:
        """Its part of a row; None: the level has no such metric."""
        by = row["total"] if self.level is None else row["levels"][self.level["slug"]]
        part: Cell | None = by.get(self.metric)
        return part

    def key(self, row: Record) -> float | None:
        """What it sorts by; None: missing."""
        cell = self.cell(row)
        if cell is None:
            return None
        if self.is_rank:
            rank: int | None = cell["rank"]
            return rank
        return None if cell["value"] is None else round(cell["value"], COMPARED_DECIMALS)


@dataclass(slots=True)
class BoardTableRow:
    """A row of a view."""

    group: str
    record: Record
    at: int
    """Its place in the order by rank, among the rows of its group."""
    keys: tuple[int | None, ...] = ()
    """Its place in the order by each column, small values first; None: missing."""
    cluster: int | None = None
    rule: bool = False
    """Whether a cluster ends with it."""

    @property
    def who(self) -> tuple[str, str, str]:
        """Its kind, team and run."""
        return GROUP_KINDS[self.group], self.record["team"], self.record["run"]

    @property
    def key(self) -> str:
        """What names its system in addresses."""
        return format_system_key(*self.who)

    @property
    def places(self) -> str:
        """Its keys for the script that sorts the table in place."""
        return ",".join("" if key is None else str(key) for key in self.keys)


@dataclass(frozen=True, slots=True)
class BoardView:
    """What a page shows of a board."""

    query: BoardQuery
    base: str
    """The address of the board without a query."""
    level: Mapping[str, Any] | None
    rank: BoardColumn | None
    ranks: tuple[BoardColumn, ...]
    """The ranks by other metrics, beside the one that counts here."""
    values: tuple[BoardColumn, ...]
    order: SortOrder
    groups: tuple[tuple[str, tuple[BoardTableRow, ...]], ...]
    found: int
    """The rows that the filter lets pass, on all pages."""
    rows: int
    pages: int
    clustered: bool
    """Whether the rows have clusters at all."""
    ruled: bool
    """Whether the whole board has a line between clusters, by rank."""
    lined: bool
    """Whether a row that is kept has one."""
    metrics: tuple[str | None, ...]
    """What one may choose to be ranked by; None: the official one of each level, where they differ."""
    official: str | None
    kinds: tuple[str, ...]
    """The groups that have rows."""
    by_genre: tuple[str, ...]
    """The levels that have values by genre."""

    def link(self, **changes: Any) -> str:
        """The address of this view with some changes."""
        return self.query.address(self.base, **changes)

    @property
    def choices(self) -> list[str]:
        """Some of the groups, where there are more of them."""
        sets = (("official",), ("official", "late"), ("official", "baselines"), ("late",), ("baselines",))
        board_kinds = set(self.kinds)
        return [",".join(kinds) for kinds in sets if set(kinds) < board_kinds]

    @property
    def inferred(self) -> bool:
        """Whether there are intervals."""
        return any(column.axis is not None for column in self.values)

    @property
    def beyond(self) -> bool:
        """Whether a value on the page does not lie on the axis of its column."""
        records = [row.record for _, rows in self.groups for row in rows]
        drawn = [(column.axis, column.cell(record)) for column in self.values for record in records]
        return any(
            axis and cell and cell["value"] is not None and not axis[0] <= cell["value"] <= axis[1]
            for axis, cell in drawn
        )

    @property
    def by_rank(self) -> bool:
        """Whether the rows stand in the order of their ranks."""
        return self.query.sort == "rank" and self.order == "asc"

    @property
    def columns(self) -> tuple[BoardColumn, ...]:
        """Those that sort by a number, in the order of the page, without the names of the systems."""
        return (*(() if self.rank is None else (self.rank,)), *self.ranks, *self.values)

    @property
    def names(self) -> str:
        """What an address sorts by, in the order of each row's places."""
        return ",".join(["rank", "system", *_column_names(self.columns)])

    @property
    def whole(self) -> bool:
        """Whether all rows are on the page, so that a script may sort and filter them there."""
        return self.pages == 1 and not self.query.q

    def direction(self, name: str) -> str:
        """How a column is sorted, as pages say it to screen readers."""
        if self.query.sort != name:
            return "none"
        return "ascending" if self.order == "asc" else "descending"

    def other_order(self, name: str, first: SortOrder) -> SortOrder | None:
        """The order that a click on a column's head asks for; None: its own."""
        if self.query.sort != name:
            return None
        turned: SortOrder = "desc" if self.order == "asc" else "asc"
        return None if turned == first else turned


def view_board(board: Mapping[str, Any], query: BoardQuery, base: str) -> BoardView:
    """The rows and columns that a query asks for.

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
    """The total and its ranks by every metric, and each level by one metric."""
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
    """A level by every metric that it has, that one first which is asked for; and the rank by the total."""
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
    """The name of a column that no other has: a level may be called "total"."""
    while name in taken:
        name = f"level-{name}"
    taken.add(name)
    return name


def _column_names(columns: Iterable[BoardColumn]) -> list[str]:
    return [column.name for column in columns if column.name != "rank"]


def _sort_order(query: BoardQuery, columns: Sequence[BoardColumn]) -> SortOrder:
    """The order that is asked for, or the column's own."""
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
    """The rows of a group in the order of what ranks here, with their places by every column."""
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
    """The place of each key among the different ones, from 0; None where there is none."""
    places = {key: place for place, key in enumerate(sorted({key for key in keys if key is not None}))}
    return [None if key is None else places[key] for key in keys]


def _sort_rows(rows: Sequence[BoardTableRow], column: int, order: SortOrder) -> list[BoardTableRow]:
    """What the script of the page does too: missing ones last, equals as they stand by rank."""
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
    """The column of a level with its direction, which the totals say, or else the ranks in it."""
    directions = {total["name"]: total["higher_is_better"] for total in board["totals"]}
    directions |= {official_metric(board): total["higher_is_better"] for total in board["totals"][:1]}
    higher = directions.get(column.metric)
    if higher is None:
        ranked = [
            cell for row in board["official"] if (cell := column.cell(row)) and cell["rank"] is not None
        ]
        best, worst = (choose(ranked, key=lambda cell: cell["rank"], default=None) for choose in (min, max))
        higher = best is None or worst is None or best["value"] >= worst["value"]
    return BoardColumn(column.name, column.metric, column.level, higher=higher)


def _with_axis(column: BoardColumn, board: Mapping[str, Any]) -> BoardColumn:
    """The column with the axis on which all its intervals are drawn, whatever rows a page shows."""
    cells = [cell for group in GROUP_KINDS for row in board[group] if (cell := column.cell(row))]
    drawn = [(cell["value"], cell.get("interval")) for cell in cells if cell["value"] is not None]
    if not any(ends for _, ends in drawn):
        return column
    axis = fit_axis(drawn, TOTAL_STEPS if column.level is None else MAX_STEPS)
    return BoardColumn(column.name, column.metric, column.level, higher=column.higher, axis=axis)
