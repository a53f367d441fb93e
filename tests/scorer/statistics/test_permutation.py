"""The paired permutation test: against every permutation, a plain loop and scipy; worked clusters."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats

from scorer.errors import RequestError
from scorer.inference.clusters import cluster_numbers, rank_range
from scorer.metrics import METRICS, choice_accuracy, within_sd
from scorer.statistics import permutation
from scorer.statistics.adjustments import check_permutations, recommended_permutations
from scorer.statistics.multiple_testing import holm
from scorer.statistics.permutation import TESTABLE_METRICS, LevelColumn, pair_tests
from scorer.statistics.random_streams import draw_masks, open_stream
from scorer.statistics.samples import make_sample

SMALL = settings(max_examples=15, deadline=None)


def board(n: int, m: int, seed: int, spread: float = 1.0) -> tuple[list[float], list[list[float]]]:
    """Quarter points and systems that follow them, the later the less."""
    rng = np.random.default_rng(seed)
    gold = np.round(rng.uniform(0, 4, n) * 4) / 4
    noise = rng.normal(size=(m, n)) * np.linspace(1, spread, m)[:, None]
    return gold.tolist(), (gold + noise).tolist()


def column(
    name: str, metric: str, gold: list[float], preds: list[list[float]], **rest: object
) -> LevelColumn:
    """All systems at one level."""
    return LevelColumn(name, metric, make_sample(gold, preds), tuple(range(len(preds))), **rest)


def prepared(metric: str, gold: list[float], preds: list[list[float]]) -> tuple[np.ndarray, np.ndarray]:
    """What is swapped: standardised scores or ranks; as they are for mean errors."""
    if metric not in ("pearson", "spearman"):
        return np.array(gold), np.array(preds)
    sides = [stats.rankdata(side) if metric == "spearman" else np.array(side) for side in (gold, *preds)]
    found = [(side - side.mean()) / side.std() for side in sides]
    return found[0], np.array(found[1:])


def by_loop(metric: str, gold: list[float], preds: list[list[float]], masks: list[tuple[int, ...]]) -> float:
    """The share of masks with a difference as extreme as the observed one, each by the metric itself."""
    name = "pearson" if metric == "spearman" else metric
    y, (a, b) = prepared(metric, gold, preds)

    def difference(one: np.ndarray, other: np.ndarray) -> float:
        function = METRICS[name].function
        return abs(function(y.tolist(), one.tolist()) - function(y.tolist(), other.tolist()))

    observed = difference(a, b)
    swapped = ((np.where(mask, b, a), np.where(mask, a, b)) for mask in masks)
    return sum(difference(*both) >= observed - 1e-10 for both in swapped) / len(masks)


def test_permutation_test_of_choice_accuracy_swaps_whole_groups() -> None:
    groups = [str(k // 3) for k in range(27)]
    gold, preds = board(27, 3, 4, spread=3)
    gold[:3] = [1.0] * 3  # nothing to choose
    sample = make_sample(gold, preds, groups)
    found, _ = pair_tests(
        [LevelColumn("l", "choice_accuracy", sample, (0, 1, 2))], permutations=20_000, seed=1
    )

    def difference(one: np.ndarray, other: np.ndarray) -> float:
        return abs(
            choice_accuracy(gold, one.tolist(), groups) - choice_accuracy(gold, other.tolist(), groups)
        )

    for test in found["l"]:
        a, b = np.array(preds[test.first]), np.array(preds[test.second])
        masks = [np.repeat(mask, 3).astype(bool) for mask in product((0, 1), repeat=9)]
        swapped = [difference(np.where(mask, b, a), np.where(mask, a, b)) for mask in masks]
        exact = sum(each >= difference(a, b) - 1e-10 for each in swapped) / len(masks)
        assert test.p == pytest.approx(exact, abs=0.015)
        assert abs(test.difference) == pytest.approx(difference(a, b), abs=1e-12)
    assert len({round(test.p, 2) for test in found["l"]}) > 1


def test_permutation_test_of_accuracy_within_sd_swaps_the_predictions_of_items() -> None:
    gold, preds = board(9, 3, 4, spread=4)
    sds = [0.2, 0.5, 1.25, 1.5, 2, 0, 1.75, 1, 3]
    sample = make_sample(gold, preds, sds=sds)
    found, _ = pair_tests(
        [LevelColumn("l", "within_sd", sample, (0, 1, 2))], permutations=20_000, seed=1, adjust="max-t"
    )

    def difference(one: np.ndarray, other: np.ndarray) -> float:
        return within_sd(gold, one.tolist(), sds) - within_sd(gold, other.tolist(), sds)

    for test in found["l"]:
        a, b = np.array(preds[test.first]), np.array(preds[test.second])
        masks = [np.array(mask, dtype=bool) for mask in product((0, 1), repeat=9)]
        swapped = [abs(difference(np.where(mask, b, a), np.where(mask, a, b))) for mask in masks]
        exact = sum(each >= abs(difference(a, b)) - 1e-10 for each in swapped) / len(masks)
        assert test.p == pytest.approx(exact, abs=0.015)
        assert test.p <= test.adjusted
        assert test.difference == pytest.approx(difference(a, b), abs=1e-12)
    assert len({round(test.p, 2) for test in found["l"]}) > 1


@pytest.mark.parametrize("metric", [metric for metric in TESTABLE_METRICS if METRICS[metric].needs is None])
def test_p_approximates_the_share_of_all_permutations(metric: str) -> None:
    gold, preds = board(9, 2, 4, spread=2.5)
    exact = by_loop(metric, gold, preds, list(product((0, 1), repeat=9)))
    found, total = pair_tests([column("level", metric, gold, preds)], permutations=20_000, seed=1)
    assert found["level"][0].p == pytest.approx(exact, abs=4 * (exact * (1 - exact) / 20_000) ** 0.5 + 1e-4)
    assert total == found["level"]  # a total over one level is the level
    values = [METRICS[metric].function(gold, pred) for pred in preds]
    assert found["level"][0].difference == pytest.approx(values[0] - values[1], abs=1e-12)


def test_p_is_independent_of_the_scale_of_a_system_because_scores_are_standardized() -> None:
    gold, (one, other) = board(9, 2, 4, spread=2.5)
    masks = np.array(list(product((0, 1), repeat=9)), dtype=bool)

    def raw_p(a: np.ndarray, b: np.ndarray) -> float:
        def difference(x: np.ndarray, y: np.ndarray) -> float:
            return abs(float(np.corrcoef(gold, x)[0, 1] - np.corrcoef(gold, y)[0, 1]))

        found = [difference(np.where(mask, b, a), np.where(mask, a, b)) for mask in masks]
        return sum(each >= difference(a, b) - 1e-10 for each in found) / len(masks)

    raw, ours = [], []
    for scale in (0.1, 1.0, 10.0):
        scaled = [scale * value for value in other]
        raw.append(raw_p(np.array(one), np.array(scaled)))
        tests = pair_tests([column("level", "pearson", gold, [one, scaled])], permutations=2000, seed=1)[0]
        ours.append(tests["level"][0].p)
    assert len(set(ours)) == 1
    assert max(raw) - min(raw) > 0.1


def test_mean_squared_error_against_scipy() -> None:
    gold, preds = board(60, 2, 8, spread=1.4)
    losses = [[(a - b) ** 2 for a, b in zip(gold, pred, strict=True)] for pred in preds]

    def mean_difference(x: np.ndarray, y: np.ndarray, axis: int) -> np.ndarray:
        return x.mean(axis) - y.mean(axis)

    theirs = stats.permutation_test(
        losses,
        mean_difference,
        permutation_type="samples",
        vectorized=True,
        n_resamples=9999,
        rng=1,
        batch=500,
    ).pvalue
    ours = pair_tests([column("level", "mse", gold, preds)], permutations=9999, seed=1)[0]["level"][0].p
    assert ours == pytest.approx(theirs, abs=0.02)


def test_total_is_permuted_within_levels_and_tested_only_if_both_entered_the_same() -> None:
    golds = [board(9, 3, seed, spread=2.0) for seed in (1, 2)]
    first, second = (column(f"l{k}", "pearson", *both) for k, both in enumerate(golds))
    masks = list(product((0, 1), repeat=9))
    sides = [prepared("pearson", *both) for both in golds]

    def every_difference(k: int) -> np.ndarray:
        y, preds = sides[k]
        return np.array(
            [
                np.corrcoef(np.where(mask, preds[1], preds[0]), y)[0, 1]
                - np.corrcoef(np.where(mask, preds[0], preds[1]), y)[0, 1]
                for mask in masks
            ]
        )

    sums = every_difference(0)[:, None] + every_difference(1)[None, :]
    exact = (np.abs(sums) >= abs(sums[0, 0]) - 1e-10).mean()
    by_level, total = pair_tests([first, second], permutations=20_000, seed=3)
    assert total[0].p == pytest.approx(exact, abs=0.015)
    assert total[0].difference == pytest.approx(
        by_level["l0"][0].difference + by_level["l1"][0].difference, abs=1e-12
    )
    gold, preds = golds[1]
    partly = LevelColumn("l1", "pearson", make_sample(gold, preds[1:]), (1, 2))
    assert [
        (test.first, test.second) for test in pair_tests([first, partly], permutations=99, seed=3)[1]
    ] == [(1, 2)]
    apart = LevelColumn("l1", "pearson", make_sample(gold, preds), (0, 1, 2), counts=False)
    assert pair_tests([first, apart], permutations=99, seed=3)[1] == by_level_of(first, 99)


def by_level_of(one: LevelColumn, permutations: int) -> list[object]:
    """The tests of a column alone."""
    return list(pair_tests([one], permutations=permutations, seed=3)[0][one.name])


@given(st.integers(0, 50), st.floats(0.1, 50), st.floats(-9, 9))
@SMALL
def test_a_linear_change_of_scores_changes_no_p_of_a_correlation(
    seed: int, factor: float, shift: float
) -> None:
    gold, preds = board(20, 3, seed)
    moved = [preds[0], [factor * value + shift for value in preds[1]], preds[2]]
    for metric in ("pearson", "spearman"):
        before, after = (
            [
                test.p
                for test in pair_tests([column("l", metric, gold, each)], permutations=200, seed=1)[0]["l"]
            ]
            for each in (preds, moved)
        )
        assert before == after


def test_equal_systems_never_differ_significantly_and_other_systems_do_not_matter() -> None:
    gold, preds = board(40, 4, 3)
    tests = pair_tests([column("l", "pearson", gold, [preds[0], *preds])], permutations=500, seed=2)[0]["l"]
    assert (tests[0].difference, tests[0].p) == (0.0, 1.0)
    alone = pair_tests([column("l", "pearson", gold, preds[2:])], permutations=500, seed=2)[0]["l"]
    assert (alone[0].difference, alone[0].p) == (tests[-1].difference, tests[-1].p)
    assert pair_tests([], permutations=5, seed=0) == ({}, [])


def test_groups_are_swapped_whole() -> None:
    gold, preds = board(12, 2, 6, spread=2.0)
    groups = [f"g{place // 2}" for place in range(12)]
    grouped = LevelColumn("l", "pearson", make_sample(gold, preds, groups), (0, 1))
    masks = [tuple(bit for bit in mask for _ in range(2)) for mask in product((0, 1), repeat=6)]
    exact = by_loop("pearson", gold, preds, masks)
    assert pair_tests([grouped], permutations=8000, seed=1)[0]["l"][0].p == pytest.approx(exact, abs=0.03)


def swapped_differences(column: LevelColumn, permutations: int, seed: int) -> np.ndarray:
    """The differences of all pairs after each of the drawn swaps, each by the metric's formula."""
    sample, m = column.sample, len(column.systems)
    y, preds = prepared(column.metric, sample.gold.tolist(), sample.preds.tolist())
    masks = draw_masks(open_stream(seed, sample.gold.tolist(), "permutation"), permutations, len(y)).T

    def of_pair(i: int, j: int) -> list[float]:
        both = ((np.where(mask, preds[j], preds[i]), np.where(mask, preds[i], preds[j])) for mask in masks)
        return [np.corrcoef(one, y)[0, 1] - np.corrcoef(other, y)[0, 1] for one, other in both]

    return np.array([of_pair(i, j) for i, j in combinations(range(m), 2)])


