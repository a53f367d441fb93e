"""The residuals of a linear regression of the gold on a run's scores, by item and by genre."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum, ldexp, sqrt

from scorer.errors import UndefinedError
from scorer.metrics.validation import check_pair, deviations, exponent_of, refuse_constant


@dataclass(frozen=True, slots=True)
class LineFit:
    """The least-squares line that predicts the gold from a run's scores.

    Parameters
    ----------
    slope, intercept : float
        The coefficients of gold = intercept + slope * score.
    residuals : (n,) tuple of float
        The gold minus the predicted value, on the scale of the gold. A residual is above 0 if the gold is
        higher than predicted.
    """

    slope: float
    intercept: float
    residuals: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class GenreResiduals:
    """The mean and standard deviation of the residuals in one genre.

    Parameters
    ----------
    genre : str
        The name of the genre.
    n : int
        The number of its scored items, at least 1.
    mean : float
        The mean of the residuals. If it is above 0, the run's scores are too low for this genre; if it is
        below 0, they are too high.
    sd : float or None
        The standard deviation of the residuals (divisor n - 1), or None if there is only one item.
    """

    genre: str
    n: int
    mean: float
    sd: float | None


def fit_line(gold: Sequence[float], pred: Sequence[float]) -> LineFit:
    """Fit a line that predicts the gold from a run's scores by least squares.

    Parameters
    ----------
    gold, pred : (n,) float
        The gold values and the run's scores, finite and not constant, n >= 2. Items without a value must be
        left out of both.

    Returns
    -------
    LineFit
        The line and the residuals in the order of the items. The residuals sum to 0.

    Raises
    ------
    UndefinedError
        With the code "too_few_items" if n < 2, "constant_gold" or "constant_run" if all values of one side
        are equal, and "overflow" if a result is too large for a float.
    RequestError
        If the lengths differ or a value is not finite.

    Notes
    -----
    slope = sum(x y) / sum(x x) with x and y the deviations of scores and gold from their means, and the line
    goes through both means. Like Pearson's r, the residuals do not depend on the scale of the run. The sum of
    their squares is (1 - r^2) times the sum of the squared deviations of the gold. Sums are exact
    (`math.fsum`).

    References
    ----------
    Galton (1886), "Regression towards mediocrity in hereditary stature", Journal of the Anthropological
    Institute 15, 246-263, doi:10.2307/2841583. Residuals: Anscombe (1973), "Graphs in statistical analysis",
    The American Statistician 27(1), 17-21, doi:10.1080/00031305.1973.10478966.

    Examples
    --------
    >>> fit_line([1.0, 2.0, 6.0], [0.0, 1.0, 2.0])
    LineFit(slope=2.5, intercept=0.5, residuals=(0.5, -1.0, 0.5))
    """
    check_pair(gold, pred, at_least=2)
    refuse_constant(gold, pred)
    exponents = exponent_of(pred), exponent_of(gold)
    x, y = deviations(pred), deviations(gold)
    slope = fsum([a * b for a, b in zip(x, y, strict=True)]) / fsum([a * a for a in x])
    middle, level = (
        fsum([ldexp(value, -exponent) for value in values]) / len(values)
        for values, exponent in zip((pred, gold), exponents, strict=True)
    )
    try:
        residuals = tuple(ldexp(b - slope * a, exponents[1]) for a, b in zip(x, y, strict=True))
        intercept = ldexp(level - slope * middle, exponents[1])
        return LineFit(ldexp(slope, exponents[1] - exponents[0]), intercept, residuals)
    except OverflowError:
        raise UndefinedError("overflow", "the line is too steep or too far from 0 for a float") from None


def residuals_by_genre(residuals: Sequence[float], genres: Sequence[str]) -> tuple[GenreResiduals, ...]:
    """Compute the mean and standard deviation of the residuals in each genre.

    Parameters
    ----------
    residuals : (n,) float
        The residuals of `fit_line` over the items of all genres.
    genres : (n,) str
        The genre of each item.

    Returns
    -------
    tuple of GenreResiduals
        The genres in the order in which they appear.

    Examples
    --------
    >>> residuals_by_genre([0.5, -1.0, 1.5], ["CQA", "News", "CQA"])[0]
    GenreResiduals(genre='CQA', n=2, mean=1.0, sd=0.7071067811865476)
    """
    values_by_genre: dict[str, list[float]] = {}
    for genre, value in zip(genres, residuals, strict=True):
        values_by_genre.setdefault(genre, []).append(value)
    return tuple(_of_genre(genre, values) for genre, values in values_by_genre.items())


def _of_genre(genre: str, values: Sequence[float]) -> GenreResiduals:
    n, exponent = len(values), exponent_of(values)
    mean = ldexp(fsum([ldexp(value, -exponent) for value in values]) / n, exponent)
    squares = [distance * distance for distance in deviations(values)]
    sd = None if n < 2 else ldexp(sqrt(fsum(squares) / (n - 1)), exponent)
    return GenreResiduals(genre, n, mean, sd)
