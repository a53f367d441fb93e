"""The bootstrap: every system of a board on the same resamples, in batches, with its leave-one-out values."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scorer.errors import RequestError
from scorer.metrics import METRICS
from scorer.statistics.kernels import BATCH_CELLS, BATCH_CELLS_BY_METRIC, Kernel, make_kernel
from scorer.statistics.random_streams import MAX_UNITS, Stream, draw_units, open_stream
from scorer.statistics.samples import Array, Sample

Progress = Callable[[int], None]
"""Told how many resamples were computed since it was told last."""
_TOLERANCE = 1e-12
"""Correlations that are closer than this differ by rounding alone, and errors relatively so."""
MAX_JACKKNIFE_VALUES = 2000
"""Leave-one-out values that are computed for BCa; they grow with the square of the units."""
_TINY = 1e-20
"""Errors below this are kept in double precision, as those above 1 are."""


@dataclass(frozen=True, slots=True)
class Replicates:
    """What a metric is on the whole sample, on resamples, and without each unit; NaN: it has no value.

    Parameters
    ----------
    estimates : (m,) array of float
        On the whole sample.
    deviations : (m, b) array of float
        On each resample, less the estimate; in single precision where no estimate is beyond 1, which keeps
        nine decimals.
    jackknife : (m, k) array of float
        Without each unit; of more than `MAX_JACKKNIFE_VALUES` units, without each of as many blocks of them.
    units : int
        How many units there are; one alone cannot be resampled.
    """

    estimates: Array
    deviations: NDArray[np.floating[Any]]
    jackknife: Array
    units: int = 2


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
        Gold and m systems; units are items, or groups of items.
    metric : str
        One that has a kernel.
    b : int
        How many resamples.
    seed : int
        At least 0; the same seed and gold give the same resamples, whatever the systems.
    jackknife : bool
        Whether to compute the leave-one-out values, which BCa needs.
    progress : callable, optional
        Called after each batch.

    Returns
    -------
    Replicates

    Raises
    ------
    RequestError
        If the metric cannot be resampled, or there are more units than can be drawn from.

    Notes
    -----
    Spearman and Kendall rank again in each resample. Memory does not grow with b but for `deviations`.

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
    estimates = kernel(np.ones((sample.size, 1)))[:, 0]
    sizes = np.ones(m) if METRICS[metric].higher_is_better else np.abs(estimates)
    is_plain = ((sizes > _TINY) & (sizes <= 1) | np.isnan(sizes)).all()
    deviations = np.empty((m, b), dtype=np.float32 if is_plain else np.float64)
    near = _TOLERANCE * sizes[:, None]
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
        return Replicates(estimates, deviations, np.empty((m, 0)), sample.size)
    without = jackknife_values(kernel, sample.size) if sample.size > 1 else np.full((m, 1), np.nan)
    return Replicates(estimates, deviations, without, sample.size)


def resample_counts(stream: Stream, u: int, b: int, cells: int = BATCH_CELLS) -> Iterator[Array]:
    """How often each of u units was drawn in each of b resamples, (u, k) a batch of so many cells."""
    rows = max(16, min(4096, cells // u))
    for start in range(0, b, rows):
        k = min(rows, b - start)
        flat = draw_units(stream, k, u)
        flat += (np.arange(k) * u)[:, None]
        yield np.bincount(flat.ravel(), minlength=u * k).reshape(k, u).astype(float).T


def _prefetch(batches: Iterator[Array]) -> Iterator[Array]:
    """The same batches, each drawn by a second thread while the one before it is worked on."""
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(next, batches, None)
        while (batch := waiting.result()) is not None:
            waiting = pool.submit(next, batches, None)
            yield batch


def jackknife_values(kernel: Kernel, u: int) -> Array:
    """What a kernel says without each unit; of very many, without each of `MAX_JACKKNIFE_VALUES` blocks."""
    blocks = min(u, MAX_JACKKNIFE_VALUES)
    block_of = np.arange(u) % blocks
    rows = max(16, min(4096, BATCH_CELLS // u))
    batches = (np.arange(start, min(start + rows, blocks)) for start in range(0, blocks, rows))
    values = [kernel((block_of[:, None] != left_out).astype(float)) for left_out in batches]
    return np.concatenate(values, axis=-1)
