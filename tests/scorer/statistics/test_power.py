"""Power and the detectable difference: laws, a simulation of the test itself, what is impossible."""

import sys
from subprocess import run

import numpy as np
import pytest
from hypothesis import assume, given, reject, strategies as st
from scipy.special import stdtrit

from scorer.errors import RequestError, UndefinedError
from scorer.statistics.power import detectable_difference, power_of_difference

CORRELATION = st.floats(-0.95, 0.95)


def rejections(worse: float, n: int, *, times: int = 4000) -> float:
    """How often Williams's test finds runs that correlate .8 and `worse`, and .85 with each other."""
    correlations = np.array([[1, 0.8, worse], [0.8, 1, 0.85], [worse, 0.85, 1]])
    normal = np.random.default_rng(1959).standard_normal((times, n, 3))
    data = normal @ np.linalg.cholesky(correlations).T
    data -= data.mean(axis=1, keepdims=True)
    data /= np.sqrt((data * data).sum(axis=1, keepdims=True))
    found = np.swapaxes(data, 1, 2) @ data
    k, h, kh = found[:, 0, 1], found[:, 0, 2], found[:, 1, 2]
    determinant = 1 - k * k - h * h - kh * kh + 2 * k * h * kh
    spread = 2 * determinant * (n - 1) / (n - 3) + ((k + h) / 2) ** 2 * (1 - kh) ** 3
    t = (k - h) * np.sqrt((n - 1) * (1 + kh) / spread)
    return float((abs(t) > stdtrit(n - 3, 0.975)).mean())


@pytest.mark.parametrize("n", [40, 200])
def test_simulated_power_equals_the_requested_power(n: int) -> None:
    d = detectable_difference(n, 0.8, 0.85)
    assert rejections(0.8 - d, n) == pytest.approx(0.8, abs=0.02 + 0.8 / n)  # 3 standard errors, and 1 / n
    assert rejections(0.8, n) == pytest.approx(0.05, abs=0.011)


@given(CORRELATION, CORRELATION, st.integers(30, 3000), st.integers(1, 700), st.floats(0.3, 0.95))
def test_detectable_difference_decreases_with_items_and_increases_with_power(
    r: float, between: float, n: int, pairs: int, power: float
) -> None:
    assume(between > 2 * r * r - 1 + 1e-6)
    assert power_of_difference(r, 0, between, n, pairs=pairs) == pytest.approx(0.05 / pairs)
    try:
        d = detectable_difference(n, r, between, power=power, pairs=pairs)
    except UndefinedError:
        reject()
    assert d > 0
    assert power_of_difference(r, d, between, n, pairs=pairs) == pytest.approx(power)
    assert detectable_difference(4 * n, r, between, power=power, pairs=pairs) < d
    assert detectable_difference(n, r, between, power=power / 2, pairs=pairs) < d
    if pairs > 1:
        assert detectable_difference(n, r, between, power=power) < d


def test_correlated_systems_need_a_smaller_difference() -> None:
    differences = [detectable_difference(500, 0.8, between) for between in (0.5, 0.8, 0.9, 0.99)]
    assert differences == sorted(differences, reverse=True)


@pytest.mark.parametrize(
    ("arguments", "options", "sentence"),
    [
        (
            (500, 0.9, 0.5),
            {},
            r"0\.9 and 0\.9 with the gold and 0\.5 with each other; .* from 0\.6200 to 1\.0000",
        ),
        ((500, 1.0, 0.5), {}, "r 1 is not between"),
        ((500, 0.5, -1.0), {}, "between -1 is not between"),
        ((3, 0.5, 0.5), {}, "n 3 is not between 4 and"),
        ((500, 0.5, 0.5), {"alpha": 1.0}, "alpha 1 is not"),
        ((500, 0.5, 0.5), {"power": 1.0}, "power 1 is not"),
        ((500, 0.5, 0.5), {"power": 0.01}, r"power 0\.01 is not between the level of a test \(0\.05\)"),
        ((500, 0.5, 0.5), {"pairs": 0}, "pairs 0"),
        ((500, 0.5, 0.5), {"alpha": 1e-308}, "too small"),
        ((500, float("nan"), 0.5), {}, "r nan"),
    ],
)
def test_impossible_power_requests_are_rejected(
    arguments: tuple[int, float, float], options: dict[str, float], sentence: str
) -> None:
    with pytest.raises(RequestError, match=sentence):
        detectable_difference(*arguments, **options)
    with pytest.raises(RequestError, match=r"below 0"):
        power_of_difference(0.5, -0.1, 0.5, 100)


def test_too_few_items_have_no_detectable_difference() -> None:
    with pytest.raises(UndefinedError, match="4 items are too few") as refused:
        detectable_difference(4, 0.3, 0.3)
    assert refused.value.code == "no_detectable_difference"


def test_detectable_difference_needs_no_numpy() -> None:
    code = "import sys, scorer.statistics.power; print(*{'numpy', 'scipy'} & set(sys.modules))"
    assert run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout == "\n"
