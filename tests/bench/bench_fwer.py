"""How often a board of equal systems shows any false difference, and how often the tests find a true one.

Run it as `python tests/bench/bench_fwer.py [BOARDS]`. Each board goes through the functions that make the
clusters of a board: `pair_tests`, Holm's method, `cluster_numbers`. The share is printed with its
Clopper-Pearson interval; the level is 0.05. The rival in power is Williams's test, made for such data.
"""

import sys
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from time import perf_counter

import numpy as np
from numpy.typing import NDArray
from scipy import stats

sys.path.insert(0, str(Path(__file__).parents[2]))

from scorer import Gold, Run
from scorer.inference.clusters import cluster_numbers
from scorer.inference.comparison import compare_runs
from scorer.inference.comparison_options import ComparisonOptions
from scorer.statistics.dependent_correlations import williams, zou_interval
from scorer.statistics.multiple_testing import holm
from scorer.statistics.paired_bootstrap import difference_interval
from scorer.statistics.permutation import LevelColumn, check_permutations, pair_tests
from scorer.statistics.power import detectable_difference
from scorer.statistics.resampling import bootstrap
from scorer.statistics.samples import make_sample

Array = NDArray[np.float64]
ALPHA, SYSTEMS, ITEMS, PERMUTATIONS = 0.05, 8, 120, 1199
PAIRS = SYSTEMS * (SYSTEMS - 1) // 2
Board = Callable[[np.random.Generator], tuple[Array, Array]]


def independent(rng: np.random.Generator) -> tuple[Array, Array]:
    """Gold, and equal systems that err independently: each correlates about .7 with it."""
    gold = rng.standard_normal(ITEMS)
    return gold, gold + rng.standard_normal((SYSTEMS, ITEMS))


def correlated(rng: np.random.Generator) -> tuple[Array, Array]:
    """The same with errors that correlate .8."""
    gold = rng.standard_normal(ITEMS)
    shared = np.sqrt(0.8) * rng.standard_normal(ITEMS)
    return gold, gold + shared + np.sqrt(0.2) * rng.standard_normal((SYSTEMS, ITEMS))


def tied(rng: np.random.Generator) -> tuple[Array, Array]:
    """Correlated systems, and all values in quarter points from 0 to 4, as CLSS's gold is."""
    gold, preds = correlated(rng)
    return quarters(gold), quarters(preds / np.sqrt(2))


