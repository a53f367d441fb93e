"""How often a board of equal systems shows any false difference, and how often the tests find a true one.

Run it as `python tests/bench/bench_fwer.py [BOARDS]`: 200 boards of four rows, or BOARDS boards of every row.
From the first row on, one thing is changed at a time. Each board goes through `pair_tests`, once for both
methods of adjustment. Shares above .05 by more than two standard errors are marked. The rival in power is
Williams's test, made for such data.
"""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import sqrt
from pathlib import Path
from time import perf_counter

import numpy as np
from numpy.typing import NDArray
from scipy import stats

sys.path.insert(0, str(Path(__file__).parents[2]))

from scorer.statistics.dependent_correlations import williams, zou_interval
from scorer.statistics.multiple_testing import holm
from scorer.statistics.paired_bootstrap import difference_interval
from scorer.statistics.permutation import LevelColumn, PairTest, pair_tests
from scorer.statistics.power import detectable_difference
from scorer.statistics.resampling import bootstrap
from scorer.statistics.samples import make_sample

Array = NDArray[np.float64]
Noise = Callable[[np.random.Generator, tuple[int, int]], Array]
ALPHA, PERMUTATIONS = 0.05, 1999
QUICK = 200


def normal(rng: np.random.Generator, shape: tuple[int, int]) -> Array:
    """Errors of systems that are alike."""
    return rng.standard_normal(shape)


def skewed(rng: np.random.Generator, shape: tuple[int, int]) -> Array:
    """Errors of mean 0 and variance 1 that are exponential."""
    return rng.exponential(size=shape) - 1


def heavy(rng: np.random.Generator, shape: tuple[int, int]) -> Array:
    """Errors with variance 1 and the tails of Student's t with 5 degrees of freedom."""
    return rng.standard_t(5, shape) / sqrt(5 / 3)


def unlike(rng: np.random.Generator, shape: tuple[int, int]) -> Array:
    """Every other system errs rarely and grossly, and is as good in the long run."""
    errors = rng.standard_normal(shape)
    errors[::2] = heavy(rng, errors[::2].shape)
    return errors


def correlated(rng: np.random.Generator, shape: tuple[int, int]) -> Array:
    """Errors of which systems share .8 of the variance."""
    return sqrt(0.8) * rng.standard_normal(shape[1]) + sqrt(0.2) * rng.standard_normal(shape)


