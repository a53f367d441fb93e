"""Bootstrap and Fisher's intervals: resampled metrics against the exact ones, ends against scipy."""

from math import isnan, nan, sqrt

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats

from scorer.errors import RequestError, UndefinedError
from scorer.metrics import METRICS
from scorer.statistics.intervals import (
    IntervalMethod,
    Resampling,
    bca_ends,
    bootstrap_intervals,
    fisher_interval,
    percentile_ends,
    round_end,
    round_ends,
)
from scorer.statistics.kernels import KERNELS, make_kernel
from scorer.statistics.random_streams import draw_masks, draw_units, open_stream
from scorer.statistics.resampling import bootstrap, resample_counts
from scorer.statistics.samples import make_sample

FEW = settings(max_examples=25, deadline=None)
GOLD = [0.0, 1.0, 1.0, 2.0, 4.0, 3.0, 0.0, 2.5]
RUN = [0.1, 0.9, 0.4, 0.4, 3.8, 2.0, 1.0, 2.0]


def exactly(metric: str, gold: list[float], pred: list[float], needed: list[float]) -> float:
    """The metric of the scorer, with the confidences or the standard deviations; NaN where it has none."""
    more = [needed] if METRICS[metric].needs else []
    try:
        return METRICS[metric].function(gold, pred, *more)
    except UndefinedError:
        return nan


def noisy(n: int, m: int, seed: int) -> tuple[list[float], list[list[float]]]:
    """Quarter points and systems that follow them."""
    rng = np.random.default_rng(seed)
    gold = np.round(rng.uniform(0, 4, n) * 4) / 4
    return gold.tolist(), (gold + rng.normal(size=(m, n))).tolist()


@given(
    st.lists(st.tuples(*[st.integers(0, 3).map(float)] * 3, st.integers(0, 3)), min_size=2, max_size=9),
    st.sampled_from([metric for metric in KERNELS if METRICS[metric].needs != "groups"]),
    st.booleans(),
)
@FEW
def test_resampled_metric_equals_the_metric_of_the_drawn_items(
    rows: list[tuple[float, float, float, int]], metric: str, grouped: bool
) -> None:
    gold, first, second = ([row[k] for row in rows] for k in range(3))
    groups = [f"g{row[3]}" if row[3] else None for row in rows] if grouped else None
    confidences = [[row[3] / 2 for row in rows], [1.0] * len(rows)]
    sds = [row[3] / 2 for row in rows]
    sample = make_sample(gold, [first, second], groups, confidences, sds=sds)
    counts = next(resample_counts(open_stream(0, gold, "bootstrap"), sample.size, 8))
    found = make_kernel(sample, metric)(counts)
    for k in range(8):
        places = [place for place in range(len(gold)) for _ in range(int(counts[sample.units[place], k]))]
        for i, pred in enumerate((first, second)):
            needed = sds if METRICS[metric].needs == "sds" else confidences[i]
            drawn = ([side[at] for at in places] for side in (gold, pred, needed))
            value = exactly(metric, *drawn)
            assert found[i, k] == pytest.approx(value, abs=1e-9, nan_ok=True), (metric, places)


@pytest.mark.parametrize("scale", [1e-300, 1e300])
def test_magnitude_changes_no_interval_of_a_correlation(scale: float) -> None:
    plain = bootstrap_intervals(GOLD, [RUN], "pearson", Resampling(200))[0]
    scaled = bootstrap_intervals(GOLD, [[value * scale for value in RUN]], "pearson", Resampling(200))[0]
    assert (scaled.low, scaled.high) == pytest.approx((plain.low, plain.high), abs=1e-9)
    alone = [[*RUN[:-1], 1e15]]  # one score that drowns the others, and resamples without it
    sample = make_sample(GOLD, alone)
    counts = np.array([[1.0] * 7 + [0.0]]).T
    exact = METRICS["pearson"].function(GOLD[:7], RUN[:7])
    assert make_kernel(sample, "pearson")(counts)[0, 0] == pytest.approx(exact, abs=1e-9)


@pytest.mark.parametrize("interval", ["percentile", "bca"])
def test_errors_of_any_magnitude_have_an_interval_or_a_reason(interval: str) -> None:
    resampling = Resampling(200, 0, interval)
    plain = bootstrap_intervals(GOLD, [RUN], "mae", resampling)[0]
    assert plain.low is not None
    for exponent in (20, 1000):
        gold, run = ([value * 2.0**exponent for value in side] for side in (GOLD, RUN))
        found = bootstrap_intervals(GOLD, [RUN, run], "mae", resampling)
        assert (found[0].low, found[0].high) == pytest.approx((plain.low, plain.high), abs=1e-6)
        far = bootstrap_intervals(gold, [run], "mae", resampling)[0]
        assert far.low is not None
        assert far.low > 0
    huge = bootstrap_intervals([1.7e308, -1.7e308, 0.0], [[1.0, 2.0, 3.0]], "mae", resampling)[0]
    assert huge.undefined is not None or huge.low <= huge.high


