"""Axes on which the intervals of a column are drawn: round ends, fitted to most of the values."""

from collections.abc import Sequence
from math import ceil, floor
from statistics import quantiles

Axis = tuple[float, float]
Interval = tuple[float, float]
STEPS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 1000, 10_000)
MOST_STEPS = 10
FENCE = 1.5
"""Quartile ranges beyond the quartiles where outliers begin (Tukey 1977, Exploratory Data Analysis, 2C)."""
FEWEST = 4
"""Values that have quartiles worth the name."""
PAYS = 2
"""How many times as wide the axis would be with what is left off it."""


def fit_axis(drawn: Sequence[tuple[float, Interval | None]], most: int = MOST_STEPS) -> Axis:
    """The ends of an axis for values and their intervals: without outliers that would make it twice as wide.

    One system that failed would leave a few pixels to the intervals of all others.
    """
    low, high = _fences([value for value, _ in drawn])
    whole, middle = _reach(drawn), _reach([one for one in drawn if low <= one[0] <= high])
    pays = whole[1] - whole[0] > PAYS * (middle[1] - middle[0])
    return round_axis(middle if pays else whole, most)


def round_axis(values: Sequence[float], most: int = MOST_STEPS) -> Axis:
    """The ends of an axis that holds all of the values, at multiples of a round step."""
    low, high = min(values), max(values)
    step = next((step for step in STEPS if high - low <= most * step), STEPS[-1])
    ends = floor(low / step) * step, ceil(high / step) * step
    ends = ends if ends[0] < ends[1] else (ends[0] - step, ends[1] + step)
    return round(ends[0], 6), round(ends[1], 6)


def _reach(drawn: Sequence[tuple[float, Interval | None]]) -> Interval:
    every = [end for value, ends in drawn for end in (value, *(ends or ()))]
    return min(every), max(every)


def _fences(values: Sequence[float]) -> Interval:
    """Between which values none is an outlier; all of them where half of them are the same."""
    if len(values) < FEWEST:
        return min(values), max(values)
    first, _, third = quantiles(values, method="inclusive")
    width = FENCE * (third - first)
    return (first - width, third + width) if width else (min(values), max(values))
