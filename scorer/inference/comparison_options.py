"""How runs are compared: metric, test, alpha, seed, and how many permutations and resamples."""

from dataclasses import dataclass, replace
from math import ceil
from typing import Literal, get_args

from scorer.errors import RequestError
from scorer.metrics import get_metric
from scorer.statistics.permutation import TESTABLE_METRICS, check_permutations, recommended_permutations

ComparisonTest = Literal["permutation", "bootstrap", "williams"]
COMPARISON_TESTS: tuple[ComparisonTest, ...] = get_args(ComparisonTest)
METRICS_BY_TEST: dict[ComparisonTest, tuple[str, ...]] = {
    "permutation": TESTABLE_METRICS,
    "bootstrap": (*TESTABLE_METRICS, "kendall"),
    "williams": ("pearson",),
}
"""The metrics that each test can compare."""
MAX_RUNS = 120
"""A board's bound too: 7140 pairs."""
DEFAULT_RESAMPLES = 10_000
MIN_DRAWS, MAX_DRAWS = 100, 10_000_000
"""Permutations, and resamples."""
_MAX_REPLICATES = 12_500_000
"""Runs times resamples that are kept at once: 100 MB of errors, 50 MB of correlations."""


@dataclass(frozen=True, slots=True)
class ComparisonOptions:
    """How runs are compared.

    Parameters
    ----------
    metric : str
        One of `METRICS_BY_TEST` the test.
    test : "permutation", "bootstrap" or "williams"
        Where the p values come from; "williams" has Zou's intervals and Steiger's z beside.
    alpha : float
        The chance of any false difference that is allowed, from a millionth up, below 1.
    seed : int
        At least 0.
    permutations, b : int, optional
        How many permutations, and how many resamples of the bootstrap. None: enough for Holm's method, and at
        least 10,000 resamples; none where the test needs none.
    level : float
        Coverage of each difference's interval, from .01 up, below 1.
    """

    metric: str = "pearson"
    test: ComparisonTest = "permutation"
    alpha: float = 0.05
    seed: int = 0
    permutations: int | None = None
    b: int | None = None
    level: float = 0.95

    def settled(self, runs: int) -> "ComparisonOptions":
        """The same with every number given.

        Raises
        ------
        RequestError
            If the rules make no sense, or so few permutations or resamples that nothing could be significant.
        """
        self._check(runs)
        pairs = runs * (runs - 1) // 2
        if self.test == "williams":
            return self
        enough = min(MAX_DRAWS, recommended_permutations(pairs, self.alpha))
        if self.test == "permutation":
            permutations, b = self.permutations or enough, self.b or DEFAULT_RESAMPLES
            check_permutations(permutations, pairs, self.alpha)
            self._check_memory(b, runs)
            return replace(self, permutations=permutations, b=b)
        b = self.b or max(DEFAULT_RESAMPLES, enough)
        if pairs / (b + 1) > self.alpha:
            raise RequestError(
                f"with {b} resamples none of {pairs} pairs could reach {self.alpha:g} after Holm's "
                f"correction; give at least {ceil(round(pairs / self.alpha, 6)) - 1}, better {enough}"
            )
        self._check_memory(b, runs)
        return replace(self, b=b)

    def _check_memory(self, b: int, runs: int) -> None:
        if b * runs > _MAX_REPLICATES:
            other = "" if self.test == "permutation" else ", or use the permutation test"
            most = _MAX_REPLICATES // runs
            raise RequestError(
                f"{b} resamples of {runs} runs are more than can be kept; give at most {most}{other}"
            )

    def _check(self, runs: int) -> None:
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
        """Refuse what the test would pass over in silence."""
        if self.seed and self.test == "williams":
            raise RequestError("the williams test draws nothing; leave the seed out")
        if self.permutations is not None and self.test != "permutation":
            raise RequestError(f"the {self.test} test has no permutations")
        if self.b is not None and self.test == "williams":
            raise RequestError("the williams test has Zou's intervals, which need no bootstrap")
