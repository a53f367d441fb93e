"""Pearson and Spearman: worked examples, scipy, exact fractions, and laws."""

from collections.abc import Callable
from fractions import Fraction
from math import isqrt, nan
from random import Random

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st
from scipy import stats

from scorer.errors import RequestError, UndefinedError
from scorer.metrics import average_ranks, pearson, spearman

Correlation = Callable[[list[float], list[float]], float]
SCORES = st.floats(-100, 100, width=32)
ANY = st.floats(allow_nan=False, allow_infinity=False)


def pairs(values: st.SearchStrategy[float]) -> st.SearchStrategy[tuple[list[float], list[float]]]:
    lists = st.integers(2, 30).flatmap(lambda n: st.tuples(*[st.lists(values, min_size=n, max_size=n)] * 2))
    return lists.filter(lambda both: all(min(side) != max(side) for side in both))


def exact_pearson(gold: list[float], pred: list[float]) -> float:
    """r by exact fractions, and an integer square root of 200 bits."""
    n = len(gold)
    x, y = ([Fraction(value) - sum(map(Fraction, side)) / n for value in side] for side in (gold, pred))
    xy = sum(a * b for a, b in zip(x, y, strict=True))
    squared = xy * xy / (sum(a * a for a in x) * sum(b * b for b in y))
    root = isqrt(squared.numerator * squared.denominator << 400)
    size = Fraction(root, squared.denominator << 200)
    return float(size if xy >= 0 else -size)


def test_pearson_equals_manual_calculation() -> None:
    # deviations -2 -1 0 1 2 and -1 -2 1 0 2: 8 / sqrt(10 * 10)
    assert pearson([1, 2, 3, 4, 5], [2, 1, 4, 3, 5]) == 0.8


def test_spearman_with_ties_equals_manual_calculation() -> None:
    # ranks 1 2.5 2.5 4 and 1 3 2 4: 4.5 / sqrt(4.5 * 5)
    assert spearman([0, 1, 1, 7], [10, 30, 20, 40]) == pytest.approx(4.5 / (4.5 * 5) ** 0.5, abs=1e-15)


@given(pairs(SCORES))
def test_pearson_equals_scipy(both: tuple[list[float], list[float]]) -> None:
    gold, pred = both
    spread = min(max(side) - min(side) for side in both)
    assume(spread > 1e-3)  # below it scipy warns that its own result is inaccurate
    assert pearson(gold, pred) == pytest.approx(stats.pearsonr(gold, pred).statistic, abs=1e-9)


@given(pairs(st.integers(-4, 4).map(float)))
def test_spearman_with_many_ties_equals_scipy(both: tuple[list[float], list[float]]) -> None:
    gold, pred = both
    assert spearman(gold, pred) == pytest.approx(stats.spearmanr(gold, pred).statistic, abs=1e-12)


@given(st.lists(st.floats(allow_nan=False), min_size=1, max_size=40))
def test_ranks_equal_scipy(values: list[float]) -> None:
    assert average_ranks(values) == stats.rankdata(values).tolist()


@given(pairs(st.integers(-20, 20).map(float)), st.sampled_from([0.0, 1e6, -1e15, 2.0**52]))
def test_pearson_equals_exact_fractions_at_a_large_offset(
    both: tuple[list[float], list[float]], offset: float
) -> None:
    gold, pred = [value + offset for value in both[0]], [value / 4 - offset for value in both[1]]
    assume(min(pred) != max(pred))
    assert pearson(gold, pred) == pytest.approx(exact_pearson(gold, pred), abs=1e-14)


@given(pairs(ANY))
def test_pearson_equals_exact_fractions_at_any_magnitude(both: tuple[list[float], list[float]]) -> None:
    assert pearson(*both) == pytest.approx(exact_pearson(*both), abs=1e-13)


@pytest.mark.parametrize(
    ("gold", "pred"),
    [
        ([1e300, 2e300, 3e300], [1e-300, 3e-300, 2e-300]),
        ([1e308, -1e308, 1.0], [5e-324, 1e-323, 0.0]),
        ([1e15 + 1, 1e15 + 2, 1e15 + 3], [3.0, 1.0, 2.0]),
        ([1.0, 1.0 + 2**-52, 1.0], [1.0, 1.0, 1.0 + 2**-52]),
        ([1e300, 1e-300, 0.0, -1e300], [1.0, 2.0, 3.0, 4.0]),
    ],
)
def test_pearson_is_defined_at_extreme_values(gold: list[float], pred: list[float]) -> None:
    assert pearson(gold, pred) == pytest.approx(exact_pearson(gold, pred), abs=1e-14)


