"""What a ridge regression has learned: its weights, and how well it predicts items that it has not seen."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scorer.files.text import count_noun
from scorer.metrics import METRICS
from scorer.reports.table_report import ReportTable, TableCell, TableReport
from scorer.training.features import Matrix
from scorer.training.ridge import Ridge, Vector, choose_ridge, make_folds, predict_left_out
from scorer.values import value_or_undefined

SCHEMA = "assay.ridge/1"
_METRICS = ("pearson", "spearman", "mse")


@dataclass(frozen=True, slots=True)
class RidgeSystem:
    """A ridge regression on named features, with the items that it was trained on.

    Parameters
    ----------
    names : (p,) sequence of str
        The names of the features.
    features : (n, p) array of float
    gold : (n,) array of float
    groups : (n,) sequence of str
        The training items, as for `choose_ridge`.
    ridge : Ridge
        The regression on all of them.
    left_out : (n,) array of float
        The prediction of each item by a regression without its fold (`predict_left_out`).
    scale : (float, float)
        The lowest and the highest value that is predicted.
    """

    names: Sequence[str]
    features: Matrix
    gold: Vector
    groups: Sequence[str]
    ridge: Ridge
    left_out: Vector
    scale: tuple[float, float]

    @classmethod
    def train(
        cls,
        names: Sequence[str],
        features: Matrix,
        gold: Sequence[float],
        groups: Sequence[str],
        scale: tuple[float, float],
    ) -> "RidgeSystem":
        """Fit the regression, and predict the items in cross-validation."""
        values = np.array(gold)
        left_out = np.clip(predict_left_out(features, values, groups), *scale)
        ridge = choose_ridge(features, values, groups)
        return cls(names, features, values, groups, ridge, left_out, scale)

    def predict(self, features: Matrix) -> Vector:
        """Predict the gold values of items from their features, (n, p), within the scale."""
        return np.clip(self.ridge.predict(features), *self.scale)


def ridge_report(system: RidgeSystem) -> TableReport:
    """Report on a ridge regression.

    Parameters
    ----------
    system : RidgeSystem

    Returns
    -------
    TableReport
        The metrics of cross-validation, and the features in the order of their effect. A weight is
        standardized: if the feature rises by its standard deviation, the prediction rises by this many
        standard deviations of the gold. "alone" is the correlation of the feature with the gold.
    """
    ridge, gold, n = system.ridge, system.gold.tolist(), len(system.gold)
    scores: list[list[TableCell]] = [
        [METRICS[name].title, value_or_undefined(METRICS[name].function, gold, system.left_out.tolist())]
        for name in _METRICS
    ]
    weights = ridge.weights / (system.gold.std() or 1.0)
    rows: list[list[TableCell]] = [
        [
            system.names[place],
            float(weights[place]),
            value_or_undefined(METRICS["pearson"].function, gold, system.features[:, place].tolist()),
            float(ridge.means[place]),
            float(ridge.sds[place]),
        ]
        for place in np.argsort(-np.abs(weights), kind="stable").tolist()
    ]
    groups, folds = len(set(system.groups)), int(make_folds(system.groups).max()) + 1
    return TableReport(
        SCHEMA,
        f"ridge|n:{n}|groups:{groups}|folds:{folds}|penalty:{ridge.penalty:.3g}",
        (
            ReportTable("scores", "Cross-validation", ["metric", "value"], scores, ["metric"]),
            ReportTable(
                "weights", "Weights", ["feature", "weight", "alone", "mean", "sd"], rows, ["feature"]
            ),
        ),
        notes=(
            f"Each of {n} items was predicted by a regression that was fitted without its fold. "
            f"{count_noun(groups, 'group')} of items are in {folds} folds, and no group is in two.",
            "weight: by how many standard deviations of the gold the prediction rises if the feature rises "
            "by one standard deviation and the others stay. Similar features share a weight.",
            "alone: Pearson's r of the feature itself with the gold.",
        ),
    )
