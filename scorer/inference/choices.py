"""Choice accuracy on many resamples: a group is drawn whole, so its credit never changes."""

import numpy as np

from scorer.inference.moments import Kernel
from scorer.inference.samples import Array, Sample
from scorer.metrics.choice import choice_credits


def choice_kernel(sample: Sample) -> Kernel:
    """The mean credit of the groups that were drawn, of those where there is a choice."""
    groups, gold = [str(unit) for unit in sample.units.tolist()], sample.gold.tolist()
    found = np.zeros((len(sample.preds), sample.size))
    is_choice = np.zeros(sample.size)
    for i, pred in enumerate(sample.preds.tolist()):
        for group, credit in choice_credits(gold, pred, groups).items():
            found[i, int(group)], is_choice[int(group)] = credit, 1.0

    def kernel(counts: Array) -> Array:
        with np.errstate(all="ignore"):
            accuracies: Array = (found @ counts) / (is_choice @ counts)
        return accuracies

    return kernel
