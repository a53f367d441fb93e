"""The human ceiling: by hand, as `scorer agree` has it, and for the other metrics of a leaderboard."""

import subprocess
import sys
from statistics import fmean, stdev

import pytest
from hypothesis import example, given, settings, strategies as st

from scorer.annotation.agreement import MEASURES, annotator_agreements, average_closeness
from scorer.annotation.human_ceiling import compute_human_ceiling
from scorer.annotation.ratings import ratings_of
from scorer.errors import RequestError
from scorer.metrics import METRICS, within_sd
from scorer.values import Undefined

RATING = st.none() | st.integers(0, 20).map(lambda fifths: fifths / 5)
TABLES = st.integers(2, 5).flatmap(
    lambda k: st.lists(st.lists(RATING, min_size=k, max_size=k), min_size=1, max_size=9)
)
KIM = {"a": 1.0, "b": 2.0, "c": 4.0, "d": 9.0}
LOU = {"a": 1.0, "b": 3.0, "c": 3.0}
MAX = {"a": 0.0, "b": 3.0}


def by_annotator(table: list[list[float | None]]) -> dict[str, dict[str, float]]:
    return {
        f"{k}": {f"{i}": value for i, row in enumerate(table) if (value := row[k]) is not None}
        for k in range(len(table[0]))
    }


def test_ceiling_worked_by_hand() -> None:
    # kim: .5, 1, 1 from the others' .5, 3, 3; lou: .5, .5, 1 from .5, 2.5, 4; max: 1, .5 from 1, 2.5.
    # d has no other rating.
    found = compute_human_ceiling({"kim": KIM, "lou": LOU, "max": MAX}, "mae")
    assert found.value == pytest.approx((2.5 / 3 + 2 / 3 + 1.5 / 2) / 3)
    assert (found.annotators, found.units) == (3, 3)
    assert found.signature.startswith("human-mae|n:3|annotators:3|v:")


@given(TABLES)
@settings(max_examples=60, deadline=None)
def test_ceiling_is_what_agree_prints_for_each_annotator_with_the_others(
    table: list[list[float | None]],
) -> None:
    printed = average_closeness(annotator_agreements(ratings_of(table)))
    for metric in MEASURES:
        found = compute_human_ceiling(by_annotator(table), metric)
        expected = getattr(printed, metric)
        if isinstance(expected, Undefined):
            assert isinstance(found.value, Undefined)
        else:
            assert found.value == pytest.approx(expected, abs=1e-9)
    assert compute_human_ceiling(by_annotator(table), "mse").annotators == printed.n


@given(TABLES)
@example([[1.4, 1.6, 3.6, 4.0]])  # 1.6 is exactly a standard deviation away from the mean of the others
@settings(max_examples=30, deadline=None)
def test_ceiling_within_sd_uses_the_spread_of_the_other_annotators(table: list[list[float | None]]) -> None:
    values = []
    for k in range(len(table[0])):
        rows = [
            (own, [rating for j, rating in enumerate(row) if j != k and rating is not None])
            for row in table
            if (own := row[k]) is not None
        ]
        rows = [(own, others) for own, others in rows if len(others) > 1]
        if rows:
            golds = [round(fmean(others), 12) for _, others in rows]
            sds = [round(stdev(others), 12) for _, others in rows]
            values.append(within_sd(golds, [own for own, _ in rows], sds))
    found = compute_human_ceiling(by_annotator(table), "within_sd").value
    assert found == pytest.approx(fmean(values)) if values else isinstance(found, Undefined)


def test_every_metric_has_a_ceiling() -> None:
    ratings = {"kim": KIM, "lou": LOU, "max": {**MAX, "c": 4.0}}
    groups = dict.fromkeys("abc", "g")
    found = {metric: compute_human_ceiling(ratings, metric, groups).value for metric in METRICS}
    assert not [metric for metric, value in found.items() if isinstance(value, Undefined)]
    assert found["weighted_pearson"] == found["pearson"]
    # kim and max give the unit c their highest rating, as the others do; lou gives it to b and c.
    assert found["choice_accuracy"] == pytest.approx((1 + 0.5 + 1) / 3)


def test_ceiling_without_a_value_is_undefined() -> None:
    alone = compute_human_ceiling({"kim": KIM}, "pearson")
    assert isinstance(alone.value, Undefined)
    assert (alone.annotators, alone.units) == (0, 0)
    constant = compute_human_ceiling({"kim": KIM, "lou": dict.fromkeys(LOU, 2.0)}, "spearman")
    assert isinstance(constant.value, Undefined)
    with pytest.raises(RequestError, match='no metric "bleu"'):
        compute_human_ceiling({}, "bleu")


def test_ceiling_loads_no_numpy() -> None:
    code = (
        "import sys; from scorer.annotation.human_ceiling import compute_human_ceiling\n"
        "compute_human_ceiling({'a': {'x': 1, 'y': 2}, 'b': {'x': 1, 'y': 3}}, 'spearman')\n"
        "sys.exit('numpy' in sys.modules)\n"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
