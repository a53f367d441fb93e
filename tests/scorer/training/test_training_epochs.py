"""The best epoch, and the report of training."""

from scorer.training.fine_tuning import Epoch, best_epoch
from scorer.values import Undefined

NONE = Undefined("constant_run", "the run has the same score for every item")


def test_the_best_epoch_is_the_first_with_the_highest_correlation() -> None:
    values = [NONE, 0.2, 0.7, 0.7, 0.1]
    epochs = [Epoch(number, 0.5, value, value) for number, value in enumerate(values, start=1)]
    assert best_epoch(epochs).number == 3
    assert best_epoch(epochs[:1]).number == 1
    assert best_epoch([*epochs[:1], Epoch(2, 0.5, -0.9, -0.9)]).number == 2
