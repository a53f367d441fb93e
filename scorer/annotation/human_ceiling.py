"""The human ceiling: how well annotators would do as systems on the leaderboard of their own ratings.

It needs the standard library alone, so that a page can compute it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import fsum, lcm, sqrt

from scorer._version import __version__
from scorer.metrics import Metric, get_metric, metric_value
from scorer.values import Undefined

AnnotatorRatings = Mapping[str, Mapping[str, float]]
"""The ratings of each annotator by the name of the unit."""


@dataclass(frozen=True, slots=True)
class HumanCeiling:
    """The result of `compute_human_ceiling`.

    Parameters
    ----------
    value : float or Undefined
        The mean of the metric over the annotators.
    annotators : int
        The number of annotators for whom the metric has a value.
    units : int
        The number of units on which these annotators were compared with others.
    signature : str
        The metric, both numbers, and the version of the scorer.
    """

    value: float | Undefined
    annotators: int
    units: int
    signature: str


@dataclass(frozen=True, slots=True)
class _PairedAnnotator:
    """One annotator and the others: the units, the annotator's ratings, and mean and sd of the others'."""

    units: list[str]
    own: list[float]
    means: list[float]
    sds: list[float]


def compute_human_ceiling(
    ratings: AnnotatorRatings, metric: str, groups: Mapping[str, str | None] | None = None
) -> HumanCeiling:
    """Compute how well annotators predict the mean of the others' ratings, by the metric of a leaderboard.

    Parameters
    ----------
    ratings : mapping of str to mapping of str to float
        The ratings of each annotator by the name of the unit, finite; the first rating if there are several.
    metric : str
        A name in `METRICS`. For `weighted_pearson`, all confidences are the same. For `within_sd`, the
        standard deviation is that of the others' ratings, so only units with at least two others count.
    groups : mapping of str to str or None, optional
        The group of each unit, for `choice_accuracy`.

    Returns
    -------
    HumanCeiling
        `Undefined` if no annotator has a value, for example if no unit has two ratings.

    Raises
    ------
    RequestError
        If the metric is unknown.

    Notes
    -----
    The ratings of each annotator are the predictions, and the means of the others' ratings of the same units
    are the gold. The value is the mean over the annotators for whom the metric is defined, each with the same
    weight. For Pearson's r, Spearman's rho, RMSE and MSE, this is what `scorer agree` prints for each
    annotator with the others. Means are computed without rounding errors, so that equal means are ties.

    The mean of the others is a less reliable gold than the mean of all annotators, and one person's rating is
    less reliable than a mean. Therefore a system can be above the human ceiling.

    References
    ----------
    Sido et al. (2021, revised), Czech News Dataset for Semantic Textual Similarity, arXiv:2108.08708: the
    agreement between annotators.

    Examples
    --------
    >>> ratings = {"kim": {"a": 1, "b": 2, "c": 4}, "lou": {"a": 1, "b": 3, "c": 3}, "max": {"a": 0, "b": 3}}
    >>> found = compute_human_ceiling(ratings, "mae")
    >>> round(found.value, 4), found.annotators, found.units
    (0.75, 3, 3)
    """
    values, units, chosen = [], set[str](), get_metric(metric)
    for comparison in _compare_annotators(ratings, least_others=2 if chosen.needs == "sds" else 1):
        found = _measure(comparison, chosen, groups)
        if not isinstance(found, Undefined):
            values.append(found)
            units.update(comparison.units)
    value = fsum(values) / len(values) if values else Undefined("no_annotator", "no annotator has a value")
    counts = f"n:{len(units)}|annotators:{len(values)}"
    return HumanCeiling(value, len(values), len(units), f"human-{metric}|{counts}|v:{__version__}")


def _measure(
    comparison: _PairedAnnotator, metric: Metric, groups: Mapping[str, str | None] | None
) -> float | Undefined:
    of_units = [(groups or {}).get(unit) for unit in comparison.units]
    confidences = [1.0] * len(of_units)
    return metric_value(metric, comparison.means, comparison.own, of_units, confidences, comparison.sds)


def _compare_annotators(ratings: AnnotatorRatings, least_others: int) -> Iterator[_PairedAnnotator]:
    """Compare each annotator with the others, on the units that at least so many others rated."""
    exact = {value: Fraction(repr(float(value))) for own in ratings.values() for value in own.values()}
    scale = lcm(*(value.denominator for value in exact.values()))
    whole = {value: int(number * scale) for value, number in exact.items()}
    sums: dict[str, tuple[int, int, int]] = {}
    for own in ratings.values():
        for unit, value in own.items():
            count, total, squares = sums.get(unit, (0, 0, 0))
            sums[unit] = count + 1, total + whole[value], squares + whole[value] ** 2
    for own in ratings.values():
        comparison = _PairedAnnotator([], [], [], [])
        for unit, value in own.items():
            k, total = sums[unit][0] - 1, sums[unit][1] - whole[value]
            if k < least_others:
                continue
            squares = k * (sums[unit][2] - whole[value] ** 2) - total**2
            comparison.units.append(unit)
            comparison.own.append(float(value))
            comparison.means.append(total / (k * scale))
            comparison.sds.append(sqrt(squares / (k * (k - 1) * scale**2)) if k > 1 else 0.0)
        yield comparison
