"""Many tests at once: Holm's adjustment."""

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
    for place, value in enumerate(p):
        if not 0 <= value <= 1:
            raise RequestError(f"p[{place}] is {value}; a p value lies between 0 and 1")
    adjusted, floor = [0.0] * len(p), 0.0
    for before, place in enumerate(sorted(range(len(p)), key=p.__getitem__)):
        floor = max(floor, min(1.0, (len(p) - before) * p[place]))
        adjusted[place] = floor
    return adjusted
