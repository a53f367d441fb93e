"""The answers of a round with all that statistics and exports need of them.

Trials and the answers of annotators who withdrew their consent are left out everywhere. A round can have more
answers than should be in memory at once, so they are read one after the other.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Select, case, func, select
from sqlalchemy.orm import Session

from scorer.campaigns.counted import AnswerOutcome, AnswerRecord, Block, classify_answers
from server.annotation.assignments.progress import IN_FORCE, IS_EMPTY
from server.annotation.campaigns import consents, exclusions
from server.annotation.models import (
    AnnotationRound,
    Annotator,
    AnswerText,
    Assignment,
    AssignmentPlan,
    Decision,
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
    picks: dict[str, Any] | None
    standing: Standing
    supersedes_id: int | None
    shown_at: datetime
    arrived_at: datetime
    previous_at: datetime | None
    visible_ms: int | None
    input: InputKind
    comment: str | None
    reason: str | None
    written: str | None
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
    numbers are the same on a site to which the task was moved.
    """

    round_: AnnotationRound
    passes: Sequence[str]
    outcomes: Mapping[int, AnswerOutcome]
    numbers: Mapping[int, int]
    step_numbers: Mapping[int, int]
    exclusions: Mapping[str, Exclusion]


@dataclass(frozen=True, slots=True)
class CountedAnswer:
    """An answer that counts; `unit` and `annotator` are their names."""

    id: int
    unit: str
    annotator: str
    value: float | None
    picks: Mapping[str, str] | None


class BriefAnswer(NamedTuple):
    """An answer in force. `shown_at` and `arrived_at` are only read if `visible_ms` is unknown."""

    annotator: str
    pass_number: int
    block: Block
    is_empty: bool
    visible_ms: int | None
    shown_at: datetime | None
    arrived_at: datetime | None

    @property
    def seconds(self) -> float:
        """The seconds for the answer by the page's clock, or else by the server's."""
        if self.shown_at is not None and self.arrived_at is not None:
            return (self.arrived_at - self.shown_at).total_seconds()
        return (self.visible_ms or 0) / 1000


def hash_state(session: Session, rounds: Sequence[AnnotationRound], *, with_answers: bool = True) -> str:
    """Return a hash that changes if answers of a campaign's rounds come, no longer count, or count again.

    Decisions change it, too. Answers themselves never change. `with_answers`: whether new ones change it.
    """
    newest = [with_answers and session.scalar(_select([func.max(UnitAnswer.id)], each)) for each in rounds]
    of_units = select(func.max(Decision.id)).join(Unit, Unit.id == Decision.unit_id)
    decided = session.scalar(of_units.where(Unit.round_id.in_([round_.id for round_ in rounds])))
    excluded = [each.id for each in exclusions.list_exclusions(session, rounds[0].campaign).values()]
    withdrawn = sorted(consents.list_withdrawn(session, rounds[0].campaign))
    return hashlib.sha256(
        json.dumps([newest, excluded, withdrawn, *([decided] if decided else [])]).encode()
    ).hexdigest()


def load_answers(session: Session, round_: AnnotationRound) -> RoundAnswers:
    """Say of each answer of a round whether it counts, as the scorer does from an export."""
    outcomes: dict[int, AnswerOutcome] = {}
    first_answers: dict[int, int] = {}
    for of_unit in classify_by_unit(session, round_):
        for row, outcome in of_unit:
            outcomes[row.id] = outcome
            first_answers.setdefault(row.step_id, row.id)
    return RoundAnswers(
        round_,
        round_.pass_slugs,
        outcomes,
        _number(sorted(outcomes)),
        _number(sorted(first_answers, key=first_answers.__getitem__)),
        exclusions.list_exclusions(session, round_.campaign),
    )


def _number(ids: Sequence[int]) -> dict[int, int]:
    return {id_: number for number, id_ in enumerate(ids, 1)}


def classify_by_unit(
    session: Session, round_: AnnotationRound
) -> Iterator[list[tuple[AnswerRow, AnswerOutcome]]]:
    """Yield the answers to each unit of a round, each with what becomes of it, by slot and arrival."""
    excluded, needed = exclusions.list_exclusions(session, round_.campaign), round_.rules.answers
    # No answer to another unit matters, so the units are classified one by one.
    for _unit, group in groupby(iterate_rows(session, round_, by_unit=True), lambda row: row.unit):
        rows = list(group)
        records = [_make_record(row) for row in rows]
        outcomes = classify_answers(records, answers_per_unit=needed, excluded=excluded)
        yield [(row, outcomes[row.id]) for row in rows]


