"""Which metrics have a kernel: many resamples at once, how often each unit was drawn in, values out."""

from collections.abc import Callable, Mapping

from scorer.errors import RequestError
from scorer.inference.choices import choice_kernel
from scorer.inference.moments import Kernel, deviation_kernel, pearson_kernel, weighted_pearson_kernel
from scorer.inference.ranked import kendall_kernel, spearman_kernel
from scorer.inference.samples import Sample

KERNELS: Mapping[str, Callable[[Sample], Kernel]] = {
    "pearson": pearson_kernel,
    "spearman": spearman_kernel,
    "kendall": kendall_kernel,
    "weighted_pearson": weighted_pearson_kernel,
    "mse": deviation_kernel("mse"),
    "rmse": deviation_kernel("rmse"),
    "mae": deviation_kernel("mae"),
    "choice_accuracy": choice_kernel,
}
"""The kernel of each metric that can be resampled."""
BATCH = 2**17
"""How many counts a batch has, a megabyte: what stays in the caches."""
BATCHES = {"spearman": 2**19, "kendall": 2**18}
"""Rank by rank, a kernel takes many resamples at each step, so that steps are few."""


def make_kernel(sample: Sample, metric: str) -> Kernel:
    """The kernel of a metric.

    Raises
    ------
    RequestError
        If it has none; the message lists the metrics that have.
    """
    if metric not in KERNELS:
        raise RequestError(f"{metric} cannot be resampled (these can: {', '.join(KERNELS)})")
    return KERNELS[metric](sample)
