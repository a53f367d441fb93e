"""Of each unit: how many ratings it has, their mean, and the sum of their squared deviations."""

from dataclasses import dataclass

import numpy as np

from scorer.annotation.exact_arithmetic import scale_to_whole_numbers
from scorer.annotation.ratings import Floats, Indices, Ratings


@dataclass(frozen=True, slots=True)
class UnitMoments:
    """What tests and error bounds need of each of n units.

    Parameters
    ----------
    count : (n,) array of int
        Ratings; 0 where there are none.
    mean : (n,) array of float
        Their mean, equal for units whose means are equal in decimal arithmetic; 0 where there are none.
    squares : (n,) array of float
        The sum of their squared deviations from it: exactly 0 where all are equal.
    """

    count: Indices
    mean: Floats
    squares: Floats


def unit_moments(ratings: Ratings) -> UnitMoments:
    """Moments of the first ratings of each unit; repeats are left out.

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
    """Moments of values by the unit, 0 to n - 1, that each belongs to.

    Notes
    -----
    Means come from exact sums. Deviations are of differences from a value of the unit, so that equal values
    have no deviation left.
    """
    numbers, scale = scale_to_whole_numbers(value)
    count = np.bincount(unit, minlength=n)
    some = np.maximum(count, 1)
    mean = np.asarray(np.bincount(unit, numbers, n) / (some * scale), dtype=np.float64)  # for mypy
    origin = np.zeros(n)
    origin[unit[::-1]] = numbers[::-1]
    apart = numbers - origin[unit]
    deviation: Floats = (apart - (np.bincount(unit, apart, n) / some)[unit]) / scale
    squares = np.asarray(np.bincount(unit, deviation * deviation, n), dtype=np.float64)  # for mypy
    return UnitMoments(count, mean, squares)
