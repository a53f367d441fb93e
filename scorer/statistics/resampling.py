"""The bootstrap: compute a metric of all systems on the same resamples, and their leave-one-out values."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scorer.errors import RequestError
from scorer.metrics import METRICS, metric_value
from scorer.statistics.kernels import BATCH_CELLS, BATCH_CELLS_BY_METRIC, Kernel, make_kernel
from scorer.statistics.random_streams import MAX_UNITS, Stream, draw_units, open_stream
from scorer.statistics.samples import Array, Sample
from scorer.values import number_or_none

Progress = Callable[[int], None]
"""A callback. It is called with the number of resamples or other steps completed since its last call."""
TOLERANCE = 1e-12
"""Differences below this share of the values are due to rounding."""
MAX_JACKKNIFE_VALUES = 2000
"""The maximum number of leave-one-out values for BCa; their cost grows with the square of the units."""
_TINY = 1e-20
"""Errors below this, and errors above 1, are stored in double precision."""


@dataclass(frozen=True, slots=True)
class Replicates:
    """The values of a metric on the sample, on resamples, and without each unit. Undefined values are NaN.

    Parameters
    ----------
    estimates : (m,) array of float
        The value of each system on the whole sample.
    deviations : (m, b) array of float
        The value on each resample minus the estimate. If no estimate is above 1, they are in single
        precision, which preserves nine decimal places.
    jackknife : (m, k) array of float
        The value without each unit. With more than `MAX_JACKKNIFE_VALUES` units, these are divided into that
        many blocks, and each block is left out instead.
    units : int
        The number of units. A single unit cannot be resampled.
    bounds : (2,) or (m, 2) array of float
        The lowest and the highest possible value, of all systems or of each.
    """

    estimates: Array
    deviations: NDArray[np.floating[Any]]
    jackknife: Array
    units: int = 2
    bounds: Array = field(default_factory=lambda: np.array([-np.inf, np.inf]))

    @property
    def noise(self) -> Array:
        """The (m,) differences that are due to rounding, which for correlations is relative to 1."""
        sizes = np.abs(self.estimates)
        noise: Array = TOLERANCE * np.where(np.isinf(self.bounds[..., 1]), sizes, np.maximum(sizes, 1.0))
        return noise

    def bounds_of(self, i: int) -> tuple[float, float]:
        """Return the bounds of system `i`, which the ends of intervals could exceed by rounding."""
        lowest, highest = np.broadcast_to(self.bounds, (len(self.estimates), 2))[i].tolist()
        return lowest, highest


def bootstrap(
    sample: Sample,
    metric: str,
    *,
    b: int,
    seed: int,
    jackknife: bool = True,
    progress: Progress = lambda _: None,
) -> Replicates:
    """Resample units with replacement and compute a metric of every system on each resample.

    Parameters
    ----------
    sample : Sample
        The gold and m systems. The units are items or groups of items.
    metric : str
        A metric that has a kernel.
    b : int
        The number of resamples.
    seed : int
        The seed, at least 0. The same seed and gold give the same resamples for any systems.
    jackknife : bool
        Whether to compute the leave-one-out values, which BCa needs.
    progress : callable, optional
        A callback. It is called after each batch with the number of resamples in the batch.

    Returns
    -------
    Replicates

    Raises
    ------
    RequestError
        If the metric cannot be resampled, or there are too many units.

    Notes
    -----
    Spearman and Kendall rank again in each resample. Only the memory for `deviations` grows with b.

    References
    ----------
    Efron & Tibshirani (1993), An Introduction to the Bootstrap, chapters 6, 10 and 13,
    doi:10.1201/9780429246593. Groups: Davison & Hinkley (1997), Bootstrap Methods and their Application,
    section 3.8, doi:10.1017/CBO9780511802843.
    """
    if sample.size > MAX_UNITS:
        raise RequestError(f"{sample.size} units are more than can be drawn from; {MAX_UNITS} is the most")
    kernel, m = make_kernel(sample, metric), len(sample.preds)
    if sample.size == 0:
        return Replicates(np.full(m, np.nan), np.full((m, b), np.nan, np.float32), np.empty((m, 0)), 0)
    estimates, bounds = _point_values(sample, metric), np.array(METRICS[metric].bounds)
    sizes = np.ones(m) if METRICS[metric].higher_is_better else estimates
    is_plain = ((sizes > _TINY) & (sizes <= 1) | np.isnan(sizes)).all()
    deviations = np.empty((m, b), dtype=np.float32 if is_plain else np.float64)
    replicates = Replicates(estimates, deviations, np.empty((m, 0)), sample.size, bounds)
    near = replicates.noise[:, None]
    start = 0
    stream = open_stream(seed, sample.gold.tolist(), "bootstrap", sample.copy)
    for counts in _prefetch(
        resample_counts(stream, sample.size, b, BATCH_CELLS_BY_METRIC.get(metric, BATCH_CELLS))
    ):
        differences = kernel(counts) - estimates[:, None]
        differences[np.abs(differences) <= near] = 0.0
        deviations[:, start : start + counts.shape[1]] = differences
        start += counts.shape[1]
        progress(counts.shape[1])
    if not jackknife:
        return replicates
    without = jackknife_values(kernel, sample.size) if sample.size > 1 else np.full((m, 1), np.nan)
    return replace(replicates, jackknife=without)


def _point_values(sample: Sample, metric: str) -> Array:
    """Compute the metric of each system by its function, in the same digits as a score; NaN if undefined."""
    gold, groups = sample.gold.tolist(), [str(unit) for unit in sample.units.tolist()]
    weights = np.ones_like(sample.preds) if sample.confidences is None else sample.confidences
    sds = None if sample.sds is None else sample.sds.tolist()
    values = [
        number_or_none(metric_value(METRICS[metric], gold, pred, groups, confidences, sds))
        for pred, confidences in zip(sample.preds.tolist(), weights.tolist(), strict=True)
    ]
    return np.array(values, dtype=float)


def resample_counts(stream: Stream, u: int, b: int, cells: int = BATCH_CELLS) -> Iterator[Array]:
    """Draw b resamples of u units, and yield in batches of shape (u, k) how often each unit was drawn.

    `cells` is the approximate number of counts in a batch.
    """
    rows = max(16, min(4096, cells // u))
    for start in range(0, b, rows):
        yield draw_counts(stream, u, min(rows, b - start))


def draw_counts(stream: Stream, u: int, k: int) -> Array:
    """Draw k resamples of u units, and return how often each unit was drawn, (u, k)."""
    flat = draw_units(stream, k, u)
    flat += (np.arange(k) * u)[:, None]
    counts: Array = np.bincount(flat.ravel(), minlength=u * k).reshape(k, u).astype(float).T
    return counts


def _prefetch(batches: Iterator[Array]) -> Iterator[Array]:
    """Yield the same batches. A second thread draws the next batch while the current one is processed."""
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(next, batches, None)
        while (batch := waiting.result()) is not None:
            waiting = pool.submit(next, batches, None)
            yield batch


def jackknife_values(kernel: Kernel, u: int) -> Array:
    """Compute the values of a kernel without each unit, or without each of `MAX_JACKKNIFE_VALUES` blocks."""
    blocks = min(u, MAX_JACKKNIFE_VALUES)
    block_of = np.arange(u) % blocks
    rows = max(16, min(4096, BATCH_CELLS // u))
    batches = (np.arange(start, min(start + rows, blocks)) for start in range(0, blocks, rows))
    values = [kernel((block_of[:, None] != left_out).astype(float)) for left_out in batches]
    return np.concatenate(values, axis=-1)
