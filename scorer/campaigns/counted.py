"""Says which answers count, and turns them into gold values.

The site and the scorer both use these functions, so that an export gives the same figures as the site.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import fsum
from statistics import median
from typing import Literal

from scorer.campaigns.config import GoldRuleName

Standing = Literal["counts", "late"]
"""late: the answer arrived after the round was closed."""
AnswerOutcome = Literal["counted", "surplus", "superseded", "excluded", "no value", "late"]
"""counted: the answer is in the gold. surplus: the unit had enough answers. superseded: there is a newer
answer to the same step. excluded: the annotator is excluded. no value: the annotator could not judge the
unit. late: the answer arrived after the round was closed."""


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
    standing : "counts" or "late"
    arrived : datetime
    step : int
        The number of the step, which is unique within the round.
    """

    id: int
    unit: str
    slot: int
    annotator: str
    value: float | None
    standing: Standing
    arrived: datetime
    step: int


@dataclass(frozen=True, slots=True)
class GoldValue:
    """The gold value of a unit and the number of counted answers; None: there are too few of them."""

    n: int
    value: float | None


def classify_answers(
    answers: Sequence[AnswerRecord], *, answers_per_unit: int, excluded: Collection[str]
) -> dict[int, AnswerOutcome]:
    """Say of each answer of a round whether it counts, and if not, why.

    Parameters
    ----------
    answers : sequence of AnswerRecord
        All answers of the round, in any order.
    answers_per_unit : int
        The number of answers that a unit needs (k).
    excluded : collection of str
        The annotators whose answers do not count.

    Returns
    -------
    dict of int to AnswerOutcome
        The outcome of each answer by its id.

    Notes
    -----
    The newest answer of a step that is not late is in force; earlier ones are superseded. Of the answers in
    force that have a value and whose annotator is not excluded, at most k count for each unit. Each slot is
    filled by the answer to it that arrived first. Slots that are still empty are filled by the further
    answers to other slots, in the order of their arrival within a slot and of the slots. If an answer was
    changed, the arrival of the first version decides, so that a change does not cost an answer its place.
    """
    outcomes: dict[int, AnswerOutcome] = {}
    steps: dict[int, list[AnswerRecord]] = defaultdict(list)
    for answer in sorted(answers, key=lambda answer: answer.id):
        if answer.standing == "late":
            outcomes[answer.id] = "late"
        else:
            steps[answer.step].append(answer)
    candidates: dict[str, list[tuple[tuple[datetime, int], AnswerRecord]]] = defaultdict(list)
    for first, *changes in steps.values():
        versions = [first, *changes]
        outcomes |= dict.fromkeys([version.id for version in versions[:-1]], "superseded")
        newest = versions[-1]
        if newest.annotator in excluded:
            outcomes[newest.id] = "excluded"
        elif newest.value is None:
            outcomes[newest.id] = "no value"
        else:
            candidates[newest.unit].append(((first.arrived, first.id), newest))
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
    values: Mapping[str, Sequence[float]], *, rule: GoldRuleName, at_least: int
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
        In the order of `values`.

    Examples
    --------
    >>> gold = compute_gold({"a": [1, 2, 6], "b": [4]}, rule="mean", at_least=2)
    >>> gold["a"].value, gold["b"]
    (3.0, GoldValue(n=1, value=None))
    """
    return {
        unit: GoldValue(len(of_unit), _combine(of_unit, rule) if len(of_unit) >= max(at_least, 1) else None)
        for unit, of_unit in values.items()
    }


def _combine(values: Sequence[float], rule: GoldRuleName) -> float:
    if rule == "median":
        return float(median(values))
    return fsum(values) / len(values)
