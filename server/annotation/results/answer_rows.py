"""The answers of a round with all that statistics and exports need of them.

Trials and the answers of annotators who withdrew their consent are left out everywhere. A round can have more
answers than should be in memory at once, so they are read one after the other.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any

from sqlalchemy import Select, func, select
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

BATCH = 1000
"""The number of rows that are fetched at once."""


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """One answer, and where it belongs; `position` is the place of its step in the assignment.

    `repeats`: the step that this one repeats. `previous_at`: when the annotator's previous answer in the
    round arrived.
    """

    id: int
    step_id: int
    unit: str
    group: str | None
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
    previous_at: datetime | None
    visible_ms: int | None
    input: InputKind
    comment: str | None
    reason: str | None
    texts_sha256: str | None

    @property
    def since(self) -> float | None:
        """The seconds since the annotator's previous answer in the round; None: it is the first one."""
        return None if self.previous_at is None else (self.arrived_at - self.previous_at).total_seconds()

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
    """What becomes of each answer of a round that may be used, by its id, and the exclusions by annotator.

    `passes`: the slugs of the passes; that of a single pass can be empty. `numbers`, `step_numbers`: answers
    and steps by their ids, numbered within the round in the order in which answers were stored, so that the
    numbers are the same on a site to which the task was moved. `sha256` changes if answers come, go, or no
    longer count; answers themselves never change.
    """

    of_round: AnnotationRound
    passes: Sequence[str]
    outcomes: Mapping[int, AnswerOutcome]
    numbers: Mapping[int, int]
    step_numbers: Mapping[int, int]
    exclusions: Mapping[str, Exclusion]
    sha256: str


def load_answers(session: Session, of_round: AnnotationRound) -> RoundAnswers:
    """Say of each answer of a round whether it counts, as the scorer does from an export."""
    exclusions = standing.list_exclusions(session, of_round.campaign)
    passes = [each["slug"] for each in of_round.rules["passes"]]
    outcomes: dict[int, AnswerOutcome] = {}
    first_answers: dict[int, int] = {}
    sha256 = hashlib.sha256()
    # No answer to another unit matters, so the units are classified one by one.
    for _unit, group in groupby(_iterate_records(session, of_round, passes), lambda record: record.unit):
        records = list(group)
        of_unit = classify_answers(records, answers_per_unit=of_round.rules["answers"], excluded=exclusions)
        for record in records:
            first_answers.setdefault(record.step, record.id)
            line = f"{record.unit}\t{record.annotator}\t{record.arrived.isoformat()}\t{of_unit[record.id]}\n"
            sha256.update(line.encode())
        outcomes |= of_unit
    return RoundAnswers(
        of_round,
        passes,
        outcomes,
        _number(sorted(outcomes)),
        _number(sorted(first_answers, key=first_answers.__getitem__)),
        exclusions,
        sha256.hexdigest(),
    )


def _number(ids: Sequence[int]) -> dict[int, int]:
    return {id_: number for number, id_ in enumerate(ids, 1)}


def _iterate_records(
    session: Session, of_round: AnnotationRound, passes: Sequence[str]
) -> Iterator[AnswerRecord]:
    """Yield the answers of a round as the scorer classifies them, unit by unit."""
    columns = (
        UnitAnswer.id,
        Unit.key,
        Step.slot,
        Annotator.name,
        UnitAnswer.value,
        UnitAnswer.standing,
        UnitAnswer.arrived_at,
        UnitAnswer.step_id,
        Step.block,
        Step.pass_number,
        UnitAnswer.picks,
    )
    query = _select(columns, of_round).order_by(Unit.id, UnitAnswer.id)
    for row in session.execute(query.execution_options(yield_per=BATCH)):
        yield AnswerRecord(
            id=row.id,
            unit=row.key,
            slot=row.slot,
            annotator=row.name,
            value=row.value,
            standing=row.standing,
            arrived=row.arrived_at,
            step=row.step_id,
            block=row.block,
            pass_slug=passes[row.pass_number - 1],
            picks=None if row.picks is None else Picks(**row.picks),
        )


def iterate_rows(
    session: Session, of_round: AnnotationRound, *, by_unit: bool = False
) -> Iterator[AnswerRow]:
    """Yield the answers of a round in the order in which they arrived, or else by unit and slot."""
    place = (Unit.position, Unit.id, Step.slot) if by_unit else ()
    query = _select_rows(of_round).order_by(*place, UnitAnswer.id)
    for values in session.execute(query.execution_options(yield_per=BATCH)):
        yield AnswerRow(*values)


def find_repeated(session: Session, of_round: AnnotationRound) -> dict[int, AnswerRow]:
    """Return the rating in force of each step that a step of the round repeats, by the earlier step."""
    repeated = (
        select(Step.repeats_step_id)
        .join(Step.assignment)
        .join(Assignment.plan)
        .where(AssignmentPlan.round_id == of_round.id, Step.repeats_step_id.is_not(None))
    )
    in_force: dict[int, AnswerRow] = {}
    for earlier in of_round.campaign.rounds:
        rows = _select_rows(earlier).subquery()
        query = select(rows).where(rows.c.step_id.in_(repeated)).order_by(rows.c.id)
        found = [AnswerRow(*values) for values in session.execute(query)]
        in_force |= {row.step_id: row for row in found if row.standing == "counts"}
    return {step: row for step, row in in_force.items() if row.value is not None}


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


def _select_rows(of_round: AnnotationRound) -> Select[Any]:
    """Select the fields of `AnswerRow`."""
    previous_at = func.lag(UnitAnswer.arrived_at, type_=UnitAnswer.arrived_at.type)
    columns = (
        UnitAnswer.id.label("id"),
        UnitAnswer.step_id.label("step_id"),
        Unit.key,
        Unit.group,
        Unit.genre,
        AssignmentPlan.number.label("plan"),
        Assignment.number.label("assignment"),
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
        previous_at.over(partition_by=Step.annotator_id, order_by=UnitAnswer.id).label("previous_at"),
        UnitAnswer.visible_ms,
        UnitAnswer.input,
        AnswerText.comment,
        AnswerText.reason,
        UnitAnswer.texts_sha256,
    )
    return _select(columns, of_round).outerjoin(AnswerText, AnswerText.answer_id == UnitAnswer.id)


def _select(columns: Sequence[Any], of_round: AnnotationRound) -> Select[Any]:
    """Select columns of the answers of a round, but of no trial and of nobody who withdrew their consent."""
    return (
        select(*columns)
        .select_from(UnitAnswer)
        .join(Step, Step.id == UnitAnswer.step_id)
        .join(Unit, Unit.id == Step.unit_id)
        .join(Assignment, Assignment.id == Step.assignment_id)
        .join(AssignmentPlan, AssignmentPlan.id == Assignment.plan_id)
        .join(Annotator, Annotator.id == Step.annotator_id)
        .where(
            AssignmentPlan.round_id == of_round.id,
            Annotator.trial.is_(False),
            Annotator.id.not_in(standing.select_withdrawn(of_round.campaign_id)),
        )
    )
