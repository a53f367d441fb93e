"""The metrics by name."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from scorer.errors import RequestError
from scorer.metrics.correlation import average_ranks, pearson, spearman
from scorer.metrics.deviation import mae, mse, rmse

__all__ = ["METRICS", "Metric", "average_ranks", "get_metric", "mae", "mse", "pearson", "rmse", "spearman"]


@dataclass(frozen=True, slots=True)
class Metric:
    """A function of gold and run, and how to read what it gives.

    Parameters
    ----------
    name : str
        What options, signatures and task files call it.
    title : str
        What a table head calls it.
    function : callable
        Takes gold and pred, (n,) floats each; raises UndefinedError where it has no value.
    higher_is_better : bool
        Which end of the column is the better one.
    """

    name: str
    title: str
    function: Callable[[Sequence[float], Sequence[float]], float]
    higher_is_better: bool


METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric("pearson", "Pearson's r", pearson, higher_is_better=True),
        Metric("spearman", "Spearman's rho", spearman, higher_is_better=True),
        Metric("mse", "MSE", mse, higher_is_better=False),
        Metric("rmse", "RMSE", rmse, higher_is_better=False),
        Metric("mae", "MAE", mae, higher_is_better=False),
    )
}
"""Every metric there is, in the order in which they are listed."""


def get_metric(name: str) -> Metric:
    """Find a metric by its name.

    Parameters
    ----------
    name : str
        A key of `METRICS`.

    Returns
    -------
    Metric

    Raises
    ------
    RequestError
        If there is none of this name; the message lists those that exist.

    Examples
    --------
    >>> get_metric("mse").higher_is_better
    False
    """
    if name in METRICS:
        return METRICS[name]
    meant = next((known for known in METRICS if known.startswith(name.lower()[:3])), None) if name else None
    hint = f"; did you mean {meant}?" if meant else ""
    raise RequestError(f'there is no metric "{name}"{hint} (known: {", ".join(METRICS)})')
