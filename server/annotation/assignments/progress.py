"""How far an annotator is: the next step of an assignment, and their own assignments with their states."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, exists, func, select
from sqlalchemy.orm import Session, aliased

from server.annotation.assignments.rules import AssignmentFacts, AssignmentState, find_state
from server.annotation.models import (
    AnnotationRound,
    Annotator,
    Assignment,
    AssignmentEvent,
    AssignmentEventName,
    AssignmentPlan,
    Step,
    UnitAnswer,
)

_LATER, _LATER_ASSIGNMENT, _LATER_PLAN = aliased(Step), aliased(Assignment), aliased(AssignmentPlan)

HAS_ANSWER: ColumnElement[bool] = exists().where(UnitAnswer.step_id == Step.id)
"""Whether a step has an answer, counted or not."""
DEALT_AGAIN: ColumnElement[bool] = exists(
    select(_LATER.id)
    .join(_LATER_ASSIGNMENT, _LATER_ASSIGNMENT.id == _LATER.assignment_id)
    .join(_LATER_PLAN, _LATER_PLAN.id == _LATER_ASSIGNMENT.plan_id)
    .where(
        _LATER.unit_id == Step.unit_id,
        _LATER.slot == Step.slot,
        _LATER_ASSIGNMENT.number.is_not(None),
        _LATER_PLAN.number > AssignmentPlan.number,
    )
)
"""Whether the slot of a step was dealt again; the query has its assignment and plan."""


@dataclass(frozen=True, slots=True)
class AssignmentProgress:
    """How far an assignment is.

    `n_open`: steps that its annotator can still answer; steps that others got in the meantime are neither
    answered nor open.
    """

    assignment: Assignment
    state: AssignmentState
    n_steps: int
    n_answered: int
    n_open: int
    last_active: datetime
    expires_at: datetime


def next_step(session: Session, assignment: Assignment) -> Step | None:
    """Return the first step without an answer that was not dealt again; None: nothing is left to do."""
    query = (
        select(Step)
        .join(Step.assignment)
        .join(Assignment.plan)
        .where(Step.assignment_id == assignment.id, ~HAS_ANSWER)
    )
    if assignment.number is not None:
        query = query.where(~DEALT_AGAIN)
    return session.scalar(query.order_by(Step.position).limit(1))


def own_progress(session: Session, annotator: Annotator, now: datetime) -> list[AssignmentProgress]:
    """List the assignments of an annotator with their states, the oldest first."""
    return _list_progress(session, Assignment.annotator_id == annotator.id, now)


def round_progress(session: Session, round_: AnnotationRound, now: datetime) -> list[AssignmentProgress]:
    """List the assignments of a round with their states, without trials, the oldest first."""
    return _list_progress(
        session, (AssignmentPlan.round_id == round_.id) & Assignment.number.is_not(None), now
    )


def leave_assignment(session: Session, assignment: Assignment, now: datetime) -> None:
    """Record that its annotator stopped: what is not answered can be planned again at once."""
    _add_event(session, assignment, "left", now)


def resume_assignment(session: Session, assignment: Assignment, now: datetime) -> None:
    """Record that its annotator came back to an expired or left assignment: its lease begins again."""
    _add_event(session, assignment, "resumed", now)


def finish_assignment(session: Session, assignment: Assignment, now: datetime) -> bool:
    """Record that nothing is left to do in an assignment, once; return whether nothing is left."""
    if next_step(session, assignment) is not None:
        return False
    finished = select(AssignmentEvent.id).where(
        AssignmentEvent.assignment_id == assignment.id, AssignmentEvent.event == "finished"
    )
    if session.scalar(finished.limit(1)) is None:
        _add_event(session, assignment, "finished", now)
    return True


def _add_event(session: Session, assignment: Assignment, event: AssignmentEventName, now: datetime) -> None:
    session.add(AssignmentEvent(assignment_id=assignment.id, event=event, made_at=now))
    session.flush()


def _list_progress(session: Session, which: ColumnElement[bool], now: datetime) -> list[AssignmentProgress]:
    query = select(Assignment).join(Assignment.plan).join(Assignment.annotator).where(which)
    rows = session.scalars(query.order_by(Assignment.id)).unique().all()
    steps = _count_steps(session, which)
    answered = _last_answers(session, which)
    events = _last_events(session, which)
    return [
        _make_progress(
            assignment,
            steps.get(assignment.id, (0, 0, 0)),
            answered.get(assignment.id),
            events.get(assignment.id, {}),
            now,
        )
        for assignment in rows
    ]


def _make_progress(
    assignment: Assignment,
    counts: tuple[int, int, int],
    last_answer: datetime | None,
    events: dict[AssignmentEventName, datetime],
    now: datetime,
) -> AssignmentProgress:
    n_steps, n_answered, n_dealt_again = counts
    lease = timedelta(hours=assignment.annotator.entry.lease_hours)
    active = [assignment.taken_at, last_answer, events.get("resumed")]
    last_active = max(at for at in active if at is not None)
    n_open = n_steps - n_answered - n_dealt_again
    facts = AssignmentFacts(n_open, n_dealt_again, last_active, events.get("left"), lease)
    return AssignmentProgress(
        assignment, find_state(facts, now), n_steps, n_answered, n_open, last_active, last_active + lease
    )


def _count_steps(session: Session, which: ColumnElement[bool]) -> dict[int, tuple[int, int, int]]:
    """Count the steps of assignments: all, those with an answer, and others that were dealt again."""
    again = ~HAS_ANSWER & Assignment.number.is_not(None) & DEALT_AGAIN
    query = (
        select(
            Step.assignment_id,
            func.count(Step.id),
            func.count(Step.id).filter(HAS_ANSWER),
            func.count(Step.id).filter(again),
        )
        .join(Step.assignment)
        .join(Assignment.plan)
        .where(which)
        .group_by(Step.assignment_id)
    )
    return {row[0]: (row[1], row[2], row[3]) for row in session.execute(query)}


def _last_answers(session: Session, which: ColumnElement[bool]) -> dict[int, datetime]:
    query = (
        select(Step.assignment_id, func.max(UnitAnswer.arrived_at))
        .join(UnitAnswer, UnitAnswer.step_id == Step.id)
        .join(Step.assignment)
        .join(Assignment.plan)
        .where(which)
        .group_by(Step.assignment_id)
    )
    return {row[0]: row[1] for row in session.execute(query)}


def _last_events(
    session: Session, which: ColumnElement[bool]
) -> dict[int, dict[AssignmentEventName, datetime]]:
    """Return when each event last happened, by assignment; after "resumed", an earlier "left" is void."""
    query = (
        select(AssignmentEvent)
        .join(Assignment, Assignment.id == AssignmentEvent.assignment_id)
        .join(Assignment.plan)
        .where(which)
        .order_by(AssignmentEvent.id)
    )
    found: dict[int, dict[AssignmentEventName, datetime]] = {}
    for row in session.scalars(query):
        events = found.setdefault(row.assignment_id, {})
        events[row.event] = row.made_at
        if row.event == "resumed":
            events.pop("left", None)
    return found


def list_steps(session: Session, assignment: Assignment) -> Sequence[Step]:
    """List the steps of an assignment in their order."""
    query = select(Step).where(Step.assignment_id == assignment.id).order_by(Step.position)
    return session.scalars(query).all()
