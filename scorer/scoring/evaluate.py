"""Score a run against gold: select the items to score, compute the metrics, and add their signatures."""

from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scorer._version import __version__
from scorer.errors import RequestError
from scorer.files.public_items import ItemsPart
from scorer.files.reading import Gold, Run
from scorer.metrics import Metric, choice_credits, choice_standard_error, get_metric, metric_value
from scorer.values import Undefined, value_or_undefined

if TYPE_CHECKING:
    from scorer.statistics.intervals import Interval, Resampling

MANY_ITEMS = 50_000
"""With more items, numpy saves more time than it takes to load."""


@dataclass(frozen=True, slots=True)
class Result:
    """The result of one metric for one run.

    Parameters
    ----------
    metric : str
        A name in `METRICS`.
    value : float or Undefined
        The value at full precision.
    n : int
        The number of items from which it was computed.
    signature : str
        The metric, n, all options that differ from the default, and the version of the scorer.
    genre : str, optional
        The genre of the items, or None for all items.
    interval : Interval, optional
        The confidence interval, if it was requested.
    standard_error : float or Undefined, optional
        The standard error, for `choice_accuracy`.
    """

    metric: str
    value: float | Undefined
    n: int
    signature: str
    genre: str | None = None
    interval: "Interval | None" = None
    standard_error: float | Undefined | None = None


@dataclass(frozen=True, slots=True)
class HeldOutDifference:
    """The relative difference of a metric between held-out genres and the rest."""

    metric: str
    value: float | Undefined


@dataclass(frozen=True, slots=True)
class Report:
    """The results of one run, in the order of genres, then in the order of the requested metrics."""

    results: tuple[Result, ...]
    differences: tuple[HeldOutDifference, ...] = ()


def evaluate(
    gold: Gold,
    run: Run,
    metrics: Sequence[str],
    *,
    min_confidence: float | None = None,
    genres: Sequence[str] | None = None,
    part: ItemsPart | None = None,
    groups: Sequence[str | None] | None = None,
    resampling: "Resampling | None" = None,
    progress: Callable[[int], None] = lambda _: None,
) -> Report:
    """Score a run against gold.

    Parameters
    ----------
    gold : Gold
        The gold with (n,) values. An item whose value is None is not scored.
    run : Run
        The run with (n,) scores in the same order.
    metrics : sequence of str
        Names in `METRICS`. The results are in the same order.
    min_confidence : float, optional
        Leave out items whose confidence is below this. Items without a confidence are kept.
    genres : (n,) sequence of str, optional
        The genre of each item. If it is given, there is a result for each genre and metric, with the genres
        in the order in which they appear.
    part : ItemsPart, optional
        Leave out items that are not in this part.
    groups : (n,) sequence of str or None, optional
        The group of each item, or None if it has no group. `choice_accuracy` chooses from the items of a
        group, and the items of a group are resampled together. By default the groups of the gold are used.
    resampling : Resampling, optional
        The options of confidence intervals. If it is given, each result has an interval, and numpy is loaded.
    progress : callable, optional
        A callback. It is called with the number of resamples that were completed since its last call.

    Returns
    -------
    Report
        The results, with a value or an `Undefined` for each metric. A line without a confidence has the same
        weight as the highest possible confidence, as in SemEval-2014 Task 3 (CLSS).

    Raises
    ------
    RequestError
        If a metric is unknown or lacks the groups or standard deviations that it needs, if the lengths
        differ, or if the metric has no interval of this type.

    Examples
    --------
    >>> report = evaluate(Gold((0.0, 1.0, 4.0)), Run((0.1, 0.2, 0.9), (None, None, None)), ["spearman"])
    >>> report.results[0].value, report.results[0].signature  # doctest: +ELLIPSIS
    (1.0, 'spearman|n:3|v:...')
    """
    chosen, groups = [get_metric(name) for name in metrics], gold.groups if groups is None else groups
    _check_lengths(gold, run, genres, groups)
    _check_needs(chosen, groups)
    restrictions = [] if part is None else [f"part:{part.name}"]
    if min_confidence is not None:
        restrictions.append(f"min_confidence:{float(min_confidence)!r}")
    by_genre = _divide(_scored_places(gold, run, min_confidence, part), genres)
    results = []
    for genre, places in by_genre.items():
        sample = _select_items(gold, run, groups, places)
        for metric in chosen:
            interval = None if resampling is None else sample.interval(metric, resampling, progress)
            results.append(sample.result(metric, genre, restrictions, interval))
    return Report(tuple(results))


