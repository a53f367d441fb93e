"""Runs against each other: the paired bootstrap, the rules, and what a comparison says."""

import json
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings, strategies as st
from scipy import stats

from scorer import Gold, RequestError, Run, Undefined, pearson
from scorer.cli.__main__ import cli
from scorer.inference.comparison import Comparison, compare_runs
from scorer.inference.comparison_options import COMPARISON_TESTS, ComparisonOptions, ComparisonTest
from scorer.reports.comparison import FORMATS, render_comparison
from scorer.statistics.paired_bootstrap import degenerate_pairs, difference_interval, difference_p
from scorer.statistics.random_streams import open_stream
from scorer.statistics.resampling import Replicates, bootstrap, resample_counts
from scorer.statistics.samples import make_sample

ROOT = Path(__file__).parents[3]
N = 60
_RANDOM = Random(2014)  # noqa: S311  not a secret
GOLD = [_RANDOM.randrange(17) / 4 for _ in range(N)]
GOOD, FAIR, POOR = ([value + _RANDOM.gauss(0, spread) for value in GOLD] for spread in (0.5, 1.0, 3.0))
SYSTEMS = {"good": GOOD, "fair": FAIR, "poor": POOR}
FEW = ComparisonOptions(permutations=999, b=200, seed=7)


def compared(
    systems: dict[str, list[float]], rules: ComparisonOptions = FEW, **options: object
) -> Comparison:
    runs = [(name, Run(tuple(scores), (None,) * N)) for name, scores in systems.items()]
    return compare_runs(Gold(tuple(GOLD)), runs, rules, **options)


def test_interval_of_a_difference_uses_the_same_resamples_for_both_systems() -> None:
    sample = make_sample(GOLD, [GOOD, FAIR])
    found = bootstrap(sample, "pearson", b=200, seed=7)
    plain = []
    for batch in resample_counts(open_stream(7, GOLD, "bootstrap"), N, 200):
        for counts in batch.T.astype(int):
            items = np.repeat(np.arange(N), counts).tolist()
            one, other = ([scores[item] for item in items] for scores in (GOOD, FAIR))
            answers = [GOLD[item] for item in items]
            plain.append(pearson(answers, one) - pearson(answers, other))
    assert difference_interval(found, 0, 1, 0.9) == pytest.approx(np.quantile(plain, [0.05, 0.95]), abs=1e-7)
    observed = pearson(GOLD, GOOD) - pearson(GOLD, FAIR)
    far = sum(abs(difference - observed) >= observed for difference in plain)
    assert difference_p(found, 0, 1) == (1 + far) / 201


def test_difference_interval_equals_scipy() -> None:
    def difference(gold: np.ndarray, one: np.ndarray, other: np.ndarray, axis: int = -1) -> np.ndarray:
        return (
            stats.pearsonr(gold, one, axis=axis).statistic - stats.pearsonr(gold, other, axis=axis).statistic
        )

    theirs = stats.bootstrap(
        (GOLD, GOOD, FAIR), difference, paired=True, method="percentile", n_resamples=4000, rng=1
    ).confidence_interval
    ours = compared(SYSTEMS, replace(FEW, b=4000)).differences[0]
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=0.01)


def test_single_group_has_no_interval_of_the_difference() -> None:
    expected: dict[ComparisonTest, float | None] = {"permutation": 1.0, "bootstrap": None}
    for test, p in expected.items():
        rules = ComparisonOptions(test=test, b=200)
        found = compared(SYSTEMS, rules, groups=["one"] * N)
        for pair in found.differences:
            assert (pair.low, pair.high, pair.p, pair.significant) == (None, None, p, False)
            assert pair.undefined
            assert pair.undefined.code == "one_unit"
        assert ("No pair could be tested." in render_comparison(found, "text")) is (test == "bootstrap")


