"""The metrics by name."""

import pytest

from scorer.errors import RequestError
from scorer.metrics import METRICS, get_metric


def test_each_metric_is_registered_under_its_name() -> None:
    correlations = ["pearson", "spearman", "kendall", "weighted_pearson"]
    accuracies = ["choice_accuracy", "within_sd"]
    assert list(METRICS) == [*correlations[:2], "mse", "rmse", "mae", *correlations[2:], *accuracies]
    assert all(get_metric(name).name == name for name in METRICS)
    assert {name for name in METRICS if METRICS[name].higher_is_better} == {*correlations, *accuracies}
    needs = {name: metric.needs for name, metric in METRICS.items() if metric.needs}
    assert needs == {"weighted_pearson": "confidences", "choice_accuracy": "groups", "within_sd": "sds"}


def test_unknown_metric_is_rejected_with_the_known_ones() -> None:
    with pytest.raises(
        RequestError, match=r'no metric "Pearsonr"; did you mean pearson\? \(known: pearson, spe'
    ):
        get_metric("Pearsonr")
    with pytest.raises(RequestError, match=r'no metric "" \(known'):
        get_metric("")
