"""How p values are adjusted for the number of tests, and how many permutations that takes; without numpy."""

from collections.abc import Iterable, Mapping
from math import ceil, inf
from typing import Literal

from scorer.errors import RequestError

Adjustment = Literal["max-t", "holm"]
ADJUSTMENT_NAMES: Mapping[str, str] = {
    "max-t": "Westfall and Young's step-down maxT method",
    "holm": "Holm's method",
}
"""The names of the methods that adjust p values for the number of tests."""
MAX_T_UNITS: Mapping[str, float] = {
    "pearson": 2000,
    "spearman": inf,
    "mse": 100,
    "rmse": 100,
    "mae": 100,
    "choice_accuracy": 100,
    "within_sd": 100,
}
"""The number of items, or groups of items, from which on step-down maxT is the default. With fewer it finds
more false differences than it should where errors are skewed: .088 in place of .05 for Pearson's r on 100
items, where Holm's method has .062. Spearman's rho has too many at any size, since ranks are swapped without
being ranked again (`tests/bench/bench_fwer.py`)."""
DEFAULT_PERMUTATIONS = 10_000
"""The recommended number of permutations for step-down maxT, which does not depend on the number of pairs."""
STEP_PARTS = 20
"""The recommended number of permutations is at least this multiple of the minimum for the smallest step."""
MAX_PERMUTATIONS = 10_000_000
MIN_ALPHA = 1e-6


MAX_T_ITEMS = ", ".join(f"{metric} {units}" for metric, units in MAX_T_UNITS.items() if units < inf)
"""The same for the help of commands."""


def default_adjustment(columns: Iterable[tuple[str, int]]) -> Adjustment:
    """Return how p values are adjusted by default, from the metric and the number of units of each column.

    >>> default_adjustment([("pearson", 2000), ("mae", 500)]), default_adjustment([("pearson", 500)])
    ('max-t', 'holm')
    """
    return "max-t" if all(units >= MAX_T_UNITS.get(metric, inf) for metric, units in columns) else "holm"


def recommended_permutations(pairs: int, alpha: float, adjust: Adjustment = "max-t") -> int:
    """Return the recommended number of permutations for a number of pairs.

    Parameters
    ----------
    pairs : int
        The number of pairs in one column, at least 0.
    alpha : float
        The family-wise error rate, between 0 and 1.
    adjust : "max-t" or "holm"
        How p values are adjusted.

    Returns
    -------
    int
        10,000 for "max-t", or 20 / alpha if that is more. For "holm", 20 times pairs / alpha, at least 1000.
        Both are at most 10 million. The smallest adjusted p value is 1 / (permutations + 1) for "max-t" and
        pairs / (permutations + 1) for "holm", and should be well below alpha.

    Raises
    ------
    RequestError
        If alpha is out of range.

    Examples
    --------
    >>> recommended_permutations(703, 0.05), recommended_permutations(703, 0.05, "holm")
    (10000, 281200)
    """
    _check_alpha(alpha)
    least, factor = (1000, pairs) if adjust == "holm" else (DEFAULT_PERMUTATIONS, min(pairs, 1))
    return min(MAX_PERMUTATIONS, max(least, ceil(round(STEP_PARTS * factor / alpha, 6))))


def check_permutations(permutations: int, pairs: int, alpha: float, adjust: Adjustment = "max-t") -> None:
    """Check that the number of permutations is within its bounds.

    Raises
    ------
    RequestError
        If there are too many permutations, or so few that no pair could be significant after the adjustment.
        The message has the minimum and the recommended number.
    """
    _check_alpha(alpha)
    if permutations > MAX_PERMUTATIONS:
        raise RequestError(f"{permutations} permutations; give at most {MAX_PERMUTATIONS}")
    factor = pairs if adjust == "holm" else min(pairs, 1)
    if factor / (permutations + 1) > alpha:
        fewest = ceil(round(factor / alpha, 6)) - 1
        if fewest > MAX_PERMUTATIONS:
            raise RequestError(f"alpha {alpha:g} is out of reach for {pairs} pairs; give a larger one")
        good = recommended_permutations(pairs, alpha, adjust)
        raise RequestError(
            f"with {permutations} permutations none of {pairs} pairs could reach {alpha:g} after the "
            f"adjustment; give at least {max(fewest, 1)}, better {good}"
        )


def _check_alpha(alpha: float) -> None:
    if not MIN_ALPHA <= alpha < 1:
        raise RequestError(f"alpha is {alpha:g}; it must be from {MIN_ALPHA:g} up and below 1, as 0.05 is")


def count_swaps(permutations: int, adjust: Adjustment) -> int:
    """Count the permutations that are computed: step-down maxT draws each of them twice."""
    return permutations * (2 if adjust == "max-t" else 1)
