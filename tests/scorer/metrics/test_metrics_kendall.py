"""Kendall's tau-b: worked examples, scipy, laws, and edge cases."""

from math import inf, sqrt

import pytest
from hypothesis import given, strategies as st
from scipy import stats

from scorer.errors import RequestError, UndefinedError
from scorer.metrics import kendall

Both = tuple[list[float], list[float]]


def pairs(values: st.SearchStrategy[float]) -> st.SearchStrategy[Both]:
    lists = st.integers(2, 25).flatmap(lambda n: st.tuples(*[st.lists(values, min_size=n, max_size=n)] * 2))
    return lists.filter(lambda both: all(min(side) != max(side) for side in both))


FEW = pairs(st.integers(-3, 3).map(float))


def test_kendall_with_ties_equals_manual_calculation() -> None:
    # six pairs: one tied in the gold, one tied in the run, four concordant, none discordant
    assert kendall([0, 1, 1, 7], [10, 20, 30, 30]) == 4 / sqrt(5 * 5)
    # four concordant, two discordant
    assert kendall([1, 2, 3, 4], [1, 4, 2, 3]) == 2 / 6


@given(FEW)
def test_kendall_with_many_ties_equals_scipy(both: Both) -> None:
    assert kendall(*both) == pytest.approx(stats.kendalltau(*both).statistic, abs=1e-12)


@given(pairs(st.floats(-1e3, 1e3)))
def test_kendall_is_bounded_symmetric_and_scale_invariant(both: Both) -> None:
    gold, pred = both
    tau = kendall(gold, pred)
    assert -1 <= tau <= 1
    assert tau == kendall(pred, gold) == kendall(gold[::-1], pred[::-1])
    assert kendall(gold, [-score for score in pred]) == -tau
    assert kendall(gold, [8 * score for score in pred]) == tau
    assert kendall(gold, gold) == 1


def test_negative_zero_ties_with_zero() -> None:
    assert kendall([0.0, -0.0, 1.0], [1, 2, 3]) == kendall([0.0, 0.0, 1.0], [2, 1, 3])


@pytest.mark.parametrize(
    ("gold", "pred", "code"),
    [([1], [1], "too_few_items"), ([2, 2], [1, 2], "constant_gold"), ([1, 2], [0.0, -0.0], "constant_run")],
)
def test_undefined_kendall_has_a_reason(gold: list[float], pred: list[float], code: str) -> None:
    with pytest.raises(UndefinedError, match=r"needs at least 2|correlates with nothing") as caught:
        kendall(gold, pred)
    assert caught.value.code == code


def test_sequences_of_different_length_or_invalid_values_are_rejected() -> None:
    with pytest.raises(RequestError, match="gold has 2 values and pred has 1"):
        kendall([1, 2], [1])
    with pytest.raises(RequestError, match=r"pred\[1\] is inf"):
        kendall([1, 2], [1, inf])