def _check_lengths(
    gold: Gold, run: Run, genres: Sequence[str] | None, groups: Sequence[str | None] | None
) -> None:
    n = len(gold.values)
    if n != len(run.scores):
        raise RequestError(f"gold has {n} items and the run has {len(run.scores)} scores")
    for name, labels in (("genres", genres), ("groups", groups)):
        if labels is not None and len(labels) != n:
            raise RequestError(f"gold has {n} items and there are {len(labels)} {name}")


def _check_needs(metrics: Sequence[Metric], groups: Sequence[str | None] | None) -> None:
    for metric in metrics:
        if metric.needs == "groups" and groups is None:
            reason = 'whose candidates are compared; give items with a column "group"'
            raise RequestError(f"{metric.name} needs the group of each item, {reason}")


def _scored_places(
    gold: Gold, run: Run, min_confidence: float | None, part: ItemsPart | None
) -> Sequence[int]:
    if min_confidence is None and part is None and None not in gold.values:
        return range(len(gold.values))
    floor = float("-inf") if min_confidence is None else min_confidence
    return [
        place
        for place, (value, confidence) in enumerate(zip(gold.values, run.confidences, strict=True))
        if value is not None
        and (confidence is None or confidence >= floor)
        and (part is None or place in part.places)
    ]


def _divide(places: Sequence[int], genres: Sequence[str] | None) -> Mapping[str | None, Sequence[int]]:
    """Return the places of each genre, also of one without places; without genres, all under None."""
    if genres is None:
        return {None: places}
    by_genre: dict[str | None, list[int]] = {genre: [] for genre in genres}
    for place in places:
        by_genre[genres[place]].append(place)
    return by_genre


@dataclass(frozen=True, slots=True)
class _ScoredItems:
    """The items from which one result is computed."""

    gold: "array[float]"
    pred: "array[float]"
    groups: list[str | None] | None
    confidences: list[float]
    sds: list[float] | None

    def result(
        self, metric: Metric, genre: str | None, restrictions: Sequence[str], interval: "Interval | None"
    ) -> Result:
        """Compute a metric and its signature, which includes the restrictions on the items."""
        n = len(self.gold)
        value = metric_value(
            _fastest(metric, n), self.gold, self.pred, self.groups, self.confidences, self.sds
        )
        parts, error = [metric.name, f"n:{n}"], None
        if metric.needs == "groups":
            choices = len(choice_credits(self.gold, self.pred, self.groups or []))
            parts.append(f"choices:{choices}")
            error = value
            if not isinstance(value, Undefined):
                error = value_or_undefined(choice_standard_error, value, choices)
        if genre is not None:
            parts.append(f"genre:{genre}")
        parts += restrictions
        if interval is not None:
            parts.append(interval.signature)
        return Result(metric.name, value, n, "|".join([*parts, f"v:{__version__}"]), genre, interval, error)

    def interval(
        self, metric: Metric, resampling: "Resampling", progress: Callable[[int], None]
    ) -> "Interval":
        from scorer.statistics.intervals import bootstrap_intervals  # noqa: PLC0415  late, as it loads numpy

        confidences = [self.confidences] if metric.needs == "confidences" else None
        (score_interval,) = bootstrap_intervals(
            self.gold,
            [self.pred],
            metric.name,
            resampling,
            groups=self.groups,
            confidences=confidences,
            sds=self.sds,
            progress=progress,
        )
        return score_interval


def _fastest(metric: Metric, n: int) -> Metric:
    """Return the metric with the function that is fastest for n items."""
    if n <= MANY_ITEMS:
        return metric
    from scorer.statistics.many_items import for_many_items  # noqa: PLC0415  late, as it loads numpy

    return for_many_items(metric)


def _select_items(
    gold: Gold, run: Run, groups: Sequence[str | None] | None, places: Sequence[int]
) -> _ScoredItems:
    values, scores, confidences = gold.values, run.scores, run.confidences
    return _ScoredItems(
        array("d", [value for place in places if (value := values[place]) is not None]),
        array("d", [scores[place] for place in places]),
        None if groups is None else [groups[place] for place in places],
        [run.confidence_max if (own := confidences[place]) is None else own for place in places],
        gold.sds_at(places),
    )
