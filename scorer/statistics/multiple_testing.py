"""Adjust p values for multiple tests: Holm's, Benjamini and Hochberg's, Benjamini and Yekutieli's method."""

from collections.abc import Sequence
from math import fsum, sqrt

from scorer.errors import RequestError


def holm(p: Sequence[float]) -> list[float]:
    """Adjust the p values of a family by Holm's step-down method.

    Parameters
    ----------
    p : (k,) float
        The p values, in [0, 1]; k may be 0. The family consists of the pairs that were tested, so leave out
        pairs that were not tested.

    Returns
    -------
    (k,) list of float
        The adjusted p values in the order of `p`, in [0, 1], never below the raw p values. If a hypothesis is
        rejected when its adjusted p value is at most alpha, the probability of any false rejection is at most
        alpha, under any dependence between the tests.

    Raises
    ------
    RequestError
        If a p value is not in [0, 1].

    Notes
    -----
    With p sorted in ascending order, the j-th adjusted value is the maximum of min(1, (k - i + 1) p_i) over
    i <= j. Equal p values get equal adjusted values.

    References
    ----------
    Holm (1979), "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics
    6(2), 65-70; adjusted values as in Wright (1992), "Adjusted p-values for simultaneous inference",
    Biometrics 48(4), 1005-1013, doi:10.2307/2532694.

    Examples
    --------
    >>> holm([0.0625, 0.015625, 0.5])
    [0.125, 0.046875, 0.5]
    """
    _check(p)
    adjusted, floor = [0.0] * len(p), 0.0
    for before, place in enumerate(sorted(range(len(p)), key=p.__getitem__)):
        floor = max(floor, min(1.0, (len(p) - before) * p[place]))
        adjusted[place] = floor
    return adjusted


def benjamini_hochberg(p: Sequence[float]) -> list[float]:
    """Adjust the p values of a family by Benjamini and Hochberg's method for the false discovery rate.

    Parameters
    ----------
    p : (k,) float
        The p values, in [0, 1]; k may be 0. The family consists of the tests that were made, so leave out
        tests that were not made.

    Returns
    -------
    (k,) list of float
        The adjusted p values in the order of `p`, in [0, 1], never below the raw p values. If all hypotheses
        with an adjusted p value of at most q are rejected, the expected share of false rejections is at most
        q, provided that the tests are independent or positively dependent.

    Raises
    ------
    RequestError
        If a p value is not in [0, 1].

    Notes
    -----
    With p sorted in ascending order, the i-th adjusted value is the minimum of min(1, k / j p_j) over j >= i.
    Equal p values get equal adjusted values.

    References
    ----------
    Benjamini & Hochberg (1995), Controlling the false discovery rate: a practical and powerful approach to
    multiple testing, Journal of the Royal Statistical Society B 57(1), 289-300,
    doi:10.1111/j.2517-6161.1995.tb02031.x.

    Examples
    --------
    >>> benjamini_hochberg([0.0625, 0.015625, 0.5, 1])
    [0.125, 0.0625, 0.6666666666666666, 1.0]
    """
    _check(p)
    k = len(p)
    adjusted, ceiling = [0.0] * k, 1.0
    for rank, place in zip(range(k, 0, -1), sorted(range(k), key=p.__getitem__, reverse=True), strict=True):
        ceiling = min(ceiling, k * p[place] / rank)
        adjusted[place] = ceiling
    return adjusted


def benjamini_yekutieli(p: Sequence[float]) -> list[float]:
    """Adjust the p values of a family for the false discovery rate, whatever the dependence of the tests.

    Parameters
    ----------
    p : (k,) float
        The p values of the tests that were made, in [0, 1]; k may be 0.

    Returns
    -------
    (k,) list of float
        The adjusted p values in the order of `p`, in [0, 1]. If all hypotheses with an adjusted p value of at
        most q are rejected, the expected share of false rejections is at most q.

    Raises
    ------
    RequestError
        If a p value is not in [0, 1].

    Notes
    -----
    The values of `benjamini_hochberg` times 1 + 1 / 2 + ... + 1 / k, at most 1.

    References
    ----------
    Benjamini & Yekutieli (2001), The control of the false discovery rate in multiple testing under
    dependency, Annals of Statistics 29(4), 1165-1188, doi:10.1214/aos/1013699998.

    Examples
    --------
    >>> [round(adjusted, 4) for adjusted in benjamini_yekutieli([0.01, 0.04, 0.03])]
    [0.055, 0.0733, 0.0733]
    """
    factor = fsum(1 / rank for rank in range(1, len(p) + 1))
    return [min(1.0, factor * adjusted) for adjusted in benjamini_hochberg(p)]


def monte_carlo_interval(p: float, permutations: int) -> list[float]:
    """Return the 95 % confidence interval of a p value that was counted over random permutations.

    Parameters
    ----------
    p : float
        (1 + count) / (1 + permutations).
    permutations : int
        The number of permutations, at least 1.

    Returns
    -------
    [low, high] : list of float
        Wilson's interval for the share of all permutations that count, with six decimal places.

    References
    ----------
    Wilson (1927), "Probable Inference, the Law of Succession, and Statistical Inference", JASA 22(158),
    209-212, doi:10.1080/01621459.1927.10502953.

    Examples
    --------
    >>> monte_carlo_interval(0.0501, 9999)
    [0.045994, 0.054551]
    """
    trials = permutations + 1
    middle, spread = p + _SQUARE / (2 * trials), p * (1 - p) / trials + _SQUARE / (4 * trials**2)
    width, whole = sqrt(_SQUARE * spread), 1 + _SQUARE / trials
    return [round((middle - width) / whole, 6), round(min(1.0, (middle + width) / whole), 6)]


_SQUARE = 1.959963984540054**2
"""Of the normal quantile of a 95 % interval."""


def _check(p: Sequence[float]) -> None:
    for place, value in enumerate(p):
        if not 0 <= value <= 1:
            raise RequestError(f"p[{place}] is {value}; a p value lies between 0 and 1")
