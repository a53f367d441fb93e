"""How runs are compared: metric, test, alpha, seed, and how many permutations and resamples."""

from dataclasses import dataclass, replace
from math import ceil
from typing import Literal, get_args

from scorer.errors import RequestError
from scorer.inference.permutation import TESTED, check_permutations, enough_permutations
from scorer.metrics import get_metric

Test = Literal["permutation", "bootstrap", "williams"]
TESTS: tuple[Test, ...] = get_args(Test)
METRICS_OF: dict[Test, tuple[str, ...]] = {
    "permutation": TESTED,
    "bootstrap": (*TESTED, "kendall"),
    "williams": ("pearson",),
}
"""The metrics that each test can compare."""
MOST_RUNS = 120
"""A board's bound too: 7140 pairs."""
USUAL_B = 10_000
FEWEST, MOST = 100, 10_000_000
"""Permutations, and resamples."""
_MOST_REPLICATES = 12_500_000
"""Runs times resamples that are kept at once: 100 MB of errors, 50 MB of correlations."""


@dataclass(frozen=True, slots=True)
class ComparisonRules:
    """How runs are compared.

    Parameters
    ----------
    metric : str
        One of `METRICS_OF` the test.
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
    test: Test = "permutation"
    alpha: float = 0.05
    seed: int = 0
    permutations: int | None = None
    b: int | None = None
    level: float = 0.95

    def settled(self, runs: int) -> "ComparisonRules":
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
        enough = min(MOST, enough_permutations(pairs, self.alpha))
        if self.test == "permutation":
            permutations, b = self.permutations or enough, self.b or USUAL_B
            check_permutations(permutations, pairs, self.alpha)
            self._check_memory(b, runs)
            return replace(self, permutations=permutations, b=b)
        b = self.b or max(USUAL_B, enough)
        if pairs / (b + 1) > self.alpha:
            raise RequestError(
                f"with {b} resamples none of {pairs} pairs could reach {self.alpha:g} after Holm's "
                f"correction; give at least {ceil(round(pairs / self.alpha, 6)) - 1}, better {enough}"
            )
        self._check_memory(b, runs)
        return replace(self, b=b)

    def _check_memory(self, b: int, runs: int) -> None:
        if b * runs > _MOST_REPLICATES:
            other = "" if self.test == "permutation" else ", or use the permutation test"
            most = _MOST_REPLICATES // runs
            raise RequestError(
                f"{b} resamples of {runs} runs are more than can be kept; give at most {most}{other}"
            )

    def _check(self, runs: int) -> None:
        get_metric(self.metric)
        if not 2 <= runs <= MOST_RUNS:
            raise RequestError(f"give from 2 to {MOST_RUNS} runs, not {runs}")
        if self.metric not in METRICS_OF[self.test]:
            others = [test for test in TESTS if self.metric in METRICS_OF[test]]
            raise RequestError(
                f"the {self.test} test is for {', '.join(METRICS_OF[self.test])}, not for {self.metric}"
                + (f"; use the {others[0]} test" if others else "")
            )
        for name, value, least in (("alpha", self.alpha, 1e-6), ("level", self.level, 0.01)):
            if not least <= value < 1:
                raise RequestError(f"{name} {value:g} is not between {least:g} and 1")
        if self.seed < 0:
            raise RequestError(f"the seed is {self.seed}; it must be 0 or more")
        self._check_unused()
        for name, count in (("permutations", self.permutations), ("resamples", self.b)):
            if count is not None and not FEWEST <= count <= MOST:
                raise RequestError(f"{count} {name}; give {FEWEST} to {MOST}")

    def _check_unused(self) -> None:
        """Refuse what the test would pass over in silence."""
        if self.seed and self.test == "williams":
            raise RequestError("the williams test draws nothing; leave the seed out")
        if self.permutations is not None and self.test != "permutation":
            raise RequestError(f"the {self.test} test has no permutations")
        if self.b is not None and self.test == "williams":
            raise RequestError("the williams test has Zou's intervals, which need no bootstrap")
