"""Clusters and rank ranges: which ranks the data can tell apart. Needs the standard library alone."""

from collections.abc import Collection, Sequence

BetterPair = tuple[int, int]
"""A system, and one that it is significantly better than."""


def cluster_numbers(order: Sequence[int], better: Collection[BetterPair]) -> list[int]:
    """The cluster of each system, from 1 at the top.

    Parameters
    ----------
    order : (m,) sequence of int
        The systems, the best first.
    better : collection of pairs
        (a, b) where a is significantly better than b.

    Returns
    -------
    (m,) list of int
        In the order given. A new cluster begins where each system above is better than each one from there
        on; in a paper a rule is drawn there.

    References
    ----------
    Bojar et al. (2016), "Findings of the 2016 Conference on Machine Translation", WMT 2016, section 3.4,
    ACL W16-2301.

    Examples
    --------
    >>> cluster_numbers([0, 1, 2], {(0, 1), (0, 2)})
    [1, 2, 2]
    """
    better_pairs = set(better)
    numbers = [1] if order else []
    for at in range(1, len(order)):
        parted = all((above, below) in better_pairs for above in order[:at] for below in order[at:])
        numbers.append(numbers[-1] + parted)
    return numbers


def rank_range(system: int, systems: Collection[int], better: Collection[BetterPair]) -> tuple[int, int]:
    """The ranks that the data leave to a system.

    Parameters
    ----------
    system : int
        One of the systems.
    systems : collection of int
        The m systems of the column.
    better : collection of pairs
        (a, b) where a is significantly better than b.

    Returns
    -------
    low, high : int
        From 1 + how many are significantly better, to m - how many are significantly worse.

    Examples
    --------
    >>> rank_range(1, [0, 1, 2, 3], {(0, 1), (0, 2), (0, 3), (1, 3)})
    (2, 3)
    """
    others = [other for other in systems if other != system]
    above = sum((other, system) in better for other in others)
    below = sum((system, other) in better for other in others)
    return 1 + above, len(others) + 1 - below
