"""Ridge regression: an augmented least-squares fit as oracle, folds, and predictions of left-out items."""

from collections import Counter
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from hypothesis import given, strategies as st

from scorer.baselines import BASELINES, baseline_run
from scorer.errors import UndefinedError
from scorer.files.reading import Item, Items
from scorer.training.features import FEATURES, make_features, word_overlap
from scorer.training.ridge import (
    PENALTIES,
    Matrix,
    Vector,
    choose_ridge,
    fit_ridge,
    make_folds,
    predict_left_out,
)
from scorer.training.ridge_report import RidgeSystem, ridge_report


def draw(n: int, noise: float, seed: int = 1) -> tuple[Matrix, Vector]:
    """Features on different scales, and gold values that the first two of them determine."""
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(n, 3)) * [1.0, 20.0, 0.1] + [5.0, 0.0, 1.0]
    return features, 2 + features[:, 0] - features[:, 1] / 10 + noise * rng.normal(size=n)


@given(st.integers(2, 30), st.sampled_from(PENALTIES), st.integers(0, 99))
def test_the_fit_is_that_of_least_squares_with_rows_for_the_penalty(
    n: int, penalty: float, seed: int
) -> None:
    features, gold = draw(n, 0.5, seed)
    z = (features - features.mean(axis=0)) / features.std(axis=0)
    rows = np.vstack([z, np.sqrt(n * penalty) * np.eye(3)])
    expected = np.linalg.lstsq(rows, np.concatenate([gold - gold.mean(), np.zeros(3)]), rcond=None)[0]
    fitted = fit_ridge(features, gold, penalty)
    assert fitted.weights == pytest.approx(expected, rel=1e-6, abs=1e-9)
    assert fitted.predict(features) == pytest.approx(gold.mean() + z @ expected, rel=1e-6, abs=1e-9)


def test_a_constant_feature_has_no_weight_and_no_effect() -> None:
    features, gold = draw(20, 0.1)
    constant = np.full((20, 1), 0.1 + 0.2)
    fitted = fit_ridge(np.hstack([features, constant]), gold, 0.01)
    assert fitted.weights[3] == 0.0
    other = np.hstack([features, constant + 7])
    assert fitted.predict(other) == pytest.approx(fit_ridge(features, gold, 0.01).predict(features))


@given(st.lists(st.integers(0, 12), min_size=1, max_size=60))
def test_a_group_is_in_one_fold_and_folds_are_as_equal_as_groups_allow(groups: list[int]) -> None:
    folds = make_folds(groups).tolist()
    assert len({*zip(groups, folds, strict=True)}) == len({*groups})
    sizes = Counter(folds)
    assert {*folds} == {*range(min(5, len({*groups})))}
    assert max(sizes.values()) - min(sizes.values()) <= max(Counter(groups).values())


@pytest.mark.parametrize(("noise", "penalty"), [(0.0, PENALTIES[0]), (1e6, PENALTIES[-1])])
def test_the_penalty_is_small_without_noise_and_large_with_nothing_else(noise: float, penalty: float) -> None:
    features, gold = draw(100, noise)
    assert choose_ridge(features, gold, range(100)).penalty == penalty


def test_a_left_out_prediction_does_not_depend_on_the_gold_of_its_group() -> None:
    features, gold = draw(40, 0.5)
    groups = [place // 4 for place in range(40)]
    before = predict_left_out(features, gold, groups)
    changed = gold.copy()
    changed[8:12] += 100
    after = predict_left_out(features, changed, groups)
    same = [a == b for a, b in zip(before, after, strict=True)]
    own_fold = make_folds(groups) == make_folds(groups)[8]
    assert same == own_fold.tolist()


def test_gold_that_the_features_determine_is_predicted() -> None:
    features, gold = draw(100, 0.0)
    assert predict_left_out(features, gold, range(100)) == pytest.approx(gold, abs=0.01)
    chance = predict_left_out(features, draw(100, 1.0, seed=2)[1], range(100))
    assert abs(np.corrcoef(chance, gold)[0, 1]) < 0.3


def test_two_groups_are_too_few() -> None:
    features, gold = draw(10, 0.1)
    with pytest.raises(UndefinedError, match="at least 3 groups of items, and there are 2"):
        predict_left_out(features, gold, ["a", "b"] * 5)
    with pytest.raises(UndefinedError, match="at least 2 groups of items, and there are 1"):
        choose_ridge(features, gold, ["a"] * 10)


def test_word_overlap_is_the_share_of_the_right_side() -> None:
    assert word_overlap("The OLD mill, the old pier", "old old mill boat") == Fraction(2, 3)
    assert word_overlap("the old mill", "old mill boat", 2) == Fraction(1, 2)
    assert word_overlap("the old mill", "42", 1) == 0


def test_features_are_the_runs_of_the_baselines() -> None:
    pairs = [("the old mill left", "old mill"), ("a boat", "a harbour boat"), ("an old pier", "mills")]
    rows = [Item(str(n), *pair, "", n) for n, pair in enumerate(pairs, start=1)]
    items = Items("items.tsv", tuple(rows))
    found, rests = make_features(items, {name: partial(run, scale=1) for name, run in FEATURES.items()})
    for place, name in enumerate(BASELINES):
        expected = baseline_run(name, items, scale=1).split()
        assert found[:, place].tolist() == list(map(float, expected))
    assert found[:, 4].tolist() == [1.0, 0.6666666666666666, 0.0]
    assert found[:, 6].tolist() == pytest.approx(np.log([5, 3, 4]).tolist())
    assert (found.shape, rests) == ((3, 8), ["", "", ""])


def test_predictions_are_within_the_scale() -> None:
    features, gold = draw(100, 0.1)
    groups = list(map(str, range(100)))
    whole, part = (RidgeSystem.train("abc", features, gold.tolist(), groups, s) for s in ((-99, 99), (5, 8)))
    assert part.left_out.tolist() == np.clip(whole.left_out, 5, 8).tolist()
    assert part.predict(features).tolist() == np.clip(whole.predict(features), 5, 8).tolist()


def test_the_report_has_standardized_weights_in_the_order_of_their_effect() -> None:
    features, gold = draw(100, 0.01)
    system = RidgeSystem.train(
        ["a", "b", "none"], features, gold.tolist(), list(map(str, range(100))), (-9, 9)
    )
    scores, weights = ridge_report(system).tables
    assert [row[0] for row in weights.rows] == ["b", "a", "none"]
    spread = np.std(gold)
    expected = [-features[:, 1].std() / 10 / spread, features[:, 0].std() / spread, 0.0]
    assert [row[1] for row in weights.rows] == pytest.approx(expected, abs=0.01)
    assert weights.rows[1][2] == pytest.approx(np.corrcoef(features[:, 0], gold)[0, 1])
    assert scores.rows[0][1] == pytest.approx(np.corrcoef(system.left_out, gold)[0, 1])
