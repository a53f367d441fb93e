"""Choice accuracy: the published figure, worked examples, random picks, laws, and edge cases."""

from itertools import permutations
from statistics import stdev

import numpy as np
import pytest
from hypothesis import given, strategies as st

from scorer.errors import RequestError, UndefinedError
from scorer.metrics import choice_accuracy, choice_credits, choice_standard_error
from scorer.statistics.kernels import make_kernel
from scorer.statistics.samples import make_sample

Triple = tuple[list[float], list[float], list[str | None]]
ITEM = st.tuples(st.integers(0, 2).map(float), st.integers(0, 3).map(float), st.sampled_from("abc"))
TRIPLES = st.lists(ITEM, min_size=1, max_size=6).map(lambda rows: tuple(map(list, zip(*rows, strict=True))))


def test_choice_accuracy_equals_the_published_value() -> None:
    gold, groups = [0.9, 0.1, 0.2] * 30, [str(k // 3) for k in range(90)]
    pred = [1.0, 0.5, 0.3] * 4 + [0.5, 1.0, 0.3] * 26
    accuracy = choice_accuracy(gold, pred, groups)
    assert round(accuracy, 3) == 0.133
    assert round(choice_standard_error(accuracy, 30), 3) == 0.063


def test_ties_share_credit_and_groups_without_a_choice_are_left_out() -> None:
    gold = [1, 1, 0, 0, 3, 3, 5, 7, 9]
    pred = [2, 0, 2, 2, 1, 2, 0, 0, 0]
    groups = ["a", "a", "a", "a", "same", "same", "alone", None, None]
    assert choice_credits(gold, pred, groups) == {"a": 1 / 3}


@given(TRIPLES)
def test_choice_accuracy_equals_the_mean_over_all_tie_breaks(triple: Triple) -> None:
    gold, pred, groups = triple
    for group, credit in choice_credits(gold, pred, groups).items():
        mine = [place for place, each in enumerate(groups) if each == group]
        best, top = max(gold[place] for place in mine), max(pred[place] for place in mine)
        picks = [next(place for place in order if pred[place] == top) for order in permutations(mine)]
        assert credit == pytest.approx(sum(gold[place] == best for place in picks) / len(picks))


@given(TRIPLES)
def test_choice_credits_ignore_order_and_monotone_scaling(triple: Triple) -> None:
    gold, pred, groups = triple
    found = choice_credits(gold, pred, groups)
    assert set(found) == {
        g for g in groups if len({a for a, h in zip(gold, groups, strict=True) if h == g}) > 1
    }
    assert choice_credits(gold[::-1], pred[::-1], groups[::-1]) == found
    assert choice_credits(gold, [2.0**score for score in pred], groups) == found
    assert set(choice_credits(gold, gold, groups).values()) <= {1.0}
    if len(found) > 1:
        n, accuracy = len(found), choice_accuracy(gold, pred, groups)
        assert 0 <= accuracy <= 1
        # the usual standard error of a mean; the same where every credit is 0 or 1
        assert choice_standard_error(accuracy, n) >= stdev(found.values()) / n**0.5 - 1e-12
        if set(found.values()) <= {0.0, 1.0}:
            expected = stdev(found.values()) / n**0.5
            assert choice_standard_error(accuracy, n) == pytest.approx(expected, abs=1e-12)


def test_constant_system_gets_chance_accuracy() -> None:
    assert choice_accuracy([0, 1, 2, 3, 4] * 6, [7] * 30, [str(k // 5) for k in range(30)]) == pytest.approx(
        0.2
    )


def test_undefined_choice_accuracy_has_a_reason() -> None:
    for gold, groups in (([1.0, 2.0], ["a", "b"]), ([1.0, 1.0], ["a", "a"]), ([], [])):
        with pytest.raises(UndefinedError, match="there is nothing to choose") as caught:
            choice_accuracy(gold, gold, groups)
        assert caught.value.code == "no_choice"
    with pytest.raises(UndefinedError, match="1 group with a choice; a standard error needs 2"):
        choice_standard_error(1.0, 1)


def test_invalid_input_is_rejected() -> None:
    with pytest.raises(RequestError, match="gold has 2 values and there are 1 groups"):
        choice_accuracy([1, 2], [1, 2], ["a"])
    with pytest.raises(RequestError, match=r"1\.5 is no accuracy"):
        choice_standard_error(1.5, 10)


def test_resampled_groups_keep_their_credit() -> None:
    groups = [str(k // 3) for k in range(60)] + [None, None]
    gold, pred = [float(k % 3) for k in range(62)], [float(k * k % 7) for k in range(62)]
    found = choice_credits(gold, pred, groups)
    kernel = make_kernel(make_sample(gold, [pred, gold], groups), "choice_accuracy")
    counts = np.array([[k % 4, 1, 0] for k in range(20)] + [[9, 0, 1]] * 2, dtype=float)
    times = [k % 4 for k in range(20)]
    expected = sum(credit * n for credit, n in zip(found.values(), times, strict=True)) / sum(times)
    values = kernel(counts)
    assert values[:, :2].tolist() == [
        [pytest.approx(expected), choice_accuracy(gold, pred, groups)],
        [1.0, 1.0],
    ]
    assert np.isnan(values[:, 2]).all()
