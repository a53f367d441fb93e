"""Clusters and rank ranges: which ranks differ significantly. This module needs only the standard library."""

from collections.abc import Collection, Sequence

BetterPair = tuple[int, int]
"""A system, and another system that it is significantly better than."""


def cluster_numbers(order: Sequence[int], better: Collection[BetterPair]) -> list[int]:
    """Return the cluster of each system. The best systems are in cluster 1.

    Parameters
    ----------
    order : (m,) sequence of int
        The systems, from best to worst.
    better : collection of pairs
        The pairs (a, b) where a is significantly better than b.

    Returns
    -------
    (m,) list of int
        The cluster numbers, in the same order as `order`. A new cluster begins at a system if all systems
        above it are significantly better than this system and all systems below it. Papers draw a rule
        between clusters.

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
    """Return the range of ranks that are consistent with the significance tests of a system.

    Parameters
    ----------
    system : int
        One of the systems.
    systems : collection of int
        The m systems of the column.
    better : collection of pairs
        The pairs (a, b) where a is significantly better than b.

    Returns
    -------
    low, high : int
        low is 1 + the number of systems that are significantly better, and high is m - the number of systems
        that are significantly worse.

    Examples
    --------
    >>> rank_range(1, [0, 1, 2, 3], {(0, 1), (0, 2), (0, 3), (1, 3)})
    (2, 3)
    """
    others = [other for other in systems if other != system]
    above = sum((other, system) in better for other in others)
    below = sum((system, other) in better for other in others)
    return 1 + above, len(others) + 1 - below