@pytest.mark.parametrize("metric", ["pearson", "spearman"])
def test_interval_ends_equal_scipy(metric: str) -> None:
    gold, preds = noisy(80, 1, 3)

    def statistic(x: np.ndarray, y: np.ndarray, axis: int) -> np.ndarray:
        if metric == "spearman":
            x, y = stats.rankdata(x, axis=axis), stats.rankdata(y, axis=axis)
        x, y = x - x.mean(axis, keepdims=True), y - y.mean(axis, keepdims=True)
        return (x * y).sum(axis) / np.sqrt((x * x).sum(axis) * (y * y).sum(axis))

    for interval, name in (("percentile", "percentile"), ("bca", "BCa")):
        ours = bootstrap_intervals(gold, preds, metric, Resampling(20_000, 1, interval))[0]
        theirs = stats.bootstrap(
            (gold, preds[0]),
            statistic,
            paired=True,
            vectorized=True,
            n_resamples=20_000,
            batch=1000,
            rng=1,
            method=name,
        ).confidence_interval
        assert (ours.low, ours.high) == pytest.approx(tuple(theirs), abs=0.006)


def test_bca_interval_equals_manual_calculation() -> None:
    # six of ten replicates are below: z0 = .2533; pulls -2/3, 0, 2/3 and -1, 0, 1 have no skew, so a = 0
    deviations = np.array([-0.6, -0.5, -0.4, -0.3, -0.2, -0.1, 0.1, 0.2, 0.3, 0.4])
    low, high = bca_ends(deviations, [np.array([1.0, 0.0, -1.0]), np.array([0.0, 1.5, -1.5])], 0.5)
    z0 = 0.2533471
    expected = np.quantile(deviations, stats.norm.cdf([2 * z0 - 0.6744898, 2 * z0 + 0.6744898]))
    assert (low, high) == pytest.approx(tuple(expected), abs=1e-6)
    # pulls 2, -1, -1 (times 1/3 each): a = (8 - 1 - 1) / (6 (4 + 1 + 1)^1.5) = 1 / 6^1.5
    skewed = bca_ends(deviations, [np.array([-2.0, 1.0, 1.0]) * 1.5], 0.5)
    scaled = [z0 + (z0 + z) / (1 - (z0 + z) / 6**1.5) for z in (-0.6744898, 0.6744898)]
    assert skewed == pytest.approx(tuple(np.quantile(deviations, stats.norm.cdf(scaled))), abs=1e-6)
    assert percentile_ends(deviations, 0.5) == pytest.approx((-0.375, 0.175))


def test_fisher_interval_equals_scipy_and_is_defined_at_its_edges() -> None:
    gold, preds = noisy(40, 1, 5)
    theirs = stats.pearsonr(gold, preds[0]).confidence_interval(0.9)
    ours = bootstrap_intervals(gold, preds, "pearson", Resampling(0, interval="fisher", level=0.9))[0]
    assert (ours.low, ours.high) == pytest.approx(tuple(theirs), abs=1e-12)
    assert ours.signature == "ci:fisher|level:0.9"
    assert fisher_interval(1.0, 10) == (1.0, 1.0)
    with pytest.raises(UndefinedError, match="needs at least 4"):
        fisher_interval(0.5, 3)
    for r, level, words in (
        (1.5, 0.95, "no correlation"),
        (nan, 0.95, "no correlation"),
        (0.5, 1.0, "level"),
    ):
        with pytest.raises(RequestError, match=words):
            fisher_interval(r, 10, level)


def test_systems_share_resamples_and_batching_changes_nothing() -> None:
    gold, preds = noisy(700, 3, 1)
    together = bootstrap_intervals(gold, preds, "spearman", Resampling(1700, 4))
    assert together[2] == bootstrap_intervals(gold, preds[2:], "spearman", Resampling(1700, 4))[0]
    assert together[2] != bootstrap_intervals(gold, preds[2:], "spearman", Resampling(1700, 5))[0]
    whole, parts = (open_stream(9, gold, "bootstrap") for _ in range(2))
    cut = [draw_units(parts, rows, 7) for rows in (3, 5)]
    assert draw_units(whole, 8, 7).tolist() == np.concatenate(cut).tolist()
    whole, parts = (open_stream(9, gold, "masks") for _ in range(2))
    cut = [draw_masks(parts, rows, 70) for rows in (3, 5)]
    assert draw_masks(whole, 8, 70).tolist() == np.concatenate(cut, axis=1).tolist()


