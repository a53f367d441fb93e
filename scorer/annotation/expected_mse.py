"""The expected error of a system that knows the population mean of each unit."""

from dataclasses import dataclass
from math import fsum

from scorer.annotation.ratings import Ratings
from scorer.annotation.unit_moments import unit_moments
from scorer.values import Undefined

_MIN_RATINGS = 4
"""The minimum number k of ratings. Student's t with k - 1 degrees of freedom has a variance if k >= 4."""


@dataclass(frozen=True, slots=True)
class ExpectedMSE:
    """The result of `expected_mse`.

    Parameters
    ----------
    value : float or Undefined
        The mean over units of (k - 1) / (k - 3) times s^2 / k; at least 0, in squared points of the scale.
    unbiased : float or Undefined
        The mean of s^2 / k over the same units.
    units, left_out : int
        The numbers of units with at least four ratings, and with fewer.
    """

    value: float | Undefined
    unbiased: float | Undefined
    units: int
    left_out: int


def expected_mse(ratings: Ratings) -> ExpectedMSE:
    """Compute the expected MSE, against mean ratings, of a system that knows each unit's population mean.

    Parameters
    ----------
    ratings : Ratings
        The ratings. Repeats are left out. Units can have different numbers k of ratings; units with fewer
        than four are left out and counted.

    Returns
    -------
    ExpectedMSE
        The values are `Undefined` if no unit has four ratings.

    Notes
    -----
    With k ratings of a unit, mean x and sample variance s^2 (divisor k - 1), (mu - x) / (s / sqrt(k)) follows
    Student's t with k - 1 degrees of freedom, whose variance is (k - 1) / (k - 3). So, given the ratings, the
    expected squared distance of the population mean mu from x is (k - 1) / (k - 3) s^2 / k. With k = 9 this
    is 4/3 s^2 / 9. The ratings are assumed to be independent draws from one normal population for each unit.

    The value is not a bound for any particular system: a copy of the gold has MSE 0, and a system that
    learned the habits of these k annotators can also be below it. It does not apply to adjudicated gold,
    which is not a mean of k draws. Over many sets of k annotators, the same system has the MSE sigma^2 / k,
    and `unbiased` is an unbiased estimate of that. `value` is larger because sigma is unknown and is
    estimated by s.

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
            "too_few_ratings", f"no unit has {_MIN_RATINGS} or more ratings, which the expected MSE needs"
        )
        return ExpectedMSE(few, few, units, left_out)
    k = moments.count[enough]
    error = moments.squares[enough] / (k - 1) / k
    value = fsum((error * (k - 1) / (k - 3)).tolist()) / units
    return ExpectedMSE(value, fsum(error.tolist()) / units, units, left_out)
