"""The scores of items from best-worst answers, by counting."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scorer.annotation.ratings import Floats, Indices
from scorer.bws.answers import Answers


@dataclass(frozen=True, slots=True)
class ItemScore:
    """The best-worst score of an item.

    Parameters
    ----------
    item : str
        The name of the item.
    group : str, optional
        The group of the item.
    shown, best, worst : int
        The numbers of answers in which it was shown, was chosen as best, and was chosen as worst.
    score : float
        The score, in [-1, 1].
    """

    item: str
    group: str | None
    shown: int
    best: int
    worst: int
    score: float

    @property
    def scaled(self) -> float:
        """The score scaled to [0, 1]."""
        return (self.score + 1) / 2


def count_choices(answers: Answers, chosen: NDArray[np.bool_] | None = None) -> Indices:
    """Count how often each item was shown, best and worst, in all answers or in those of a mask; (3, n)."""
    selection = slice(None) if chosen is None else chosen
    n = len(answers.items)
    times = np.bincount(answers.tuple_of[selection], minlength=len(answers.shown))
    shown = np.bincount(answers.shown.ravel(), np.repeat(times, answers.shown.shape[1]), n).astype(np.intp)
    chosen_items = (answers.best[selection], answers.worst[selection])
    best, worst = (np.bincount(items, minlength=n + 1)[:n] for items in chosen_items)
    return np.stack([shown, best, worst])


def scores_of_counts(counts: Indices) -> Floats:
    """Compute scores in [-1, 1]: the share of best minus the share of worst. NaN for items never shown."""
    shown, best, worst = counts
    with np.errstate(invalid="ignore"):
        return np.asarray((best - worst) / shown)


def bws_scores(answers: Answers) -> tuple[ItemScore, ...]:
    """Score items by counting: the share of answers where an item was best minus that where it was worst.

    Parameters
    ----------
    answers : Answers
        The answers, without repeats.

    Returns
    -------
    tuple of ItemScore
        The items sorted by group, then by descending score, then by name.

    Notes
    -----
    s(i) = (best(i) - worst(i)) / shown(i), where shown(i) is the number of answers to tuples with item i. The
    sum of shown(i) s(i) is 0 if each answer has one best and one worst item. Scores of items in
    different groups are comparable only if the groups are similar: the score 1 means the best of its group,
    no matter how good the group is.

    References
    ----------
    Kiritchenko & Mohammad (2016), Capturing Reliable Fine-Grained Sentiment Associations by Crowdsourcing and
    Best-Worst Scaling, NAACL-HLT, section 3, doi:10.18653/v1/N16-1095, after Orme (2009).

    Examples
    --------
    >>> from scorer.bws.answers import parse_answers
    >>> head, body = b"Item1,Item2,Item3,BestItem,WorstItem\\n", b"a,b,c,a,c\\na,b,c,a,b\\n"
    >>> [(each.item, each.score) for each in bws_scores(parse_answers(head + body, "answers.csv"))]
    [('a', 1.0), ('b', -0.5), ('c', -0.5)]
    """
    counts = count_choices(answers)
    groups = answers.groups or (None,) * len(answers.items)
    rows = zip(answers.items, groups, *counts.tolist(), scores_of_counts(counts).tolist(), strict=True)
    item_scores = [ItemScore(*row) for row in rows]
    return tuple(sorted(item_scores, key=lambda entry: (entry.group or "", -entry.score, entry.item)))
