"""Compare runs on the same gold: differences, confidence intervals, significance tests and rank ranges."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from scorer._version import __version__
from scorer.boards.board import rank_values
from scorer.errors import RequestError, UndefinedError
from scorer.files.reading import Gold, Run
from scorer.inference.clusters import cluster_numbers, rank_range
from scorer.inference.comparison_options import ComparisonOptions
from scorer.metrics import get_metric, pearson
from scorer.scoring.evaluate import evaluate
from scorer.statistics.dependent_correlations import DependentTest, steiger, williams, zou_interval
from scorer.statistics.multiple_testing import holm
from scorer.statistics.paired_bootstrap import degenerate_pairs, difference_interval, difference_p
from scorer.statistics.permutation import LevelColumn, pair_tests
from scorer.statistics.resampling import Progress, bootstrap
from scorer.statistics.samples import Sample, make_sample
from scorer.statistics.swap_rules import SWAPPED_VALUES
from scorer.values import Undefined, number_or_none


@dataclass(frozen=True, slots=True)
class ComparedRun:
    """A run in a comparison, with its value, rank, rank range and cluster.

    `rank`, `low`, `high` and `cluster` are None if the value is undefined.
    """

    name: str
    value: float | Undefined
    rank: int | None = None
    low: int | None = None
    """The best rank in the rank range."""
    high: int | None = None
    """The worst rank in the rank range."""
    cluster: int | None = None


@dataclass(frozen=True, slots=True)
class RunDifference:
    """The difference between two runs.

    Parameters
    ----------
    first, second : int
        The indices of the runs in `Comparison.standings`. The first run is at least as good as the second.
    difference : float
        The value of the first run minus the value of the second run.
    low, high : float or None
        The confidence interval of the difference, or None if it is undefined.
    degenerate : int
        The number of resamples on which the difference is undefined.
    p, adjusted : float or None
        The two-sided p value, and the p value adjusted over all pairs that were tested. None if the pair was
        not tested.
    significant : bool
        Whether the adjusted p value is at most alpha.
    t, z : DependentTest, optional
        Williams's and Steiger's tests, if the test is "williams".
    undefined : Undefined, optional
        Why there is no test or no interval.
    """

    first: int
    second: int
    difference: float
    low: float | None = None
    high: float | None = None
    degenerate: int = 0
    p: float | None = None
    adjusted: float | None = None
    significant: bool = False
    t: DependentTest | None = None
    z: DependentTest | None = None
    undefined: Undefined | None = None


@dataclass(frozen=True, slots=True)
class Comparison:
    """The result of `compare_runs`."""

    rules: ComparisonOptions
    n: int
    standings: tuple[ComparedRun, ...]
    """The runs from best to worst. Runs whose value is undefined are last."""
    differences: tuple[RunDifference, ...]
    """The differences of all pairs of runs that have a value."""
    signature: str
    groups: int | None = None
    """The number of units (groups, and items without a group), or None if each item is a unit of its own."""


def compare_runs(
    gold: Gold,
    runs: Sequence[tuple[str, Run]],
    rules: ComparisonOptions,
    *,
    groups: Sequence[str | None] | None = None,
    progress: Progress = lambda _: None,
) -> Comparison:
    """Compare every pair of runs, test their differences for significance, and rank the runs.

    Parameters
    ----------
    gold : Gold
        The gold with (n,) values. An item whose value is None is left out for all runs.
    runs : sequence of (str, Run)
        Two or more runs, each with its name and (n,) scores.
    rules : ComparisonOptions
        The metric, test, alpha, seed, and numbers of permutations and resamples.
    groups : (n,) str or None, optional
        The group of each item. Items of one group are swapped and resampled together; an item without a
        group is a unit of its own. By default the groups of the gold are used.
    progress : callable, optional
        A callback. It is called with the number of permutations or resamples that were completed since its
        last call.

    Returns
    -------
    Comparison

    Raises
    ------
    RequestError
        If the rules are not valid for these runs, or lengths differ.

    Notes
    -----
    The family of the adjustment consists of the pairs of runs that were tested. A run for which the metric is
    undefined is not tested, and neither is a pair for which Williams's test is undefined.

    Examples
    --------
    >>> gold = Gold(tuple(float(k) for k in range(12)))
    >>> one = Run(tuple(float(k + k % 2) for k in range(12)), (None,) * 12)
    >>> two = Run(tuple(float(k * 5 % 12) for k in range(12)), (None,) * 12)
    >>> found = compare_runs(gold, [("two", two), ("one", one)], ComparisonOptions(seed=1))
    >>> [(each.rank, each.name, each.low, each.high) for each in found.standings]
    [(1, 'one', 1, 1), (2, 'two', 2, 2)]
    >>> found.differences[0].significant
    True
    """
    rules.check(len(runs))
    groups = gold.groups if groups is None else groups
    if rules.test == "williams" and groups is not None and any(groups):
        raise RequestError("the williams test takes items as independent, and these have groups")
    standings, scores = _rank_runs(gold, runs, rules.metric, groups)
    places = [place for place, value in enumerate(gold.values) if value is not None]
    sample = make_sample(
        [value for value in gold.values if value is not None],
        [[score[place] for place in places] for score in scores],
        None if groups is None else [groups[place] for place in places],
        sds=gold.sds_at(places),
    )
    rules = rules.settled(len(runs), sample.size)
    values = [standing.value for standing in standings if not isinstance(standing.value, Undefined)]
    differences = _adjust_pairs(_compare_pairs(sample, values, rules, progress), rules.alpha)
    signature = _signature(rules, sample)
    ranked = _with_rank_ranges(standings, differences)
    whole = sample.size if sample.grouped else None
    return Comparison(rules, len(places), ranked, tuple(differences), signature, whole)


def _rank_runs(
    gold: Gold, runs: Sequence[tuple[str, Run]], metric: str, groups: Sequence[str | None] | None
) -> tuple[list[ComparedRun], list[tuple[float, ...]]]:
    """Rank the runs from best to worst, and return them with the scores of those that have a rank."""
    values = [evaluate(gold, run, [metric], groups=groups).results[0].value for _, run in runs]
    ranks = rank_values(
        [number_or_none(value) for value in values], higher_is_better=get_metric(metric).higher_is_better
    )
    order = sorted(range(len(runs)), key=lambda place: (ranks[place] is None, ranks[place] or 0))
    standings = [ComparedRun(runs[place][0], values[place], ranks[place]) for place in order]
    return standings, [runs[place][1].scores for place in order if ranks[place] is not None]


def _compare_pairs(
    sample: Sample, values: Sequence[float], rules: ComparisonOptions, progress: Progress
) -> list[RunDifference]:
    pairs = [
        RunDifference(first, second, values[first] - values[second])
        for first, second in combinations(range(len(values)), 2)
    ]
    if not pairs:
        return pairs
    if rules.test == "williams":
        return [_williams_test(sample, values, pair, rules.level) for pair in pairs]
    resampled = list(_resample_pairs(sample, pairs, rules, progress))
    if rules.test == "bootstrap":
        return resampled
    column = LevelColumn("runs", rules.metric, sample, tuple(range(len(values))))
    tests, _ = pair_tests(
        [column],
        permutations=rules.permutations or 0,
        seed=rules.seed,
        adjust=rules.adjust or "max-t",
        progress=progress,
    )
    by_pair = {(test.first, test.second): test for test in tests["runs"]}
    found = [by_pair[pair.first, pair.second] for pair in resampled]
    return [
        replace(pair, p=test.p, adjusted=test.adjusted) for pair, test in zip(resampled, found, strict=True)
    ]


def _resample_pairs(
    sample: Sample, pairs: Sequence[RunDifference], rules: ComparisonOptions, progress: Progress
) -> Iterator[RunDifference]:
    """Yield pairs with their percentile intervals and, for the bootstrap test, with their p values."""
    if sample.size < 2:
        undefined = Undefined("one_unit", "there is one item or group, so nothing can be resampled")
        yield from (replace(pair, undefined=undefined) for pair in pairs)
        return
    replicates = bootstrap(sample, rules.metric, b=rules.b or 0, seed=rules.seed, progress=progress)
    undefined = Undefined("all_degenerate", "no resample has a value for both runs")
    for pair in pairs:
        systems = (pair.first, pair.second)
        p = difference_p(replicates, *systems) if rules.test == "bootstrap" else None
        degenerate = degenerate_pairs(replicates, *systems)
        ends = difference_interval(replicates, *systems, rules.level)
        if ends is None:
            yield replace(pair, degenerate=degenerate, p=p, undefined=undefined)
        else:
            yield replace(pair, low=ends[0], high=ends[1], degenerate=degenerate, p=p)


def _williams_test(
    sample: Sample, values: Sequence[float], pair: RunDifference, level: float
) -> RunDifference:
    first, second = sample.preds[pair.first].tolist(), sample.preds[pair.second].tolist()
    triple = values[pair.first], values[pair.second], pearson(first, second)
    n = sample.gold.size
    try:
        t, z, (low, high) = williams(*triple, n), steiger(*triple, n), zou_interval(*triple, n, level)
    except UndefinedError as error:
        return replace(pair, undefined=Undefined(error.code, error.reason))
    return replace(pair, low=low, high=high, p=t.p, t=t, z=z)


def _adjust_pairs(pairs: Sequence[RunDifference], alpha: float) -> list[RunDifference]:
    """Adjust the p values that are not adjusted yet, and mark the significant pairs."""
    tested = [place for place, pair in enumerate(pairs) if pair.p is not None]
    known = {place: p for place in tested if (p := pairs[place].adjusted) is not None}
    adjusted = known or dict(zip(tested, holm([pairs[place].p or 0.0 for place in tested]), strict=True))
    return [
        replace(pair, adjusted=adjusted[place], significant=adjusted[place] <= alpha)
        if place in adjusted
        else pair
        for place, pair in enumerate(pairs)
    ]


def _with_rank_ranges(
    standings: Sequence[ComparedRun], pairs: Sequence[RunDifference]
) -> tuple[ComparedRun, ...]:
    """Add the rank ranges and clusters that follow from the significant pairs."""
    better = {(pair.first, pair.second) for pair in pairs if pair.significant}
    systems = [place for place, standing in enumerate(standings) if standing.rank is not None]
    numbers = cluster_numbers(systems, better)
    ranges = [rank_range(system, systems, better) for system in systems]
    ranked = [
        replace(standings[place], low=low, high=high, cluster=number)
        for place, number, (low, high) in zip(systems, numbers, ranges, strict=True)
    ]
    return (*ranked, *standings[len(systems) :])


def _signature(rules: ComparisonOptions, sample: Sample) -> str:
    groups = [f"groups:{sample.size}"] if sample.grouped else []
    level = [] if rules.level == 0.95 else [f"level:{rules.level!r}"]
    method = {
        "permutation": [f"permutations:{rules.permutations}", "ci:percentile", *level, f"b:{rules.b}"],
        "bootstrap": ["ci:percentile", *level, f"b:{rules.b}"],
        "williams": ["ci:zou", *level],
    }[rules.test]
    swaps = [f"swaps:{SWAPPED_VALUES[rules.metric]}"] if rules.test == "permutation" else []
    seed = [] if rules.test == "williams" else [f"seed:{rules.seed}"]
    parts = [rules.metric, f"n:{sample.gold.size}", *groups, f"test:{rules.test}", *swaps, *method]
    return "|".join([*parts, f"{rules.adjust}:{rules.alpha!r}", *seed, f"v:{__version__}"])
