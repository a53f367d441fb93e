"""Compute the difference between two systems after they swap their predictions on some units."""

from dataclasses import replace

import numpy as np

from scorer.metrics import average_ranks
from scorer.statistics.kernels import item_losses, loss_value, unit_credits
from scorer.statistics.samples import Array, Sample, standardize

TOLERANCE = 1e-10
"""Differences that are closer than this share of the values are equal: rounding differs between machines."""
_LARGEST_UNIT = 960
"""The largest exponent of a unit, so that a unit times the number of items of a level is finite."""


class Swaps:
    """The swaps of one column: the effects of batches of masks, from sums of features over each mask.

    Parameters
    ----------
    values : (k,) array of float
        The metric of each system.
    features : (rows, u) array of float
        The features that are summed over the units of a mask.
    unit : float
        The factor that converts a difference to the scale of the metric.
    """

    def __init__(self, values: Array, features: Array, unit: float = 1.0) -> None:
        self.values, self.unit = values, unit
        self._features = features
        self._sums: Array = np.empty((0, 0))

    def take(self, masks: Array) -> None:
        """Sum the features over each mask of a batch of shape (u, masks)."""
        self._sums = self._features @ masks

    def differences(self, first: int) -> Array:
        """Return the differences between a system and each later one after the swaps.

        The shape is (k - first - 1, masks).
        """
        raise NotImplementedError

    def observed(self, first: int) -> Array:
        """Return the observed differences to which these are compared; the shape is (k - first - 1,)."""
        observed: Array = self.values[first] - self.values[first + 1 :]
        return observed

    def noise(self, first: int) -> Array:
        """Return how much these differences can differ by rounding; the shape is (k - first - 1,)."""
        return np.full(len(self.values) - first - 1, TOLERANCE)


def make_swaps(sample: Sample, metric: str) -> Swaps:
    """Return the swaps of a metric that can be tested."""
    if metric == "choice_accuracy":
        return _ChoiceSwaps(sample)
    return (
        _CorrelationSwaps(sample, metric)
        if metric in ("pearson", "spearman")
        else _ErrorSwaps(sample, metric)
    )


class _CorrelationSwaps(Swaps):
    """Swaps of standardized scores, which change a system's sums of x, x x and x y.

    Each sum changes by the other system's sum over the mask minus the system's own sum over the mask.
    """

    def __init__(self, sample: Sample, metric: str) -> None:
        gold, preds = sample.gold, sample.preds
        if metric == "spearman":
            gold = np.array(average_ranks(gold.tolist()))
            preds = np.array([average_ranks(pred) for pred in preds.tolist()]).reshape(preds.shape)
        x, y = standardize(preds), standardize(gold)
        self._sample, self._gold = replace(sample, preds=x), y
        super().__init__((x * y).mean(axis=1), x)

    def take(self, masks: Array) -> None:
        x, swapped = self._features, self._sample.of_items(masks)
        sums = [
            values @ swapped for values in (x, x * x, x * self._gold)
        ]  # kept, they need three times as much
        self._sums = np.concatenate(sums) / self._gold.size

    def differences(self, first: int) -> Array:
        sums = self._sums.reshape(3, len(self.values), -1)
        means, squares, products = sums[:, first + 1 :] - sums[:, first : first + 1]
        np.multiply(means, means, out=means)
        np.subtract(1.0, means, out=means)
        with np.errstate(all="ignore"):
            own = np.sqrt(means + squares)
            others = np.sqrt(np.subtract(means, squares, out=means), out=means)
            np.divide(self.values[first] + products, own, out=own)
            np.subtract(self.values[first + 1 :, None], products, out=products)
            np.divide(products, others, out=products)
            correlation_differences: Array = np.subtract(own, products, out=own)
        return correlation_differences


class _ErrorSwaps(Swaps):
    """Swaps of losses or credits: a system's mean changes by the other's mean over the mask minus its own."""

    def __init__(self, sample: Sample, metric: str) -> None:
        losses, exponents = item_losses(sample, metric)
        values = loss_value(losses.mean(axis=1), exponents, metric)
        power = 1 if metric == "mae" else 2
        common = min(int(exponents.max(initial=-2000)), _LARGEST_UNIT // (2 if metric == "mse" else 1))
        losses = np.ldexp(losses, power * (exponents - common)[:, None])
        self._rooted = metric == "rmse"
        self._means = losses.mean(axis=1)
        unit = float(np.ldexp(1.0, common * (2 if metric == "mse" else 1)))
        super().__init__(values, sample.sums(losses) / sample.gold.size, unit)

    def differences(self, first: int) -> Array:
        moved = self._sums[first + 1 :] - self._sums[first]
        return self._scaled(self._means[first] + moved) - self._scaled(self._means[first + 1 :, None] - moved)

    def observed(self, first: int) -> Array:
        scaled = self._scaled(self._means)
        observed: Array = scaled[first] - scaled[first + 1 :]
        return observed

    def noise(self, first: int) -> Array:
        scaled = self._scaled(self._means)
        noise: Array = TOLERANCE * np.maximum(scaled[first], scaled[first + 1 :])
        return noise

    def _scaled(self, means: Array) -> Array:
        """Convert mean losses to the metric, on the scale that all systems of the column share."""
        return np.sqrt(np.maximum(means, 0.0)) if self._rooted else means


class _ChoiceSwaps(Swaps):
    """Swaps of credits: a system's accuracy changes by the other's credits over the mask minus its own."""

    def __init__(self, sample: Sample) -> None:
        credit, is_choice = unit_credits(sample)
        features = credit / max(1.0, is_choice.sum())
        super().__init__(features.sum(axis=1), features)

    def differences(self, first: int) -> Array:
        moved = self._sums[first + 1 :] - self._sums[first]
        credit_differences: Array = self.values[first] - self.values[first + 1 :, None] + 2 * moved
        return credit_differences
