"""Runs of one system that differ by the seed of its training alone: mean and spread of each metric."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean, stdev

from scorer.errors import RequestError
from scorer.scoring.evaluate import Report, Result
from scorer.values import Undefined


@dataclass(frozen=True, slots=True)
class Spread:
    """One metric over k runs of one system.

    Parameters
    ----------
    metric : str
        A name in `METRICS`.
    k : int
        How many runs.
    mean, sd, low, high : float or Undefined
        Mean, standard deviation (k - 1), least and largest value.
    signature : str
        That of the runs, with their number.
    genre : str, optional
        The genre whose items these are.
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
    """Mean and spread of each metric over several runs of one system.

    Parameters
    ----------
    reports : sequence of Report
        k >= 2, of the same gold by the same metrics.

    Returns
    -------
    tuple of Spread
        One for each result of a report, in order. Where one of the runs has no value, nothing has: a mean of
        those that succeeded would praise a system that fails.

    Raises
    ------
    RequestError
        If there are fewer than two reports, or they are not of the same.

    Notes
    -----
    sd = sqrt(sum((x - mean)^2) / (k - 1)), in rational arithmetic: 0 where all values are equal. It says how
    much a system's seed matters, not how much the choice of the items does: that is what an interval says.

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
        none = Undefined("not_all_runs", reason)
        return Spread(first.metric, k, none, none, none, none, signature, first.genre)
    ends = min(values), max(values)
    return Spread(first.metric, k, mean(values), stdev(values), *ends, signature, first.genre)


def _signature(results: Sequence[Result]) -> str:
    """The signature of the first run, without its interval and with the number of runs."""
    first, sizes = results[0], [result.n for result in results]
    text = first.signature
    if first.interval is not None:
        text = text.replace(f"|{first.interval.signature}", "")
    if len(set(sizes)) > 1:
        text = text.replace(f"|n:{first.n}", f"|n:{min(sizes)}-{max(sizes)}", 1)
    start, _, version = text.rpartition("|v:")
    return f"{start}|runs:{len(results)}|v:{version}"
