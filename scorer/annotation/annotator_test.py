"""The alternative annotator test: may a system replace a human annotator?"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import fsum, sqrt

import numpy as np

from scorer.annotation.agreement import pair_with_others_mean
from scorer.annotation.exact_arithmetic import remove_rounding_noise
from scorer.annotation.ratings import Floats, Ratings
from scorer.errors import RequestError
from scorer.statistics.multiple_testing import benjamini_yekutieli
from scorer.values import Undefined

MIN_UNITS = 30
"""The minimum number of units of an annotator for a t test, as the paper recommends."""
_NO_VARIANCE = Undefined(
    "no_variance", "on all units, the same of run and annotator is closer, or neither is"
)
_PASSING_RATE = 0.5
"""The winning rate from which on the paper lets a system replace annotators."""


@dataclass(frozen=True, slots=True)
class AnnotatorComparison:
    """The comparison of a system with one annotator.

    Parameters
    ----------
    name : str
        The name of the annotator.
    n : int
        The number of units that the annotator, the system and at least one other annotator rated.
    system_share, annotator_share : float
        The share of units on which the system is at least as close to the other annotators as this one is,
        and the reverse, in [0, 1]. On a tie, both are.
    t : float or Undefined
        The statistic of the t test. Undefined if the differences have no variance.
    p : float
        The one-sided p value.
    adjusted : float
        The p value adjusted for all tested annotators.
    """

    name: str
    n: int
    system_share: float
    annotator_share: float
    t: float | Undefined
    p: float
    adjusted: float

    @property
    def cells(self) -> tuple[str | float | Undefined, ...]:
        """Its cells in a table: the name, then the numbers in the order of the parameters."""
        shares = self.system_share, self.annotator_share
        return self.name, self.n, *shares, self.t, self.p, self.adjusted

    def is_won(self, q: float) -> bool:
        """Whether the system may replace the annotator, at the false discovery rate q."""
        return self.adjusted <= q


@dataclass(frozen=True, slots=True)
class AnnotatorTest:
    """The result of `annotator_test`.

    Parameters
    ----------
    annotators : tuple of AnnotatorComparison
        The tested annotators, in the order of the ratings.
    left_out : mapping of str to int
        The annotators with too few units, and their numbers of units.
    winning_rate : float or Undefined
        The share of tested annotators that the system may replace (omega), in [0, 1].
    advantage : float or Undefined
        The average advantage probability (rho), in [0, 1]: the mean of the `system_share` of the annotators.
    """

    annotators: tuple[AnnotatorComparison, ...]
    left_out: Mapping[str, int]
    winning_rate: float | Undefined
    advantage: float | Undefined

    @property
    def passes(self) -> bool:
        """Whether the winning rate is at least one half."""
        return not isinstance(self.winning_rate, Undefined) and self.winning_rate >= _PASSING_RATE


def annotator_test(
    ratings: Ratings, predictions: Mapping[str, float], epsilon: float = 0.2, q: float = 0.05
) -> AnnotatorTest:
    """Test for each annotator whether a system agrees with the others at least as well as the annotator does.

    Parameters
    ----------
    ratings : Ratings
        The ratings, which are numbers. Repeats are left out.
    predictions : mapping of str to float
        The predictions of the system, finite, by the name of the unit. Units without one are left out.
    epsilon : float
        The advantage that an annotator may have over the system, in [0, 1), because the system costs less.
        The paper uses .2 for experts, .15 for skilled annotators and .1 for crowd workers.
    q : float
        The false discovery rate, between 0 and 1.

    Returns
    -------
    AnnotatorTest
        The rates are `Undefined` if no annotator has enough units.

    Raises
    ------
    RequestError
        If epsilon or q is out of range, or no rated unit has a prediction.

    Notes
    -----
    Let S(x) be minus the root of the mean squared difference between x and the ratings of a unit by the other
    annotators: the paper's alignment score for continuous ratings. On each unit, w is 1 if S of the system is
    at least that of the annotator's rating, else 0; v is 1 in the reverse case. With d = v - w, the test is
    t = (mean(d) - epsilon) / (sd(d) / sqrt(n)) with n - 1 degrees of freedom, against the alternative that
    the mean is less than epsilon. If d is the same on all units, p is 0 if it is less than epsilon, else 1.
    The p values are adjusted by Benjamini and Yekutieli's method, because tests of annotators who rated the
    same units depend on each other.

    Annotators with fewer than 30 units are left out, because the t test assumes that the mean is nearly
    normal. The paper recommends at least three annotators.

    References
    ----------
    Calderon, Reichart & Dror (2025), The alternative annotator test for LLM-as-a-judge: how to statistically
    justify replacing human annotators with LLMs, ACL, 16051-16081, https://aclanthology.org/2025.acl-long.782

    Examples
    --------
    >>> from scorer.annotation.ratings import ratings_of
    >>> ratings = ratings_of([[unit % 3, unit % 3, unit % 5] for unit in range(60)])
    >>> found = annotator_test(ratings, {str(unit + 1): unit % 3 for unit in range(60)})
    >>> [(each.name, each.system_share, each.is_won(0.05)) for each in found.annotators]
    [('1', 1.0, True), ('2', 1.0, True), ('3', 1.0, True)]
    >>> found.winning_rate, found.advantage, found.passes
    (1.0, 1.0, True)
    """
    if not 0 <= epsilon < 1:
        raise RequestError(f"epsilon is {epsilon:g}; it must be from 0 up and below 1, as 0.2 is")
    if not 0 < q < 1:
        raise RequestError(f"q is {q:g}; it must be between 0 and 1, as 0.05 is")
    wins = _compare_units(ratings, predictions)
    left_out = {name: len(system) for name, system, _ in wins if len(system) < MIN_UNITS}
    compared = [each for each in wins if each[0] not in left_out]
    tests = [_t_test(annotator - system, epsilon) for _, system, annotator in compared]
    adjusted = benjamini_yekutieli([p for _, p in tests])
    annotators = tuple(
        AnnotatorComparison(name, len(system), _share(system), _share(annotator), t, p, other)
        for (name, system, annotator), (t, p), other in zip(compared, tests, adjusted, strict=True)
    )
    if not annotators:
        few = Undefined("too_few_units", f"no annotator has {MIN_UNITS} units")
        return AnnotatorTest((), left_out, few, few)
    rate = sum(each.is_won(q) for each in annotators) / len(annotators)
    advantage = fsum(each.system_share for each in annotators) / len(annotators)
    return AnnotatorTest(annotators, left_out, rate, advantage)


def _compare_units(ratings: Ratings, predictions: Mapping[str, float]) -> list[tuple[str, Floats, Floats]]:
    """Return for each annotator on which units the system is as close to the others, and the annotator is.

    The sum of the squared differences between x and m ratings is (x - mean)^2 m plus a constant, which is
    left out: so the closer of two values is the one that is closer to the mean of the others.
    """
    first = ratings.first().of_units(predictions)
    if not len(first):
        raise RequestError(f"no unit of {ratings.source} has a prediction; use the names of its units")
    unit, annotator, own, others = pair_with_others_mean(first)
    pred = np.array([predictions[name] for name in first.units])[unit]
    distances = [remove_rounding_noise(np.abs(x - others), x, others) for x in (pred, own)]
    system, human = distances[0] <= distances[1], distances[1] <= distances[0]
    return [
        (name, system[annotator == place].astype(float), human[annotator == place].astype(float))
        for place, name in enumerate(ratings.annotators)
    ]


def _share(wins: Floats) -> float:
    return int(wins.sum()) / len(wins)


def _t_test(differences: Floats, epsilon: float) -> tuple[float | Undefined, float]:
    """Test whether the mean is less than epsilon; return t and p."""
    from scipy.special import stdtr  # noqa: PLC0415  this import takes a fifth of a second

    n, mean = len(differences), int(differences.sum()) / len(differences)
    if (differences == differences[0]).all():
        return _NO_VARIANCE, float(mean >= epsilon)
    t = (mean - epsilon) / sqrt(float(differences.var(ddof=1)) / n)
    return t, float(stdtr(n - 1, t))
