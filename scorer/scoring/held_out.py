"""Compare the scores on held-out genres, of which there are no training data, with those on other genres."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from math import isfinite
from typing import TYPE_CHECKING

from scorer.errors import RequestError
from scorer.files.reading import Gold, Run
from scorer.scoring.evaluate import HeldOutDifference, Report, evaluate
from scorer.values import Undefined

if TYPE_CHECKING:
    from scorer.statistics.intervals import Resampling

HELD_OUT, REST = "held-out", "rest"


def evaluate_held_out(
    gold: Gold,
    run: Run,
    metrics: Sequence[str],
    genres: Sequence[str],
    held_out: Collection[str],
    *,
    min_confidence: float | None = None,
    groups: Sequence[str | None] | None = None,
    resampling: "Resampling | None" = None,
    progress: Callable[[int], None] = lambda _: None,
) -> Report:
    """Score a run on held-out genres and on all other genres, and compute the relative differences.

    Parameters
    ----------
    gold, run : Gold, Run
        The gold and the run, as for `evaluate`.
    metrics : sequence of str
        Names in `METRICS`.
    genres : (n,) sequence of str
        The genre of each item.
    held_out : collection of str
        The genres that are only in the test split.
    min_confidence : float, optional
        Leave out items whose confidence is below this.
    groups : (n,) sequence of str or None, optional
        The group of each item, as for `evaluate`.
    resampling : Resampling, optional
        The options of confidence intervals. If it is given, each result has an interval.
    progress : callable, optional
        A callback, as for `evaluate`.

    Returns
    -------
    Report
        The results for the genres "held-out" and "rest", each pooled over its items, and for each metric the
        relative difference (rest - held-out) / |rest|. For example, it is .1 if a correlation is a tenth
        lower on held-out genres. For metrics where lower is better, a loss is negative. The difference is
        undefined if one of the two values is undefined, or if the value of the rest is 0.

    Raises
    ------
    RequestError
        If no item has one of the held-out genres, or if no genre or every genre is held out.

    References
    ----------
    Jurgens, Pilehvar & Navigli (2016), "Cross level semantic similarity: an evaluation framework for
    universal measures of similarity", Language Resources and Evaluation 50.

    Examples
    --------
    >>> gold, run = Gold((0.0, 1.0, 2.0, 1.0)), Run((0.0, 2.0, 1.0, 1.0), (None,) * 4)
    >>> report = evaluate_held_out(gold, run, ["mae"], ["seen", "seen", "new", "new"], ["new"])
    >>> [(result.genre, result.value) for result in report.results], report.differences[0].value
    ([('held-out', 0.5), ('rest', 0.5)], 0.0)
    """
    _check(genres, held_out)
    names = ",".join(dict.fromkeys(held_out))
    labels = {True: f"{HELD_OUT}({names})", False: f"{REST}({names})"}
    marked = [labels[genre in held_out] for genre in genres]
    report = evaluate(
        gold,
        run,
        metrics,
        min_confidence=min_confidence,
        genres=marked,
        groups=groups,
        resampling=resampling,
        progress=progress,
    )
    results_by_part = {
        shown: [replace(result, genre=shown) for result in report.results if result.genre == labels[is_held]]
        for shown, is_held in ((HELD_OUT, True), (REST, False))
    }
    pairs = zip(results_by_part[HELD_OUT], results_by_part[REST], strict=True)
    differences = [
        HeldOutDifference(held_out_result.metric, _difference(held_out_result.value, other.value))
        for held_out_result, other in pairs
    ]
    return Report((*results_by_part[HELD_OUT], *results_by_part[REST]), tuple(differences))


def _check(genres: Sequence[str], held_out: Collection[str]) -> None:
    present = dict.fromkeys(genres)
    for genre in held_out:
        if genre not in present:
            raise RequestError(f'no item is of the genre "{genre}"; there are {", ".join(present)}')
    if not held_out or set(held_out) == set(present):
        raise RequestError(
            "the held-out genres must be some of the genres of the items, not none and not all"
        )


def _difference(held_out: float | Undefined, rest: float | Undefined) -> float | Undefined:
    if isinstance(held_out, Undefined):
        return held_out
    if isinstance(rest, Undefined):
        return rest
    difference = (rest - held_out) / abs(rest) if rest else float("inf")
    if not isfinite(difference):
        return Undefined("rest_is_zero", "the value of the rest is 0 or nearly so; nothing is relative to it")
    return difference
