"""MSE, RMSE and MAE: worked examples, exact fractions, and laws."""

from collections.abc import Callable
from fractions import Fraction
from math import inf, sqrt

import pytest
from hypothesis import given, strategies as st

from scorer.errors import RequestError, UndefinedError
from scorer.metrics import mae, mse, rmse

Deviation = Callable[[list[float], list[float]], float]
SIDES = st.integers(1, 30).flatmap(
    lambda n: st.tuples(*[st.lists(st.floats(-1e3, 1e3), min_size=n, max_size=n)] * 2)
)


def test_errors_equal_manual_calculation() -> None:
    gold, pred = [0.0, 1.0, 4.0, 2.0], [1.0, 1.0, 1.0, 2.0]
    assert mse(gold, pred) == 10 / 4
    assert rmse(gold, pred) == sqrt(2.5)
    assert mae(gold, pred) == 1.0


@given(SIDES)
def test_errors_equal_exact_fractions(both: tuple[list[float], list[float]]) -> None:
    differences = [Fraction(b - a) for a, b in zip(*both, strict=True)]
    n = len(differences)
    exact_mse = float(sum(d * d for d in differences) / n)
    assert mse(*both) == pytest.approx(exact_mse, rel=1e-15, abs=1e-323)
    assert rmse(*both) ** 2 == pytest.approx(exact_mse, rel=1e-14, abs=1e-300)
    assert mae(*both) == pytest.approx(float(sum(map(abs, differences)) / n), rel=1e-15)


@given(SIDES)
def test_errors_are_symmetric_and_non_negative_and_mae_is_at_most_rmse(
    both: tuple[list[float], list[float]],
) -> None:
    for metric in (mse, rmse, mae):
        assert metric(*both) == metric(*reversed(both)) >= 0
        assert metric(both[0], both[0]) == 0
        assert metric(*(side[::-1] for side in both)) == metric(*both)
    assert mae(*both) <= rmse(*both) * (1 + 1e-15)


def test_squared_errors_neither_overflow_nor_underflow() -> None:
    assert rmse([0, 0], [1e300, 1e300]) == 1e300
    assert mae([0, 0], [1.7e308, 1.7e308]) == 1.7e308
    assert rmse([0.0], [1e-300]) == 1e-300


@pytest.mark.parametrize(
    ("metric", "gold", "pred", "code"),
    [
        (mse, [0.0], [1e200], "overflow"),
        (rmse, [-1.7e308], [1.7e308], "overflow"),
        (mae, [-1.7e308], [1.7e308], "overflow"),
        (mse, [], [], "too_few_items"),
    ],
)
def test_undefined_error_has_a_reason(
    metric: Deviation, gold: list[float], pred: list[float], code: str
) -> None:
    with pytest.raises(UndefinedError, match=r"too large for a float|0 items to score") as caught:
        metric(gold, pred)
    assert caught.value.code == code


@pytest.mark.parametrize("metric", [mse, rmse, mae])
def test_sequences_of_different_length_or_invalid_values_are_rejected(metric: Deviation) -> None:
    with pytest.raises(RequestError, match="gold has 1 values and pred has 0"):
        metric([1], [])
    with pytest.raises(RequestError, match=r"gold\[0\] is inf"):
        metric([inf], [1])
