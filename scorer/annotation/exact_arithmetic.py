"""Arithmetic on ratings without rounding errors: in floating point, .1 + .2 does not equal .3.

The moments of a unit are the number of its ratings, their mean, and the sum of their squared deviations."""

from dataclasses import dataclass
from math import floor, log10

import numpy as np
from numpy.typing import ArrayLike

from scorer.annotation.ratings import Floats, Indices, Ratings
from scorer.boards.board import DECIMALS

_MAX_EXACT_INTEGER = 2.0**53
"""All integers up to this number can be represented as a float."""
_DIGITS = 14
"""The digits that rounding errors leave of very small and very large ratings."""
_MAX_EXACT_POWER = 22
"""All powers of ten up to this one are floats, so that numpy can round to as many decimal places."""


def scale_to_whole_numbers(values: Floats) -> tuple[Floats, float]:
    """Scale decimal numbers to integers, so that sums of them are exact.

    Parameters
    ----------
    values : (N,) array of float
        The decimal numbers, finite.

    Returns
    -------
    numbers : (N,) array of float
        `values` times `scale`. Sums of them are exact, and a sum divided by (its count times `scale`) is the
        float nearest to the mean. Therefore two means are equal if they are equal in decimal arithmetic.
    scale : float
        A power of ten, for example 10 if the values have one decimal place. If the values have so many
        digits that sums would not be exact, it is 1 and the numbers are the unchanged values.

    Examples
    --------
    >>> scale_to_whole_numbers(np.array([0.1, 0.25, 3.0]))
    (array([ 10.,  25., 300.]), 100.0)
    """
    largest = float(np.abs(values).max(initial=0.0))
    scale = 10.0 ** min(max(0, -_magnitude(largest) - 1), _MAX_EXACT_POWER)
    most = len(values) * largest
    while most * scale < _MAX_EXACT_INTEGER:
        numbers = np.rint(values * scale)
        if (numbers / scale == values).all():
            return numbers, scale
        scale *= 10
    return values, 1.0


def remove_rounding_noise(values: ArrayLike, *data: ArrayLike) -> Floats:
    """Round results of arithmetic on ratings, and remove the sign of -0.0.

    Use it for every value that is computed from ratings and then ranked or compared with 0. It rounds to 12
    decimal places or, if the largest of the `data` that the values were computed from is below .1 or at least
    10,000, to 14 digits of it.

    Examples
    --------
    >>> remove_rounding_noise([0.3 - 0.2, 0.2 - 0.1, -1e-17]).tolist()
    [0.1, 0.1, 0.0]
    >>> remove_rounding_noise([3e-14 - 2e-14, 3e-14 - 1e-14 - 2e-14], [1e-14, 2e-14, 3e-14]).tolist()
    [1e-14, 0.0]
    """
    numbers = np.asarray(values, dtype=np.float64)
    largest = max((float(np.abs(side).max(initial=0.0)) for side in data), default=0.0)
    magnitude = _magnitude(largest)
    decimals = DECIMALS if -1 <= magnitude <= 3 else _DIGITS - 1 - magnitude
    if decimals <= _MAX_EXACT_POWER:
        return numbers.round(decimals) + 0.0
    return np.reshape([round(number, decimals) + 0.0 for number in numbers.ravel().tolist()], numbers.shape)


def _magnitude(size: float) -> int:
    """Return the power of ten of the first digit of a number, or 0 for 0."""
    return floor(log10(size)) if size > 0 else 0


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