def step_down(observed: np.ndarray, differences: np.ndarray) -> list[float]:
    """Algorithm 4.1 of Westfall and Young, word by word; what has no value counts for its own pair alone."""
    root = np.sqrt(np.nanmean(differences**2, axis=1))
    sizes, swapped = np.abs(observed) / root, (np.abs(differences) + 1e-10) / root[:, None]
    missing = np.isnan(swapped)
    swapped[missing] = -np.inf
    adjusted, left, floor = {}, list(np.argsort(-sizes)), 0.0
    while left:
        largest = swapped[left].max(axis=0)
        hypothesis = left.pop(0)
        reached = (largest >= sizes[hypothesis]) | missing[hypothesis]
        floor = max(floor, (1 + reached.sum()) / (1 + differences.shape[1]))
        adjusted[hypothesis] = floor
    return [adjusted[k] for k in range(len(observed))]


@pytest.mark.parametrize("metric", ["pearson", "spearman"])
def test_adjusted_p_values_equal_the_step_down_algorithm(metric: str) -> None:
    one = column("l", metric, *board(14, 4, 3, spread=2.0))
    differences = swapped_differences(one, 300, seed=5)
    tests = pair_tests([one], permutations=300, seed=5)[0]["l"]
    observed = np.array([test.difference for test in tests])
    assert [test.adjusted for test in tests] == step_down(observed, differences)
    assert all(test.p <= test.adjusted for test in tests)
    assert len({test.adjusted for test in tests}) > 2

    # a rival's pairs are a family of their own, and those of the others do not know of it
    rivalled = LevelColumn("l", metric, one.sample, one.systems, rivals=1)
    tests = pair_tests([rivalled], permutations=300, seed=5)[0]["l"]
    for with_rival in (False, True):
        family = [k for k, test in enumerate(tests) if (test.second == 3) is with_rival]
        found = [tests[k].adjusted for k in family]
        assert found == step_down(observed[family], differences[family])
    holms = pair_tests([rivalled], permutations=300, seed=5, adjust="holm")[0]["l"]
    assert [test.adjusted for test in holms if test.second == 3] == holm(
        [test.p for test in holms if test.second == 3]
    )


