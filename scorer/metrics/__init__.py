"""The metrics, by name."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import inf
from typing import Literal

from scorer.errors import RequestError
from scorer.metrics.correlation import average_ranks, kendall, pearson, spearman, weighted_pearson
from scorer.metrics.error_metrics import mae, mse, rmse
from scorer.metrics.multiple_choice import choice_accuracy, choice_credits, choice_standard_error
from scorer.metrics.within_sd import within_sd, within_sd_credits
from scorer.values import Undefined, value_or_undefined

__all__ = [
    "METRICS", "Metric", "average_ranks", "choice_accuracy", "choice_credits", "choice_standard_error",
    "get_metric", "kendall", "mae", "metric_value", "mse", "needs_groups", "needs_sds", "pearson", "rmse",
    "spearman", "weighted_pearson", "within_sd", "within_sd_credits",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric of a run against the gold.

    Parameters
    ----------
    name : str
        The name in options, signatures and task files.
    title : str
        The title in table headings.
    function : callable
        The function that computes it from gold and pred, (n,) floats each, and from a third argument if
        `needs` is given. It raises UndefinedError if the metric is undefined.
    higher_is_better : bool
        Whether higher values are better.
    needs : "groups", "confidences" or "sds", optional
        The third argument of the function, (n,): the group of each item, the run's confidence in each item,
        or the standard deviation of the ratings of each item.
    bounds : (float, float)
        The lowest and the highest possible value.
    """

    name: str
    title: str
    function: Callable[..., float]
    higher_is_better: bool
    needs: Literal["groups", "confidences", "sds"] | None = None
    bounds: tuple[float, float] = (-1.0, 1.0)


METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric("pearson", "Pearson's r", pearson, higher_is_better=True),
        Metric("spearman", "Spearman's rho", spearman, higher_is_better=True),
        Metric("mse", "MSE", mse, higher_is_better=False, bounds=(0.0, inf)),
        Metric("rmse", "RMSE", rmse, higher_is_better=False, bounds=(0.0, inf)),
        Metric("mae", "MAE", mae, higher_is_better=False, bounds=(0.0, inf)),
        Metric("kendall", "Kendall's tau-b", kendall, higher_is_better=True),
        Metric(
            "weighted_pearson",
            "Pearson's r weighted by confidence",
            weighted_pearson,
            higher_is_better=True,
            needs="confidences",
        ),
        Metric(
            "choice_accuracy",
            "Choice accuracy",
            choice_accuracy,
            higher_is_better=True,
            needs="groups",
            bounds=(0.0, 1.0),
        ),
        Metric(
            "within_sd",
            "Accuracy within SD",
            within_sd,
            higher_is_better=True,
            needs="sds",
            bounds=(0.0, 1.0),
        ),
    )
}
"""All metrics, in the order in which they are listed."""


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
        If there is no metric with this name. The message lists the known metrics.

    Examples
    --------
    >>> get_metric("mse").higher_is_better
    False
    """
    if name in METRICS:
        return METRICS[name]
    meant = (
        next((candidate for candidate in METRICS if candidate.startswith(name.lower()[:3])), None)
        if name
        else None
    )
    hint = f"; did you mean {meant}?" if meant else ""
    raise RequestError(f'there is no metric "{name}"{hint} (known: {", ".join(METRICS)})')


def metric_value(
    metric: Metric,
    gold: Sequence[float],
    pred: Sequence[float],
    groups: Sequence[str | None] | None,
    confidences: Sequence[float],
    sds: Sequence[float] | None,
) -> float | Undefined:
    """Compute a metric, and pass it the groups, confidences or standard deviations if it needs them."""
    needed = {None: (), "groups": (groups,), "confidences": (confidences,), "sds": (sds,)}[metric.needs]
    return value_or_undefined(metric.function, gold, pred, *needed)


def needs_groups(metrics: Iterable[str]) -> bool:
    """Whether one of these metrics compares items within groups, so that groups must not be split.

    >>> needs_groups(["pearson", "choice_accuracy"]), needs_groups(["pearson"])
    (True, False)
    """
    return any(get_metric(name).needs == "groups" for name in metrics)


def needs_sds(metrics: Iterable[str]) -> bool:
    """Whether one of these metrics needs the standard deviation of the ratings of each item.

    >>> needs_sds(["pearson", "within_sd"]), needs_sds(["pearson"])
    (True, False)
    """
    return any(get_metric(name).needs == "sds" for name in metrics)
