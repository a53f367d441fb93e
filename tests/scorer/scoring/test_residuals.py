"""Residuals of the line from a run to the gold: by hand, against numpy, and what holds of all."""

from math import fsum

import numpy as np
import pytest
from hypothesis import given, strategies as st

from scorer import fit_line, pearson, residuals_by_genre
from scorer.errors import RequestError, UndefinedError

NUMBERS = st.floats(-4, 4).map(lambda value: round(value, 3))
PAIRS = st.lists(st.tuples(NUMBERS, NUMBERS), min_size=3, max_size=30)


def test_regression_line_equals_manual_calculation() -> None:
    """Scores 1, 2, 3, 4 and gold 1, 3, 2, 6: means 2.5 and 3, sums of products 7 and squares 5."""
    found = fit_line([1, 3, 2, 6], [1, 2, 3, 4])
    assert (found.slope, found.intercept) == pytest.approx((1.4, -0.5))
    assert found.residuals == pytest.approx((0.1, 0.7, -1.7, 0.9))
    by_genre = residuals_by_genre(found.residuals, ["a", "b", "a", "a"])
    assert [(one.genre, one.n) for one in by_genre] == [("a", 3), ("b", 1)]
    assert (by_genre[0].mean, by_genre[0].sd) == pytest.approx((-0.7 / 3, 1.3316656))
    assert (by_genre[1].mean, by_genre[1].sd) == (pytest.approx(0.7), None)


@given(PAIRS, st.floats(0.1, 9), st.floats(-9, 9))
def test_regression_line_equals_numpy_and_fit_is_independent_of_scale(
    pairs: list[tuple[float, float]], factor: float, offset: float
) -> None:
    gold, pred = [one for one, _ in pairs], [one for _, one in pairs]
    if len(set(gold)) < 2 or len(set(pred)) < 2:
        return
    found = fit_line(gold, pred)
    slope, intercept = np.polyfit(pred, gold, 1)
    assert (found.slope, found.intercept) == pytest.approx((slope, intercept), rel=1e-6, abs=1e-6)
    left = fsum(one * one for one in found.residuals)
    mean = fsum(gold) / len(gold)
    whole = fsum((one - mean) ** 2 for one in gold)
    assert left == pytest.approx((1 - pearson(gold, pred) ** 2) * whole, abs=1e-9)
    assert fsum(found.residuals) == pytest.approx(0, abs=1e-9)
    scaled = fit_line(gold, [factor * one + offset for one in pred])
    assert scaled.residuals == pytest.approx(found.residuals, abs=1e-6)


@pytest.mark.parametrize("unit", [1e-300, 1e-14, 1e7, 1e300])
def test_residuals_have_the_unit_of_the_gold(unit: float) -> None:
    gold, pred = [1.0, 3.0, 2.0, 6.0], [1.0, 2.0, 3.0, 4.0]
    plain, scaled = fit_line(gold, pred), fit_line([unit * one for one in gold], [unit * one for one in pred])
    assert (scaled.slope, scaled.intercept / unit) == pytest.approx((plain.slope, plain.intercept))
    assert [one / unit for one in scaled.residuals] == pytest.approx(plain.residuals)
    sds = [residuals_by_genre(line.residuals, ["a"] * 4)[0].sd for line in (plain, scaled)]
    assert sds[1] == pytest.approx((sds[0] or 0.0) * unit)


@pytest.mark.parametrize(
    ("gold", "pred", "code"),
    [
        ([1], [1], "too_few_items"),
        ([1, 1], [1, 2], "constant_gold"),
        ([1, 2], [3, 3], "constant_run"),
        ([1e308, 2e307], [1e-9, 2e-9], "overflow"),
    ],
)
def test_undefined_regression_line_has_a_reason(gold: list[float], pred: list[float], code: str) -> None:
    with pytest.raises(UndefinedError) as error:
        fit_line(gold, pred)
    assert error.value.code == code
    with pytest.raises(RequestError, match="finite"):
        fit_line([1, 2], [1, float("nan")])