def test_step_down_of_the_total_counts_whole_sums_and_only_the_named_systems() -> None:
    levels = [column(f"l{k}", "pearson", *board(12, 4, seed, spread=2.0)) for k, seed in enumerate((1, 2))]
    sums = sum(swapped_differences(level, 200, seed=4) for level in levels)
    by_level, total = pair_tests(levels, permutations=200, seed=4)
    observed = np.array([test.difference for test in total])
    assert [test.adjusted for test in total] == step_down(observed, sums)
    kept = [k for k, pair in enumerate(combinations(range(4), 2)) if 2 not in pair]
    fewer_levels, fewer = pair_tests(levels, permutations=200, seed=4, total={0, 1, 3})
    assert [test.adjusted for test in fewer] == step_down(observed[kept], sums[kept])
    assert fewer_levels == by_level


def test_equal_systems_are_in_no_family_and_a_swap_without_a_value_counts_for_its_own_pair() -> None:
    gold, preds = board(30, 3, 8, spread=2.5)
    alone = pair_tests([column("l", "pearson", gold, preds)], permutations=400, seed=2)[0]["l"]
    doubled = column("l", "pearson", gold, [*preds, [2 * value + 1 for value in preds[2]]])
    tests = {
        (test.first, test.second): test for test in pair_tests([doubled], permutations=400, seed=2)[0]["l"]
    }
    assert (tests[2, 3].p, tests[2, 3].adjusted) == (1, 1)
    for test in alone:
        assert tests[test.first, test.second].adjusted == test.adjusted

    opposite = column(
        "l", "pearson", [0, 1, 3, 4], [[1, 1, -1, -1], [-1, 1, -1, 1], [-1, -1, 1, 1], [0, 1, 2, 5]]
    )
    with np.errstate(all="ignore"):
        differences = swapped_differences(opposite, 400, seed=2)
    found = pair_tests([opposite], permutations=400, seed=2)[0]["l"]
    observed = np.array([test.difference for test in found])
    assert np.isnan(differences[1]).sum() > 20, "one becomes constant where the swap takes its -1 away"
    assert [test.adjusted for test in found] == step_down(observed, differences)


