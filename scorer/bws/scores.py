"""Best-worst scaling: scores from counts."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scorer.annotation.ratings import Floats, Indices
from scorer.bws.answers import Answers


@dataclass(frozen=True, slots=True)
class ItemScore:
    """What answers make of an item.

    Parameters
    ----------
    item : str
    group : str, optional
    shown, best, worst : int
        In how many answers it was among the items, and was chosen.
    score : float
        In [-1, 1].
    """

    item: str
    group: str | None
    shown: int
    best: int
    worst: int
    score: float

    @property
    def scaled(self) -> float:
        """The score in [0, 1]."""
        return (self.score + 1) / 2


def count_choices(answers: Answers, chosen: NDArray[np.bool_] | None = None) -> Indices:
    """How often each item was shown, best and worst, in all answers or in some of them; (3, n)."""
    some = slice(None) if chosen is None else chosen
    n = len(answers.items)
    times = np.bincount(answers.tuple_of[some], minlength=len(answers.shown))
    shown = np.bincount(answers.shown.ravel(), np.repeat(times, answers.shown.shape[1]), n).astype(np.intp)
    best, worst = (np.bincount(items[some], minlength=n) for items in (answers.best, answers.worst))
    return np.stack([shown, best, worst])


def scores_of_counts(counts: Indices) -> Floats:
    """Share best less share worst, in [-1, 1]; NaN for an item that was never shown."""
    shown, best, worst = counts
    with np.errstate(invalid="ignore"):
        return np.asarray((best - worst) / shown)


def bws_scores(answers: Answers) -> tuple[ItemScore, ...]:
    """Score items by counting: the share of answers where one was best, less the share where it was worst.

    Parameters
    ----------
    answers : Answers
        Repeats of an annotator are left out of it.

    Returns
    -------
    tuple of ItemScore
        By group, from the highest score to the lowest, equal ones by name; scores in [-1, 1].

    Notes
    -----
    s(i) = (best(i) - worst(i)) / shown(i), where shown counts the answers to tuples with item i. The sum of
    shown(i) s(i) is 0: each answer has one best and one worst. Scores compare items of different groups only
    so far as these are alike: 1 is the best of a group, however good that is.

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
    return tuple(sorted(item_scores, key=lambda each: (each.group or "", -each.score, each.item)))
