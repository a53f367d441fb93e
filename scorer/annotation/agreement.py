"""Inter-annotator and intra-annotator agreement."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import fsum

import numpy as np

from scorer.annotation.exact_arithmetic import remove_rounding_noise, scale_to_whole_numbers, unit_moments
from scorer.annotation.ratings import Floats, Indices, Ratings
from scorer.errors import RequestError
from scorer.metrics import mse, pearson, rmse, spearman
from scorer.values import Undefined, value_or_undefined

Value = float | Undefined
MEASURES = ("pearson", "spearman", "rmse", "mse")


@dataclass(frozen=True, slots=True)
class Closeness:
    """Measures of how close two columns of ratings are.

    Parameters
    ----------
    n : int
        The number of pairs of ratings.
    pearson, spearman : float or Undefined
        The correlations, in [-1, 1].
    rmse, mse : float or Undefined
        The errors, at least 0, in points of the scale and in squared points.
    """

    n: int
    pearson: Value
    spearman: Value
    rmse: Value
    mse: Value

    @property
    def cells(self) -> tuple[Value, ...]:
        """The cells of a table row: n, and the values of MEASURES in order."""
        return self.n, self.pearson, self.spearman, self.rmse, self.mse


@dataclass(frozen=True, slots=True)
class AnnotatorAgreement:
    """The agreement of one annotator with the others.

    Parameters
    ----------
    name : str
        The name of the annotator.
    ratings : int
        The number of the annotator's first ratings. `closeness.n` of them are for units that others rated
        too.
    closeness : Closeness
        The closeness of the annotator's ratings to the mean of the others' ratings of the same units.
    bias : float or Undefined
        The mean of the annotator's rating minus that mean. If it is above 0, the annotator gives higher
        ratings than the others.
    """

    name: str
    ratings: int
    closeness: Closeness
    bias: Value


def closeness(a: Sequence[float], b: Sequence[float]) -> Closeness:
    """Compute Pearson's r, Spearman's rho, RMSE and MSE of two columns.

    Parameters
    ----------
    a, b : (n,) float
        The columns, finite.

    Returns
    -------
    Closeness
        A measure is `Undefined`, with a reason, if n is too small or a column is constant.

    Notes
    -----
    The columns can contain means that differ only by rounding errors. Therefore Spearman ranks the values
    without rounding noise (at 12 decimal places, if they are of the usual size), and a column counts as
    constant if these are.

    Examples
    --------
    >>> closeness([1, 2, 4], [1, 3, 4]).mse
    0.3333333333333333
    """
    rho = _value(spearman, remove_rounding_noise(a, a).tolist(), remove_rounding_noise(b, b).tolist())
    r = rho if isinstance(rho, Undefined) else _value(pearson, a, b)
    return Closeness(len(a), r, rho, _value(rmse, a, b), _value(mse, a, b))


def _value(
    measure: Callable[[Sequence[float], Sequence[float]], float], a: Sequence[float], b: Sequence[float]
) -> Value:
    value = value_or_undefined(measure, a, b)
    if isinstance(value, Undefined) and value.code.startswith("constant"):
        return Undefined("constant_ratings", "all values in one of the two series are the same")
    if isinstance(value, Undefined) and len(a) < 2:
        return Undefined(value.code, "fewer than two pairs of values to correlate")
    return value


def pair_with_others_mean(ratings: Ratings) -> tuple[Indices, Indices, Floats, Floats]:
    """Pair each first rating with the mean of the other annotators' ratings of the same unit.

    Returns
    -------
    unit, annotator : (p,) array of int
        The unit and the annotator of each rating.
    own, others : (p,) array of float
        The rating, and the mean of the other annotators' ratings. Units with a single rating are left out.
    """
    first = ratings.first()
    n = len(ratings.units)
    numbers, scale = scale_to_whole_numbers(first.value)
    sizes, sums = np.bincount(first.unit, minlength=n), np.bincount(first.unit, numbers, n)
    shared = sizes[first.unit] > 1
    unit = first.unit[shared]
    others = (sums[unit] - numbers[shared]) / ((sizes[unit] - 1) * scale)
    return unit, first.annotator[shared], first.value[shared], others


def annotator_agreements(ratings: Ratings) -> tuple[AnnotatorAgreement, ...]:
    """Compare each annotator with the mean of the others on the same units.

    Parameters
    ----------
    ratings : Ratings
        The ratings. Repeats are left out.

    Returns
    -------
    tuple of AnnotatorAgreement
        The annotators in descending order of RMSE, then by name. Annotators who share no unit with others
        are last.

    References
    ----------
    Sido et al. (2021, revised), Czech News Dataset for Semantic Textual Similarity, arXiv:2108.08708: the
    agreement between annotators.

    Examples
    --------
    >>> from scorer.annotation.ratings import ratings_of
    >>> [each.name for each in annotator_agreements(ratings_of([[1, 1, 4], [2, 2, 3], [3, 3, 0]]))]
    ['3', '1', '2']
    """
    _, annotator_of, own, others = pair_with_others_mean(ratings)
    order = np.argsort(annotator_of, kind="stable")
    ends = np.searchsorted(annotator_of[order], np.arange(len(ratings.annotators) + 1))
    rating_counts = np.bincount(ratings.first().annotator, minlength=len(ratings.annotators))
    agreements = []
    for place, name in enumerate(ratings.annotators):
        indices = order[ends[place] : ends[place + 1]]
        a, b = own[indices].tolist(), others[indices].tolist()
        bias: Value = _NO_SHARED_UNIT
        if a:
            bias = float(remove_rounding_noise(fsum(map(float.__sub__, a, b)) / len(a), a, b))
        agreements.append(
            AnnotatorAgreement(name, int(rating_counts[place]), closeness(a, b) if a else _NO_CLOSENESS, bias)
        )
    return tuple(
        sorted(agreements, key=lambda agreement: (_rmse_order(agreement.closeness.rmse), agreement.name))
    )


_NO_SHARED_UNIT = Undefined("no_shared_unit", "nobody else rated the annotator's units")
_NO_CLOSENESS = Closeness(0, _NO_SHARED_UNIT, _NO_SHARED_UNIT, _NO_SHARED_UNIT, _NO_SHARED_UNIT)


def _rmse_order(value: Value) -> float:
    return float("inf") if isinstance(value, Undefined) else -float(remove_rounding_noise(value, value))


def average_closeness(annotators: Sequence[AnnotatorAgreement]) -> Closeness:
    """Compute the mean of each measure over the annotators, without undefined values.

    Returns
    -------
    Closeness
        `n` is the number of annotators with an RMSE. The mean of a correlation can be over fewer annotators.
    """
    columns = [[getattr(annotator.closeness, name) for annotator in annotators] for name in MEASURES]
    defined = [[value for value in column if not isinstance(value, Undefined)] for column in columns]
    undefined = Undefined("no_annotator", "no annotator has a value")
    return Closeness(
        len(defined[2]), *(fsum(values) / len(values) if values else undefined for values in defined)
    )


def pooled_closeness(ratings: Ratings) -> Closeness:
    """Compare all ratings, pooled over annotators, with the mean of the others' ratings of the same unit."""
    _, _, own, others = pair_with_others_mean(ratings)
    return closeness(own.tolist(), others.tolist())


