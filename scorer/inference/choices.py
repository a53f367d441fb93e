"""Choice accuracy on many resamples: a group is drawn or swapped whole, so its credit never changes."""

import numpy as np

from scorer.inference.moments import Kernel
from scorer.inference.samples import Array, Sample
from scorer.metrics.choice import choice_credits


def unit_credits(sample: Sample) -> tuple[Array, Array]:
    """The credit of each system in each unit, (m, u), and 1 for each unit with a choice, else 0, (u,)."""
    groups, gold = [str(unit) for unit in sample.units.tolist()], sample.gold.tolist()
    found = np.zeros((len(sample.preds), sample.size))
    is_choice = np.zeros(sample.size)
    for i, pred in enumerate(sample.preds.tolist()):
        for group, credit in choice_credits(gold, pred, groups).items():
            found[i, int(group)], is_choice[int(group)] = credit, 1.0
    return found, is_choice


def choice_kernel(sample: Sample) -> Kernel:
    """The mean credit of the groups that were drawn, of those where there is a choice."""
    found, is_choice = unit_credits(sample)

    def kernel(counts: Array) -> Array:
        with np.errstate(all="ignore"):
            accuracies: Array = (found @ counts) / (is_choice @ counts)
        return accuracies

    return kernel
