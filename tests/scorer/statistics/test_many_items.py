"""Metrics with numpy have all digits of those with the standard library."""

from collections.abc import Callable
from math import fsum, inf, nan

import numpy as np
import pytest
from hypothesis import example, given, strategies as st

from scorer import evaluate
from scorer.errors import RequestError, UndefinedError
from scorer.files.reading import Gold, Run
from scorer.metrics import METRICS, Metric
from scorer.scoring import evaluate as scoring
from scorer.statistics import many_items
from scorer.statistics.many_items import exact_sum, for_many_items

PAIRED = ("pearson", "spearman", "kendall", "mse", "rmse", "mae")
TIED = st.integers(-3, 3).map(float)
DECIMALS = st.integers(-4000, 4000).map(lambda number: number / 1000)
EXTREME = st.sampled_from((0.0, -0.0, 5e-324, 1e-310, 1.7e308, -1.7e308, 1e154, 1 / 3, 1e16, 1e16 + 2))
ANY = st.floats(allow_nan=False, allow_infinity=False)
SIDE = (TIED, DECIMALS, EXTREME, ANY)
PAIRS = st.tuples(st.integers(1, 70), st.sampled_from(SIDE), st.sampled_from(SIDE)).flatmap(
    lambda chosen: st.tuples(*(st.lists(side, min_size=chosen[0], max_size=chosen[0]) for side in chosen[1:]))
)


def outcome(function: Callable[..., float], *arguments: list[float]) -> str:
    """The value in all digits, or the error with its reason."""
    try:
        return float(function(*arguments)).hex()
    except (UndefinedError, RequestError, ArithmeticError) as error:
        return repr(error)


@pytest.mark.parametrize("name", PAIRED)
@given(both=PAIRS)
@example(both=([1.0, 2.0], [1.0, nan]))
@example(both=([inf, 2.0], [1.0, 2.0]))
@example(both=([1.0, 2.0], [1.0]))
def test_metric_with_numpy_has_the_same_digits_and_errors(
    name: str, both: tuple[list[float], list[float]]
) -> None:
    assert outcome(for_many_items(METRICS[name]).function, *both) == outcome(METRICS[name].function, *both)


@pytest.mark.parametrize("name", PAIRED)
@pytest.mark.parametrize("places", [0, 2, 17])
def test_metric_of_forty_thousand_items_has_the_same_digits(name: str, places: int) -> None:
    rng = np.random.default_rng(2014)
    gold = rng.integers(17, size=40_000) / 4
    pred = (gold + rng.normal(0, 0.8, gold.size)).round(places)
    both = gold.tolist(), pred.tolist()
    assert outcome(for_many_items(METRICS[name]).function, *both) == outcome(METRICS[name].function, *both)


@given(
    triples=st.lists(
        st.tuples(
            DECIMALS | EXTREME,
            TIED | ANY,
            st.sampled_from((0.0, 0.25, 1.0, 100.0, 5e-324, 1e-100, 1e300)) | st.floats(0, 1),
        ),
        max_size=40,
    )
)
@example(triples=[(1.0, 2.0, nan), (2.0, 1.0, 1.0)])
@example(triples=[(1.0, 2.0, -1.0), (2.0, 1.0, 1.0)])
@example(triples=[(1.0, inf, 1.0), (2.0, 1.0, 1.0), (3.0, 1.0, 0.0)])
def test_weighted_pearson_with_numpy_has_the_same_digits_and_errors(
    triples: list[tuple[float, float, float]],
) -> None:
    arguments = [list(side) for side in zip(*triples, strict=True)] or [[], [], []]
    metric = METRICS["weighted_pearson"]
    assert outcome(for_many_items(metric).function, *arguments) == outcome(metric.function, *arguments)


def test_weighted_pearson_of_forty_thousand_items_has_the_same_digits() -> None:
    rng = np.random.default_rng(2014)
    gold, weights = rng.integers(17, size=40_000) / 4, rng.integers(101, size=40_000) / 100
    arguments = [side.tolist() for side in (gold, gold + rng.normal(0, 0.8, gold.size), weights)]
    metric = METRICS["weighted_pearson"]
    assert outcome(for_many_items(metric).function, *arguments) == outcome(metric.function, *arguments)


@given(st.lists(st.floats(-1, 1) | EXTREME.filter(lambda value: abs(value) <= 1)))
def test_exact_sum_equals_the_one_of_the_standard_library(values: list[float]) -> None:
    assert exact_sum(np.array(values, dtype=float)) == fsum(values)


def test_exact_sum_of_several_blocks_loses_nothing() -> None:
    values = np.concatenate([np.full(20_000, 2.0**-60), [1.0], np.full(20_000, 1 / 3), [-1.0]])
    assert exact_sum(values) == fsum(values.tolist())


def test_report_of_many_items_is_that_of_few(monkeypatch: pytest.MonkeyPatch) -> None:
    gold = Gold((0.0, None, 1.5, 4.0, 2.5, 1.5), sds=(0.5, None, 1.1, 2.0, 0.0, 1.5))
    run = Run((0.1, 0.3, 0.9, 2.1, 2.2, 0.9), (None, 1.0, 0.2, 0.5, None, 1.0))
    names, replaced = [name for name in METRICS if name != "choice_accuracy"], list[str]()

    def spy(metric: Metric) -> Metric:
        replaced.append(metric.name)
        return for_many_items(metric)

    few = evaluate(gold, run, names, min_confidence=0.5)
    monkeypatch.setattr(scoring, "MANY_ITEMS", 3)
    monkeypatch.setattr(many_items, "for_many_items", spy)
    assert evaluate(gold, run, names, min_confidence=0.5) == few
    assert replaced == names
    replaced.clear()
    assert evaluate(gold, run, names, min_confidence=1).results[0].n == 3
    assert not replaced