def _make_record(row: AnswerRow) -> AnswerRecord:
    return AnswerRecord(
        id=row.id,
        unit=row.unit,
        slot=row.slot,
        annotator=row.annotator,
        value=row.value,
        late=row.standing == "late",
        arrived=row.arrived_at,
        step=row.step_id,
        block=row.block,
        pass_slug=str(row.pass_number),
        picks=row.picks,
        written=row.written,
    )


def count_answers(session: Session, round_: AnnotationRound) -> int:
    """Count the answers that an export of the round has, whether they count or not."""
    return session.scalar(_select([func.count(UnitAnswer.id)], round_)) or 0


def list_counted(
    session: Session, round_: AnnotationRound, pass_number: int
) -> tuple[list[CountedAnswer], int]:
    """List the answers of a pass that count, as they arrived, and count those beyond what a unit needs."""
    columns = _columns_of(CountedAnswer, unit=Unit.key, annotator=Annotator.name)
    query = _select([*columns, Unit.id], round_).where(
        IN_FORCE,
        Step.block == "main",
        Step.pass_number == pass_number,
        ~IS_EMPTY,
        Annotator.name.not_in(exclusions.list_exclusions(session, round_.campaign)),
    )
    rows = session.execute(query.order_by(UnitAnswer.id)).all()
    surplus = find_surplus(session, round_, Counter(row[-1] for row in rows))
    counted = [CountedAnswer(*row[:-1]) for row in rows if row.id not in surplus]
    return counted, len(rows) - len(counted)


def count_by_unit(
    session: Session, round_: AnnotationRound, *, empty: bool = False
) -> list[tuple[int, int, int]]:
    """Count the answers that could count: the number of the pass, the id of the unit, and how many.

    `empty`: count those with which annotators left the unit to others.
    """
    query = _select([Step.pass_number, Unit.id, func.count()], round_).where(
        IN_FORCE,
        Step.block == "main",
        IS_EMPTY if empty else ~IS_EMPTY,
        Annotator.name.not_in(exclusions.list_exclusions(session, round_.campaign)),
    )
    return [tuple(row) for row in session.execute(query.group_by(Step.pass_number, Unit.id))]


def list_remarks(session: Session, round_: AnnotationRound, size: int, page: int) -> list[AnswerRow]:
    """List one page of the answers with a comment, or a reason why there is no rating, by unit; one more."""
    has_remark = AnswerText.comment.is_not(None) | AnswerText.reason.is_not(None)
    return _list_page(session, _select_rows(round_).where(IN_FORCE, has_remark), size, page)


def list_in_force(
    session: Session,
    round_: AnnotationRound,
    conditions: Iterable[ColumnElement[bool]],
    size: int,
    page: int,
) -> list[AnswerRow]:
    """List one page of the answers that meet conditions and are not excluded, by unit; one more."""
    excluded = exclusions.list_exclusions(session, round_.campaign)
    query = _select_rows(round_).where(IN_FORCE, Annotator.name.not_in(excluded), *conditions)
    return _list_page(session, query, size, page)


def _list_page(session: Session, query: Select[Any], size: int, page: int) -> list[AnswerRow]:
    query = query.order_by(Unit.position, UnitAnswer.id).offset(size * (page - 1)).limit(size + 1)
    return [AnswerRow(*values) for values in session.execute(query)]


def find_surplus(
    session: Session, round_: AnnotationRound, answers_of: Mapping[int, int]
) -> dict[int, AnswerRecord]:
    """Return the answers beyond those that a unit needs, by their ids.

    `answers_of`: how many answers could count, by the id of the unit; the others are not looked at.
    """
    needed = round_.rules.answers
    surplus: dict[int, AnswerRecord] = {}
    excluded = exclusions.list_exclusions(session, round_.campaign)
    units = [unit for unit, n in answers_of.items() if n > needed]
    for start in range(0, len(units), BATCH):
        query = _select_rows(round_).where(Unit.id.in_(units[start : start + BATCH]))
        records = [_make_record(AnswerRow(*row)) for row in session.execute(query)]
        outcomes = classify_answers(records, answers_per_unit=needed, excluded=excluded)
        surplus |= {record.id: record for record in records if outcomes[record.id] == "surplus"}
    return surplus


