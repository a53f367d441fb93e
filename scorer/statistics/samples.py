"""Samples: gold and runs as arrays, and the units that are resampled, which are items or groups of items."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scorer.errors import RequestError

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Sample:
    """The gold and the predictions of the systems.

    Parameters
    ----------
    gold : (n,) array of float
        The gold values, finite.
    preds : (m, n) array of float
        The predictions, finite. Each row is a system.
    units : (n,) array of int
        The unit of each item, from 0 to u - 1. Each unit has at least one item.
    confidences : (m, n) array of float, optional
        The confidences of the systems, for `weighted_pearson`.
    sds : (n,) array of float, optional
        The standard deviations of the ratings of the items, for `within_sd`.
    copy : int
        The number of earlier samples with the same gold. Samples with different numbers have independent
        draws.
    """

    gold: Array
    preds: Array
    units: NDArray[np.int64]
    confidences: Array | None = None
    sds: Array | None = None
    copy: int = 0

    @property
    def size(self) -> int:
        """The number of units."""
        return int(self.units.max()) + 1 if self.units.size else 0

    @property
    def grouped(self) -> bool:
        """Whether any unit has more than one item."""
        return self.size < self.gold.size

    def of_items(self, counts: Array) -> Array:
        """Expand the (u, k) counts of how often each unit was drawn to (n, k) counts of the items."""
        return counts[self.units] if self.grouped else counts

    def sums(self, values: Array) -> Array:
        """Sum the (rows, n) values of the items over each unit, which gives (rows, u) sums."""
        if not self.grouped:
            return values
        return np.stack([np.bincount(self.units, row, self.size) for row in values])


def make_sample(
    gold: Sequence[float],
    preds: Sequence[Sequence[float]],
    groups: Sequence[str | None] | None = None,
    confidences: Sequence[Sequence[float]] | None = None,
    *,
    sds: Sequence[float] | None = None,
    copy: int = 0,
) -> Sample:
    """Create a sample from gold and runs. An item without a group is a unit of its own.

    Raises
    ------
    RequestError
        If the lengths differ.
    """
    n = len(gold)
    for k, pred in enumerate(preds):
        if len(pred) != n:
            raise RequestError(f"gold has {n} values and pred[{k}] has {len(pred)}; give one of each an item")
    if groups is not None and len(groups) != n:
        raise RequestError(f"gold has {n} values and there are {len(groups)} groups")
    keys = [place if group is None else group for place, group in enumerate(groups or [None] * n)]
    number = {key: unit for unit, key in enumerate(dict.fromkeys(keys))}
    return Sample(
        np.asarray(gold, dtype=float),
        np.asarray(preds, dtype=float).reshape(len(preds), n),
        np.asarray([number[key] for key in keys], dtype=np.int64),
        None if confidences is None else np.asarray(confidences, dtype=float).reshape(len(preds), n),
        None if sds is None else np.asarray(sds, dtype=float),
        copy,
    )


def count_units(places: Iterable[int], groups: Sequence[str | None] | None) -> int:
    """Count the units of some items: their groups, and the items without a group.

    >>> count_units([0, 1, 2, 3], ["a", None, "a", None])
    3
    """
    return len({place if groups is None or groups[place] is None else groups[place] for place in places})


def standardize(values: Array, weights: Array | None = None) -> Array:
    """Standardize each row to mean 0 and mean square 1. A constant row becomes 0.

    With weights, which have the shape of the values, both are weighted means. Values of weight 0 become 0 and
    change nothing else, however large they are. A row needs a weight above 0. There may be no rows.
    """
    if values.size == 0:
        return values
    if weights is not None:
        heaviest = np.take_along_axis(values, weights.argmax(axis=-1, keepdims=True), axis=-1)
        values = np.where(weights > 0, values, heaviest)
    scaled = np.ldexp(values, -np.frexp(np.abs(values).max(axis=-1, keepdims=True, initial=0.0))[1])
    for _ in range(2):
        scaled = scaled - np.average(scaled, axis=-1, weights=weights, keepdims=True)
    constant = (values == values[..., :1]).all(axis=-1, keepdims=True)
    scaled[np.broadcast_to(constant if weights is None else constant | (weights == 0), scaled.shape)] = 0.0
    spread = np.sqrt(np.average(scaled * scaled, axis=-1, weights=weights, keepdims=True))
    standard: Array = scaled / np.where(spread == 0, 1.0, spread)
    return standard
