"""Williams, Steiger and Zou: published values, laws, and where they have no value; Holm's adjustment."""

import csv
import re
from collections.abc import Callable
from itertools import accumulate
from math import nan, sqrt
from pathlib import Path

import pytest
from hypothesis import assume, given, strategies as st
from scipy import stats

from scorer.errors import RequestError, UndefinedError
from scorer.statistics.dependent_correlations import (
    check_correlations,
    fisher_correlation,
    pooled_variance,
    steiger,
    williams,
    zou_interval,
)
from scorer.statistics.multiple_testing import holm

TESTS = {"williams1959": williams, "steiger1980": steiger}
CORRELATION = st.floats(-0.99, 0.99)
P = st.one_of(st.floats(0, 1), st.sampled_from([0.0, 0.01, 0.02, 0.5, 1.0]))


def test_tests_equal_published_values(shared: Path) -> None:
    with (shared / "oracles" / "dependent_correlations.tsv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    assert len(rows) >= 6
    for row in rows:
        call = row["call (r.jk, r.jh, r.kh, n)"].split("(", 1)[1].split("test")[0]
        *r, n = (float(number) for number in re.findall(r"(?<![a-z])\.?\d+\.?\d*", call))
        digits, expected = int(row["round_digits"]), re.findall(r"-?[\d.]*\d", row["expected"])
        if row["test"] == "zou2007":
            found = list(zou_interval(*r, int(n)))
        else:
            test = TESTS[row["test"]](*r, int(n))
            found = [test.statistic if row["quantity"] == "statistic" else test.p]
        assert [round(value, digits) for value in found] == [float(value) for value in expected], row


def test_tests_equal_manual_calculation() -> None:
    # |R| = .75, mean 0: t = (.4 - -.4) sqrt(9 * 1.5 / (2 * |R| * 9 / 7)) with |R| = 1 - .32 - .25 - .16 = .27
    assert williams(0.4, -0.4, 0.5, 10).statistic == pytest.approx(0.8 * sqrt(13.5 / (0.54 * 9 / 7)))
    # mean 0, so that c is r_kh itself
    assert fisher_correlation(0, 0, 0.5) == 0.5
    assert steiger(0.4, -0.4, 0.5, 28).statistic == pytest.approx(2 * 0.4236489301936 * 5)


@given(CORRELATION, CORRELATION)
def test_pooled_variance_assumes_two_equal_correlations(r: float, r_kh: float) -> None:
    assume(r_kh > 2 * r * r - 1)
    assert pooled_variance(r, r_kh) == pytest.approx(2 - 2 * fisher_correlation(r, r, r_kh), abs=1e-12)


@pytest.mark.parametrize("away", [1e-7, 1e-11])
def test_nearly_identical_or_nearly_perfect_runs_have_tests(away: float) -> None:
    for triple in ((0.5, 0.5 + away / 9, 1 - away), (1 - away, 1 - 2 * away, 1 - 2 * away)):
        assert 0 <= williams(*triple, 50).p <= 1
        assert 0 <= steiger(*triple, 50).p <= 1
        low, high = zou_interval(*triple, 50)
        assert -2 <= low <= triple[0] - triple[1] <= high <= 2


@given(CORRELATION, CORRELATION, CORRELATION, st.integers(4, 3000))
def test_williams_steiger_and_zou_are_antisymmetric_and_bounded(
    r_jk: float, r_jh: float, r_kh: float, n: int
) -> None:
    assume(1 - r_jk**2 - r_jh**2 - r_kh**2 + 2 * r_jk * r_jh * r_kh > 1e-6)
    for test in (williams, steiger):
        one, other = test(r_jk, r_jh, r_kh, n), test(r_jh, r_jk, r_kh, n)
        assert one.statistic == pytest.approx(-other.statistic, abs=1e-9)
        assert one.p == pytest.approx(other.p)
        assert 0 <= one.p <= 1
        assert one.statistic * (r_jk - r_jh) >= 0
    low, high = zou_interval(r_jk, r_jh, r_kh, n)
    turned = zou_interval(r_jh, r_jk, r_kh, n)
    assert (-turned[1], -turned[0]) == pytest.approx((low, high), abs=1e-9)
    assert -2 <= low <= r_jk - r_jh <= high <= 2
    wide = zou_interval(r_jk, r_jh, r_kh, n, 0.99)
    assert wide[0] <= low
    assert high <= wide[1]


def test_student_t_equals_scipy() -> None:
    found = williams(0.5, 0.3, 0.2, 40)
    assert found.df == 37
    assert found.p == pytest.approx(2 * stats.t.sf(found.statistic, 37), rel=1e-12)


def test_tiny_p_values_are_accurate() -> None:
    found = steiger(0.9, 0.1, 0.2, 500)
    assert found.p == pytest.approx(2 * stats.norm.sf(found.statistic), rel=1e-9)
    assert 0 < found.p < 1e-60


@pytest.mark.parametrize("function", [williams, steiger, zou_interval])
@pytest.mark.parametrize(
    ("triple", "n", "code"),
    [
        ((0.5, 0.5, 1.0), 9, "identical_runs"),
        ((0.5, 0.5, 1 - 1e-15), 9, "identical_runs"),
        ((0.5, -0.5, -1.0), 9, "opposite_runs"),
        ((1.0, 0.3, 0.3), 9, "perfect_correlation"),
        ((-0.3, -1.0, 0.3), 9, "perfect_correlation"),
        ((0.3, 0.4, 0.5), 3, "too_few_items"),
    ],
)
def test_undefined_tests_have_a_reason(
    function: Callable[..., object], triple: tuple[float, float, float], n: int, code: str
) -> None:
    with pytest.raises(UndefinedError) as refused:
        function(*triple, n)
    assert refused.value.code == code


def test_runs_and_gold_that_determine_each_other_have_no_t() -> None:
    with pytest.raises(UndefinedError, match="determine each other"):
        williams(0.5, -0.5, 0.5, 9)


def test_impossible_correlations_are_rejected() -> None:
    with pytest.raises(RequestError, match=r"from -0\.1000 to 1\.0000"):
        williams(sqrt(0.45), sqrt(0.45), -0.5, 100)
    with pytest.raises(RequestError, match="between -1 and 1"):
        steiger(1.5, 0.2, 0.1, 100)
    with pytest.raises(RequestError, match="nan is no correlation"):
        check_correlations(0.1, nan, 0.2)
    with pytest.raises(RequestError, match="level 1"):
        zou_interval(0.1, 0.2, 0.1, 100, 1)


def test_holm_equals_manual_calculation() -> None:
    assert holm([]) == []
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.5, 0.5, 0.5]) == [1, 1, 1]
    assert holm([0.02, 0.02]) == [0.04, 0.04]


