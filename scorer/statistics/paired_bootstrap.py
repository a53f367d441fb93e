"""Paired bootstrap: the difference between two systems on the same resamples, its interval and p."""

import numpy as np

from scorer.errors import RequestError
from scorer.statistics.intervals import percentile_ends
from scorer.statistics.resampling import Replicates
from scorer.statistics.samples import Array

_SINGLE_TOLERANCE, _TOLERANCE = 1e-6, 1e-12
"""Differences are equal that are closer than this share of the deviations they are made from, which may be
kept in single precision, or than this share of the values: the rest is rounding."""


def difference_interval(
    found: Replicates, first: int, second: int, level: float
) -> tuple[float, float] | None:
    """Percentile interval of the difference between two systems.

    Parameters
    ----------
    found : Replicates
        Of systems that share resamples.
    first, second : int
        Two of them.
    level : float
        Coverage, in (0, 1).

    Returns
    -------
    low, high : float, or None
        Of the first's value less the second's; None if no resample has a value for both.

    Raises
    ------
    RequestError
        If `level` is not in (0, 1).

    References
    ----------
    Efron & Tibshirani (1993), An Introduction to the Bootstrap, chapter 13, doi:10.1201/9780429246593; paired
    as in Koehn (2004), "Statistical significance tests for machine translation evaluation", EMNLP, W04-3250.
    """
    if not 0 < level < 1:
        raise RequestError(f"level {level} is not between 0 and 1")
    moved = _difference_deviations(found, first, second)
    if moved.size == 0:
        return None
    low, high = percentile_ends(moved, level)
    difference = float(found.estimates[first] - found.estimates[second])
    return difference + low, difference + high


def degenerate_pairs(found: Replicates, first: int, second: int) -> int:
    """How many resamples have no value for one of two systems, or for both."""
    valid: int = _difference_deviations(found, first, second).size
    return int(found.deviations.shape[1]) - valid


def difference_p(found: Replicates, first: int, second: int) -> float:
    """Two-sided p of the difference between two systems, by the paired bootstrap.

    Parameters
    ----------
    found : Replicates
        Of b resamples that the systems share.
    first, second : int
        Two of them.

    Returns
    -------
    float
        In [1 / (b + 1), 1]; 1 for identical systems.

    Notes
    -----
    p = (1 + number of resamples whose difference is at least as far from the observed one as that is from 0)
    / (b + 1): the bootstrap's distribution is moved to the null hypothesis. A resample without a value for
    both counts as far, which is the careful side. Where items are few its level is an approximation; that of
    the permutation test is exact where systems are exchangeable.

    References
    ----------
    Berg-Kirkpatrick, Burkett & Klein (2012), "An empirical investigation of statistical significance in NLP",
    EMNLP, D12-1091; two-sided as in Davison & Hinkley (1997), section 4.4, doi:10.1017/CBO9780511802843.
    """
    b = int(found.deviations.shape[1])
    deviations, other_deviations = (found.deviations[system].astype(float) for system in (first, second))
    values = found.estimates[[first, second]].astype(float)
    bound = abs(values[0] - values[1]) - _TOLERANCE * max(1.0, *np.abs(values))
    near = np.abs(deviations - other_deviations) < bound - _SINGLE_TOLERANCE * (
        np.abs(deviations) + np.abs(other_deviations)
    )
    return (1 + b - int(np.count_nonzero(near))) / (b + 1)


def _difference_deviations(replicates: Replicates, first: int, second: int) -> Array:
    """How far each resample's difference is from the observed one, where it has one."""
    moved = replicates.deviations[first].astype(float) - replicates.deviations[second]
    valid: Array = moved[~np.isnan(moved)]
    return valid