def test_p_and_degenerate_resamples_equal_manual_calculation() -> None:
    moved = np.array([[0.3, -0.1, np.nan, 0.0], [0.0, 0.0, 0.0, np.nan]], dtype=np.float32)
    found = Replicates(np.array([0.5, 0.2]), moved, np.empty((2, 0)))
    # distances .3 (as far as the difference itself) and .1; two without a value, which count as far
    assert difference_p(found, 0, 1) == (1 + 1 + 2) / 5
    assert degenerate_pairs(found, 0, 1) == 2
    assert difference_interval(found, 0, 1, 0.95) == pytest.approx((0.21, 0.59), abs=1e-6)
    nothing = Replicates(np.array([0.5, 0.2]), np.full((2, 4), np.nan, dtype=np.float32), np.empty((2, 0)))
    assert difference_interval(nothing, 0, 1, 0.95) is None
    with pytest.raises(RequestError, match="level 1"):
        difference_interval(found, 0, 1, 1)


def test_p_of_the_paired_bootstrap_does_not_depend_on_the_unit_of_errors() -> None:
    errors = np.round(np.random.default_rng(1).normal(size=(2, N)) * [[4.0], [6.0]]) / 8
    p = [
        difference_p(bootstrap(make_sample(GOLD, np.array(GOLD) + errors * unit), "mse", b=300, seed=1), 0, 1)
        for unit in (1.0, 2.0**-24)
    ]
    assert p[0] == p[1] < 0.5


@pytest.mark.parametrize(
    "rules", [FEW, replace(FEW, test="bootstrap", permutations=None), ComparisonOptions(test="williams")]
)
def test_different_systems_differ_significantly_and_identical_ones_do_not(rules: ComparisonOptions) -> None:
    found = compared({"twin": GOOD, **SYSTEMS, "flat": [1.0] * N}, rules)
    assert [(each.name, each.rank, each.low, each.high, each.cluster) for each in found.standings] == [
        ("twin", 1, 1, 2, 1),
        ("good", 1, 1, 2, 1),
        ("fair", 3, 3, 3, 2),
        ("poor", 4, 4, 4, 3),
        ("flat", None, None, None, None),
    ]
    assert isinstance(found.standings[4].value, Undefined)
    twins, *others = found.differences
    assert len(others) == 5
    assert (twins.difference, twins.significant) == (0, False)
    assert (twins.p, twins.low, twins.high) == ((None, None, None) if rules.test == "williams" else (1, 0, 0))
    for pair in others:
        assert pair.significant
        assert None not in (pair.low, pair.high, pair.p, pair.adjusted)
        assert 0 < (pair.low or 0) < pair.difference < (pair.high or 0)
        assert (pair.p or 0) <= (pair.adjusted or 0) <= rules.alpha


@pytest.mark.parametrize("metric", ["pearson", "spearman", "mse", "rmse", "mae"])
def test_order_of_runs_does_not_change_a_comparison(metric: str) -> None:
    rules = replace(FEW, metric=metric)
    found = compared(SYSTEMS, rules)
    assert compared(dict(reversed(SYSTEMS.items())), rules) == found
    best_first = [each.name for each in found.standings]
    assert best_first == ["good", "fair", "poor"]
    assert all((pair.difference > 0) == (metric in ("pearson", "spearman")) for pair in found.differences)


def test_comparison_of_correlations_is_independent_of_scale() -> None:
    stretched = {name: [3 * score - 1 for score in scores] for name, scores in SYSTEMS.items()}
    for one, other in zip(compared(SYSTEMS).differences, compared(stretched).differences, strict=True):
        assert (one.p, one.low, one.high) == pytest.approx((other.p, other.low, other.high), abs=1e-7)


@pytest.mark.parametrize("unit", [1e-5, 1e20])
def test_test_of_errors_is_independent_of_the_unit_of_the_scale(unit: float) -> None:
    def measured(by: float, rules: ComparisonOptions) -> list[float | None]:
        runs = [
            (name, Run(tuple(by * each for each in system), (None,) * N)) for name, system in SYSTEMS.items()
        ]
        gold = Gold(tuple(by * each for each in GOLD))
        return [pair.p for pair in compare_runs(gold, runs, rules).differences]

    for rules in (FEW, replace(FEW, test="bootstrap", permutations=None)):
        small, usual = (measured(by, replace(rules, metric="rmse", b=2000)) for by in (unit, 1.0))
        assert small == pytest.approx(usual, abs=0.03), "other draws, for they depend on the gold"


