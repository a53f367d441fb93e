"""The answers of a round with all that statistics and exports need of them.

Trials and the answers of annotators who withdrew their consent are left out everywhere.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session, aliased

from scorer.campaigns.counted import AnswerOutcome, AnswerRecord, classify_answers
from server.annotation.models import (
    AnnotationRound,
    Annotator,
    AnswerText,
    Assignment,
    AssignmentPlan,
    Campaign,
    Consent,
    Exclusion,
    InputKind,
    Standing,
    Step,
    Unit,
    UnitAnswer,
)


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """One answer, and where it belongs; `position` is the place of its step in the assignment."""

    id: int
    step_id: int
    unit: str
    genre: str | None
    plan: int
    assignment: int
    position: int
    slot: int
    annotator: str
    value: float | None
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


def select_withdrawn(campaign_id: int) -> Select[int]:
    """Select the ids of the annotators who withdrew their consent: that is their newest one."""
    newest = (
        select(func.max(Consent.id))
        .join(Annotator, Annotator.id == Consent.annotator_id)
        .where(Annotator.campaign_id == campaign_id)
        .group_by(Consent.annotator_id)
    )
    consent = aliased(Consent)
    return select(consent.annotator_id).where(consent.id.in_(newest), consent.given.is_(False))


def list_answer_rows(session: Session, of_round: AnnotationRound) -> list[AnswerRow]:
    """List all answers of a round that may be used, in the order in which they arrived."""
    query = (
        select(
            UnitAnswer.id,
            UnitAnswer.step_id,
            Unit.key,
            Unit.genre,
            AssignmentPlan.number,
            Assignment.number,
            Step.position,
            Step.slot,
            Annotator.name,
            UnitAnswer.value,
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
            Unit.round_id == of_round.id,
            Annotator.trial.is_(False),
            Annotator.id.not_in(select_withdrawn(of_round.campaign_id)),
        )
        .order_by(UnitAnswer.id)
    )
    rows: Iterable[Sequence[Any]] = session.execute(query)
    return [AnswerRow(*row) for row in rows]


def count_withdrawn_answers(session: Session, of_round: AnnotationRound) -> int:
    """Count the answers of annotators who withdrew their consent, which no export has."""
    query = (
        select(func.count(UnitAnswer.id))
        .join(Step, Step.id == UnitAnswer.step_id)
        .join(Unit, Unit.id == Step.unit_id)
        .where(Unit.round_id == of_round.id, Step.annotator_id.in_(select_withdrawn(of_round.campaign_id)))
    )
    return session.scalar(query) or 0


def has_answers(session: Session, task_id: int) -> bool:
    """Whether an annotator of a task has answered; trials do not count."""
    query = (
        select(UnitAnswer.id)
        .join(Step, Step.id == UnitAnswer.step_id)
        .join(Annotator, Annotator.id == Step.annotator_id)
        .join(Campaign, Campaign.id == Annotator.campaign_id)
        .where(Campaign.task_id == task_id, Annotator.trial.is_(False))
    )
    return session.scalar(query.limit(1)) is not None


def list_exclusions(session: Session, campaign: Campaign) -> dict[str, Exclusion]:
    """Return the exclusions in force, by the names of their annotators."""
    newest = (
        select(func.max(Exclusion.id))
        .join(Annotator, Annotator.id == Exclusion.annotator_id)
        .where(Annotator.campaign_id == campaign.id)
        .group_by(Exclusion.annotator_id)
    )
    query = (
        select(Annotator.name, Exclusion)
        .join(Annotator, Annotator.id == Exclusion.annotator_id)
        .where(Exclusion.id.in_(newest), Exclusion.excluded)
        .order_by(Annotator.name)
    )
    return dict(session.execute(query).all())


def classify_rows(
    rows: Sequence[AnswerRow], answers_per_unit: int, excluded: Collection[str]
) -> dict[int, AnswerOutcome]:
    """Return what becomes of each answer by its id, as the scorer says from an export."""
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
            supersedes=row.supersedes_id,
        )
        for row in rows
    ]
    return classify_answers(records, answers_per_unit=answers_per_unit, excluded=excluded)
