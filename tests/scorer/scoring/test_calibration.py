"""Calibration of values to the scale of gold: by hand, against scipy, and which method is chosen."""

from fractions import Fraction
from itertools import pairwise
from math import fsum

import pytest
from hypothesis import given, strategies as st
from scipy.optimize import isotonic_regression

from scorer.errors import RequestError, UndefinedError
from scorer.scoring.calibration import calibrate, calibrate_by_run, fit_isotonic
from scorer.scoring.residuals import fit_line

QUARTERS = st.integers(0, 16).map(lambda value: value / 4)
TWENTIETHS = st.integers(0, 20).map(lambda value: value / 20)
PAIRS = st.lists(st.tuples(QUARTERS, TWENTIETHS), min_size=1, max_size=40)
STEP = [0.0] * 10 + [4.0] * 10
VALUES = [n / 20 for n in range(20)]


@given(PAIRS)
def test_isotonic_regression_equals_scipy(pairs: list[tuple[float, float]]) -> None:
    gold_by_pred: dict[float, list[float]] = {}
    for score, value in pairs:
        gold_by_pred.setdefault(value, []).append(score)
    values = sorted(gold_by_pred)
    means = [fsum(gold_by_pred[value]) / len(gold_by_pred[value]) for value in values]
    expected = isotonic_regression(means, weights=[len(gold_by_pred[value]) for value in values]).x
    fitted = fit_isotonic([score for score, _ in pairs], [value for _, value in pairs])
    assert [fitted(value) for value in values] == pytest.approx(list(expected), abs=1e-12)


@given(PAIRS, st.lists(st.floats(-1, 2), min_size=2))
def test_isotonic_map_never_decreases_nor_leaves_the_range_of_the_gold(
    pairs: list[tuple[float, float]], values: list[float]
) -> None:
    gold = [score for score, _ in pairs]
    fitted = fit_isotonic(gold, [value for _, value in pairs])
    mapped = [fitted(value) for value in sorted(values)]
    for lower, higher in pairwise(mapped):
        assert lower <= higher + 1e-12
    assert min(gold) - 1e-12 <= mapped[0] <= mapped[-1] <= max(gold) + 1e-12


def test_isotonic_regression_by_hand() -> None:
    """The gold of .2 and .3, 3 and 2, is pooled to 2.5; two items with .5 count by their mean 4."""
    fitted = fit_isotonic([1, 3, 2, 5, 3], [0.1, 0.2, 0.3, 0.5, 0.5])
    assert [fitted(value) for value in (0, 0.1, 0.2, 0.25, 0.3, 0.5, 1)] == [1, 1, 2.5, 2.5, 2.5, 4, 4]
    assert fitted(0.4) == pytest.approx(3.25)
    assert fit_isotonic([3, 2, 1], [1, 2, 3])(1) == 2.0


def test_step_is_mapped_by_isotonic_regression() -> None:
    found = calibrate(STEP, VALUES)
    assert (found.method, found.map(0.1), found.map(0.9)) == ("isotonic", 0.0, 4.0)
    assert found.errors["isotonic"] < found.errors["linear"]


def test_line_with_noise_is_mapped_by_the_line() -> None:
    gold = [3 * value + (0.5 if n % 2 else -0.5) for n, value in enumerate(VALUES)]
    found, line = calibrate(gold, VALUES), fit_line(gold, VALUES)
    assert (found.method, found.map(0.3)) == ("linear", line.intercept + 0.3 * line.slope)


def test_errors_are_those_of_items_that_were_left_out() -> None:
    squares = []
    for n, (score, value) in enumerate(zip(STEP, VALUES, strict=True)):
        rest = [m for m in range(20) if m % 5 != n % 5]
        line = fit_line([STEP[m] for m in rest], [VALUES[m] for m in rest])
        squares.append((score - line.intercept - line.slope * value) ** 2)
    assert calibrate(STEP, VALUES).errors["linear"] == pytest.approx(fsum(squares) / 20, rel=1e-12)


def test_run_is_converted_within_the_scale_and_keeps_its_confidences() -> None:
    run = "".join(f"{value}\t1\n" for value in VALUES)
    gold = [None, *(10 * value for value in VALUES[1:])]
    found = calibrate_by_run(gold, run)
    assert found.method == "linear"
    converted = found.convert_run("0.25\t1\n0\t0\n0.9\t1\n", Fraction(1), Fraction(5)).splitlines()
    assert [line.split("\t")[1] for line in converted] == ["1", "0", "1"]
    assert [float(line.split("\t")[0]) for line in converted] == pytest.approx([2.5, 1, 5])


def test_data_that_nothing_can_be_learned_from_is_rejected() -> None:
    with pytest.raises(UndefinedError, match="needs 10 items with gold or more, and there are 9"):
        calibrate(STEP[:9], VALUES[:9])
    with pytest.raises(UndefinedError, match="gold"):
        calibrate([1.0] * 20, VALUES)
    with pytest.raises(UndefinedError, match="the run has the same score"):
        calibrate(STEP, [0.0] * 20)
    with pytest.raises(RequestError):
        calibrate(STEP, VALUES[:-1])