def test_items_of_one_group_are_resampled_together() -> None:
    alone, grouped = compared(SYSTEMS), compared(SYSTEMS, groups=[str(place // 6) for place in range(N)])
    assert "|groups:10|" in grouped.signature
    assert grouped.differences[0].p != alone.differences[0].p
    with pytest.raises(RequestError, match="independent"):
        compared(SYSTEMS, ComparisonOptions(test="williams"), groups=["a"] * N)


def test_items_without_gold_are_ignored_for_every_run() -> None:
    gold = Gold((*GOLD, None))
    runs = [(name, Run((*scores, 99.0), (None,) * (N + 1))) for name, scores in SYSTEMS.items()]
    assert compare_runs(gold, runs, FEW) == compared(SYSTEMS)


@pytest.mark.parametrize(
    ("rules", "sentence"),
    [
        (ComparisonOptions(permutations=100, alpha=0.01, adjust="holm"), "give at least 299, better 6000"),
        (ComparisonOptions(permutations=100, alpha=0.001), "give at least 999, better 20000"),
        (ComparisonOptions(test="bootstrap", adjust="max-t"), "max-t needs permutations"),
        (ComparisonOptions(test="bootstrap", b=100, alpha=0.01), "at least 299, better 6000"),
        (
            ComparisonOptions("spearman", "williams"),
            "for pearson, not for spearman; use the permutation test",
        ),
        (ComparisonOptions("kendall"), "not for kendall; use the bootstrap test"),
        (ComparisonOptions("weighted_pearson"), "not for weighted_pearson$"),
        (ComparisonOptions("beauty"), "there is no metric"),
        (ComparisonOptions(alpha=0), "alpha 0 is not"),
        (ComparisonOptions(alpha=1e-320), "is not between 1e-06"),
        (ComparisonOptions(level=float("nan")), "level nan is not"),
        (ComparisonOptions(seed=-1), "seed is -1"),
        (ComparisonOptions(b=99), "99 resamples"),
        (ComparisonOptions(permutations=10**9), "1000000000 permutations"),
        (ComparisonOptions(test="bootstrap", permutations=1000), "has no permutations"),
        (ComparisonOptions(test="williams", b=1000), "need no bootstrap"),
    ],
)
def test_invalid_comparison_rules_are_rejected(rules: ComparisonOptions, sentence: str) -> None:
    with pytest.raises(RequestError, match=sentence):
        rules.settled(3, 5000)


def test_enough_permutations_are_chosen_and_the_minimum_is_accepted() -> None:
    assert ComparisonOptions().settled(38, 5000).permutations == 10_000
    assert ComparisonOptions(adjust="holm").settled(38, 5000).permutations == 281_200
    assert ComparisonOptions(permutations=14_059, adjust="holm").settled(38, 5000).b == 10_000
    with pytest.raises(RequestError, match="at least 14059"):
        ComparisonOptions(permutations=14_058, adjust="holm").settled(38, 5000)
    with pytest.raises(RequestError, match="give from 2 to 120 runs, not 1"):
        ComparisonOptions().settled(1, 5000)
    with pytest.raises(RequestError, match="give at most 104166, or use the permutation test"):
        ComparisonOptions(test="bootstrap").settled(120, 5000)
    with pytest.raises(RequestError, match=r"give at most 104166$"):
        ComparisonOptions(b=10_000_000).settled(120, 5000)
    assert ComparisonOptions(alpha=1e-6).settled(2, 5000).permutations == 10_000_000


@pytest.mark.parametrize(
    ("options", "units", "adjust"),
    [
        (ComparisonOptions(), 2000, "max-t"),
        (ComparisonOptions(), 1999, "holm"),
        (ComparisonOptions("spearman"), 10**6, "holm"),
        (ComparisonOptions("mae"), 100, "max-t"),
        (ComparisonOptions("mae", adjust="holm"), 100, "holm"),
        (ComparisonOptions(adjust="max-t"), 20, "max-t"),
        (ComparisonOptions(test="bootstrap"), 5000, "holm"),
        (ComparisonOptions(test="williams"), 5000, "holm"),
    ],
)
def test_adjustment_is_max_t_where_simulations_show_that_it_holds(
    options: ComparisonOptions, units: int, adjust: str
) -> None:
    assert options.settled(3, units).adjust == adjust


@st.composite
def tiny_tasks(draw: st.DrawFn) -> tuple[Gold, list[tuple[str, Run]]]:
    """Few items and few values: ties, constants, runs that are the same or each other's opposite."""
    n = draw(st.integers(2, 9))
    values = st.lists(st.integers(-2, 2).map(float), min_size=n, max_size=n)
    runs = draw(st.lists(values, min_size=2, max_size=4))
    named = [(str(k), Run(tuple(run), (None,) * n)) for k, run in enumerate(runs)]
    return Gold(tuple(draw(values))), named


@settings(max_examples=60)
@given(tiny_tasks(), st.sampled_from(["pearson", "spearman", "rmse"]), st.sampled_from(COMPARISON_TESTS))
def test_comparison_has_values_or_reasons_for_any_data(
    task: tuple[Gold, list[tuple[str, Run]]], metric: str, test: ComparisonTest
) -> None:
    rules = {
        "permutation": ComparisonOptions(metric, permutations=199, b=100),
        "bootstrap": ComparisonOptions(metric, "bootstrap", b=199),
        "williams": ComparisonOptions("pearson", "williams"),
    }[test]
    found = compare_runs(*task, rules)
    for each in found.standings:
        if isinstance(each.value, Undefined):
            assert (each.rank, each.low, each.high, each.cluster) == (None,) * 4
        else:
            assert (each.low or 0) <= (each.rank or 0) <= (each.high or 0)
    clusters = [each.cluster for each in found.standings if each.cluster is not None]
    assert clusters == sorted(clusters)
    for pair in found.differences:
        assert (pair.p is None) == (pair.adjusted is None)
        assert pair.p is None or 0 < pair.p <= (pair.adjusted or 0) <= 1
        assert (pair.low is None) == (pair.high is None)
        assert pair.low is not None or pair.undefined is not None
        assert (pair.low or 0) <= (pair.high or 0)
        assert not pair.significant or pair.difference != 0
    for format_ in FORMATS:
        assert "nan" not in render_comparison(found, format_).lower()


def json_of(*arguments: object) -> dict[str, Any]:
    how = ("--seed=3", "--permutations=999", "--bootstrap=200", "--format=json")
    found = CliRunner().invoke(cli, [*map(str, arguments), *how])
    return json.loads(found.stdout)


def test_board_and_comparison_agree_about_a_pair(shared: Path) -> None:
    clss = shared / "data" / "clss"
    runs = [clss / "runs" / team / "sentence2phrase.train.tsv" for team in ("birch", "ash", "cedar")]
    pairs = json_of("compare", clss / "keys" / "training" / "sentence2phrase.train.gs.tsv", *runs)["pairs"]
    task = (
        "--config",
        ROOT / "deploy" / "tasks" / "clss-2014.toml",
        "--split=training",
        "--runs",
        clss / "runs",
    )
    found = json_of("board", clss, *task, "--without-baselines", "--significance")["inference"]
    column = next(
        each for each in found["columns"] if (each["level"], each["metric"]) == ("sentence2phrase", "pearson")
    )
    teams = [each["team"] for each in found["systems"]]
    theirs = {(teams[each["a"]], teams[each["b"]]): each for each in column["pairs"]}
    assert len(pairs) == 3
    for pair in pairs:
        names = (pair["run"], pair["other"])
        sign = 1 if names in theirs else -1
        other = theirs[names[::sign]]
        ends = sorted((sign * other["low"], sign * other["high"]))
        assert (pair["p"], pair["low"], pair["high"]) == (other["p"], *ends)
        assert pair["difference"] == pytest.approx(sign * other["difference"], abs=1e-12)


def test_choices_are_compared_within_groups() -> None:
    groups = tuple(str(k // 4) for k in range(80))
    gold = Gold(tuple(float(k % 4) for k in range(80)))
    runs = [
        (name, Run(tuple(scores), (None,) * 80))
        for name, scores in (
            ("right", (float(k % 4) for k in range(80))),
            ("wrong", (float(-k % 4) for k in range(80))),
        )
    ]
    found = compare_runs(gold, runs, ComparisonOptions("choice_accuracy", seed=1), groups=groups)
    assert [(each.name, each.value, each.cluster) for each in found.standings] == [
        ("right", 1.0, 1),
        ("wrong", 0.0, 2),
    ]
    assert "|groups:20|" in found.signature
    with pytest.raises(RequestError, match="needs the group of each item"):
        compare_runs(gold, runs, ComparisonOptions("choice_accuracy"))
