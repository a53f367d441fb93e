"""Deviations of ratings from gold: box plots, and an interval of their mean over annotators and units."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import fsum

import numpy as np

from scorer.annotation.exact_arithmetic import remove_rounding_noise
from scorer.annotation.ratings import Floats, Ratings
from scorer.errors import RequestError
from scorer.statistics.intervals import Interval, Resampling, interval_of
from scorer.statistics.kernels import BATCH_CELLS
from scorer.statistics.random_streams import MAX_UNITS, open_stream
from scorer.statistics.resampling import Replicates, draw_counts
from scorer.values import Undefined

_WHISKER = 1.5
"""The maximum length of a whisker, in interquartile ranges."""
_TOO_FEW = Undefined("one_unit", "resampling needs at least two annotators and two units")


@dataclass(frozen=True, slots=True)
class Box:
    """The parts of a box plot of n values.

    Parameters
    ----------
    n : int
        The number of values.
    mean : float
        Their mean.
    low, q1, median, q3, high : float
        The quartiles, and the ends of the whiskers.
    outside : int
        The number of values beyond the whiskers.
    above : float
        The share of values above 0, in [0, 1].
    """

    n: int
    mean: float
    low: float
    q1: float
    median: float
    q3: float
    high: float
    outside: int
    above: float


def deviations_from_gold(ratings: Ratings, gold: Mapping[str, float]) -> Ratings:
    """Subtract the gold of its unit from each first rating.

    Parameters
    ----------
    ratings : Ratings
        The ratings. Repeats are left out.
    gold : mapping of str to float
        The gold by the name of the unit. Units without gold are left out.

    Returns
    -------
    Ratings
        The deviations, in points of the scale. Above 0, the rating is higher than the gold.

    Raises
    ------
    RequestError
        If no rated unit has gold.

    Examples
    --------
    >>> from scorer.annotation.ratings import ratings_of
    >>> deviations_from_gold(ratings_of([[0.3, 2], [4, None]]), {"1": 0.1}).value.tolist()
    [0.2, 1.9]
    """
    rated = ratings.first().of_units(gold)
    if not len(rated):
        raise RequestError(f"no rated unit of {ratings.source} has gold; use the names of its units")
    golds = np.array([gold[unit] for unit in rated.units])[rated.unit]
    return replace(rated, value=remove_rounding_noise(rated.value - golds, rated.value, golds))


def make_box(values: Sequence[float]) -> Box:
    """Compute the parts of a box plot.

    Parameters
    ----------
    values : (n,) float
        The values, finite, n >= 1.

    Returns
    -------
    Box

    Raises
    ------
    RequestError
        If there is no value.

    Notes
    -----
    Quartiles are interpolated linearly between the ordered values (the default of R and numpy). A whisker
    ends at the most distant value that is at most 1.5 interquartile ranges from the box, or at the box if all
    of these are inside it. A value equal to 0 is not above it.

    References
    ----------
    Tukey (1977), Exploratory Data Analysis, section 2C; Hyndman & Fan (1996), Sample quantiles in statistical
    packages, The American Statistician 50(4), 361-365, doi:10.1080/00031305.1996.10473566, definition 7.

    Examples
    --------
    >>> box = make_box([-1, 0, 0, 1, 5])
    >>> box.low, box.q1, box.median, box.q3, box.high, box.outside, box.above
    (-1.0, 0.0, 0.0, 1.0, 1.0, 1, 0.4)
    """
    if not len(values):
        raise RequestError("there is no value to make a box of; give at least one")
    ordered = np.sort(np.asarray(values, dtype=np.float64))
    q1, median, q3 = np.quantile(ordered, (0.25, 0.5, 0.75)).tolist()
    reach = _WHISKER * (q3 - q1)
    fences = remove_rounding_noise([q1 - reach, q3 + reach], ordered)
    inside = ordered[(ordered >= fences[0]) & (ordered <= fences[1])]
    parts = [fsum(ordered) / len(ordered), min(inside[0], q1), q1, median, q3, max(inside[-1], q3)]
    mean, low, q1, median, q3, high = remove_rounding_noise(parts, ordered).tolist()
    outside, above = len(ordered) - len(inside), int((ordered > 0).sum()) / len(ordered)
    return Box(len(ordered), mean, low, q1, median, q3, high, outside, above)


def mean_interval(deviations: Ratings, resampling: Resampling) -> Interval:
    """Compute a bootstrap interval of the mean over annotators and units.

    Parameters
    ----------
    deviations : Ratings
        N deviations of k annotators on n units, at most one of an annotator on a unit.
    resampling : Resampling
        The options of the bootstrap. The type of interval must be "percentile".

    Returns
    -------
    Interval
        Undefined if fewer than two annotators or two units have deviations.

    Raises
    ------
    RequestError
        If an option is not valid, or there are too many units or annotators.

    Notes
    -----
    Annotators and units are drawn with replacement, independently of each other (crossed). The weight of a
    deviation is the product of how often its annotator and its unit were drawn. So the interval is about
    other annotators and other units. If only single ratings were resampled, it would be too short, because
    the ratings of one annotator have a common bias. The crossed bootstrap overestimates the variance
    slightly. A resample in which no drawn annotator rated a drawn unit has no mean; such resamples are
    counted and left out.

    References
    ----------
    Owen (2007), The pigeonhole bootstrap, Annals of Applied Statistics 1(2), 386-411, doi:10.1214/07-AOAS122.

    Examples
    --------
    >>> from scorer.annotation.ratings import ratings_of
    >>> table = ratings_of([[1, 0, 0], [1, 1, 0], [0, 1, -1], [1, 0, 0]])
    >>> found = mean_interval(table, Resampling(1000, 7, "percentile"))
    >>> round(found.low, 2), round(found.high, 2)
    (-0.25, 0.83)
    """
    resampling.check(["bias"])
    units, unit = np.unique(deviations.unit, return_inverse=True)
    annotators, annotator = np.unique(deviations.annotator, return_inverse=True)
    sizes = len(units), len(annotators)
    signature = f"{resampling.signature()}|resampled:annotators+units"
    if max(sizes) > MAX_UNITS:
        raise RequestError(f"{max(sizes)} are more than can be drawn from; {MAX_UNITS} is the most")
    if min(sizes) < 2:
        return Interval(None, None, 0, signature, _TOO_FEW)
    estimate = fsum(deviations.value) / len(deviations)
    streams = [
        open_stream(resampling.seed, deviations.value.tolist(), f"bias {name}")
        for name in ("unit", "annotator")
    ]
    means: list[Floats] = []
    rows = max(16, min(4096, BATCH_CELLS // len(deviations)))
    for start in range(0, resampling.b, rows):
        k = min(rows, resampling.b - start)
        of_units, of_annotators = (draw_counts(*each, k) for each in zip(streams, sizes, strict=True))
        weights = of_units[unit] * of_annotators[annotator]
        with np.errstate(invalid="ignore"):
            means.append((deviations.value @ weights) / weights.sum(axis=0))
    replicates = Replicates(
        np.array([estimate]), np.concatenate(means)[None] - estimate, np.empty((1, 0)), min(sizes)
    )
    return interval_of(replicates, [], 0, resampling, signature)
