"""Says which answers count, and turns them into gold values.

The site and the scorer both use these functions, so that an export gives the same figures as the site.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from statistics import fmean, median, stdev
from typing import Any, Literal

Block = Literal["main", "calibration", "repeat"]
"""The part of an assignment: only answers to its main units count."""
AnswerOutcome = Literal[
    "counted", "surplus", "superseded", "excluded", "no value", "late", "calibration", "repeat"
]
"""counted: the answer is in the gold. surplus: the unit had enough answers. superseded: there is a newer
answer to the same step. excluded: the annotator is excluded. no value: the annotator could not judge the
unit. late: the answer arrived after the round was closed, or after its pass was done. calibration, repeat:
the answer is in force, and not for the gold."""


@dataclass(frozen=True, slots=True)
class Picks:
    """The keys of the candidates that an annotator chose."""

    best: str
    worst: str


@dataclass(frozen=True, slots=True)
class AnswerRecord:
    """An answer to a step of an assignment.

    Parameters
    ----------
    id : int
        Later answers have larger numbers.
    unit : str
        The key of the unit.
    slot : int
        The slot of the unit that the step fills, from 1.
    annotator : str
    value : float or None
        The rating; None: the annotator cannot judge the unit.
    late : bool
        Whether it arrived after the round was closed, or after its pass was done.
    arrived : datetime
    step : int
        The number of the step, which is unique within the round.
    block : "main", "calibration" or "repeat"
    pass_slug : str
        Empty if the round has one pass without a name.
    picks : dict of str, or None
        What was chosen: the keys of the best and the worst candidate of a tuple; or, for A, B and C, the key
        and the rating of a sentence; or the key of a sense. Such an answer has no value.
    written : str or None
        The text that was written. Such an answer has no value.
    """

    id: int
    unit: str
    slot: int
    annotator: str
    value: float | None
    late: bool
    arrived: datetime
    step: int
    block: Block = "main"
    pass_slug: str = field(default="", metadata={"at": "pass"})
    picks: dict[str, Any] | None = None
    written: str | None = None

    @property
    def is_empty(self) -> bool:
        """Whether the annotator could not judge the unit, or left it blank."""
        return self.value is None and self.picks is None and self.written is None


@dataclass(frozen=True, slots=True)
class GoldValue:
    """The gold value of an item and the number of counted answers; None: there are too few of them.

    `sd` is the sample standard deviation of the answers, if the value is their mean.
    """

    n: int
    value: float | None
    sd: float | None = None


def classify_answers(
    answers: Sequence[AnswerRecord], *, answers_per_unit: int, excluded: Collection[str]
) -> dict[int, AnswerOutcome]:
    """Say of each answer of a round whether it counts, and if not, why.

    Parameters
    ----------
    answers : sequence of AnswerRecord
        All answers of the round, in any order.
    answers_per_unit : int
        The number of answers that a unit needs (k), in each pass.
    excluded : collection of str
        The annotators whose answers do not count.

    Returns
    -------
    dict of int to AnswerOutcome
        The outcome of each answer by its id.

    Notes
    -----
    The newest answer of a step that is not late is in force; earlier ones are superseded. Of the answers in
    force to main units that are not empty and whose annotator is not excluded, at most k count for each unit
    and pass. Each slot is
    filled by the answer to it that arrived first. Slots that are still empty are filled by the further
    answers to other slots, in the order of their arrival within a slot and of the slots. If an answer was
    changed, the arrival of the first version decides, so that a change does not cost an answer its place.
    """
    outcomes: dict[int, AnswerOutcome] = {}
    steps: dict[int, list[AnswerRecord]] = defaultdict(list)
    for answer in sorted(answers, key=lambda answer: answer.id):
        if answer.late:
            outcomes[answer.id] = "late"
        else:
            steps[answer.step].append(answer)
    candidates: dict[tuple[str, str], list[tuple[tuple[datetime, int], AnswerRecord]]] = defaultdict(list)
    for first, *changes in steps.values():
        versions = [first, *changes]
        outcomes |= dict.fromkeys([version.id for version in versions[:-1]], "superseded")
        newest = versions[-1]
        if newest.annotator in excluded:
            outcomes[newest.id] = "excluded"
        elif newest.is_empty:
            outcomes[newest.id] = "no value"
        elif newest.block != "main":
            outcomes[newest.id] = newest.block
        else:
            candidates[newest.pass_slug, newest.unit].append(((first.arrived, first.id), newest))
    for of_unit in candidates.values():
        for place, answer in enumerate(_order_for_slots(of_unit)):
            outcomes[answer.id] = "counted" if place < answers_per_unit else "surplus"
    return outcomes


def _order_for_slots(answers: list[tuple[tuple[datetime, int], AnswerRecord]]) -> list[AnswerRecord]:
    """Order the answers of a unit: the first answer to each slot, then the second to each slot, and so on."""
    in_slot: dict[int, int] = defaultdict(int)
    ordered = []
    for arrival, answer in sorted(answers, key=lambda pair: pair[0]):
        ordered.append(((in_slot[answer.slot], answer.slot, arrival), answer))
        in_slot[answer.slot] += 1
    return [answer for _, answer in sorted(ordered, key=lambda pair: pair[0])]


def compute_gold(
    values: Mapping[str, Sequence[float]], *, rule: Literal["mean", "median"], at_least: int
) -> dict[str, GoldValue]:
    """Compute the gold value of each unit from its counted answers.

    Parameters
    ----------
    values : mapping of str to sequence of float
        The values of the counted answers of each unit, in any order.
    rule : "mean" or "median"
        The median of an even number of values is the mean of the two in the middle.
    at_least : int
        The minimum number of values, at least 1; a unit with fewer has no gold value.

    Returns
    -------
    dict of str to GoldValue
        In the order of `values`. `sd` needs two values, and the rule "mean".

    Examples
    --------
    >>> gold = compute_gold({"a": [1, 2, 3], "b": [4]}, rule="mean", at_least=2)
    >>> gold["a"], gold["b"]
    (GoldValue(n=3, value=2.0, sd=1.0), GoldValue(n=1, value=None, sd=None))
    """
    combine = median if rule == "median" else fmean
    return {
        unit: GoldValue(
            len(of_unit),
            float(combine(of_unit)) if len(of_unit) >= max(at_least, 1) else None,
            _find_sd(tuple(sorted(of_unit))) if rule == "mean" and len(of_unit) > 1 else None,
        )
        for unit, of_unit in values.items()
    }


@lru_cache(maxsize=10_000)
def _find_sd(values: tuple[float, ...]) -> float:
    """Compute a standard deviation without rounding errors, which is slow, once for equal ratings."""
    return stdev(values)


def compute_best_worst_gold(
    items: Sequence[str],
    tuples: Mapping[str, Sequence[str]],
    picks: Mapping[str, Sequence[Picks]],
    *,
    at_least: int,
) -> dict[str, GoldValue]:
    """Compute the best-worst score of each item, from 0 to 1.

    Parameters
    ----------
    items : sequence of str
        The keys of the items.
    tuples : mapping of str to sequence of str
        The items of each tuple.
    picks : mapping of str to sequence of Picks
        The counted answers to each tuple.
    at_least : int
        The minimum number of answers to each tuple of an item, at least 1. An item with a tuple that has
        fewer has no score, and neither has an item of no tuple.

    Returns
    -------
    dict of str to GoldValue
        In the order of `items`; `n` is the number of answers to tuples with the item.

    Notes
    -----
    The score is (best - worst) / n, mapped from -1 ... 1 to 0 ... 1, as in `scorer.bws.scores`.

    Examples
    --------
    >>> tuples = {"t1": ["a", "b", "c"]}
    >>> gold = compute_best_worst_gold("abc", tuples, {"t1": [Picks("a", "c"), Picks("b", "c")]}, at_least=2)
    >>> [gold[item].value for item in "abc"]
    [0.75, 0.75, 0.0]
    """
    shown: Counter[str] = Counter()
    balance: Counter[str] = Counter()
    short: set[str] = set()
    for name, members in tuples.items():
        answers = picks.get(name, ())
        shown.update({item: len(answers) for item in members})
        balance.update(answer.best for answer in answers)
        balance.subtract(answer.worst for answer in answers)
        if len(answers) < max(at_least, 1):
            short.update(members)
    return {
        item: GoldValue(
            shown[item],
            None if item in short or not shown[item] else (balance[item] / shown[item] + 1) / 2,
        )
        for item in items
    }