def test_adjusted_p_values_do_not_depend_on_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    levels = [column(f"l{k}", "pearson", *board(40, 6, seed)) for k, seed in enumerate((1, 2))]
    expected = pair_tests(levels, permutations=500, seed=1)
    monkeypatch.setattr(permutation, "_BATCH_CELLS", 40 * 17)
    assert pair_tests(levels, permutations=500, seed=1) == expected


def test_too_few_permutations_to_ever_reject_are_rejected() -> None:
    assert recommended_permutations(703, 0.05) == 10_000
    assert recommended_permutations(703, 1e-5) == 2_000_000
    assert recommended_permutations(703, 0.05, "holm") == 281_200
    check_permutations(14_059, 703, 0.05, "holm")
    check_permutations(19, 703, 0.05)
    with pytest.raises(RequestError, match="give at least 14059, better 281200"):
        check_permutations(14_058, 703, 0.05, "holm")
    with pytest.raises(RequestError, match="give at least 19, better 10000"):
        check_permutations(18, 703, 0.05)
    with pytest.raises(RequestError, match="alpha is 0"):
        check_permutations(99, 1, 0.0)
    with pytest.raises(RequestError, match="kendall has no permutation test"):
        pair_tests([column("l", "kendall", *board(9, 2, 1))], permutations=9, seed=1)