def pooled_closeness_to_unit_mean(ratings: Ratings) -> Closeness:
    """Compare all ratings, pooled over annotators, with the mean of their unit, which includes the rating.

    Notes
    -----
    The first version of the paper on the Czech data set reports this. Because each rating is partly compared
    with itself, the result looks closer than that of `pooled_closeness`, especially if units have few raters.
    """
    first = ratings.first()
    moments = unit_moments(ratings)
    shared = first.take(moments.count[first.unit] > 1)
    return closeness(shared.value.tolist(), moments.mean[shared.unit].tolist())


def repeated_ratings(ratings: Ratings) -> tuple[Floats, Floats]:
    """Return each annotator's first and second rating of the units that they rated twice.

    Notes
    -----
    Third and later ratings are left out. The ratings are in chronological order if the file has times, else
    in the order of the file.
    """
    order = np.argsort(ratings.cell, kind="stable")
    _, first, counts = np.unique(ratings.cell[order], return_index=True, return_counts=True)
    repeated = first[counts > 1]
    return ratings.value[order[repeated]], ratings.value[order[repeated + 1]]


def intra_annotator_closeness(*parts: Ratings) -> Closeness:
    """Compare each annotator's first and second rating of a unit, pooled over annotators and parts."""
    pairs = [np.concatenate(column).tolist() for column in zip(*map(repeated_ratings, parts), strict=True)]
    return closeness(*pairs)


