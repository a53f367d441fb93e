"""Run against gold: choose the items that count, compute the metrics, sign every number."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scorer._version import __version__
from scorer.errors import RequestError, UndefinedError
from scorer.files.public_items import ItemsPart
from scorer.files.reading import Gold, Run
from scorer.metrics import Metric, choice_credits, choice_standard_error, get_metric
from scorer.values import Undefined

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


@dataclass(frozen=True, slots=True)
class _SignatureOptions:
    """What a signature names beside metric, items and genre."""

    min_confidence: float | None
    part: str | None


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
    options = _SignatureOptions(min_confidence, None if part is None else part.name)
    work = _ReportBuilder(gold, run, groups, options, resampling, progress)
    if genres is None:
        sample = work.sample(places)
        return Report(tuple(work.result(metric, sample, None) for metric in chosen))
    by_genre: dict[str, list[int]] = {genre: [] for genre in genres}
    for place in places:
        by_genre[genres[place]].append(place)
    sections = [(genre, work.sample(genre_items)) for genre, genre_items in by_genre.items()]
    return Report(
        tuple(work.result(metric, genre_items, genre) for genre, genre_items in sections for metric in chosen)
    )


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

    def value(self, metric: Metric) -> float | Undefined:
        needed = {None: (), "groups": (self.groups,), "confidences": (self.confidences,)}[metric.needs]
        try:
            return metric.function(self.gold, self.pred, *needed)
        except UndefinedError as error:
            return Undefined(error.code, error.reason)

    def choices(self) -> int:
        return len(choice_credits(self.gold, self.pred, self.groups or []))

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


@dataclass(frozen=True, slots=True)
class _ReportBuilder:
    """Everything that the results of one report share."""

    gold: Gold
    run: Run
    groups: Sequence[str | None] | None
    options: _SignatureOptions
    resampling: "Resampling | None"
    progress: Callable[[int], None]

    def result(self, metric: Metric, sample: _ScoredItems, genre: str | None) -> Result:
        value = sample.value(metric)
        choices = sample.choices() if metric.needs == "groups" else None
        interval = None
        if self.resampling is not None:
            interval = sample.interval(metric, self.resampling, self.progress)
        interval_signatures = () if interval is None else (interval.signature,)
        n = len(sample.gold)
        signature = _signature(metric.name, n, self.options, genre, choices, interval_signatures)
        error = None if choices is None else _standard_error(value, choices)
        return Result(metric.name, value, n, signature, genre, interval, error)

    def sample(self, places: list[int]) -> _ScoredItems:
        golds, highest = self.gold.values, self.run.confidence_max
        confidences = [self.run.confidences[place] for place in places]
        return _ScoredItems(
            [value for place in places if (value := golds[place]) is not None],
            [self.run.scores[place] for place in places],
            None if self.groups is None else [self.groups[place] for place in places],
            [highest if confidence is None else confidence for confidence in confidences],
        )


def _standard_error(accuracy: float | Undefined, choices: int) -> float | Undefined:
    if isinstance(accuracy, Undefined):
        return accuracy
    try:
        return choice_standard_error(accuracy, choices)
    except UndefinedError as error:
        return Undefined(error.code, error.reason)


def _signature(
    metric: str,
    n: int,
    options: _SignatureOptions,
    genre: str | None,
    choices: int | None,
    interval_signatures: tuple[str, ...],
) -> str:
    parts = [metric, f"n:{n}"]
    if choices is not None:
        parts.append(f"choices:{choices}")
    if genre is not None:
        parts.append(f"genre:{genre}")
    if options.part is not None:
        parts.append(f"part:{options.part}")
    if options.min_confidence is not None:
        parts.append(f"min_confidence:{float(options.min_confidence)!r}")
    return "|".join([*parts, *interval_signatures, f"v:{__version__}"])
