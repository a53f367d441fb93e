"""Which answers of annotators count, and the gold that they give: the same on the site and from an export."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import fsum
from typing import Literal

AnswerOutcome = Literal["counted", "surplus", "superseded", "excluded", "no value", "late"]
"""What becomes of an answer."""


@dataclass(frozen=True, slots=True)
class AnswerRecord:
    """One answer: who rated which unit, for which of its slots, and what it supersedes."""

    id: int
    step: int
    unit: str
    slot: int
    annotator: str
    value: float | None
    standing: Literal["counts", "late"]
    arrived: datetime
    supersedes: int | None


@dataclass(frozen=True, slots=True)
class GoldValue:
    """The gold of a unit and the number of answers that it was made of; None: too few of them."""

    n: int
    value: float | None


def classify_answers(
    answers: Iterable[AnswerRecord], *, answers_per_unit: int, excluded: Collection[str]
) -> dict[int, AnswerOutcome]:
    """Return what becomes of each answer."""
    outcomes: dict[int, AnswerOutcome] = {}
    in_force: dict[int, AnswerRecord] = {}
    for answer in sorted(answers, key=lambda answer: answer.id):
        outcomes[answer.id] = "late" if answer.standing == "late" else "superseded"
        if answer.standing != "late":
            in_force[answer.step] = answer
    counted: dict[str, int] = {}
    for answer in sorted(in_force.values(), key=lambda answer: (answer.slot, answer.arrived, answer.id)):
        if answer.annotator in excluded:
            outcomes[answer.id] = "excluded"
        elif answer.value is None:
            outcomes[answer.id] = "no value"
        else:
            counted[answer.unit] = counted.get(answer.unit, 0) + 1
            outcomes[answer.id] = "counted" if counted[answer.unit] <= answers_per_unit else "surplus"
    return outcomes


def compute_gold(
    values: Mapping[str, Sequence[float]], *, rule: Literal["mean", "median"], at_least: int
) -> dict[str, GoldValue]:
    """Return the gold of each unit from the values that count; fewer than `at_least` give none."""
    return {
        unit: GoldValue(len(ratings), _combine(ratings, rule) if len(ratings) >= max(at_least, 1) else None)
        for unit, ratings in values.items()
    }


def _combine(ratings: Sequence[float], rule: Literal["mean", "median"]) -> float:
    if rule == "mean":
        return fsum(ratings) / len(ratings)
    ordered, middle = sorted(ratings), len(ratings) // 2
    return ordered[middle] if len(ratings) % 2 else (ordered[middle - 1] + ordered[middle]) / 2
