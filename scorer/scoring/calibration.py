"""Maps the values of a system to the scale of the gold, by a line or a monotone function."""

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import fsum
from typing import Literal

from scorer.baselines.rounding import shortest_decimal
from scorer.errors import UndefinedError
from scorer.metrics.validation import check_pair
from scorer.scoring.residuals import fit_line

CalibrationMethod = Literal["linear", "isotonic"]
CalibrationMap = Callable[[float], float]
FOLDS = 5
MIN_CALIBRATION_ITEMS = 2 * FOLDS


@dataclass(frozen=True, slots=True)
class ScoreCalibration:
    """A map from values to the scale of the gold.

    Parameters
    ----------
    method : "linear" or "isotonic"
        The method with the smaller error; linear if they are equal.
    errors : mapping of str to float
        The mean squared error of each method in cross-validation.
    map : callable
        From the value of a system to an expected gold value, learned from all items.
    """

    method: CalibrationMethod
    errors: Mapping[CalibrationMethod, float]
    map: CalibrationMap

    def convert_run(self, run: str, low: Fraction, high: Fraction) -> str:
        """Map the values of an aligned run, within the ends of the scale. Confidences do not change."""
        rows = [line.partition("\t") for line in run.splitlines()]
        values = [Fraction(self.map(float(value))) for value, _, _ in rows]
        limited = [shortest_decimal(min(max(value, low), high)) for value in values]
        return "".join(f"{value}{tab}{rest}\n" for value, (_, tab, rest) in zip(limited, rows, strict=True))


def calibrate(gold: Sequence[float], pred: Sequence[float]) -> ScoreCalibration:
    """Learn how values of a system map to gold values.

    Parameters
    ----------
    gold, pred : (n,) float
        The gold values and the system's values of training items, finite and not constant, n >= 10. Items
        without a value must be left out of both.

    Returns
    -------
    ScoreCalibration

    Raises
    ------
    UndefinedError
        With the code "too_few_items" if n < 10, "constant_gold" or "constant_run" if all values of one side
        are equal, also without one of the folds.
    RequestError
        If the lengths differ or a value is not finite.

    Notes
    -----
    The methods are the least-squares line (`fit_line`) and isotonic regression (`fit_isotonic`). Each is
    learned five times without a fifth of the items and predicts these; every fifth item is in the same fold,
    so that items sorted by genre do not leave a genre out. The line keeps Pearson's r; isotonic regression
    can change it, and makes ties, which change Spearman's rho.

    References
    ----------
    Stone (1974), Cross-validatory choice and assessment of statistical predictions, Journal of the Royal
    Statistical Society B 36(2), doi:10.1111/j.2517-6161.1974.tb00994.x.

    Examples
    --------
    >>> step = calibrate([1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3], range(12))
    >>> step.method, step.map(2), step.map(5.5), step.map(40)
    ('isotonic', 1.0, 2.0, 3.0)
    """
    check_pair(gold, pred, at_least=1)
    if len(gold) < MIN_CALIBRATION_ITEMS:
        fact = f"calibration needs {MIN_CALIBRATION_ITEMS} items with gold or more, and there are {len(gold)}"
        raise UndefinedError("too_few_items", fact)
    errors = {method: _validate(fit, gold, pred) for method, fit in _METHODS.items()}
    method = min(errors, key=errors.__getitem__)
    return ScoreCalibration(method, errors, _METHODS[method](gold, pred))


def calibrate_by_run(gold: Sequence[float | None], run: str) -> ScoreCalibration:
    """Learn from the aligned run of training items and their gold (None: not scored); see `calibrate`."""
    pred = [float(line.partition("\t")[0]) for line in run.splitlines()]
    scored = [(value, score) for value, score in zip(pred, gold, strict=True) if score is not None]
    return calibrate([score for _, score in scored], [value for value, _ in scored])


def fit_isotonic(gold: Sequence[float], pred: Sequence[float]) -> CalibrationMap:
    """Fit the function that never decreases and predicts the gold from values with the least squared error.

    Parameters
    ----------
    gold, pred : (n,) float
        The gold values and the system's values, finite, n >= 1.

    Returns
    -------
    callable
        The function: linear between two values of `pred`, constant below the smallest and above the largest.

    Notes
    -----
    The pool-adjacent-violators algorithm: neighbors whose means are in the wrong order are replaced by their
    common mean. Items with equal values of `pred` count by their mean. Sums are exact.

    References
    ----------
    Barlow, Bartholomew, Bremner & Brunk (1972), Statistical inference under order restrictions, section 1.2.

    Examples
    --------
    >>> fitted = fit_isotonic([1, 3, 2, 4], [0.1, 0.2, 0.3, 0.5])
    >>> fitted(0.0), fitted(0.2), fitted(0.3), fitted(0.4)
    (1.0, 2.5, 2.5, 3.25)
    """
    check_pair(gold, pred, at_least=1)
    gold_by_pred: dict[float, list[Fraction]] = {}
    for value, score in sorted(zip(pred, gold, strict=True)):
        gold_by_pred.setdefault(value, []).append(Fraction(score))
    pools: list[tuple[Fraction, int, int]] = []  # the sum of the gold, the items, the different values
    for scores in gold_by_pred.values():
        pools.append((sum(scores, Fraction(0)), len(scores), 1))
        while len(pools) > 1 and pools[-2][0] * pools[-1][1] >= pools[-1][0] * pools[-2][1]:
            last, before = pools.pop(), pools.pop()
            pools.append((before[0] + last[0], before[1] + last[1], before[2] + last[2]))
    levels = [float(total / n) for total, n, width in pools for _ in range(width)]
    return _interpolation(list(gold_by_pred), levels)


def _interpolation(points: Sequence[float], levels: Sequence[float]) -> CalibrationMap:
    def interpolate(value: float) -> float:
        above = bisect_left(points, value)
        if above in (0, len(points)):
            return levels[min(above, len(points) - 1)]
        share = (value - points[above - 1]) / (points[above] - points[above - 1])
        return levels[above - 1] + share * (levels[above] - levels[above - 1])

    return interpolate


def _fit_linear(gold: Sequence[float], pred: Sequence[float]) -> CalibrationMap:
    line = fit_line(gold, pred)
    return lambda value: line.intercept + line.slope * value


_METHODS: Mapping[CalibrationMethod, Callable[[Sequence[float], Sequence[float]], CalibrationMap]] = {
    "linear": _fit_linear,
    "isotonic": fit_isotonic,
}


def _validate(
    fit: Callable[[Sequence[float], Sequence[float]], CalibrationMap],
    gold: Sequence[float],
    pred: Sequence[float],
) -> float:
    """Return the mean squared error on items that were left out."""
    errors: list[float] = []
    for fold in range(FOLDS):
        rest = [n for n in range(len(gold)) if n % FOLDS != fold]
        fitted = fit([gold[n] for n in rest], [pred[n] for n in rest])
        errors += [gold[n] - fitted(pred[n]) for n in range(fold, len(gold), FOLDS)]
    return fsum([error * error / len(errors) for error in errors])
