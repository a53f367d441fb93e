"""Run against gold: choose the items that count, compute the metrics, sign every number."""

from collections.abc import Sequence
from dataclasses import dataclass

from scorer._version import __version__
from scorer.errors import RequestError, UndefinedError
from scorer.io import Gold, Run
from scorer.metrics import Metric, get_metric
from scorer.parts import ItemsPart


@dataclass(frozen=True, slots=True)
class Undefined:
    """Where a number would stand, and why there is none; `code` is stable, `reason` is for people."""

    code: str
    reason: str


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
    """

    metric: str
    value: float | Undefined
    n: int
    signature: str
    genre: str | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """What one run got: results in the order of genres, then metrics, as they were asked for."""

    results: tuple[Result, ...]


@dataclass(frozen=True, slots=True)
class _Options:
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

    Returns
    -------
    Report
        With a value or an `Undefined` for each metric.

    Raises
    ------
    RequestError
        If a metric does not exist or the lengths differ.

    Examples
    --------
    >>> report = evaluate(Gold((0.0, 1.0, 4.0)), Run((0.1, 0.2, 0.9), (None, None, None)), ["spearman"])
    >>> report.results[0].value, report.results[0].signature  # doctest: +ELLIPSIS
    (1.0, 'spearman|n:3|v:...')
    """
    chosen = [get_metric(name) for name in metrics]
    _check_lengths(gold, run, genres)
    places = _scored_places(gold, run, min_confidence, part)
    options = _Options(min_confidence, None if part is None else part.name)
    if genres is None:
        return Report(tuple(_result(metric, gold, run, places, options, None) for metric in chosen))
    by_genre: dict[str, list[int]] = {genre: [] for genre in genres}
    for place in places:
        by_genre[genres[place]].append(place)
    return Report(
        tuple(
            _result(metric, gold, run, own, options, genre)
            for genre, own in by_genre.items()
            for metric in chosen
        )
    )


def _check_lengths(gold: Gold, run: Run, genres: Sequence[str] | None) -> None:
    if len(gold.values) != len(run.scores):
        raise RequestError(f"gold has {len(gold.values)} items and the run has {len(run.scores)} scores")
    if genres is not None and len(genres) != len(gold.values):
        raise RequestError(f"gold has {len(gold.values)} items and there are {len(genres)} genres")


def _scored_places(gold: Gold, run: Run, min_confidence: float | None, part: ItemsPart | None) -> list[int]:
    floor = float("-inf") if min_confidence is None else min_confidence
    return [
        place
        for place, (value, confidence) in enumerate(zip(gold.values, run.confidences, strict=True))
        if value is not None
        and (confidence is None or confidence >= floor)
        and (part is None or place in part.places)
    ]


def _result(
    metric: Metric, gold: Gold, run: Run, places: list[int], options: _Options, genre: str | None
) -> Result:
    values = [value for place in places if (value := gold.values[place]) is not None]
    signature = _signature(metric.name, len(places), options, genre)
    found: float | Undefined
    try:
        found = metric.function(values, [run.scores[place] for place in places])
    except UndefinedError as error:
        found = Undefined(error.code, error.reason)
    return Result(metric.name, found, len(places), signature, genre)


def _signature(metric: str, n: int, options: _Options, genre: str | None) -> str:
    parts = [metric, f"n:{n}"]
    if genre is not None:
        parts.append(f"genre:{genre}")
    if options.part is not None:
        parts.append(f"part:{options.part}")
    if options.min_confidence is not None:
        parts.append(f"min_confidence:{float(options.min_confidence)!r}")
    return "|".join([*parts, f"v:{__version__}"])
