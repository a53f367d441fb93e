"""Significance between neighbors otherwise than before."""

from typing import Any

from server.boards.significance_changes import SignificanceChange, list_significance_changes

A, B, C = ("ash", "one"), ("birch", "one"), ("cedar", "one")


def inference(order: list[tuple[str, str]], better: dict[tuple[int, int], int | None]) -> dict[str, Any]:
    """Systems in their order on the total; who of each pair is better, by places."""
    return {
        "systems": [{"kind": "official", "team": team, "run": run} for team, run in order],
        "columns": [
            {
                "level": None,
                "metric": "pearson",
                "ranks": [{"system": place, "rank": place + 1} for place in range(len(order))],
                "pairs": [{"a": a, "b": b, "better": who} for (a, b), who in better.items()],
            },
            {"level": None, "metric": "spearman"},
        ],
    }


def test_neighbours_whose_significance_changes_are_listed() -> None:
    before = inference([A, B, C], {(0, 1): 0, (0, 2): 0, (1, 2): None})
    after = inference([B, A, C], {(0, 1): None, (0, 2): 0, (1, 2): None})
    assert list_significance_changes(before, after) == [
        SignificanceChange(None, A, B, A, None),  # next to each other both times
        SignificanceChange(None, A, C, A, None),  # afterwards alone
        SignificanceChange(None, B, C, None, B),  # before alone
    ]
    assert list_significance_changes(before, before) == []
    assert list_significance_changes(before, {"systems": [], "columns": []}) == []
