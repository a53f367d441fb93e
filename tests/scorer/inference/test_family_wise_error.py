"""Boards of equal systems show a false difference seldom enough, and a better system is found."""

import numpy as np
import pytest

from scorer import Gold, Run
from scorer.inference.comparison import Comparison, compare_runs
from scorer.inference.comparison_options import ComparisonOptions

BOARDS, SYSTEMS, ITEMS = 40, 6, 60
RULES = ComparisonOptions(permutations=999, b=100)


def quarter_points(values: np.ndarray) -> tuple[float, ...]:
    """CLSS's scale, so that there are ties."""
    return tuple((np.clip(np.round(4 * (values + 2)) / 4, 0, 4)).tolist())


def board(seed: int, shared: float, better: float = 1.0) -> Comparison:
    """Systems whose errors correlate `shared`; the first errs `better` times as much as the others."""
    rng = np.random.default_rng([1979, seed])
    gold = rng.standard_normal(ITEMS)
    common, own = rng.standard_normal(ITEMS), rng.standard_normal((SYSTEMS, ITEMS))
    noise = np.sqrt(shared) * common + np.sqrt(1 - shared) * own
    noise[0] *= better
    runs = [(str(k), Run(quarter_points(gold + each), (None,) * ITEMS)) for k, each in enumerate(noise)]
    return compare_runs(Gold(quarter_points(gold)), runs, RULES)


@pytest.mark.parametrize("shared", [0.0, 0.8])
def test_equal_systems_differ_significantly_in_no_more_boards_than_alpha(shared: float) -> None:
    boards = [board(seed, shared) for seed in range(BOARDS)]
    false = sum(any(pair.significant for pair in found.differences) for found in boards)
    assert false <= 5, "binomial at the level of .05: beyond this once in 70"
    unadjusted = sum(any((pair.p or 0) <= 0.05 for pair in found.differences) for found in boards)
    assert unadjusted >= 8, "without Holm's method the boards would be full of false differences"
    for found in boards:
        if not any(pair.significant for pair in found.differences):
            assert {(each.low, each.high, each.cluster) for each in found.standings} == {(1, SYSTEMS, 1)}


def test_better_system_is_alone_in_the_top_cluster() -> None:
    found = [board(seed, 0.5, better=0.3).standings[0] for seed in range(5)]
    assert {(each.name, each.low, each.high, each.cluster) for each in found} == {("0", 1, 1, 1)}
