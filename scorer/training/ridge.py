"""Ridge regression of gold values on features, with the penalty chosen by grouped cross-validation."""

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scorer.errors import UndefinedError
from scorer.training.features import Matrix

Vector = NDArray[np.float64]

FOLDS = 5
PENALTIES = tuple(10.0 ** (exponent / 2) for exponent in range(-8, 3))
"""The penalties to choose from, for each item: from .0001 to 10."""

_NOISE = 1e-9
"""The standard deviation of a feature, relative to its values, up to which it is constant."""


@dataclass(frozen=True, slots=True)
class Ridge:
    """A fitted ridge regression.

    Parameters
    ----------
    means, sds : (p,) array of float
        The mean and the standard deviation (divisor n) of each feature in the training items.
    weights : (p,) array of float
        By how much the prediction rises if a feature rises by its standard deviation; 0 if it is constant.
    intercept : float
        The mean gold value.
    penalty : float
        The penalty for each item.
    """

    means: Vector
    sds: Vector
    weights: Vector
    intercept: float
    penalty: float

    def predict(self, features: Matrix) -> Vector:
        """Predict the gold values of items from their features, (n, p)."""
        result: Vector = self.intercept + (features - self.means) / _divisors(self.sds) @ self.weights
        return result


def fit_ridge(features: Matrix, gold: Vector, penalty: float) -> Ridge:
    """Fit a ridge regression on standardized features.

    Parameters
    ----------
    features : (n, p) array of float
        The features of the training items, finite, n >= 1.
    gold : (n,) array of float
        Their gold values, finite.
    penalty : float, above 0
        The penalty for each item.

    Returns
    -------
    Ridge

    Notes
    -----
    The weights w minimize ``sum((y - z w)^2) / n + penalty * sum(w^2)``, with y the deviations of the gold
    values from their mean, and z the standardized features.

    References
    ----------
    Hoerl & Kennard (1970), Ridge regression: Biased estimation for nonorthogonal problems, Technometrics
    12(1), 55-67, doi:10.1080/00401706.1970.10488634.

    Examples
    --------
    >>> fit_ridge(np.array([[0.0], [2.0]]), np.array([1.0, 3.0]), 1.0).weights.tolist()
    [0.5]
    """
    means, sds = features.mean(axis=0), features.std(axis=0)
    sds = np.where(sds > _NOISE * np.abs(features).max(axis=0), sds, 0.0)
    z, n = (features - means) / _divisors(sds), len(gold)
    intercept = float(gold.mean())
    products = z.T @ z / n + penalty * np.eye(z.shape[1])
    return Ridge(means, sds, np.linalg.solve(products, z.T @ (gold - intercept) / n), intercept, penalty)


def _divisors(sds: Vector) -> Vector:
    """Replace the standard deviation 0 of a constant feature by infinity, so that it has no effect."""
    return np.where(sds > 0, sds, np.inf)


def make_folds(groups: Sequence[Hashable]) -> NDArray[np.intp]:
    """Assign items to folds of similar sizes; all items of a group are in one fold.

    Parameters
    ----------
    groups : (n,) sequence
        The group of each item.

    Returns
    -------
    (n,) array of int
        The fold of each item, from 0. There are five folds, or as many as there are groups.

    Examples
    --------
    >>> make_folds(["a", "a", "a", "b", "c", "d", "e", "f"]).tolist()
    [0, 0, 0, 1, 2, 3, 4, 1]
    """
    sizes = [0] * FOLDS
    fold_of = {}
    for group, size in Counter(groups).most_common():
        fold_of[group] = sizes.index(min(sizes))
        sizes[fold_of[group]] += size
    return np.array([fold_of[group] for group in groups])


def choose_ridge(features: Matrix, gold: Vector, groups: Sequence[Hashable]) -> Ridge:
    """Fit a ridge regression with the penalty that has the smallest squared error in cross-validation.

    Parameters
    ----------
    features : (n, p) array of float
        The features of the training items.
    gold : (n,) array of float
        Their gold values.
    groups : (n,) sequence
        Their groups. A group is never both in the items that are predicted and in those learned from.

    Returns
    -------
    Ridge

    Raises
    ------
    UndefinedError
        With the code "too_few_groups" if there are fewer than two groups.
    """
    _require_groups(groups, 2)
    folds, errors = make_folds(groups), dict.fromkeys(PENALTIES, 0.0)
    for fold in range(folds.max() + 1):
        test = folds == fold
        for penalty in PENALTIES:
            fitted = fit_ridge(features[~test], gold[~test], penalty)
            errors[penalty] += float(np.square(gold[test] - fitted.predict(features[test])).sum())
    return fit_ridge(features, gold, min(errors, key=errors.__getitem__))


def predict_left_out(features: Matrix, gold: Vector, groups: Sequence[Hashable]) -> Vector:
    """Predict each training item by a regression that was fitted without its fold.

    Parameters
    ----------
    features, gold, groups
        As for `choose_ridge`.

    Returns
    -------
    (n,) array of float
        The predictions.

    Raises
    ------
    UndefinedError
        With the code "too_few_groups" if there are fewer than three groups.

    Notes
    -----
    For each fold, the penalty is chosen by cross-validation within the other folds, so that it does not
    depend on the items that are predicted.

    References
    ----------
    Cawley & Talbot (2010), On over-fitting in model selection and subsequent selection bias in performance
    evaluation, Journal of Machine Learning Research 11, 2079-2107.
    """
    _require_groups(groups, 3)
    folds, predictions = make_folds(groups), np.zeros(len(gold))
    for fold in range(folds.max() + 1):
        test = folds == fold
        rest = [group for group, is_test in zip(groups, test, strict=True) if not is_test]
        predictions[test] = choose_ridge(features[~test], gold[~test], rest).predict(features[test])
    return predictions


def _require_groups(groups: Sequence[Hashable], at_least: int) -> None:
    if len(set(groups)) < at_least:
        fact = f"cross-validation needs at least {at_least} groups of items, and there are {len(set(groups))}"
        raise UndefinedError("too_few_groups", fact)