def test_clusters_and_rank_ranges_equal_manual_calculation() -> None:
    # 0 and 1 beat 2 and 3, 0 does not beat 1, 2 beats 3; 4 is beaten by 0 alone
    better = {(0, 2), (0, 3), (1, 2), (1, 3), (2, 3), (0, 4)}
    assert cluster_numbers([0, 1, 2, 3], better) == [1, 1, 2, 3]
    assert cluster_numbers([0, 1, 2, 3, 4], better) == [1] * 5
    assert [rank_range(system, range(5), better) for system in range(5)] == [
        (1, 2),
        (1, 3),
        (3, 4),
        (4, 5),
        (2, 5),
    ]
    assert cluster_numbers([], better) == []


@given(
    st.integers(1, 6).flatmap(
        lambda m: st.tuples(st.just(m), st.sets(st.sampled_from(list(combinations(range(m + 1), 2)))))
    )
)
@SMALL
def test_rank_lies_in_its_range_and_clusters_end_where_ranges_end(
    case: tuple[int, set[tuple[int, int]]],
) -> None:
    m, better = case[0] + 1, case[1]  # only a higher system is better than a lower one
    ranges = [rank_range(system, range(m), better) for system in range(m)]
    numbers = cluster_numbers(range(m), better)
    assert all(low <= system + 1 <= high for system, (low, high) in enumerate(ranges))
    for cut in (at for at in range(1, m) if numbers[at] != numbers[at - 1]):
        assert max(high for _, high in ranges[:cut]) == cut
        assert min(low for low, _ in ranges[cut:]) == cut + 1


def test_p_of_small_errors_does_not_depend_on_their_unit_or_on_other_systems() -> None:
    gold, _ = board(40, 1, 5)
    errors = np.round(np.random.default_rng(5).normal(size=(2, 40)) * [[4.0], [6.0]]) / 8
    for metric in ("mse", "rmse", "mae"):
        p_values = set()
        for unit, others in ((1.0, []), (2.0**-24, []), (2.0**-24, [[value + 1e6 for value in gold]])):
            preds = [*(np.array(gold) + errors * unit).tolist(), *others]
            levels = [column(name, metric, gold, preds) for name in "ab"]
            found, total = pair_tests(levels, permutations=500, seed=1)
            p_values.add((found["a"][0].p, total[0].p))
        assert len(p_values) == 1, metric
        assert max(*p_values.pop()) < 0.5
