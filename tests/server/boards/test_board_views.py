"""Views of a board: missing values are last in either direction, and every view has a URL."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from scorer.boards.board import (
    NOT_ENTERED,
    BoardLevel,
    BoardRules,
    Cell,
    Kind,
    Row,
    Total,
    TotalColumn,
)
from scorer.values import Undefined
from server.boards.board_table import BoardView, view_board
from server.boards.inference_marks import Mark, MarkedBoard, Marks
from server.boards.query_parameters import BoardQuery, read_query
from server.core.errors import NotFound

BASE = "/board"


LEVELS = (BoardLevel("p2s", "P", ("pearson", "mse")), BoardLevel("total", "T", ("pearson",)))
TOTALS = tuple(TotalColumn(name, {}, higher_is_better=True) for name in ("pearson", "spearman"))


def value(number: float | None) -> float | Undefined:
    return NOT_ENTERED if number is None else number


def row(
    team: str, total: Any, other: int | None, p2s: Any, mse: Any, s2p: Any, kind: Kind = "official"
) -> Row:
    """A row from the value and rank of each cell; of the second total, the rank alone."""
    levels = {"p2s": {"pearson": p2s, "mse": mse}, "total": {"pearson": s2p}}
    cells = {
        slug: {name: Cell(value(number), rank) for name, (number, rank) in by.items()}
        for slug, by in levels.items()
    }
    totals = (total[0], total[1]), (None if other is None else 0.5, other)
    return Row(team, "run", kind, cells, tuple(Total(value(number), rank, 1, 2) for number, rank in totals))


def marked(rows: Sequence[Row], clusters: Mapping[str, int], marks: Marks | None = None) -> MarkedBoard:
    """The board of these rows, with the clusters of teams by the total and other marks."""
    official, late = (tuple(row for row in rows if row.kind == kind) for kind in ("official", "late"))
    of_total = {
        (row.key, (None, "pearson")): Mark(range=(1, 2), cluster=clusters[row.team])
        for row in official
        if row.team in clusters
    }
    return MarkedBoard(
        LEVELS, BoardRules(), TOTALS, official, late, (), "0.1.0", {**of_total, **(marks or {})}, None
    )


def board(extra: int = 0) -> MarkedBoard:
    """Four systems, of which the last lacks a level; the second level has the name of a column."""
    rows = [
        row("elm", (1.9, 1), 2, (0.9, 1), (0.4, 2), (1.0, 1)),
        row("Ash", (1.5, 2), 1, (0.8, 2), (0.1, 1), (0.7, 2)),
        row("oak", (1.5, 2), 3, (0.7, 3), (0.9, 4), (0.8, 3)),
        row("fir", (0.7, 4), 4, (0.7, 3), (0.5, 3), (None, None)),
        *(row(f"t{k:03}", (None, None), None, *[(None, None)] * 3) for k in range(extra)),
        row("yew", (2.0, None), None, (1.0, None), (0.0, None), (1.0, None), "late"),
    ]
    return marked(rows, {"elm": 1, "Ash": 1, "oak": 2, "fir": 2})


def view(query: str = "", extra: int = 0) -> BoardView:
    args = parse_qs(query, keep_blank_values=True)
    return view_board(board(extra), read_query(board(extra), args), BASE)


def teams(shown: BoardView) -> list[str]:
    return [row.record.team for _, rows in shown.groups for row in rows]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", "elm Ash oak fir yew"),
        ("order=desc", "fir Ash oak elm yew"),
        ("sort=system", "Ash elm fir oak yew"),
        ("sort=total&order=asc", "fir Ash oak elm yew"),
        ("sort=rank-spearman", "Ash elm oak fir yew"),
        ("sort=level-total", "elm oak Ash fir yew"),
        ("sort=level-total&order=asc", "Ash oak elm fir yew"),
        ("sort=p2s", "elm Ash oak fir yew"),
        ("metric=mse", "elm Ash oak fir yew"),
        ("metric=mse&sort=p2s", "Ash elm fir oak yew"),
        ("level=p2s", "elm Ash oak fir yew"),
        ("level=p2s&metric=mse", "Ash elm fir oak yew"),
        ("level=p2s&sort=overall&order=desc", "fir Ash oak elm yew"),
        ("level=total&order=desc", "oak Ash elm fir yew"),
        ("q=A", "Ash oak"),
        ("q=k+RU", "oak"),
        ("q=nobody", ""),
        ("show=late", "yew"),
        ("show=official,late", "elm Ash oak fir yew"),
        ("show=official&q=e", "elm"),
        ("intervals=numbers&order=desc", "fir Ash oak elm yew"),
        ("metric=&q=&show=&utm=x", "elm Ash oak fir yew"),
    ],
)
def test_rows_are_sorted_as_requested_with_missing_values_last(query: str, expected: str) -> None:
    shown = view(query)
    assert " ".join(teams(shown)) == expected
    again = parse_qs(urlsplit(shown.link()).query)
    assert read_query(board(), again) == shown.query, "each view is its address"


def test_cluster_lines_are_shown_only_in_order_of_rank() -> None:
    def ruled(query: str) -> list[str]:
        return [row.record.team for _, rows in view(query).groups for row in rows if row.rule]

    assert ruled("") == ["Ash"]
    assert ruled("q=l") == []
    assert ruled("show=official&q=a") == ["Ash"]
    hidden = view("q=l")
    assert (hidden.ruled, hidden.lined) == (True, False)  # the filter hides the line; the board has it
    assert [ruled(query) for query in ("sort=total", "order=desc", "metric=mse", "level=p2s")] == [[]] * 4
    assert (view("sort=total").clustered, view("sort=total").by_rank) == (True, False)


@pytest.mark.parametrize(
    ("query", "marks"),
    [
        ("", {"rank", "best", "range", "dash"}),
        ("q=oak", {"rank", "range"}),
        ("q=elm", {"rank", "best", "range"}),
        ("show=late", set()),
    ],
)
def test_only_marks_that_a_cell_on_the_page_has_are_explained(query: str, marks: set[str]) -> None:
    assert view(query).marked == marks


def test_value_beyond_the_axis_of_its_column_is_marked() -> None:
    def failed(late: float) -> BoardView:
        values = {"elm": 0.8, "Ash": 0.79, "oak": 0.78, "fir": 0.77, "yew": late}
        rows = [
            row(team, (None, None), None, (number, None), (None, None), (None, None))
            for team, number in values.items()
        ]
        rows[-1] = replace(rows[-1], kind="late")
        interval = Mark(interval=(0.61, 0.9))
        return view_board(
            marked(rows, {}, {(row.key, ("p2s", "pearson")): interval for row in rows[:-1]}),
            BoardQuery(),
            BASE,
        )

    assert not failed(0.8).beyond
    shown = failed(-0.2)
    assert (shown.beyond, shown.values[1].axis) == (True, (0.6, 0.9))


def test_board_of_more_than_two_hundred_rows_is_paginated() -> None:
    pages = [view(f"page={number}&sort=system", 250) for number in (1, 2)]
    assert [len(teams(page)) for page in pages] == [200, 55]
    assert (pages[0].pages, pages[0].found, pages[1].groups[1][0]) == (2, 255, "late")
    assert pages[1].link(q="x") == "/board?sort=system&q=x", "another filter begins at its first page"
    assert view(extra=100).pages == 1
    with pytest.raises(NotFound, match="There is no page 3; this leaderboard has 2"):
        view("page=3", 250)


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("metric=bleu", "no metric “bleu” here. Choose one of: “pearson”, “mse”"),
        ("level=total&metric=mse", "no metric “mse” here. Choose one of: “pearson”"),
        ("level=p2w", "no level “p2w”. Choose one of: “p2s”, “total”"),
        ("sort=p2w", "no column “p2w”. Choose one of: “rank”, “system”, “rank-spearman”, “total”, “p2s”"),
        ("order=up", "“up” is not a sort order"),
        ("show=early", "“early” is not a kind of row"),
        ("view=map", "“map” is not a view"),
        ("page=0", "no page “0”"),
        ("page=²", "no page"),
        ("page=99999999999999999999", "no page"),
        ("q=" + "x" * 101, "at most 100 characters"),
    ],
)
def test_unknown_column_or_filter_of_a_board_is_reported(query: str, message: str) -> None:
    with pytest.raises(NotFound, match=message):
        view(query)


def test_column_header_sorts_best_first_and_then_reverses() -> None:
    shown = view("metric=mse")
    (column,) = shown.values
    assert (column.first, shown.rank, shown.query) == ("asc", None, BoardQuery(metric="mse"))
    assert shown.link(sort="p2s", order=shown.other_order("p2s", "asc")) == "/board?metric=mse&sort=p2s"
    assert view("metric=mse&sort=p2s").other_order("p2s", "asc") == "desc"
    assert view("metric=mse&sort=p2s&order=desc").other_order("p2s", "asc") is None
