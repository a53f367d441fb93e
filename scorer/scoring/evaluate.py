"""Run against gold: choose the items that count, compute the metrics, sign every number."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scorer._version import __version__
from scorer.errors import RequestError
from scorer.files.public_items import ItemsPart
from scorer.files.reading import Gold, Run
from scorer.metrics import Metric, choice_credits, choice_standard_error, get_metric
from scorer.values import Undefined, value_or_undefined

if TYPE_CHECKING:
    from scorer.statistics.intervals import Interval, Resampling


@dataclass(frozen=True, slots=True)
class Result:
    """One metric of one run.

    Parameters
    ----------
    metric : str
        A name in `METRICS`.
    value : float or Undefined
        At full precision.
    n : int
        How many items it was computed from.
    signature : str
        Metric, n, every option that is not the default, and the scorer's version.
    genre : str, optional
        The genre whose items these are; None for all items.
    interval : Interval, optional
        If one was asked for.
    standard_error : float or Undefined, optional
        Of a `choice_accuracy`.
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
    """How a metric on held-out genres differs from that on the rest, relative to the rest."""

    metric: str
    value: float | Undefined


@dataclass(frozen=True, slots=True)
class Report:
    """What one run got: results in the order of genres, then metrics, as they were asked for."""

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
        (n,) values; an item whose value is None is not scored.
    run : Run
        (n,) scores in the same order.
    metrics : sequence of str
        Names in `METRICS`; the results keep their order.
    min_confidence : float, optional
        Leave out items whose confidence is below this. Items without a confidence stay.
    genres : sequence of str, optional
        (n,) the genre of each item. With it there is one result a genre and metric, genres in the order in
        which they appear.
    part : ItemsPart, optional
        Leave out items that are not in it.
    groups : sequence of str or None, optional
        (n,) the group of each item: the candidates that `choice_accuracy` chooses from, and what is resampled
        together. None: the item belongs to no group. By default those of the gold.
    resampling : Resampling, optional
        With it each result has an interval, and numpy is loaded.
    progress : callable, optional
        Told how many resamples were computed since it was told last.

    Returns
    -------
    Report
        With a value or an `Undefined` for each metric. A line without a confidence weighs as much as the
        highest confidence, as in CLSS.

    Raises
    ------
    RequestError
        If a metric does not exist or lacks what it needs, the lengths differ, or there is no such interval.

    Examples
    --------
    >>> report = evaluate(Gold((0.0, 1.0, 4.0)), Run((0.1, 0.2, 0.9), (None, None, None)), ["spearman"])
    >>> report.results[0].value, report.results[0].signature  # doctest: +ELLIPSIS
    (1.0, 'spearman|n:3|v:...')
    """
    chosen, groups = [get_metric(name) for name in metrics], gold.groups if groups is None else groups
    _check_lengths(gold, run, genres, groups)
    _check_needs(chosen, groups)
    places = _scored_places(gold, run, min_confidence, part)
    by_genre: dict[str | None, list[int]] = {genre: [] for genre in ([None] if genres is None else genres)}
    for place in places:
        by_genre[None if genres is None else genres[place]].append(place)
    restrictions = [] if part is None else [f"part:{part.name}"]
    if min_confidence is not None:
        restrictions.append(f"min_confidence:{float(min_confidence)!r}")
    results = []
    for genre, genre_places in by_genre.items():
        sample = _select_items(gold, run, groups, genre_places)
        for metric in chosen:
            interval = None if resampling is None else sample.interval(metric, resampling, progress)
            results.append(sample.result(metric, genre, restrictions, interval))
    return Report(tuple(results))


def metric_value(
    metric: Metric,
    gold: Sequence[float],
    pred: Sequence[float],
    groups: Sequence[str | None] | None,
    confidences: Sequence[float],
) -> float | Undefined:
    """The value of a metric, which is handed the groups or the confidences if it needs them."""
    needed = {None: (), "groups": (groups,), "confidences": (confidences,)}[metric.needs]
    return value_or_undefined(metric.function, gold, pred, *needed)


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


def _scored_places(gold: Gold, run: Run, min_confidence: float | None, part: ItemsPart | None) -> list[int]:
    floor = float("-inf") if min_confidence is None else min_confidence
    return [
        place
        for place, (value, confidence) in enumerate(zip(gold.values, run.confidences, strict=True))
        if value is not None
        and (confidence is None or confidence >= floor)
        and (part is None or place in part.places)
    ]


@dataclass(frozen=True, slots=True)
class _ScoredItems:
    """The items that one result is computed from."""

    gold: list[float]
    pred: list[float]
    groups: list[str | None] | None
    confidences: list[float]

    def result(
        self, metric: Metric, genre: str | None, restrictions: Sequence[str], interval: "Interval | None"
    ) -> Result:
        """The value of a metric with its signature, which names what restricts the items."""
        value, n = metric_value(metric, self.gold, self.pred, self.groups, self.confidences), len(self.gold)
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
        from scorer.statistics.intervals import bootstrap_intervals  # noqa: PLC0415  it loads numpy

        confidences = [self.confidences] if metric.needs == "confidences" else None
        (score_interval,) = bootstrap_intervals(
            self.gold,
            [self.pred],
            metric.name,
            resampling,
            groups=self.groups,
            confidences=confidences,
            progress=progress,
        )
        return score_interval


def _select_items(
    gold: Gold, run: Run, groups: Sequence[str | None] | None, places: Sequence[int]
) -> _ScoredItems:
    confidences = [run.confidences[place] for place in places]
    return _ScoredItems(
        [value for place in places if (value := gold.values[place]) is not None],
        [run.scores[place] for place in places],
        None if groups is None else [groups[place] for place in places],
        [run.confidence_max if confidence is None else confidence for confidence in confidences],
    )
