"""Pearson weighted by confidence: worked examples, numpy's weighted covariance, laws, and edge cases."""

from math import nan
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st

from scorer.errors import RequestError, UndefinedError
from scorer.files.reading import parse_gold, parse_run
from scorer.metrics import pearson, weighted_pearson
from scorer.scoring.evaluate import evaluate

Triple = tuple[list[float], list[float], list[float]]
VALUES = st.integers(-40, 40).map(lambda quarters: quarters / 4)


def triples(weights: st.SearchStrategy[float]) -> st.SearchStrategy[Triple]:
    def of(n: int) -> st.SearchStrategy[Triple]:
        values = st.lists(VALUES, min_size=n, max_size=n)
        return st.tuples(values, values, st.lists(weights, min_size=n, max_size=n))

    def is_defined(triple: Triple) -> bool:
        kept = [(a, b) for a, b, w in zip(*triple, strict=True) if w > 0]
        return len({a for a, _ in kept}) > 1 and len({b for _, b in kept}) > 1

    return st.integers(2, 20).flatmap(of).filter(is_defined)


def test_weighted_pearson_equals_manual_calculation() -> None:
    # gold 0 2 3, pred 0 4 2: means 2 and 2: deviations -2 0 1 and -2 2 0; sums 4, 6, 8
    assert weighted_pearson([0, 2, 3], [0, 4, 2], [1, 1, 2]) == pytest.approx(4 / (6 * 8) ** 0.5, abs=1e-15)


def test_weighted_pearson_equals_the_perl_script_of_the_task(shared: Path) -> None:
    clss = shared / "data" / "clss"
    gold = (clss / "keys" / "training" / "paragraph2sentence.train.gs.tsv").read_bytes()
    run = (clss / "runs" / "birch" / "paragraph2sentence.train.tsv").read_bytes()
    answers = parse_gold(gold, "gold"), parse_run(run, "run")
    assert evaluate(*answers, ["weighted_pearson"]).results[0].value == pytest.approx(
        0.807944686172, abs=1e-12
    )


@given(triples(st.floats(0.0, 100.0).filter(lambda w: w == 0 or w > 1e-3)))
def test_weighted_pearson_equals_numpy_weighted_covariance(triple: Triple) -> None:
    gold, pred, confidences = triple
    (xx, xy), (_, yy) = np.cov([gold, pred], aweights=confidences, ddof=0)
    assume(min(xx, yy) > 1e-6)
    assert weighted_pearson(*triple) == pytest.approx(xy / (xx * yy) ** 0.5, abs=1e-9)


@given(triples(st.integers(0, 4).map(float)))
def test_integer_confidence_equals_copies_of_the_item(triple: Triple) -> None:
    copies = [(a, b) for a, b, w in zip(*triple, strict=True) for _ in range(int(w))]
    gold, pred = map(list, zip(*copies, strict=True))
    assert weighted_pearson(*triple) == pytest.approx(pearson(gold, pred), abs=1e-12)


@given(triples(st.floats(0.001, 1.0)), st.sampled_from([0.1, 1.0, 100.0]))
def test_weighted_pearson_is_bounded_symmetric_and_scale_invariant(triple: Triple, scale: float) -> None:
    gold, pred, confidences = triple
    r = weighted_pearson(gold, pred, confidences)
    assert -1 <= r <= 1
    assert weighted_pearson(pred, gold, confidences) == r
    assert weighted_pearson(gold, pred, [scale * w for w in confidences]) == pytest.approx(r, abs=1e-12)
    assert weighted_pearson(*(side[::-1] for side in triple)) == r
    assert weighted_pearson(gold, pred, [scale] * len(gold)) == pearson(gold, pred)


@pytest.mark.parametrize(
    ("confidences", "code"),
    [([0, 0, 0], "too_few_items"), ([1, 0, 1e-200], "too_few_items"), ([0, 1, 1], "constant_run")],
)
def test_undefined_weighted_pearson_has_a_reason(confidences: list[float], code: str) -> None:
    with pytest.raises(
        UndefinedError, match=r"a confidence above 0; this needs|correlates with nothing"
    ) as caught:
        weighted_pearson([1, 2, 3], [1, 5, 5], confidences)
    assert caught.value.code == code


def test_weighted_pearson_is_defined_for_extreme_confidences_and_values() -> None:
    assert weighted_pearson([1, 2, 3], [1e300, 2e300, 3e300], [1e308, 1e209, 1e308]) == pytest.approx(1)
    assert weighted_pearson([1, 2], [5, 4], [1e-300, 1e-300]) == -1


def test_invalid_confidences_are_rejected() -> None:
    with pytest.raises(RequestError, match="gold has 2 values and there are 1 confidences"):
        weighted_pearson([1, 2], [1, 2], [1])
    for wrong in (-0.5, nan):
        with pytest.raises(RequestError, match=r"confidences\[1\] is .*; each must be finite and at least 0"):
            weighted_pearson([1, 2], [1, 2], [1, wrong])
