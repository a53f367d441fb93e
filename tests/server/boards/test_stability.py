"""The order of a board under other rules, in worked examples."""

from typing import Any

from server.boards.stability import count_same_first, list_alternative_rankings, official_ranks


def board() -> dict[str, Any]:
    """Three systems by the total, and one without."""
    rows = [
        {"team": "t", "run": run, "total": {"pearson": {"rank": rank}}, "levels": {}}
        for run, rank in (("a", 1), ("b", 2), ("c", 3), ("none", None))
    ]
    return {"totals": [{"name": "pearson"}], "levels": [], "official": rows, "late": [], "baselines": []}


def inferred(*orders: dict[int, int]) -> dict[str, Any]:
    systems = [{"kind": "official", "team": "t", "run": run} for run in ("a", "b", "c", "none")]
    rules = [
        {
            "rule": "without_genre",
            "name": f"g{k}",
            "tau": 0.5,
            "systems": 3,
            "undefined": None,
            "ranks": [{"system": system, "rank": rank} for system, rank in order.items()],
        }
        for k, order in enumerate(orders)
    ]
    old = {"rule": "spearman", "name": None, "tau": None, "systems": 1, "undefined": {"reason": "why"}}
    return {"systems": systems, "stability": [*rules, old]}


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