@dataclass(frozen=True, slots=True)
class Row:
    """The boards of a row of the table; sizes of errors make systems better or worse."""

    name: str
    sizes: Sequence[float] = (1.0,) * 8
    items: int = 100
    metric: str = "pearson"
    noise: Noise = normal
    tied: bool = False
    group: int = 1
    levels: int = 1
    incomplete: bool = False
    baseline: bool = False

    def draw(self, rng: np.random.Generator) -> list[LevelColumn]:
        """One board."""
        return [self._draw_level(rng, level) for level in range(self.levels)]

    def _draw_level(self, rng: np.random.Generator, level: int) -> LevelColumn:
        units, m = self.items // self.group, len(self.sizes)
        gold = (
            np.repeat(rng.standard_normal(units), self.group)
            if self.group > 1
            else rng.standard_normal(units)
        )
        errors = self.noise(rng, (m, units)) * np.array(self.sizes)[:, None]
        preds = gold + np.repeat(errors, self.group, axis=1)
        if self.group > 1:
            preds = preds + 0.5 * rng.standard_normal(preds.shape)
        if self.tied:
            gold, preds = quarters(gold), quarters(preds / sqrt(2))
        systems = tuple(k for k in range(m) if not (self.incomplete and level == k % 4))
        groups = [str(item // self.group) for item in range(len(gold))] if self.group > 1 else None
        sds = rng.uniform(0.5, 2, len(gold)).tolist() if self.metric == "within_sd" else None
        sample = make_sample(gold.tolist(), preds[list(systems)].tolist(), groups, sds=sds)
        return LevelColumn(f"l{level}", self.metric, sample, systems, rivals=1 if self.baseline else 0)

    def test(self, rng: np.random.Generator, seed: int) -> list[PairTest]:
        """The tests of one board: of its level, of its total, or those with its baseline."""
        by_level, total = pair_tests(self.draw(rng), permutations=PERMUTATIONS, seed=seed)
        tests = by_level["l0"] if self.levels == 1 else total
        return [test for test in tests if test.second == len(self.sizes) - 1] if self.baseline else tests


BASE = Row("8 systems, 100 items, Pearson")
ROWS = (
    BASE,
    replace(BASE, name="60 items", items=60),
    replace(BASE, name="500 items", items=500),
    replace(BASE, name="2,000 items", items=2000),
    replace(BASE, name="38 systems", sizes=(1.0,) * 38),
    replace(BASE, name="ties, quarter points", tied=True),
    replace(BASE, name="correlated errors", noise=correlated),
    replace(BASE, name="heavy tails", noise=heavy),
    replace(BASE, name="skewed, 60 items", noise=skewed, items=60),
    replace(BASE, name="skewed", noise=skewed),
    replace(BASE, name="skewed, 500 items", noise=skewed, items=500),
    replace(BASE, name="equal but unlike", noise=unlike),
    replace(BASE, name="groups of 4 items, 400 items", group=4, items=400),
    replace(BASE, name="Spearman", metric="spearman"),
    replace(BASE, name="Spearman, skewed", metric="spearman", noise=skewed),
    replace(BASE, name="root mean squared error", metric="rmse"),
    replace(BASE, name="mean absolute error", metric="mae"),
    replace(BASE, name="within_sd, 300 items", metric="within_sd", items=300),
    replace(BASE, name="total of 4 levels", levels=4),
    replace(BASE, name="total, incomplete systems", levels=4, incomplete=True),
    replace(BASE, name="against the best baseline", baseline=True),
    replace(BASE, name="two groups of four", sizes=(1.0,) * 4 + (0.7,) * 4),
    replace(BASE, name="six equal, two better", sizes=(1.0,) * 6 + (0.7,) * 2),
    replace(BASE, name="four pairs of equals", sizes=(1.0, 1.0, 0.8, 0.8, 0.6, 0.6, 0.4, 0.4)),
)


def quarters(values: Array) -> Array:
    """Quarter points from 0 to 4."""
    points: Array = np.clip(np.round(4 * (values + 2)) / 4, 0, 4)
    return points


def family_wise(row: Row, boards: int) -> None:
    """Print the share of boards with a false difference, and the share of true differences that are found."""
    rng, start = np.random.default_rng(1979), perf_counter()
    false, found, true = {"Holm": 0, "maxT": 0}, {"Holm": 0, "maxT": 0}, 0
    for seed in range(boards):
        tests = row.test(rng, seed)
        equal = [row.sizes[test.first] == row.sizes[test.second] for test in tests]
        true += equal.count(False)
        for method, adjusted in (
            ("Holm", holm([test.p for test in tests])),
            ("maxT", [test.adjusted for test in tests]),
        ):
            rejected = [p <= ALPHA for p in adjusted]
            false[method] += any(here and same for here, same in zip(rejected, equal, strict=True))
            found[method] += sum(here and not same for here, same in zip(rejected, equal, strict=True))
    most = ALPHA + 2 * sqrt(ALPHA * (1 - ALPHA) / boards)
    shares = "  ".join(
        f"{hits / boards:.3f}{'!' if hits / boards > most else ' '}" for hits in false.values()
    )
    powers = "  ".join(f"{hits / true:.3f}" for hits in found.values()) if true else "-      -    "
    print(f"{row.name:32}{boards:6}  {shares}   {powers}{perf_counter() - start:8.0f} s", flush=True)


def interval(hits: int, times: int) -> str:
    """The share, with its Clopper-Pearson interval."""
    found = stats.binomtest(hits, times).proportion_ci(0.95, method="exact")
    return f"{hits / times:.3f}  [{found.low:.3f}, {found.high:.3f}]"


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
    """Print the table of family-wise errors, then the power compared with Williams's test."""
    boards = int(sys.argv[1]) if len(sys.argv) > 1 else QUICK
    quick = ("8 systems, 100 items, Pearson", "skewed", "total of 4 levels", "six equal, two better")
    rows = ROWS if len(sys.argv) > 1 else [row for row in ROWS if row.name in quick]
    print(f"{PERMUTATIONS} permutations, level {ALPHA}; Holm's method and step-down maxT")
    print(f"{'':32}{'boards':>6}  {'any false':13}  {'power'}")
    for row in rows:
        family_wise(row, boards)
    power(boards)


if __name__ == "__main__":
    main()
