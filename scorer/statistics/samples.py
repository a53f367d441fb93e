"""Gold and runs as arrays, and the units that are drawn: items, or groups of items together."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scorer.errors import RequestError

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Sample:
    """Gold and the systems that answer it.

    Parameters
    ----------
    gold : (n,) array of float
        Finite.
    preds : (m, n) array of float
        Finite; a row is a system.
    units : (n,) array of int
        The unit of each item, 0 to u - 1, each of them there.
    confidences : (m, n) array of float, optional
        For `weighted_pearson`.
    copy : int
        How many samples before it have the same gold and are to be independent of it.
    """

    gold: Array
    preds: Array
    units: NDArray[np.int64]
    confidences: Array | None = None
    copy: int = 0

    @property
    def size(self) -> int:
        """How many units there are."""
        return int(self.units.max()) + 1 if self.units.size else 0

    @property
    def grouped(self) -> bool:
        """Whether a unit is more than an item."""
        return self.size < self.gold.size

    def of_items(self, counts: Array) -> Array:
        """How often each unit was drawn (u, k), for each item: (n, k)."""
        return counts[self.units] if self.grouped else counts

    def sums(self, values: Array) -> Array:
        """Values of items (rows, n), summed over each unit: (rows, u)."""
        if not self.grouped:
            return values
        return np.stack([np.bincount(self.units, row, self.size) for row in values])


def make_sample(
    gold: Sequence[float],
    preds: Sequence[Sequence[float]],
    groups: Sequence[str | None] | None = None,
    confidences: Sequence[Sequence[float]] | None = None,
    *,
    copy: int = 0,
) -> Sample:
    """Put gold and runs into arrays; an item without a group is a unit of its own.

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
        None if confidences is None else np.asarray(confidences, dtype=float),
        copy,
    )


def standardize(values: Array) -> Array:
    """Rows with mean 0 and mean square 1; a constant row is 0."""
    scale = np.abs(values).max(axis=-1, keepdims=True, initial=0.0)
    scaled = values / np.where(scale == 0, 1.0, scale)
    for _ in range(2):
        scaled = scaled - scaled.mean(axis=-1, keepdims=True)
    constant = (values == values[..., :1]).all(axis=-1, keepdims=True)
    scaled[np.broadcast_to(constant, scaled.shape)] = 0.0
    spread = np.sqrt((scaled * scaled).mean(axis=-1, keepdims=True))
    standard: Array = scaled / np.where(spread == 0, 1.0, spread)
    return standard
