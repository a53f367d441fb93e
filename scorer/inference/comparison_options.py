"""Options of a comparison of runs: metric, test, alpha, seed, and numbers of permutations and resamples."""

from dataclasses import dataclass, replace
from math import ceil
from typing import Literal, get_args

from scorer.errors import RequestError
from scorer.metrics import get_metric
from scorer.statistics.adjustments import (
    Adjustment,
    check_permutations,
    count_swaps,
    default_adjustment,
    recommended_permutations,
)
from scorer.statistics.permutation import TESTABLE_METRICS

ComparisonTest = Literal["permutation", "bootstrap", "williams"]
COMPARISON_TESTS: tuple[ComparisonTest, ...] = get_args(ComparisonTest)
METRICS_BY_TEST: dict[ComparisonTest, tuple[str, ...]] = {
    "permutation": TESTABLE_METRICS,
    "bootstrap": (*TESTABLE_METRICS, "kendall"),
    "williams": ("pearson",),
}
"""The metrics that each test can compare."""
MAX_RUNS = 120
"""The maximum number of runs, which have 7140 pairs. It is the same as for the tests of a board."""
DEFAULT_RESAMPLES = 10_000
MIN_DRAWS, MAX_DRAWS = 100, 10_000_000
"""Bounds of the number of permutations and of the number of resamples."""
_MAX_REPLICATES = 12_500_000
"""The maximum of runs times resamples, which are all in memory: 100 MB for errors, 50 MB for correlations."""


@dataclass(frozen=True, slots=True)
class ComparisonOptions:
    """The options of a comparison of runs.

    Parameters
    ----------
    metric : str
        One of the metrics that `METRICS_BY_TEST` lists for the test.
    test : "permutation", "bootstrap" or "williams"
        The test that gives the p values. With "williams", Zou's intervals and Steiger's z are computed too.
    alpha : float
        The family-wise error rate, at least 1e-6 and below 1.
    seed : int
        The seed of permutations and resamples, at least 0.
    permutations, b : int, optional
        The numbers of permutations and of bootstrap resamples. None means enough for the adjustment, and at
        least 10,000 resamples, if the test uses permutations or resamples.
    level : float
        The coverage of the confidence interval of each difference, at least .01 and below 1.
    adjust : "max-t" or "holm", optional
        How p values are adjusted for the number of pairs. None means `default_adjustment` of the metric and
        the number of items or groups for the permutation test, and "holm" for the others.
    """

    metric: str = "pearson"
    test: ComparisonTest = "permutation"
    alpha: float = 0.05
    seed: int = 0
    permutations: int | None = None
    b: int | None = None
    level: float = 0.95
    adjust: Adjustment | None = None

    def settled(self, runs: int, units: int) -> "ComparisonOptions":
        """Return these options with the defaults for a number of runs, and of items or groups, filled in.

        Raises
        ------
        RequestError
            If an option is not valid, or if there are so few permutations or resamples that no difference
            could be significant.
        """
        self.check(runs)
        pairs = runs * (runs - 1) // 2
        adjust = self.adjust or "holm"
        if self.adjust is None and self.test == "permutation":
            adjust = default_adjustment([(self.metric, units)])
        if self.test == "williams":
            return replace(self, adjust=adjust)
        enough = min(MAX_DRAWS, recommended_permutations(pairs, self.alpha, adjust))
        if self.test == "permutation":
            permutations, b = self.permutations or enough, self.b or DEFAULT_RESAMPLES
            check_permutations(permutations, pairs, self.alpha, adjust)
            self._check_memory(b, runs)
            return replace(self, permutations=permutations, b=b, adjust=adjust)
        b = self.b or max(DEFAULT_RESAMPLES, enough)
        if pairs / (b + 1) > self.alpha:
            raise RequestError(
                f"with {b} resamples none of {pairs} pairs could reach {self.alpha:g} after the "
                f"adjustment; give at least {ceil(round(pairs / self.alpha, 6)) - 1}, better {enough}"
            )
        self._check_memory(b, runs)
        return replace(self, b=b, adjust=adjust)

    @property
    def steps(self) -> int:
        """The number of permutations and resamples that are computed, for a progress bar."""
        return count_swaps(self.permutations or 0, self.adjust or "holm") + (self.b or 0)

    def _check_memory(self, b: int, runs: int) -> None:
        if b * runs > _MAX_REPLICATES:
            other = "" if self.test == "permutation" else ", or use the permutation test"
            most = _MAX_REPLICATES // runs
            raise RequestError(
                f"{b} resamples of {runs} runs are more than can be kept; give at most {most}{other}"
            )

    def check(self, runs: int) -> None:
        """Raise RequestError if an option is not valid for any gold."""
        get_metric(self.metric)
        if not 2 <= runs <= MAX_RUNS:
            raise RequestError(f"give from 2 to {MAX_RUNS} runs, not {runs}")
        if self.metric not in METRICS_BY_TEST[self.test]:
            others = [test for test in COMPARISON_TESTS if self.metric in METRICS_BY_TEST[test]]
            raise RequestError(
                f"the {self.test} test is for {', '.join(METRICS_BY_TEST[self.test])}, not for {self.metric}"
                + (f"; use the {others[0]} test" if others else "")
            )
        for name, value, least in (("alpha", self.alpha, 1e-6), ("level", self.level, 0.01)):
            if not least <= value < 1:
                raise RequestError(f"{name} {value:g} is not between {least:g} and 1")
        if self.seed < 0:
            raise RequestError(f"the seed is {self.seed}; it must be 0 or more")
        self._check_unused()
        for name, count in (("permutations", self.permutations), ("resamples", self.b)):
            if count is not None and not MIN_DRAWS <= count <= MAX_DRAWS:
                raise RequestError(f"{count} {name}; give {MIN_DRAWS} to {MAX_DRAWS}")

    def _check_unused(self) -> None:
        """Raise RequestError for options that the test would ignore."""
        if self.seed and self.test == "williams":
            raise RequestError("the williams test draws nothing; leave the seed out")
        if self.permutations is not None and self.test != "permutation":
            raise RequestError(f"the {self.test} test has no permutations")
        if self.adjust == "max-t" and self.test != "permutation":
            raise RequestError(f"max-t needs permutations, and the {self.test} test has none; use holm")
        if self.b is not None and self.test == "williams":
            raise RequestError("the williams test has Zou's intervals, which need no bootstrap")