def iterate_in_force(session: Session, round_: AnnotationRound) -> Iterator[BriefAnswer]:
    """Yield the answers in force, of which little is read: a round can have very many."""
    unseen = UnitAnswer.visible_ms.is_(None)
    columns = _columns_of(
        BriefAnswer,
        annotator=Annotator.name,
        is_empty=IS_EMPTY,
        shown_at=case((unseen, UnitAnswer.shown_at)),
        arrived_at=case((unseen, UnitAnswer.arrived_at)),
    )
    query = _select(columns, round_).where(IN_FORCE).execution_options(yield_per=BATCH)
    return (BriefAnswer(*row) for row in session.execute(query))


def find_times(
    session: Session, round_: AnnotationRound
) -> dict[tuple[str, int], tuple[datetime, datetime | None]]:
    """Return when the first answer of each annotator in each pass arrived, and the last that is not late."""
    name, number, arrived = Annotator.name, Step.pass_number, UnitAnswer.arrived_at
    last = func.max(arrived, type_=arrived.type).filter(UnitAnswer.standing == "counts")
    query = _select([name, number, func.min(arrived, type_=arrived.type), last], round_)
    rows = session.execute(query.group_by(name, number))
    return {(annotator, of_pass): (first, last) for annotator, of_pass, first, last in rows}


def iterate_rows(session: Session, round_: AnnotationRound, *, by_unit: bool = False) -> Iterator[AnswerRow]:
    """Yield the answers of a round in the order in which they arrived, or else by unit and slot."""
    place = (Unit.position, Unit.id, Step.slot) if by_unit else ()
    query = _select_rows(round_).order_by(*place, UnitAnswer.id)
    for values in session.execute(query.execution_options(yield_per=BATCH)):
        yield AnswerRow(*values)


def find_repeated(session: Session, round_: AnnotationRound) -> dict[int, AnswerRow]:
    """Return the answer in force to each step of an earlier round that the round repeats, by that step."""
    repeated = (
        select(Step.repeats_step_id)
        .join(Step.assignment)
        .join(Assignment.plan)
        .where(AssignmentPlan.round_id == round_.id, Step.repeats_step_id.is_not(None))
    )
    in_force: dict[int, AnswerRow] = {}
    for earlier in round_.campaign.rounds[: round_.campaign.rounds.index(round_)]:
        rows = _select_rows(earlier).subquery()
        query = select(rows).where(rows.c.step_id.in_(repeated)).order_by(rows.c.id)
        in_force |= index_in_force(AnswerRow(*values) for values in session.execute(query))
    return in_force


def index_in_force(rows: Iterable[AnswerRow]) -> dict[int, AnswerRow]:
    """Return the answers in force by their steps; those to a step are in the order in which they arrived."""
    return {row.step_id: row for row in rows if row.standing == "counts"}


def count_withdrawn_answers(session: Session, round_: AnnotationRound) -> int:
    """Count the answers of annotators who withdrew their consent, which no export has."""
    query = (
        select(func.count(UnitAnswer.id))
        .join(UnitAnswer.step)
        .join(Step.assignment)
        .join(Assignment.plan)
        .where(
            AssignmentPlan.round_id == round_.id,
            Step.annotator_id.in_(consents.select_withdrawn(round_.campaign_id)),
        )
    )
    return session.scalar(query) or 0


def _select_rows(round_: AnnotationRound) -> Select[Any]:
    """Select the fields of `AnswerRow`."""
    previous_at = func.lag(UnitAnswer.arrived_at, type_=UnitAnswer.arrived_at.type)
    columns = _columns_of(
        AnswerRow,
        unit=Unit.key,
        plan=AssignmentPlan.number,
        assignment=Assignment.number,
        repeats=Step.repeats_step_id,
        annotator=Annotator.name,
        previous_at=previous_at.over(partition_by=Step.annotator_id, order_by=UnitAnswer.id),
    )
    return _select(columns, round_).outerjoin(AnswerText, AnswerText.answer_id == UnitAnswer.id)


def _columns_of(record: Any, **named: Any) -> list[Any]:
    """Return the columns of a record's fields: those that are `named`, or else those of the same name."""
    return [
        (named[name] if name in named else _find_column(name)).label(name) for name in record.__match_args__
    ]


def _find_column(name: str) -> Any:
    """Return the column of an answer, or else of its text, its step or its unit."""
    return next(getattr(of, name) for of in (UnitAnswer, AnswerText, Step, Unit) if hasattr(of, name))


def _select(columns: Sequence[Any], round_: AnnotationRound) -> Select[Any]:
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
            AssignmentPlan.round_id == round_.id,
            Annotator.trial.is_(False),
            Annotator.id.not_in(consents.select_withdrawn(round_.campaign_id)),
        )
    )
