"""Errors of a run on the scale of the gold: mean squared error, its root, and mean absolute error."""

from collections.abc import Sequence
from math import fsum, isfinite, ldexp, sqrt

from scorer.errors import UndefinedError
from scorer.metrics.validation import check_pair, exponent_of


def mse(gold: Sequence[float], pred: Sequence[float]) -> float:
    """Compute the mean squared error.

    Parameters
    ----------
    gold, pred : (n,) float
        The gold values and the predictions, finite and on the same scale, n >= 1. Items without a value must
        be left out of both.

    Returns
    -------
    float
        The error, at least 0, in squared units of the scale.

    Raises
    ------
    UndefinedError
        With the code "too_few_items" if n < 1, and "overflow" if the value is too large for a float.
    RequestError
        If the lengths differ or a value is not finite.

    Notes
    -----
    sum((pred - gold)^2) / n, summed exactly. Differences are first scaled by a power of two, so that their
    squares neither overflow nor underflow if the mean can be represented as a float.

    Examples
    --------
    >>> mse([0, 2, 4], [1, 2, 2])
    1.6666666666666667
    """
    scaled, exponent = _scaled_differences(gold, pred)
    return unscale(_mean_square(scaled), 2 * exponent)


def rmse(gold: Sequence[float], pred: Sequence[float]) -> float:
    """Compute the root of the mean squared error.

    Parameters
    ----------
    gold, pred : (n,) float
        The gold values and the predictions, finite and on the same scale, n >= 1. Items without a value must
        be left out of both.

    Returns
    -------
    float
        The error, at least 0, in units of the scale.

    Raises
    ------
    UndefinedError
        With the code "too_few_items" if n < 1, and "overflow" if a difference is too large for a float.
    RequestError
        If the lengths differ or a value is not finite.

    Notes
    -----
    sqrt(sum((pred - gold)^2) / n). It is defined whenever all differences are floats, even if `mse`
    overflows.

    Examples
    --------
    >>> rmse([0, 2, 4], [1, 2, 2])
    1.2909944487358056
    """
    scaled, exponent = _scaled_differences(gold, pred)
    return unscale(sqrt(_mean_square(scaled)), exponent)


def mae(gold: Sequence[float], pred: Sequence[float]) -> float:
    """Compute the mean absolute error.

    Parameters
    ----------
    gold, pred : (n,) float
        The gold values and the predictions, finite and on the same scale, n >= 1. Items without a value must
        be left out of both.

    Returns
    -------
    float
        The error, at least 0, in units of the scale. Apart from rounding, it is at most `rmse`.

    Raises
    ------
    UndefinedError
        With the code "too_few_items" if n < 1, and "overflow" if a difference is too large for a float.
    RequestError
        If the lengths differ or a value is not finite.

    Notes
    -----
    sum(abs(pred - gold)) / n, summed exactly.

    Examples
    --------
    >>> mae([0, 2, 4], [1, 2, 2])
    1.0
    """
    scaled, exponent = _scaled_differences(gold, pred)
    return unscale(fsum(map(abs, scaled)) / len(scaled), exponent)


def _scaled_differences(gold: Sequence[float], pred: Sequence[float]) -> tuple[list[float], int]:
    """Return the differences divided by 2^exponent so that the largest is in [0.5, 1), and the exponent."""
    check_pair(gold, pred, at_least=1)
    differences = [float(b - a) for a, b in zip(gold, pred, strict=True)]
    if not all(map(isfinite, differences)):
        raise too_large_differences()
    exponent = exponent_of(differences)
    return [ldexp(difference, -exponent) for difference in differences], exponent


def _mean_square(values: Sequence[float]) -> float:
    return fsum([value * value for value in values]) / len(values)


def unscale(value: float, exponent: int) -> float:
    """Multiply by 2^exponent; raise UndefinedError if the result is too large for a float."""
    try:
        return ldexp(value, exponent)
    except OverflowError:
        raise too_large_differences() from None


def too_large_differences() -> UndefinedError:
    """Return the error of differences, or a mean of them, that no float can hold."""
    return UndefinedError("overflow", "the differences between run and gold are too large for a float")
