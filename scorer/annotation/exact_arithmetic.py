"""Arithmetic on ratings in which equal results are equal: in binary, .1 + .2 is not .3."""

import numpy as np
from numpy.typing import ArrayLike

from scorer.annotation.ratings import Floats
from scorer.boards.board import DECIMALS

_MAX_EXACT_INTEGER = 2.0**53
"""Up to here every whole number is a float."""


def scale_to_whole_numbers(values: Floats) -> tuple[Floats, float]:
    """Decimal numbers as multiples of their smallest step, so that sums of them are exact.

    Parameters
    ----------
    values : (N,) array of float
        Finite.

    Returns
    -------
    numbers : (N,) array of float
        `values` times `scale`. Their sums are exact, and a sum divided by its count times `scale` is the
        float nearest to the mean. So means are equal here where they are equal in decimal arithmetic.
    scale : float
        A power of ten: 10 where the values have one decimal place. Where they have so many decimal places
        that sums would not be exact it is 1, and the numbers are the values as they are.

    Examples
    --------
    >>> scale_to_whole_numbers(np.array([0.1, 0.25, 3.0]))
    (array([ 10.,  25., 300.]), 100.0)
    """
    scale, most = 1.0, len(values) * float(np.abs(values).max(initial=1.0))
    while most * scale < _MAX_EXACT_INTEGER:
        numbers = np.rint(values * scale)
        if (numbers / scale == values).all():
            return numbers, scale
        scale *= 10
    return values, 1.0


def remove_rounding_noise(values: ArrayLike) -> Floats:
    """Results of arithmetic on ratings, rounded to 12 decimal places; 0 has no sign.

    Whatever is computed from ratings and then ranked, or compared with 0, goes through here.

    Examples
    --------
    >>> remove_rounding_noise([0.3 - 0.2, 0.2 - 0.1, -1e-17]).tolist()
    [0.1, 0.1, 0.0]
    """
    return np.asarray(values, dtype=np.float64).round(DECIMALS) + 0.0
