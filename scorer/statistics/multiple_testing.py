"""Many tests at once: Holm's adjustment, and Benjamini and Hochberg's."""

from collections.abc import Sequence

from scorer.errors import RequestError


def holm(p: Sequence[float]) -> list[float]:
    """Adjust the p values of a family by Holm's step-down method.

    Parameters
    ----------
    p : (k,) float
        In [0, 1]; k may be 0. The family is the pairs that were tested: leave out those that were not.

    Returns
    -------
    (k,) list of float
        In the order of `p`, in [0, 1], never below the raw p. Rejecting where the adjusted p is at most alpha
        keeps the chance of any false rejection at or under alpha, however the tests depend on each other.

    Raises
    ------
    RequestError
        If a p value is not in [0, 1].

    Notes
    -----
    With p sorted upwards, the j-th adjusted value is the largest of min(1, (k - i + 1) p_i) over i <= j.
    Equal p values get equal adjusted ones.

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
    """Adjust the p values of a family so that a bound on them bounds the false discovery rate.

    Parameters
    ----------
    p : (k,) float
        In [0, 1]; k may be 0. The family is the tests that were made: leave out those that were not.

    Returns
    -------
    (k,) list of float
        In the order of `p`, in [0, 1], never below the raw p. Of those whose adjusted p is at most q, a share
        of q at the most is expected to be false, where the tests are independent or depend on each other
        positively.

    Raises
    ------
    RequestError
        If a p value is not in [0, 1].

    Notes
    -----
    With p sorted upwards, the i-th adjusted value is the least of min(1, k / j p_j) over j >= i. Equal p
    values get equal adjusted ones.

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


def _check(p: Sequence[float]) -> None:
    for place, value in enumerate(p):
        if not 0 <= value <= 1:
            raise RequestError(f"p[{place}] is {value}; a p value lies between 0 and 1")