@given(st.lists(P, max_size=12))
def test_holm_keeps_order_and_equals_the_step_down_procedure(p: list[float]) -> None:
    adjusted = holm(p)
    ascending = sorted(p)
    plain = list(accumulate((min(1.0, (len(p) - i) * value) for i, value in enumerate(ascending)), max))
    assert sorted(adjusted) == plain
    assert all(raw <= value <= 1 for raw, value in zip(p, adjusted, strict=True))
    by_raw = dict(zip(p, adjusted, strict=True))
    assert [by_raw[value] for value in p] == adjusted, "equal p values have equal adjusted ones"
    assert [by_raw[value] for value in ascending] == sorted(adjusted), "the order stays"
    assert holm(p[::-1]) == adjusted[::-1]
    for alpha in (0.01, 0.05):  # the step-down procedure as Holm states it
        rejected = 0
        while rejected < len(p) and (len(p) - rejected) * ascending[rejected] <= alpha:
            rejected += 1
        assert sum(value <= alpha for value in adjusted) == rejected


@pytest.mark.parametrize("bad", [-0.1, 1.1, nan])
def test_holm_rejects_values_that_are_not_p_values(bad: float) -> None:
    with pytest.raises(RequestError, match=r"p\[1\] is"):
        holm([0.5, bad])