def strong_agreement(ratings: Ratings, share: float = 0.8) -> Value:
    """Compute the share of units whose most frequent rating has at least `share` of the unit's ratings.

    Parameters
    ----------
    ratings : Ratings
        The ratings. Repeats and units with a single rating are left out.
    share : float
        The required share, above 0 and at most 1. For example, .8 means four of five ratings.

    Returns
    -------
    float or Undefined
        The share of units, in [0, 1].

    Raises
    ------
    RequestError
        If `share` is out of range.

    References
    ----------
    Asaadi, Kolagar, Liebel & Zarcone (2022), GiCCS: A German in-Context Conversational Similarity Benchmark,
    GEM 2022, for answers to best-worst questions.

    Examples
    --------
    >>> from scorer.annotation.ratings import ratings_of
    >>> strong_agreement(ratings_of([[1, 1, 1, 1, 2], [1, 1, 1, 2, 2]]))
    0.5
    """
    if not 0 < share <= 1:
        raise RequestError(f"the share of strong agreement is {share:g}; it is above 0 and at most 1")
    first = ratings.first()
    sizes = np.bincount(first.unit, minlength=len(ratings.units))
    units = int((sizes > 1).sum())
    if units == 0:
        return Undefined("no_pairs", "no unit has two ratings")
    codes = np.unique(first.value, return_inverse=True)[1]
    pairs, counts = np.unique(np.stack([first.unit, codes]), axis=1, return_counts=True)
    most = np.zeros(len(sizes))
    np.maximum.at(most, pairs[0], counts)
    strong = most >= share * sizes - 1e-9
    return int((strong & (sizes > 1)).sum()) / units


_MIN_RATINGS = 4
"""The minimum number k of ratings. Student's t with k - 1 degrees of freedom has a variance if k >= 4."""


@dataclass(frozen=True, slots=True)
class ExpectedMSE:
    """The result of `expected_mse`.

    Parameters
    ----------
    value : float or Undefined
        The mean over units of (k - 1) / (k - 3) times s^2 / k; at least 0, in squared points of the scale.
    unbiased : float or Undefined
        The mean of s^2 / k over the same units.
    units, left_out : int
        The numbers of units with at least four ratings, and with fewer.
    """

    value: float | Undefined
    unbiased: float | Undefined
    units: int
    left_out: int


def expected_mse(ratings: Ratings) -> ExpectedMSE:
    """Compute the expected MSE, against mean ratings, of a system that knows each unit's population mean.

    Parameters
    ----------
    ratings : Ratings
        The ratings. Repeats are left out. Units can have different numbers k of ratings; units with fewer
        than four are left out and counted.

    Returns
    -------
    ExpectedMSE
        The values are `Undefined` if no unit has four ratings.

    Notes
    -----
    With k ratings of a unit, mean x and sample variance s^2 (divisor k - 1), (mu - x) / (s / sqrt(k)) follows
    Student's t with k - 1 degrees of freedom, whose variance is (k - 1) / (k - 3). So, given the ratings, the
    expected squared distance of the population mean mu from x is (k - 1) / (k - 3) s^2 / k. With k = 9 this
    is 4/3 s^2 / 9. The ratings are assumed to be independent draws from one normal population for each unit.

    The value is not a bound for any particular system: a copy of the gold has MSE 0, and a system that
    learned the habits of these k annotators can also be below it. It does not apply to adjudicated gold,
    which is not a mean of k draws. Over many sets of k annotators, the same system has the MSE sigma^2 / k,
    and `unbiased` is an unbiased estimate of that. `value` is larger because sigma is unknown and is
    estimated by s.

    References
    ----------
    Sido et al. (2024), Czech news dataset for semantic textual similarity, Language Resources and Evaluation,
    doi:10.1007/s10579-024-09795-z (arXiv:2108.08708), where k = 9.

    Examples
    --------
    >>> from scorer.annotation.ratings import ratings_of
    >>> found = expected_mse(ratings_of([[0, 1, 2, 3, 4], [2, 2, 2, 2, 2], [1, 2, None, None, None]]))
    >>> found.value, found.unbiased, found.units, found.left_out
    (0.5, 0.25, 2, 1)
    """
    moments = unit_moments(ratings)
    enough = moments.count >= _MIN_RATINGS
    units, left_out = int(enough.sum()), int((~enough).sum())
    if not units:
        few = Undefined(
            "too_few_ratings", f"no unit has {_MIN_RATINGS} or more ratings, which the expected MSE needs"
        )
        return ExpectedMSE(few, few, units, left_out)
    k = moments.count[enough]
    error = moments.squares[enough] / (k - 1) / k
    value = fsum((error * (k - 1) / (k - 3)).tolist()) / units
    return ExpectedMSE(value, fsum(error.tolist()) / units, units, left_out)
