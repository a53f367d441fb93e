"""The order of a board under other rules, in worked examples."""

from scorer.boards.board import Board, BoardRules, Row, Total, TotalColumn
from scorer.values import Undefined
from server.boards.inference_json import (
    BoardInference,
    InferredSystem,
    RankByRule,
    RankingByRule,
    ResamplingOptions,
    System,
)
from server.boards.stability import count_same_first, list_alternative_rankings
from server.boards.systems import official_ranks

RUNS = ("a", "b", "c", "none")


def board() -> Board:
    """Three systems by the total, and one without."""
    ranks = zip(RUNS, (1, 2, 3, None), strict=True)
    rows = tuple(Row("t", run, "official", {}, (Total(0.5, rank, 1, 1),)) for run, rank in ranks)
    return Board((), BoardRules(), (TotalColumn("pearson", {}, higher_is_better=True),), rows, (), ())


def inferred(*orders: dict[int, int]) -> BoardInference:
    rules = [
        RankingByRule(
            "without_genre",
            f"g{k}",
            0.5,
            3,
            None,
            tuple(RankByRule(System(system), rank) for system, rank in order.items()),
        )
        for k, order in enumerate(orders)
    ]
    without_tau = RankingByRule("spearman", None, None, 1, Undefined("code", "why"))
    return BoardInference(
        "assay.inference/1",
        "0.1.0",
        ResamplingOptions(10, 0, "bca", 0.95),
        tuple(InferredSystem("official", "t", run) for run in RUNS),
        (),
        (*rules, without_tau),
    )


def test_rank_changes_are_computed_for_officially_ranked_systems() -> None:
    a, b, c = (("official", "t", run) for run in "abc")
    orders = list_alternative_rankings(
        board(), inferred({0: 1, 1: 3, 2: 4, 3: 2}, {1: 1, 2: 1, 0: 3}, {0: 1, 2: 2})
    )
    assert [order.ranks for order in orders] == [{a: 1, b: 2, c: 3}, {b: 1, c: 1, a: 3}, {a: 1, c: 2}, {}]
    assert [order.moved for order in orders] == [0, 3, 1, 0]
    furthest = orders[1].furthest
    assert furthest is not None
    assert (furthest.key, furthest.before, furthest.after) == (a, 1, 3)
    assert orders[0].furthest is None
    assert (orders[3].tau, orders[3].reason) == (None, "why")
    assert count_same_first(orders, official_ranks(board())) == (2, 3)
    assert list_alternative_rankings(board(), None) == []