def test_resampling_draws_are_uniform() -> None:
    units = draw_units(open_stream(1, [], "test"), 20_000, 9)
    assert stats.chisquare(np.bincount(units.ravel(), minlength=9)).pvalue > 0.001
    masks = draw_masks(open_stream(1, [], "test"), 20_000, 9)
    assert (
        stats.chisquare(
            np.bincount(masks.sum(axis=0).astype(int), minlength=10),
            stats.binom.pmf(range(10), 9, 0.5) * 20_000,
        ).pvalue
        > 0.001
    )
    assert units.min() == 0
    assert units.max() == 8


def test_degenerate_resamples_are_counted_and_left_out() -> None:
    run = [0.0] * 7 + [1.0]  # constant without the last item: (7/8)^8 = .344 of the resamples
    found = bootstrap_intervals(GOLD, [run, RUN], "pearson", Resampling(4000, interval="percentile"))
    assert found[0].degenerate == pytest.approx(0.344 * 4000, abs=4 * sqrt(4000 * 0.344 * 0.656))
    assert found[0].low is not None
    assert found[1].degenerate == 0
    bca = bootstrap_intervals(GOLD, [run, [1.0] * 8], "spearman", Resampling(4000))
    assert [each.undefined.code for each in bca if each.undefined] == ["no_acceleration", "no_value"]
    one = bootstrap_intervals([1.0], [[2.0]], "pearson", Resampling(100))[0]
    assert one.undefined is not None
    for method in ("percentile", "bca"):
        together = bootstrap_intervals(GOLD, [RUN], "pearson", Resampling(100, 0, method), groups=["g"] * 8)[
            0
        ]
        assert (together.low, together.undefined and together.undefined.code) == (None, "one_unit")
    same = bootstrap_intervals(GOLD, [GOLD], "pearson", Resampling(500))[0]
    assert (same.low, same.high, same.undefined) == (1.0, 1.0, None)
    replicates = bootstrap(make_sample(GOLD, [run]), "pearson", b=100, seed=0)
    assert isnan(replicates.jackknife[0, 7])


@pytest.mark.parametrize(
    ("resampling", "metric", "words"),
    [
        (Resampling(99), "pearson", "99 resamples; give 100 to"),
        (Resampling(100, seed=-1), "pearson", "the seed is -1"),
        (Resampling(100, level=1.0), "pearson", "the level is 1.0"),
        (
            Resampling(100, interval="fisher"),
            "spearman",
            "Pearson's alone, not spearman's; use bca or percentile",
        ),
        (Resampling(100), "bleu", "bleu cannot be resampled"),
    ],
)
def test_invalid_interval_requests_are_rejected(resampling: Resampling, metric: str, words: str) -> None:
    with pytest.raises(RequestError, match=words):
        bootstrap_intervals(GOLD, [RUN], metric, resampling)
    with pytest.raises(RequestError, match="pred\\[0\\] has 1"):
        make_sample(GOLD, [[1.0]])
    with pytest.raises(RequestError, match="2 groups"):
        make_sample(GOLD, [RUN], ["a", "b"])


def test_intervals_of_errors_keep_precision_at_any_magnitude() -> None:
    small = [value * 1e-9 for value in GOLD], [[value * 1e-9 for value in RUN]]
    plain = bootstrap_intervals(GOLD, [RUN], "mse", Resampling(300))[0]
    tiny = bootstrap_intervals(*small, "mse", Resampling(300))[0]
    assert (tiny.low, tiny.high) == pytest.approx((plain.low * 1e-18, plain.high * 1e-18), rel=1e-6)
    assert round_end(tiny.low or 0.0, tiny.high or 0.0) == pytest.approx(tiny.low, rel=1e-5)


def test_intervals_of_small_errors_are_those_of_large_ones_on_another_scale() -> None:
    """The gold is the same, so the draws are too; errors in steps of a power of two scale exactly."""
    gold, _ = noisy(60, 1, 4)
    errors = (
        np.round(np.random.default_rng(4).normal(size=60) ** 3 * 2) / 8
    )  # their means are below 1, so both are in single precision
    for metric, power in (("mse", 2), ("rmse", 1), ("mae", 1)):
        plain, tiny = (
            bootstrap_intervals(gold, [(np.array(gold) + errors * unit).tolist()], metric, Resampling(300))[0]
            for unit in (1.0, 2.0**-24)
        )
        assert plain.low is not None
        assert plain.high is not None
        assert (tiny.low, tiny.high) == (plain.low * 0.5 ** (24 * power), plain.high * 0.5 ** (24 * power))


