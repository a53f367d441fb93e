"""Where a run goes wrong: what a line from its scores to the gold leaves unexplained, item by item."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum, sqrt

from scorer.metrics.validation import check_pair, refuse_constant


@dataclass(frozen=True, slots=True)
class LineFit:
    """The line through a run's scores that is nearest to the gold.

    Parameters
    ----------
    slope, intercept : float
        Of gold = intercept + slope * score.
    residuals : (n,) tuple of float
        Gold minus the line, on the gold's scale: above 0 where the gold is higher than the run led to expect.
    """

    slope: float
    intercept: float
    residuals: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class GenreResiduals:
    """The residuals of one genre.

    Parameters
    ----------
    genre : str
        Its name.
    n : int
        How many scored items it has, at least 1.
    mean : float
        Above 0: the run is too low there; below 0: too high.
    sd : float or None
        Their standard deviation (n - 1) about that mean; None for one item.
    """

    genre: str
    n: int
    mean: float
    sd: float | None


def fit_line(gold: Sequence[float], pred: Sequence[float]) -> LineFit:
    """Fit the gold by least squares to a run's scores.

    Parameters
    ----------
    gold, pred : (n,) float
        Finite, n >= 2, neither of them constant. Items without a value have been left out of both.

    Returns
    -------
    LineFit
        The residuals in the order of the items; they sum to 0.

    Raises
    ------
    UndefinedError
        "too_few_items" if n < 2, "constant_gold" or "constant_run" if one side has a single value.
    RequestError
        If the lengths differ or a value is not finite.

    Notes
    -----
    slope = sum(x y) / sum(x x) with x and y the deviations of scores and gold from their means, and the line
    goes through both means. A run may have any scale, for Pearson's r does not change with it; nor do these
    residuals, whose sum of squares is (1 - r^2) of that of the gold. Sums are exact (`math.fsum`).

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
    middle, level = fsum(pred) / len(pred), fsum(gold) / len(gold)
    x, y = [value - middle for value in pred], [value - level for value in gold]
    slope = fsum([a * b for a, b in zip(x, y, strict=True)]) / fsum([a * a for a in x])
    residuals = tuple(b - slope * a for a, b in zip(x, y, strict=True))
    return LineFit(slope, level - slope * middle, residuals)


def residuals_by_genre(residuals: Sequence[float], genres: Sequence[str]) -> tuple[GenreResiduals, ...]:
    """Mean and spread of residuals in each genre.

    Parameters
    ----------
    residuals : (n,) float
        From `fit_line` over the items of all genres.
    genres : (n,) str
        That of each item.

    Returns
    -------
    tuple of GenreResiduals
        In the order in which the genres appear.

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
    n, mean = len(values), fsum(values) / len(values)
    sd = None if n < 2 else sqrt(fsum([(value - mean) ** 2 for value in values]) / (n - 1))
    return GenreResiduals(genre, n, mean, sd)
