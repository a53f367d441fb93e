"""The error that is left to a system which knows what the population thinks of each unit."""

from dataclasses import dataclass
from math import fsum

from scorer.annotation.ratings import Ratings
from scorer.annotation.unit_moments import unit_moments
from scorer.values import Undefined

_MIN_RATINGS = 4
"""Ratings of a unit: Student's t with k - 1 degrees of freedom has a variance from k = 4 on."""


@dataclass(frozen=True, slots=True)
class ExpectedMSE:
    """What `expected_mse` finds.

    Parameters
    ----------
    value : float or Undefined
        The mean over units of (k - 1) / (k - 3) times s^2 / k; at least 0, in squared points of the scale.
    unbiased : float or Undefined
        The mean of s^2 / k over the same units.
    units, left_out : int
        How many units have four ratings or more, and how many have fewer.
    """

    value: float | Undefined
    unbiased: float | Undefined
    units: int
    left_out: int


def expected_mse(ratings: Ratings) -> ExpectedMSE:
    """The expected MSE, against mean ratings, of a system that knows each unit's population mean.

    Parameters
    ----------
    ratings : Ratings
        Repeats are left out; each unit has its own k. Units with fewer than four ratings are left out, and
        counted.

    Returns
    -------
    ExpectedMSE
        Undefined where no unit has four ratings.

    Notes
    -----
    With k ratings of a unit, mean x and sample variance s^2 (divisor k - 1), (mu - x) / (s / sqrt(k)) follows
    Student's t with k - 1 degrees of freedom, whose variance is (k - 1) / (k - 3): so the population mean mu
    lies, after the ratings are seen, (k - 1) / (k - 3) s^2 / k from x in the mean square. With k = 9 this is
    4/3 s^2 / 9. The ratings are taken to be independent draws from one normal population a unit.

    It bounds no particular system: a copy of the gold has MSE 0, and a system that learned the habits of
    these k annotators can be below it too. It says nothing of adjudicated gold, which is no mean of k draws.
    Over many sets of k annotators the same system has the MSE sigma^2 / k, of which `unbiased` is the
    estimate without bias; `value` is larger because it knows s and not sigma.

    References
    ----------
    Sido et al. (2024), Czech news dataset for semantic textual similarity, Language Resources and Evaluation,
    doi:10.1007/s10579-024-09795-z (arXiv:2108.08708), where k = 9.

    Examples
    --------
    >>> from scorer.annotation.ratings import ratings_of
    >>> found = expected_mse(ratings_of([[0, 1, 2, 3, 4], [2, 2, 2, 2, 2], [1, 2, None, None, None]]))
    >>> found.value, found.unbiased, found.units, found.left_out
    (0.5, 0.25, 2, 1)
    """
    moments = unit_moments(ratings)
    enough = moments.count >= _MIN_RATINGS
    units, left_out = int(enough.sum()), int((~enough).sum())
    if not units:
        few = Undefined(
            "too_few_ratings", f"no unit has {_MIN_RATINGS} ratings, from which the bound is defined"
        )
        return ExpectedMSE(few, few, units, left_out)
    k = moments.count[enough]
    error = moments.squares[enough] / (k - 1) / k
    value = fsum((error * (k - 1) / (k - 3)).tolist()) / units
    return ExpectedMSE(value, fsum(error.tolist()) / units, units, left_out)