def unlike(rng: np.random.Generator) -> tuple[Array, Array]:
    """As good in the long run, but not alike: every other system errs rarely and grossly."""
    gold = rng.standard_normal(ITEMS)
    noise = rng.standard_normal((SYSTEMS, ITEMS))
    noise[::2] = rng.standard_t(5, (SYSTEMS // 2, ITEMS)) / np.sqrt(5 / 3)
    return gold, gold + noise


def quarters(values: Array) -> Array:
    """Quarter points from 0 to 4."""
    points: Array = np.clip(np.round(4 * (values + 2)) / 4, 0, 4)
    return points


def false_difference(gold: Array, preds: Array, metric: str, seed: int) -> bool:
    """Whether any pair of a board is significant; if none is, there must be one cluster."""
    systems = tuple(range(len(preds)))
    sample = make_sample(gold.tolist(), preds.tolist())
    found, _ = pair_tests(
        [LevelColumn("level", metric, sample, systems)], permutations=PERMUTATIONS, seed=seed
    )
    tests = found["level"]
    adjusted = holm([test.p for test in tests])
    better = {
        (test.first, test.second) if test.difference > 0 else (test.second, test.first)
        for test, p in zip(tests, adjusted, strict=True)
        if p <= ALPHA
    }
    order = sorted(systems, key=lambda system: sum((other, system) in better for other in systems))
    if max(cluster_numbers(order, better)) > 1 and not better:
        raise AssertionError("clusters without a difference")
    return bool(better)


def false_by_bootstrap(gold: Array, preds: Array, metric: str, seed: int) -> bool:
    """The same by the paired bootstrap, through the function of `scorer compare`."""
    runs = [(str(k), Run(tuple(each.tolist()), (None,) * len(gold))) for k, each in enumerate(preds)]
    rules = ComparisonOptions(metric, "bootstrap", ALPHA, seed, b=PERMUTATIONS)
    found = compare_runs(Gold(tuple(gold.tolist())), runs, rules)
    return any(pair.significant for pair in found.differences)


def interval(hits: int, times: int) -> str:
    """The share, with its Clopper-Pearson interval."""
    found = stats.binomtest(hits, times).proportion_ci(0.95, method="exact")
    return f"{hits / times:.3f}  [{found.low:.3f}, {found.high:.3f}]"


def family_wise(
    name: str,
    board: Board,
    metric: str,
    boards: int,
    false: Callable[[Array, Array, str, int], bool] = false_difference,
) -> None:
    """Print the share of boards with a false difference."""
    rng, start = np.random.default_rng(1979), perf_counter()
    hits = sum(false(*board(rng), metric, seed) for seed in range(boards))
    seconds = perf_counter() - start
    print(f"{name:24}{metric:10}{boards:6} boards  {interval(hits, boards)}  {seconds:5.1f} s")


def power(times: int) -> None:
    """Print how often tests find what `scorer power` calls detectable with a chance of .8; and coverage."""
    n, r, between = 120, 0.7, 0.8
    worse = r - detectable_difference(n, r, between)
    matrix = np.array([[1, r, worse], [r, 1, between], [worse, between, 1]])
    factor, rng = np.linalg.cholesky(matrix), np.random.default_rng(1959)
    found = {"permutation (ours)": 0, "Williams (1959)": 0}
    covered = {"percentile bootstrap (ours)": 0, "Zou (2007)": 0}
    for seed in range(times):
        gold, one, other = factor @ rng.standard_normal((3, n))
        sample = make_sample(gold.tolist(), [one.tolist(), other.tolist()])
        tests, _ = pair_tests([LevelColumn("level", "pearson", sample, (0, 1))], permutations=999, seed=seed)
        triple = [float(np.corrcoef(x, y)[0, 1]) for x, y in combinations((gold, one, other), 2)]
        ours = difference_interval(bootstrap(sample, "pearson", b=999, seed=seed), 0, 1, 0.95) or (0, 0)
        zou = zou_interval(*triple, n)
        found["permutation (ours)"] += tests["level"][0].p <= ALPHA
        found["Williams (1959)"] += williams(*triple, n).p <= ALPHA
        covered["percentile bootstrap (ours)"] += ours[0] <= r - worse <= ours[1]
        covered["Zou (2007)"] += zou[0] <= r - worse <= zou[1]
    print(f"power, {n} items, true difference {r - worse:.4f}, asked .8, {times} pairs")
    for name, hits in found.items():
        print(f"  {name:32}{interval(hits, times)}")
    print("coverage of 95 % intervals of that difference")
    for name, hits in covered.items():
        print(f"  {name:32}{interval(hits, times)}")


def main() -> None:
    """Print the shares for each kind of board, then the power compared with Williams's test."""
    boards = int(sys.argv[1]) if len(sys.argv) > 1 else 600
    check_permutations(PERMUTATIONS, PAIRS, ALPHA)
    print(
        f"equal systems: {SYSTEMS} ({PAIRS} pairs), {ITEMS} items, {PERMUTATIONS} permutations, level {ALPHA}"
    )
    for name, board in (("independent", independent), ("correlated", correlated), ("quarter points", tied)):
        for metric in ("pearson", "spearman"):
            family_wise(name, board, metric, boards)
    family_wise("not exchangeable", unlike, "pearson", boards)
    family_wise("correlated, bootstrap", correlated, "pearson", boards // 2, false_by_bootstrap)
    power(boards)


if __name__ == "__main__":
    main()
