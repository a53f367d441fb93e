"""Arithmetic on ratings without rounding errors: in floating point, .1 + .2 does not equal .3."""

import numpy as np
from numpy.typing import ArrayLike

from scorer.annotation.ratings import Floats
from scorer.boards.board import DECIMALS

_MAX_EXACT_INTEGER = 2.0**53
"""All integers up to this number can be represented as a float."""


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
        decimal places that sums would not be exact, it is 1 and the numbers are the unchanged values.

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
    """Round results of arithmetic on ratings to 12 decimal places, and remove the sign of -0.0.

    Use it for every value that is computed from ratings and then ranked or compared with 0.

    Examples
    --------
    >>> remove_rounding_noise([0.3 - 0.2, 0.2 - 0.1, -1e-17]).tolist()
    [0.1, 0.1, 0.0]
    """
    return np.asarray(values, dtype=np.float64).round(DECIMALS) + 0.0