@pytest.mark.parametrize("metric", [metric for metric in KERNELS if METRICS[metric].needs != "groups"])
@pytest.mark.parametrize("unit", [2e-323, 1e-300, 1e-14, 1e-7, 1e7, 1e300, 8e307])
def test_resampled_metrics_have_no_smallest_and_no_largest_unit(metric: str, unit: float) -> None:
    gold, preds = ([(value - 2) * unit for value in side] for side in (GOLD, RUN))
    confidences = [[0.0, 1.0, 0.5, 1.0, 1.0, 0.25, 1.0, 0.5]]
    sample = make_sample(gold, [preds], confidences=confidences, sds=confidences[0])
    kernel = make_kernel(sample, metric)
    counts = next(resample_counts(open_stream(0, GOLD, "bootstrap"), 8, 50))
    for drawn, value in zip(counts.T.astype(int), kernel(counts)[0], strict=True):
        places = np.repeat(np.arange(8), drawn).tolist()
        sides = ([side[place] for place in places] for side in (gold, preds, confidences[0]))
        assert value == pytest.approx(exactly(metric, *sides), rel=1e-9, abs=1e-12, nan_ok=True)
    bootstrap_intervals(gold, [preds], metric, Resampling(100), confidences=confidences, sds=confidences[0])


@pytest.mark.parametrize("extreme", [1e7, 1e9, -1e300, 1.7e308])
def test_score_of_weight_zero_changes_no_interval(extreme: float) -> None:
    gold, preds = noisy(40, 2, 6)
    confidences = [[0.0, *(k % 5 / 4 for k in range(1, 40))], [1.0] * 40]
    found = [
        bootstrap_intervals(
            gold,
            [[score, *preds[0][1:]], preds[1]],
            "weighted_pearson",
            Resampling(400),
            confidences=confidences,
        )
        for score in (preds[0][0], extreme)
    ]
    assert found[0] == found[1]
    assert found[0][0].low is not None
    assert found[0][0].degenerate == 0


def test_weighted_resamples_without_an_extreme_score_are_defined() -> None:
    gold, (pred,) = noisy(30, 1, 7)
    pred[0] = 1e9
    confidences = [0.001, *[1.0] * 29]
    replicates = bootstrap(
        make_sample(gold, [pred], confidences=[confidences]), "weighted_pearson", b=100, seed=1
    )
    counts = next(resample_counts(open_stream(1, gold, "bootstrap"), 30, 100)).T.astype(int)
    for drawn, deviation in zip(counts, replicates.deviations[0], strict=True):
        places = np.repeat(np.arange(30), drawn).tolist()
        sides = ([side[place] for place in places] for side in (gold, pred, confidences))
        value = exactly("weighted_pearson", *sides)
        assert replicates.estimates[0] + deviation == pytest.approx(value, abs=1e-7)


def test_ends_of_intervals_stay_within_the_bounds_of_the_metric() -> None:
    gold = [2.25, 1.25, 1.75, 1.0, 1.75]
    run = [2.773587331679428, 1.4997122451869402, 1.747532140184644, 0.9260287992591645, 2.069432129040943]
    assert bootstrap_intervals(gold, [run], "pearson", Resampling(200, 1, "percentile"))[0].high == 1.0


@pytest.mark.parametrize("interval", ["percentile", "bca"])
@pytest.mark.parametrize(("metric", "value"), [("mae", 0.3), ("rmse", 0.3), ("mse", 0.09)])
def test_interval_of_a_constant_error_is_the_error(
    metric: str, value: float, interval: IntervalMethod
) -> None:
    gold = [3.75, 0.75, 3.0]
    run = [4.05, 1.05, 3.3]
    (found,) = bootstrap_intervals(gold, [run], metric, Resampling(200, 1, interval))
    error = METRICS[metric].function(gold, run)
    assert error == pytest.approx(value, abs=1e-15)
    assert (found.low, found.high) == (error, error)
    low, high = round_ends(error, error, error)
    assert low <= error <= high


def test_bca_of_many_items_uses_a_block_jackknife_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    gold, preds = noisy(300, 1, 2)
    exact = bootstrap_intervals(gold, preds, "spearman", Resampling(2000))[0]
    for module in ("resampling", "intervals"):
        monkeypatch.setattr(f"scorer.statistics.{module}.MAX_JACKKNIFE_VALUES", 100)
    blocks = bootstrap_intervals(gold, preds, "spearman", Resampling(2000))[0]
    assert blocks.signature == "ci:bca|b:2000|seed:0|blocks:100"
    assert (blocks.low, blocks.high) == pytest.approx((exact.low, exact.high), abs=2e-3)
    assert blocks != exact
