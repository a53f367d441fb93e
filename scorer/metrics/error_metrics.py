"""How far a run is from the gold on the gold's own scale: mean squared and mean absolute error."""

from collections.abc import Sequence
from math import frexp, fsum, isfinite, ldexp, sqrt

from scorer.errors import UndefinedError
from scorer.metrics.validation import check_pair


def mse(gold: Sequence[float], pred: Sequence[float]) -> float:
    """Mean squared error.

    Parameters
    ----------
    gold, pred : (n,) float
        Finite, n >= 1, on the same scale. Items without a value have been left out of both.

    Returns
    -------
    float
        At least 0, in squared units of the scale.

    Raises
    ------
    UndefinedError
        "too_few_items" if n < 1; "overflow" if the value is too large for a float.
    RequestError
        If the lengths differ or a value is not finite.

    Notes
    -----
    sum((pred - gold)^2) / n, summed exactly. Differences are scaled by a power of two first, so that a square
    neither overflows nor vanishes where the mean is a float.

    Examples
    --------
    >>> mse([0, 2, 4], [1, 2, 2])
    1.6666666666666667
    """
    scaled, exponent = _scaled_differences(gold, pred)
    return _unscale(_mean_square(scaled), 2 * exponent)


def rmse(gold: Sequence[float], pred: Sequence[float]) -> float:
    """Root of the mean squared error.

    Parameters
    ----------
    gold, pred : (n,) float
        Finite, n >= 1, on the same scale. Items without a value have been left out of both.

    Returns
    -------
    float
        At least 0, in units of the scale.

    Raises
    ------
    UndefinedError
        "too_few_items" if n < 1; "overflow" if a difference is too large for a float.
    RequestError
        If the lengths differ or a value is not finite.

    Notes
    -----
    sqrt(sum((pred - gold)^2) / n); it has a value wherever the differences have one, also where `mse`
    overflows.

    Examples
    --------
    >>> rmse([0, 2, 4], [1, 2, 2])
    1.2909944487358056
    """
    scaled, exponent = _scaled_differences(gold, pred)
    return _unscale(sqrt(_mean_square(scaled)), exponent)


def mae(gold: Sequence[float], pred: Sequence[float]) -> float:
    """Mean absolute error.

    Parameters
    ----------
    gold, pred : (n,) float
        Finite, n >= 1, on the same scale. Items without a value have been left out of both.

    Returns
    -------
    float
        At least 0, in units of the scale; never above `rmse` but for rounding.

    Raises
    ------
    UndefinedError
        "too_few_items" if n < 1; "overflow" if a difference is too large for a float.
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
    return _unscale(fsum(map(abs, scaled)) / len(scaled), exponent)


def _scaled_differences(gold: Sequence[float], pred: Sequence[float]) -> tuple[list[float], int]:
    """Differences divided by 2^exponent, so that the largest is in [0.5, 1)."""
    check_pair(gold, pred, at_least=1)
    differences = [float(b - a) for a, b in zip(gold, pred, strict=True)]
    if not all(map(isfinite, differences)):
        raise _overflow()
    exponent = frexp(max(map(abs, differences)))[1]
    return [ldexp(difference, -exponent) for difference in differences], exponent


def _mean_square(values: Sequence[float]) -> float:
    return fsum([value * value for value in values]) / len(values)


def _unscale(value: float, exponent: int) -> float:
    try:
        return ldexp(value, exponent)
    except OverflowError:
        raise _overflow() from None


def _overflow() -> UndefinedError:
    return UndefinedError("overflow", "the differences between run and gold are too large for a float")
