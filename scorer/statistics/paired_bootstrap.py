"""The paired bootstrap: interval and p value of the difference between two systems on the same resamples."""

import numpy as np

from scorer.errors import RequestError
from scorer.statistics.intervals import percentile_ends
from scorer.statistics.resampling import Replicates
from scorer.statistics.samples import Array

_SINGLE_TOLERANCE = 1e-6
"""Deviations, which may be stored in single precision, count as equal within this share of them."""


def difference_interval(
    replicates: Replicates, first: int, second: int, level: float
) -> tuple[float, float] | None:
    """Compute the percentile interval of the difference between two systems.

    Parameters
    ----------
    replicates : Replicates
        The replicates of systems on the same resamples.
    first, second : int
        The indices of the two systems.
    level : float
        The coverage, in (0, 1).

    Returns
    -------
    low, high : float, or None
        The interval of the first system's value minus the second's, or None if no resample has a value for
        both.

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
    deviations = _difference_deviations(replicates, first, second)
    if deviations.size == 0:
        return None
    low, high = percentile_ends(deviations, level)
    difference = float(replicates.estimates[first] - replicates.estimates[second])
    bounds, others = replicates.bounds_of(first), replicates.bounds_of(second)
    return max(difference + low, bounds[0] - others[1]), min(difference + high, bounds[1] - others[0])


def degenerate_pairs(replicates: Replicates, first: int, second: int) -> int:
    """Count the resamples on which at least one of two systems has no value."""
    valid: int = _difference_deviations(replicates, first, second).size
    return int(replicates.deviations.shape[1]) - valid


def difference_p(replicates: Replicates, first: int, second: int) -> float:
    """Compute the two-sided p value of the difference between two systems by the paired bootstrap.

    Parameters
    ----------
    replicates : Replicates
        The replicates of systems on the same b resamples.
    first, second : int
        The indices of the two systems.

    Returns
    -------
    float
        The p value, in [1 / (b + 1), 1]. It is 1 for identical systems.

    Notes
    -----
    p = (1 + k) / (b + 1), where k is the number of resamples whose difference is at least as far from the
    observed difference as that is from 0: the bootstrap distribution is shifted to the null hypothesis. A
    resample on which one of the systems has no value counts towards k, which is conservative. With few items,
    the level of this test is only approximate. The level of the permutation test is exact if the systems are
    exchangeable.

    References
    ----------
    Berg-Kirkpatrick, Burkett & Klein (2012), "An empirical investigation of statistical significance in NLP",
    EMNLP, D12-1091; two-sided as in Davison & Hinkley (1997), section 4.4, doi:10.1017/CBO9780511802843.
    """
    b = int(replicates.deviations.shape[1])
    deviations, other_deviations = (replicates.deviations[system].astype(float) for system in (first, second))
    values = replicates.estimates[[first, second]].astype(float)
    bound = abs(values[0] - values[1]) - replicates.noise[[first, second]].max()
    with np.errstate(over="ignore"):
        near = np.abs(deviations - other_deviations) < bound - _SINGLE_TOLERANCE * (
            np.abs(deviations) + np.abs(other_deviations)
        )
    return (1 + b - int(np.count_nonzero(near))) / (b + 1)


def _difference_deviations(replicates: Replicates, first: int, second: int) -> Array:
    """Return each resample's difference minus the observed difference, without those that are undefined."""
    with np.errstate(over="ignore"):
        deviations = replicates.deviations[first].astype(float) - replicates.deviations[second]
    valid: Array = deviations[np.isfinite(deviations)]
    return valid
