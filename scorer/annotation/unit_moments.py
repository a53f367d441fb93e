"""Moments of each unit: the number of its ratings, their mean, and the sum of their squared deviations."""

from dataclasses import dataclass

import numpy as np

from scorer.annotation.exact_arithmetic import scale_to_whole_numbers
from scorer.annotation.ratings import Floats, Indices, Ratings


@dataclass(frozen=True, slots=True)
class UnitMoments:
    """The moments of n units.

    Parameters
    ----------
    count : (n,) array of int
        The number of ratings.
    mean : (n,) array of float
        The mean of the ratings, or 0 if there are none. Means of two units are equal if they are equal in
        decimal arithmetic.
    squares : (n,) array of float
        The sum of the squared deviations from the mean. It is exactly 0 if all ratings are equal.
    """

    count: Indices
    mean: Floats
    squares: Floats


def unit_moments(ratings: Ratings) -> UnitMoments:
    """Compute the moments of the first ratings of each unit. Repeats are left out.

    Examples
    --------
    >>> from scorer.annotation.ratings import ratings_of
    >>> found = unit_moments(ratings_of([[1, 3], [0.1, None]]))
    >>> found.count.tolist(), found.mean.tolist(), found.squares.tolist()
    ([2, 1], [2.0, 0.1], [2.0, 0.0])
    """
    first = ratings.first()
    return moments_of(first.unit, first.value, len(ratings.units))


def moments_of(unit: Indices, value: Floats, n: int) -> UnitMoments:
    """Compute the moments of values, given the unit (0 to n - 1) of each value.

    Notes
    -----
    Means are computed from exact sums. Before the deviations are computed, one of the unit's values is
    subtracted from all of them, so that equal values have deviations of exactly 0.
    """
    numbers, scale = scale_to_whole_numbers(value)
    count = np.bincount(unit, minlength=n)
    divisor = np.maximum(count, 1)
    mean = np.asarray(np.bincount(unit, numbers, n) / (divisor * scale), dtype=np.float64)  # for mypy
    origin = np.zeros(n)
    origin[unit[::-1]] = numbers[::-1]
    differences = numbers - origin[unit]
    deviation: Floats = (differences - (np.bincount(unit, differences, n) / divisor)[unit]) / scale
    squares = np.asarray(np.bincount(unit, deviation * deviation, n), dtype=np.float64)  # for mypy
    return UnitMoments(count, mean, squares)
