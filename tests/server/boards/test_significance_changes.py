"""Significance between neighbors otherwise than before."""

from server.boards.inference_json import (
    BoardInference,
    ComparedPair,
    InferredColumn,
    InferredSystem,
    ResamplingOptions,
    SignificanceTests,
    System,
    SystemRank,
)
from server.boards.significance_changes import SignificanceChange, list_significance_changes

A, B, C = ("ash", "one"), ("birch", "one"), ("cedar", "one")
TESTS = SignificanceTests(3, 3, 4000, 0.05, None)


def inference(order: list[tuple[str, str]], better: dict[tuple[int, int], int | None]) -> BoardInference:
    """Systems in their order on the total; who of each pair is better, by places."""
    ranks = tuple(
        SystemRank(System(place), rank, rank, rank, 1) for place, rank in enumerate(range(1, len(order) + 1))
    )
    pairs = tuple(
        ComparedPair(System(a), System(b), None, None, None, None, None, None if who is None else System(who))
        for (a, b), who in better.items()
    )
    columns = (
        InferredColumn(None, "pearson", 9, None, True, (), TESTS, ranks, None, pairs),
        InferredColumn(None, "spearman", 9, None, False, ()),
    )
    return of(tuple(InferredSystem("official", *system) for system in order), columns)


def of(systems: tuple[InferredSystem, ...], columns: tuple[InferredColumn, ...]) -> BoardInference:
    options = ResamplingOptions(10, 0, "bca", 0.95)
    return BoardInference("assay.inference/1", "0.1.0", options, systems, columns, ())


def test_neighbours_whose_significance_changes_are_listed() -> None:
    before = inference([A, B, C], {(0, 1): 0, (0, 2): 0, (1, 2): None})
    after = inference([B, A, C], {(0, 1): None, (0, 2): 0, (1, 2): None})
    assert list_significance_changes(before, after) == [
        SignificanceChange(None, A, B, A, None),  # next to each other both times
        SignificanceChange(None, A, C, A, None),  # afterwards alone
        SignificanceChange(None, B, C, None, B),  # before alone
    ]
    assert list_significance_changes(before, before) == []
    assert list_significance_changes(before, of((), ())) == []
