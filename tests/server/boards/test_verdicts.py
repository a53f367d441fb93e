"""Which neighbours are told apart otherwise than before."""

from typing import Any

from server.boards.verdicts import ChangedVerdict, list_changed

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


def test_neighbours_before_or_after_whose_verdict_is_another() -> None:
    before = inference([A, B, C], {(0, 1): 0, (0, 2): 0, (1, 2): None})
    after = inference([B, A, C], {(0, 1): None, (0, 2): 0, (1, 2): None})
    assert list_changed(before, after) == [
        ChangedVerdict(None, A, B, A, None),  # next to each other both times
        ChangedVerdict(None, A, C, A, None),  # afterwards alone
        ChangedVerdict(None, B, C, None, B),  # before alone
    ]
    assert list_changed(before, before) == []
    assert list_changed(before, {"systems": [], "columns": []}) == []
