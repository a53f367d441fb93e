"""Mean and spread of each metric over runs of one system that differ only in their training seed."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean, stdev

from scorer.errors import RequestError
from scorer.scoring.evaluate import Report, Result
from scorer.values import Undefined


@dataclass(frozen=True, slots=True)
class Spread:
    """The mean and spread of one metric over k runs of one system.

    Parameters
    ----------
    metric : str
        A name in `METRICS`.
    k : int
        The number of runs.
    mean, sd, low, high : float or Undefined
        The mean, the standard deviation (divisor k - 1), the minimum and the maximum.
    signature : str
        The signature of the runs, with their number.
    genre : str, optional
        The genre of the items.
    """

    metric: str
    k: int
    mean: float | Undefined
    sd: float | Undefined
    low: float | Undefined
    high: float | Undefined
    signature: str
    genre: str | None = None


def spread_of_runs(reports: Sequence[Report]) -> tuple[Spread, ...]:
    """Compute the mean and spread of each metric over several runs of one system.

    Parameters
    ----------
    reports : sequence of Report
        k >= 2 reports for the same gold and the same metrics.

    Returns
    -------
    tuple of Spread
        The spread of each result of a report, in order. If the value of any run is undefined, the mean and
        spread are undefined too, because a mean over the other runs would favor a system that sometimes
        fails.

    Raises
    ------
    RequestError
        If there are fewer than two reports, or they do not have the same metrics and genres.

    Notes
    -----
    sd = sqrt(sum((x - mean)^2) / (k - 1)), in rational arithmetic, so that it is exactly 0 if all values are
    equal. It measures the effect of the system's seed. The effect of the choice of items is measured by a
    confidence interval instead.

    Examples
    --------
    >>> reports = [Report((Result("pearson", r, 500, "pearson|n:500|v:1"),)) for r in (0.5, 0.75, 1.0)]
    >>> found = spread_of_runs(reports)[0]
    >>> found.mean, found.sd, found.low, found.high, found.signature
    (0.75, 0.25, 0.5, 1.0, 'pearson|n:500|runs:3|v:1')
    """
    if len(reports) < 2:
        raise RequestError(f"{len(reports)} run has no spread; give two or more of one system")
    columns = {tuple((result.metric, result.genre) for result in report.results) for report in reports}
    if len(columns) > 1:
        raise RequestError("the reports are not of the same metrics and genres")
    return tuple(_spread(column) for column in zip(*(report.results for report in reports), strict=True))


def _spread(results: Sequence[Result]) -> Spread:
    first, k = results[0], len(results)
    values = [result.value for result in results if not isinstance(result.value, Undefined)]
    signature = _signature(results)
    if len(values) < k:
        reason = f"{k - len(values)} of {k} runs have no {first.metric}, so there is no mean"
        undefined = Undefined("not_all_runs", reason)
        return Spread(first.metric, k, undefined, undefined, undefined, undefined, signature, first.genre)
    ends = min(values), max(values)
    return Spread(first.metric, k, mean(values), stdev(values), *ends, signature, first.genre)


def _signature(results: Sequence[Result]) -> str:
    """Return the signature of the first run, without its interval and with the number of runs."""
    first, sizes = results[0], [result.n for result in results]
    text = first.signature
    if first.interval is not None:
        text = text.replace(f"|{first.interval.signature}", "")
    if len(set(sizes)) > 1:
        text = text.replace(f"|n:{first.n}", f"|n:{min(sizes)}-{max(sizes)}", 1)
    start, _, version = text.rpartition("|v:")
    return f"{start}|runs:{len(results)}|v:{version}"
