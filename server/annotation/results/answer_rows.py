"""The answers of a round with all that statistics and exports need of them.

Trials and the answers of annotators who withdrew their consent are left out everywhere.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from scorer.campaigns.counted import AnswerOutcome, AnswerRecord, Block, Picks, classify_answers
from server.annotation.campaigns import standing
from server.annotation.models import (
    AnnotationRound,
    Annotator,
    AnswerText,
    Assignment,
    AssignmentPlan,
    Exclusion,
    InputKind,
    Standing,
    Step,
    Unit,
    UnitAnswer,
)


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """One answer, and where it belongs; `position` is the place of its step in the assignment.

    `repeats`: the step that this one repeats.

    Answers and steps are numbered within their round, in the order in which answers were stored, so that the
    numbers are the same on a site to which the task was moved.
    """

    id: int
    step_id: int
    unit: str
    genre: str | None
    plan: int
    assignment: int
    pass_number: int
    block: Block
    position: int
    slot: int
    repeats: int | None
    annotator: str
    value: float | None
    picks: Mapping[str, str] | None
    standing: Standing
    supersedes_id: int | None
    shown_at: datetime
    arrived_at: datetime
    visible_ms: int | None
    input: InputKind
    comment: str | None
    reason: str | None
    texts_sha256: str | None

    @property
    def elapsed(self) -> float:
        """The seconds from the page to the answer, by the server's clock."""
        return (self.arrived_at - self.shown_at).total_seconds()

    @property
    def visible(self) -> float | None:
        """The seconds during which the page was in front, by its script; None: unknown."""
        return None if self.visible_ms is None else self.visible_ms / 1000


@dataclass(frozen=True, slots=True)
class RoundAnswers:
    """The answers of a round that may be used, what becomes of each, and the exclusions by annotator.

    `passes`: the slugs of the passes; that of a single pass can be empty.
    """

    passes: Sequence[str]
    rows: Sequence[AnswerRow]
    outcomes: Mapping[int, AnswerOutcome]
    exclusions: Mapping[str, Exclusion]

    def list_counted(self, pass_slug: str) -> list[AnswerRow]:
        """List the answers of a pass that count, in the order in which they arrived."""
        number = self.passes.index(pass_slug) + 1
        return [row for row in self.rows if self.outcomes[row.id] == "counted" and row.pass_number == number]


def load_answers(session: Session, of_round: AnnotationRound) -> RoundAnswers:
    """Load all answers of a round, and say of each whether it counts, as the scorer does from an export."""
    rows = _list_rows(session, of_round)
    exclusions = standing.list_exclusions(session, of_round.campaign)
    passes = [each["slug"] for each in of_round.rules["passes"]]
    outcomes = _classify(rows, passes, of_round.rules["answers"], exclusions)
    return RoundAnswers(passes, rows, outcomes, exclusions)


def _list_rows(session: Session, of_round: AnnotationRound) -> list[AnswerRow]:
    query = (
        select(
            UnitAnswer.id,
            UnitAnswer.step_id,
            Unit.key,
            Unit.genre,
            AssignmentPlan.number,
            Assignment.number,
            Step.pass_number,
            Step.block,
            Step.position,
            Step.slot,
            Step.repeats_step_id,
            Annotator.name,
            UnitAnswer.value,
            UnitAnswer.picks,
            UnitAnswer.standing,
            UnitAnswer.supersedes_id,
            UnitAnswer.shown_at,
            UnitAnswer.arrived_at,
            UnitAnswer.visible_ms,
            UnitAnswer.input,
            AnswerText.comment,
            AnswerText.reason,
            UnitAnswer.texts_sha256,
        )
        .join(Step, Step.id == UnitAnswer.step_id)
        .join(Unit, Unit.id == Step.unit_id)
        .join(Assignment, Assignment.id == Step.assignment_id)
        .join(AssignmentPlan, AssignmentPlan.id == Assignment.plan_id)
        .join(Annotator, Annotator.id == Step.annotator_id)
        .outerjoin(AnswerText, AnswerText.answer_id == UnitAnswer.id)
        .where(
            AssignmentPlan.round_id == of_round.id,
            Annotator.trial.is_(False),
            Annotator.id.not_in(standing.select_withdrawn(of_round.campaign_id)),
        )
        .order_by(UnitAnswer.id)
    )
    rows: Iterable[Sequence[Any]] = session.execute(query)
    return _number_rows(AnswerRow(*row) for row in rows)


def _number_rows(rows: Iterable[AnswerRow]) -> list[AnswerRow]:
    """Replace the ids of answers and steps in the database by their numbers in the round."""
    answers: dict[int | None, int | None] = {None: None}
    steps: dict[int, int] = {}
    numbered = []
    for number, row in enumerate(rows, start=1):
        answers[row.id] = number
        step, supersedes = steps.setdefault(row.step_id, len(steps) + 1), answers[row.supersedes_id]
        numbered.append(replace(row, id=number, step_id=step, supersedes_id=supersedes))
    return numbered


def count_withdrawn_answers(session: Session, of_round: AnnotationRound) -> int:
    """Count the answers of annotators who withdrew their consent, which no export has."""
    query = (
        select(func.count(UnitAnswer.id))
        .join(UnitAnswer.step)
        .join(Step.assignment)
        .join(Assignment.plan)
        .where(
            AssignmentPlan.round_id == of_round.id,
            Step.annotator_id.in_(standing.select_withdrawn(of_round.campaign_id)),
        )
    )
    return session.scalar(query) or 0


def _classify(
    rows: Sequence[AnswerRow], passes: Sequence[str], answers_per_unit: int, excluded: Collection[str]
) -> dict[int, AnswerOutcome]:
    records = [
        AnswerRecord(
            id=row.id,
            step=row.step_id,
            unit=row.unit,
            slot=row.slot,
            annotator=row.annotator,
            value=row.value,
            standing=row.standing,
            arrived=row.arrived_at,
            block=row.block,
            pass_slug=passes[row.pass_number - 1],
            picks=None if row.picks is None else Picks(**row.picks),
        )
        for row in rows
    ]
    return classify_answers(records, answers_per_unit=answers_per_unit, excluded=excluded)