@given(pairs(ANY))
def test_correlations_are_bounded_and_symmetric(both: tuple[list[float], list[float]]) -> None:
    gold, pred = both
    for correlation in (pearson, spearman):
        value = correlation(gold, pred)
        assert -1 <= value <= 1
        assert correlation(pred, gold) == value


@given(pairs(ANY))
def test_run_correlates_perfectly_with_itself(both: tuple[list[float], list[float]]) -> None:
    x = both[0]
    for correlation in (pearson, spearman):
        assert correlation(x, x) == 1.0
        assert correlation(x, [-value for value in x]) == -1.0


def test_gold_of_another_type_is_not_confused_with_cached_gold() -> None:
    gold, run = np.array([0.1, 0.7, 0.35, 0.9], "f4"), [1.0, 2.5, 2.0, 3.7]
    plain = [float(value) for value in gold]
    first = pearson(plain, run)
    assert pearson(gold, run) != first  # type: ignore[arg-type]  # reckoned in 24 bits
    assert pearson(plain, run) == first


def test_cached_gold_does_not_change_results_even_if_modified() -> None:
    gold, run = [1.0, 3.0, 2.0, 5.0], [1.0, 2.0, 4.0, 3.0]
    for correlation in (pearson, spearman):
        first = correlation(gold, run)
        assert correlation(list(gold), run) == first == correlation(run, gold)
        gold[0] = 9.0
        assert correlation(gold, run) == pytest.approx(
            (stats.pearsonr if correlation is pearson else stats.spearmanr)(gold, run).statistic
        )
        gold[0] = 1.0


@given(pairs(ANY), st.randoms(use_true_random=False))
def test_correlation_is_identical_for_any_order_of_items(
    both: tuple[list[float], list[float]], random: Random
) -> None:
    order = list(range(len(both[0])))
    random.shuffle(order)
    moved = [[side[place] for place in order] for side in both]
    for correlation in (pearson, spearman):
        assert correlation(*moved) == correlation(*both)


@given(pairs(SCORES), st.floats(0.01, 100), st.floats(-100, 100))
def test_pearson_is_invariant_under_affine_maps(
    both: tuple[list[float], list[float]], slope: float, shift: float
) -> None:
    gold, pred = both
    assume(max(pred) - min(pred) > 1e-2)
    mapped = [slope * value + shift for value in pred]
    assert pearson(gold, mapped) == pytest.approx(pearson(gold, pred), abs=1e-7)
    assert pearson(gold, [-value for value in pred]) == -pearson(gold, pred)


@given(pairs(st.floats(-3, 3, width=16)))
def test_spearman_is_invariant_under_monotone_maps(both: tuple[list[float], list[float]]) -> None:
    gold, pred = both
    assert spearman(gold, [value**3 + 8 * value for value in pred]) == spearman(gold, pred)


@given(st.lists(SCORES, max_size=40))
def test_ranks_have_the_expected_sum(values: list[float]) -> None:
    n = len(values)
    assert sum(average_ranks(values)) == n * (n + 1) / 2


def test_negative_zero_ties_with_zero() -> None:
    assert average_ranks([-0.0, 0.0, 1.0]) == [1.5, 1.5, 3.0]
    with pytest.raises(UndefinedError) as caught:
        pearson([1, 2], [-0.0, 0.0])
    assert caught.value.code == "constant_run"


@pytest.mark.parametrize("correlation", [pearson, spearman])
@pytest.mark.parametrize(
    ("gold", "pred", "code", "reason"),
    [
        ([1, 2, 3], [0.1, 0.1, 0.1], "constant_run", "the run has the same score for every item"),
        ([0.1, 0.1, 0.1], [1, 2, 3], "constant_gold", "the gold has the same value for every item"),
        ([1], [1], "too_few_items", "1 item to score"),
        ([], [], "too_few_items", "0 items to score"),
    ],
)
def test_undefined_correlation_has_a_reason(
    correlation: Correlation, gold: list[float], pred: list[float], code: str, reason: str
) -> None:
    with pytest.raises(UndefinedError, match=reason) as caught:
        correlation(gold, pred)
    assert caught.value.code == code


@pytest.mark.parametrize("correlation", [pearson, spearman])
def test_sequences_of_different_length_or_invalid_values_are_rejected(correlation: Correlation) -> None:
    with pytest.raises(RequestError, match="gold has 2 values and pred has 3"):
        correlation([1, 2], [1, 2, 3])
    with pytest.raises(RequestError, match=r"pred\[1\] is nan"):
        correlation([1, 2], [1, nan])
