"""Compare rounds of ratings of the same units: correlations, thinking time, and calibration curves."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from math import sqrt
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from scorer.annotation.agreement import Closeness, Value, closeness
from scorer.annotation.exact_arithmetic import unit_moments
from scorer.annotation.ratings import Floats, Indices, Ratings
from scorer.errors import RatingsError, RequestError
from scorer.files.text import Problems
from scorer.values import Undefined


def align_rounds(rounds: Sequence[Ratings]) -> tuple[Ratings, ...]:
    """Restrict rounds to the units that all of them have, and number units and annotators alike.

    Parameters
    ----------
    rounds : sequence of Ratings
        At least one round. Annotators with the same name are the same person.

    Returns
    -------
    tuple of Ratings
        The rounds, with the same `units` in the order of the first round, the same `annotators`, and for
        each unit the genre of the first round that has genres.

    Raises
    ------
    RatingsError
        If no unit is in all rounds.

    Examples
    --------
    >>> from scorer.annotation.ratings import ratings_of
    >>> a, b = align_rounds([ratings_of([[1], [2]], units="xy"), ratings_of([[3], [4]], units="yz")])
    >>> a.units, a.value.tolist(), b.value.tolist()
    (('y',), [2.0], [3.0])
    """
    common = set(rounds[0].units).intersection(*(ratings.units for ratings in rounds[1:]))
    if not common:
        problems = Problems(rounds[-1].source)
        others = " and ".join(ratings.source for ratings in rounds[:-1])
        message = f"none of its units is in {others}; name the units alike in all files (--unit COLUMN)"
        problems.add(None, "no_shared_unit", message)
        problems.raise_as(RatingsError)
    units = tuple(unit for unit in rounds[0].units if unit in common)
    annotators = tuple(dict.fromkeys(name for ratings in rounds for name in ratings.annotators))
    genres = _genres(rounds, units)
    return tuple(_renumber(ratings, units, annotators, genres) for ratings in rounds)


def _renumber(
    ratings: Ratings, units: Sequence[str], annotators: Sequence[str], genres: tuple[str, ...] | None
) -> Ratings:
    """Return the ratings of these units, with the indices of these units and annotators."""
    unit = _positions(ratings.units, units)
    shared_ratings = ratings.take(unit[ratings.unit] >= 0)
    return replace(
        shared_ratings,
        units=tuple(units),
        annotators=tuple(annotators),
        unit=unit[shared_ratings.unit],
        annotator=_positions(ratings.annotators, annotators)[shared_ratings.annotator],
        genres=genres,
    )


def _genres(rounds: Sequence[Ratings], units: Sequence[str]) -> tuple[str, ...] | None:
    rounds_with_genres = [ratings for ratings in rounds if ratings.genres is not None]
    if not rounds_with_genres:
        return None
    genres: dict[str, str] = {}
    for ratings in reversed(rounds_with_genres):
        genres |= dict(zip(ratings.units, ratings.genres or (), strict=True))
    return tuple(genres[unit] for unit in units)


def ratings_by_same_annotator(a: Ratings, b: Ratings) -> tuple[Indices, Floats, Floats]:
    """Return the first ratings of two aligned rounds for the units that an annotator rated in both.

    Returns
    -------
    unit : (p,) array of int
        The units.
    a, b : (p,) array of float
        The ratings of the two rounds, sorted by unit, then by annotator.
    """
    first_a, first_b = a.first(), b.first()
    _, places_a, places_b = np.intersect1d(
        first_a.cell, first_b.cell, assume_unique=True, return_indices=True
    )
    return first_a.unit[places_a], first_a.value[places_a], first_b.value[places_b]


Pairing = Literal["means", "annotator"]
_MIN_REMAINING_VARIANCE = 1e-12
"""A remaining share of a variance below this is due to rounding."""


@dataclass(frozen=True, slots=True)
class AnswerBucket:
    """The ratings in one bucket of thinking times or of turns, compared with the other round.

    Parameters
    ----------
    start, end : float
        The bounds of the bucket; `start` is included and `end` is not.
    closeness : Closeness
        The closeness of these ratings to the other round's ratings. `n` is the number of ratings.
    """

    start: float
    end: float
    closeness: Closeness


def paired_columns(rounds: Sequence[Ratings], by: Pairing = "means") -> tuple[Floats, ...]:
    """Return the values of the rounds as columns whose rows correspond to each other.

    Parameters
    ----------
    rounds : sequence of Ratings
        The rounds, aligned by `align_rounds`. Repeats are left out.
    by : "means" or "annotator"
        With "means", there is a row for each unit with a rating in each round, and the values are the means
        of its ratings. With "annotator", there is a row for each unit and annotator who rated it in each
        round, and the values are these ratings.

    Returns
    -------
    tuple of (p,) array of float
        A column for each round, sorted by unit, then by annotator.

    Examples
    --------
    >>> from scorer.annotation.ratings import ratings_of
    >>> first, second = ratings_of([[1, 3], [2, None]]), ratings_of([[4, None], [5, 6]])
    >>> [column.tolist() for column in paired_columns([first, second])]
    [[2.0, 2.0], [4.0, 5.5]]
    >>> [column.tolist() for column in paired_columns([first, second], "annotator")]
    [[1.0, 2.0], [4.0, 5.0]]
    """
    if by == "means":
        moments = [unit_moments(ratings) for ratings in rounds]
        rated = np.logical_and.reduce([round_moments.count > 0 for round_moments in moments])
        return tuple(round_moments.mean[rated] for round_moments in moments)
    first = [ratings.first() for ratings in rounds]
    cells = reduce(np.intersect1d, (ratings.cell for ratings in first))
    return tuple(_values_at(ratings, cells) for ratings in first)


def _values_at(first: Ratings, cells: Indices) -> Floats:
    order = np.argsort(first.cell)
    values: Floats = first.value[order[np.searchsorted(first.cell[order], cells)]]
    return values


def partial_correlation(r12: Value, r13: Value, r23: Value) -> Value:
    """Compute the partial correlation of two columns, given a third.

    Parameters
    ----------
    r12, r13, r23 : float or Undefined
        The correlations of three columns over the same rows, in [-1, 1].

    Returns
    -------
    float or Undefined
        The partial correlation, in [-1, 1]. Undefined if one of the correlations is undefined, or if the
        third column explains the first or the second column completely.

    Notes
    -----
    (r12 - r13 r23) / sqrt((1 - r13^2) (1 - r23^2)). With Pearson's r, this is the correlation between the
    residuals of the first two columns after a linear regression on the third.

    References
    ----------
    Yule (1897), On the significance of Bravais' formulae for regression, &c., in the case of skew
    correlation, Proceedings of the Royal Society of London 60, 477-489. Sido et al.
    (2024), doi:10.1007/s10579-024-09795-z, report .8276 for the two phases given the first round.

    Examples
    --------
    >>> partial_correlation(0.5, 0.5, 0.5)
    0.3333333333333333
    """
    if isinstance(r12, Undefined) or isinstance(r13, Undefined) or isinstance(r23, Undefined):
        return next(r for r in (r12, r13, r23) if isinstance(r, Undefined))
    variances = (1 - r13 * r13), (1 - r23 * r23)
    if min(variances) <= _MIN_REMAINING_VARIANCE:
        return Undefined("nothing_left", "the third round explains one of the two rounds completely")
    return max(-1.0, min(1.0, (r12 - r13 * r23) / sqrt(variances[0] * variances[1])))


def turn_numbers(ratings: Ratings) -> Indices:
    """Number the ratings of each annotator from 1, and return the (N,) numbers.

    Notes
    -----
    The order is chronological if the file has times, else it is the order of the file. Repeats count.

    Examples
    --------
    >>> from scorer.annotation.ratings import ratings_of
    >>> turn_numbers(ratings_of([[1, 3], [2, None], [1, 1]])).tolist()
    [1, 1, 2, 3, 2]
    """
    order = np.argsort(ratings.annotator, kind="stable")
    sorted_ = ratings.annotator[order]
    turns = np.empty(len(ratings), dtype=np.intp)
    turns[order] = np.arange(len(ratings)) - np.searchsorted(sorted_, sorted_) + 1
    return turns


def pauses_between(earlier: Ratings, later: Ratings) -> dict[str, float]:
    """Compute how long each annotator paused between two rounds, such as the two passes of a round.

    Parameters
    ----------
    earlier, later : Ratings
        The two rounds, with times. Repeats count. Annotators with the same name are the same person.

    Returns
    -------
    dict of str to float
        For each annotator of both rounds, in the order of `earlier`, the time from the last rating of the
        earlier round to the first rating of the later round, in seconds. It is below 0 if the annotator began
        the later round before the end of the earlier one.

    Raises
    ------
    RequestError
        If a round has no times.

    References
    ----------
    Sido et al. (2024), doi:10.1007/s10579-024-09795-z, figure 4c: the time between the two phases.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from scorer.annotation.ratings import ratings_of
    >>> free, dependent = ratings_of([[1, 2], [3, None]]), ratings_of([[1, None], [2, None]])
    >>> times = replace(free, time=np.array([0.0, 5.0, 9.0])), replace(dependent, time=np.array([70.0, 80.0]))
    >>> pauses_between(*times)
    {'1': 61.0}
    """
    if earlier.time is None or later.time is None:
        raise RequestError("--pauses needs --time COLUMN, the time of each rating")
    ends = dict(zip(earlier.annotator.tolist(), earlier.time.tolist(), strict=True))
    # The ratings are in the order of time, so reading them backwards leaves each annotator's first one.
    later_times = zip(later.annotator[::-1].tolist(), later.time[::-1].tolist(), strict=True)
    starts = {later.annotators[annotator]: time for annotator, time in later_times}
    return {
        name: starts[name] - ends[place]
        for place, name in enumerate(earlier.annotators)
        if place in ends and name in starts
    }


def pair_with_round(
    answers: Ratings, other: Ratings, by: Pairing = "means"
) -> tuple[NDArray[np.bool_], Floats]:
    """Pair each rating with the corresponding value of the other round.

    Parameters
    ----------
    answers, other : Ratings
        The two rounds. They must not be aligned, because turns are counted over all ratings of a round.
    by : "means" or "annotator"
        Whether a rating is paired with the mean of the other round's ratings of the unit, or with the same
        annotator's rating of the unit.

    Returns
    -------
    has_value : (N,) array of bool
        Whether the rating is not a repeat and the other round has a corresponding value.
    other_value : (N,) array of float
        The corresponding value, or 0 if there is none.
    """
    first = other.first()
    unit = _positions(answers.units, other.units)[answers.unit]
    if by == "means":
        moments = unit_moments(other)
        has_value = (unit >= 0) & (moments.count > 0)[unit]
        return has_value & answers.is_first, np.where(has_value, moments.mean[unit], 0.0)
    annotator_place = _positions(answers.annotators, other.annotators)[answers.annotator]
    cell = unit * max(1, len(other.annotators)) + annotator_place
    has_value = (unit >= 0) & (annotator_place >= 0) & np.isin(cell, first.cell)
    other_value = np.zeros(len(answers))
    other_value[has_value] = _values_at(first, cell[has_value])
    return has_value & answers.is_first, other_value


def _positions(names: Sequence[str], others: Sequence[str]) -> Indices:
    places = {name: place for place, name in enumerate(others)}
    return np.array([places.get(name, -1) for name in names], dtype=np.intp)


def closeness_by_thinking_time(
    answers: Ratings, other: Ratings, by: Pairing = "means", width: float = 1.0
) -> list[AnswerBucket]:
    """Compare ratings with another round, in buckets of the annotators' thinking time.

    Parameters
    ----------
    answers : Ratings
        The ratings, with `seconds`. Repeats and ratings without a thinking time are left out.
    other : Ratings
        The other round.
    by : "means" or "annotator"
        Whether a rating is compared with the mean of the other round, or with the same annotator's rating.
    width : float, above 0
        The width of a bucket in seconds. Each bucket starts at a multiple of the width.

    Returns
    -------
    list of AnswerBucket
        The buckets that have a rating, in ascending order.

    Raises
    ------
    RequestError
        If the width is not above 0.

    References
    ----------
    Sido et al. (2024), doi:10.1007/s10579-024-09795-z: RMSE between rounds in buckets of a second.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from scorer.annotation.ratings import ratings_of
    >>> answers = replace(ratings_of([[1], [3], [4]]), seconds=np.array([0.5, 2.0, 2.9]))
    >>> spans = closeness_by_thinking_time(answers, ratings_of([[2], [3], [2]]))
    >>> [(span.start, span.end, span.closeness.n, span.closeness.mse) for span in spans]
    [(0.0, 1.0, 1, 1.0), (2.0, 3.0, 2, 2.0)]
    """
    if not 0 < width < float("inf"):
        raise RequestError(f"the width of a bucket is {width:g}; it has to be above 0")
    has_value, other_value = pair_with_round(answers, other, by)
    if answers.seconds is None:
        return []
    has_value &= np.isfinite(answers.seconds)
    bucket = np.floor(np.round(answers.seconds[has_value] / width, 9))
    buckets = _closeness_by_key(bucket, answers.value[has_value], other_value[has_value])
    return [AnswerBucket(start * width, (start + 1) * width, close) for start, close in buckets]


def calibration_curve(
    answers: Ratings, other: Ratings, by: Pairing = "means", step: int = 1
) -> list[AnswerBucket]:
    """Compare the t-th ratings of all annotators with another round, for each turn t.

    Parameters
    ----------
    answers, other : Ratings
        The two rounds. Turns are counted in `answers`; see `turn_numbers`. Repeats count as turns, but are
        not compared.
    by : "means" or "annotator"
        Whether a rating is compared with the mean of the other round, or with the same annotator's rating.
    step : int, at least 1
        The number of turns in each bucket.

    Returns
    -------
    list of AnswerBucket
        The buckets in ascending order. A bucket has the turns from `start` to `end` - 1.

    Raises
    ------
    RequestError
        If the step is below 1.

    References
    ----------
    Sido et al. (2024), doi:10.1007/s10579-024-09795-z: the calibration curve.

    Examples
    --------
    >>> from scorer.annotation.ratings import ratings_of
    >>> curve = calibration_curve(ratings_of([[1, 2], [5, 3]]), ratings_of([[2, 1], [5, 4]]))
    >>> [(span.start, span.closeness.n, span.closeness.mse) for span in curve]
    [(1, 2, 0.25), (2, 2, 1.25)]
    """
    if step < 1:
        raise RequestError(f"--step is {step}; it has to be at least 1")
    has_value, other_value = pair_with_round(answers, other, by)
    bucket = (turn_numbers(answers)[has_value] - 1) // step
    buckets = _closeness_by_key(bucket, answers.value[has_value], other_value[has_value])
    return [
        AnswerBucket(int(number) * step + 1, (int(number) + 1) * step + 1, close) for number, close in buckets
    ]


def _closeness_by_key(
    key: "NDArray[np.float64] | Indices", a: Floats, b: Floats
) -> Iterator[tuple[float, Closeness]]:
    order = np.argsort(key, kind="stable")
    keys, starts = np.unique(key[order], return_index=True)
    ends = [*starts.tolist(), len(order)][1:]
    for key_value, start, end in zip(keys.tolist(), starts.tolist(), ends, strict=True):
        places = order[start:end]
        yield key_value, closeness(a[places].tolist(), b[places].tolist())
