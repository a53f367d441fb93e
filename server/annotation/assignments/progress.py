"""How far an annotator is: the next step of an assignment, and their own assignments with their states."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, exists, func, null, select
from sqlalchemy.orm import Session, aliased, contains_eager

from scorer.campaigns.counted import Block
from server.annotation import campaign_log
from server.annotation.assignments.rules import AssignmentFacts, AssignmentState, find_state
from server.annotation.models import (
    AnnotationRound,
    Annotator,
    AnswerText,
    Assignment,
    AssignmentEvent,
    AssignmentEventName,
    AssignmentPlan,
    Step,
    UnitAnswer,
)
from server.core.actors import VISITOR

_NEWER = aliased(UnitAnswer)
_LATER, _LATER_ASSIGNMENT, _LATER_PLAN = aliased(Step), aliased(Assignment), aliased(AssignmentPlan)

HAS_ANSWER: ColumnElement[bool] = exists().where(UnitAnswer.step_id == Step.id)
"""Whether a step has an answer, counted or not."""
IN_FORCE: ColumnElement[bool] = (UnitAnswer.standing == "counts") & ~exists().where(
    _NEWER.step_id == UnitAnswer.step_id, _NEWER.standing == "counts", _NEWER.id > UnitAnswer.id
)
"""Whether an answer is the newest one that counts of its step; the query has the answer."""
IS_EMPTY: ColumnElement[bool] = (
    UnitAnswer.value.is_(None)
    & UnitAnswer.picks.is_(null())
    & ~exists().where(AnswerText.answer_id == UnitAnswer.id, AnswerText.written.is_not(None))
)
"""Whether the annotator could not judge the unit, or left it blank; the query has the answer."""
REASSIGNED: ColumnElement[bool] = exists(
    select(_LATER.id)
    .join(_LATER_ASSIGNMENT, _LATER_ASSIGNMENT.id == _LATER.assignment_id)
    .join(_LATER_PLAN, _LATER_PLAN.id == _LATER_ASSIGNMENT.plan_id)
    .where(
        Step.block == "main",
        _LATER.block == "main",
        _LATER.unit_id == Step.unit_id,
        _LATER.slot == Step.slot,
        _LATER_ASSIGNMENT.number.is_not(None),
        _LATER_PLAN.number > AssignmentPlan.number,
    )
)
"""Whether the slot of a step was reassigned; the query has its assignment and plan."""


@dataclass(frozen=True, slots=True)
class PassProgress:
    """How far a pass of an assignment is; `n_reassigned`: steps without an answer that others got."""

    number: int
    n_steps: int
    n_answered: int
    n_reassigned: int
    last_answer: datetime | None

    @property
    def n_open(self) -> int:
        """The number of steps that its annotator can still answer."""
        return self.n_steps - self.n_answered - self.n_reassigned


@dataclass(frozen=True, slots=True)
class AssignmentProgress:
    """How far an assignment is.

    `opens_at`: when the next pass opens or opened, which has no answer yet.
    """

    assignment: Assignment
    state: AssignmentState
    passes: Sequence[PassProgress]
    last_active: datetime
    expires_at: datetime
    opens_at: datetime | None

    @property
    def n_steps(self) -> int:
        """The number of steps of all passes."""
        return sum(each.n_steps for each in self.passes)

    @property
    def n_answered(self) -> int:
        """The number of steps with an answer."""
        return sum(each.n_answered for each in self.passes)

    @property
    def n_open(self) -> int:
        """The number of steps that its annotator can still answer, in all passes."""
        return sum(each.n_open for each in self.passes)


def next_step(session: Session, assignment: Assignment) -> Step | None:
    """Return the first step without an answer that was not reassigned; None: nothing is left to do."""
    query = (
        select(Step)
        .join(Step.assignment)
        .join(Assignment.plan)
        .where(Step.assignment_id == assignment.id, ~HAS_ANSWER)
    )
    if assignment.number is not None:
        query = query.where(~REASSIGNED)
    return session.scalar(query.order_by(Step.position).limit(1))


def find_opening(session: Session, assignment: Assignment, pass_number: int) -> datetime | None:
    """Return when a pass opens for its annotator; None: it is the first one, or has begun."""
    if pass_number == 1:
        return None
    passes = _count_steps(session, Assignment.id == assignment.id)[assignment.id]
    return _find_next_opening(assignment, [each for each in passes if each.number <= pass_number])


def is_pass_done(session: Session, assignment: Assignment, pass_number: int, now: datetime) -> bool:
    """Whether a pass is complete and the next one is open or has begun, so that its answers are final."""
    if pass_number == assignment.plan.round.n_passes:
        return False
    following = next_step(session, assignment)
    if following is not None and following.pass_number == pass_number:
        return False
    opening = find_opening(session, assignment, pass_number + 1)
    return opening is None or opening <= now


def own_progress(session: Session, annotator: Annotator, now: datetime) -> list[AssignmentProgress]:
    """List the assignments of an annotator with their states, the oldest first."""
    return list_progress(session, Assignment.annotator_id == annotator.id, now)


def round_progress(session: Session, round_: AnnotationRound, now: datetime) -> list[AssignmentProgress]:
    """List the assignments of a round with their states, without trials, the oldest first."""
    return list_progress(
        session, (AssignmentPlan.round_id == round_.id) & Assignment.number.is_not(None), now
    )


def is_handed_in(session: Session, assignment: Assignment) -> bool:
    """Whether the annotator has handed in an assignment, so that its answers can no longer be changed."""
    query = select(AssignmentEvent.id).where(
        AssignmentEvent.assignment_id == assignment.id, AssignmentEvent.event == "finished"
    )
    return session.scalar(query.limit(1)) is not None


def finish_assignment(session: Session, assignment: Assignment, now: datetime) -> bool:
    """Record that nothing is left to do in an assignment, once; return whether nothing is left."""
    if next_step(session, assignment) is not None:
        return False
    if not is_handed_in(session, assignment):
        add_event(session, assignment, "finished", now)
        if assignment.number is not None:
            campaign_log.record_assignment(session, VISITOR, now, "assignment.hand-in", assignment)
    return True


def add_event(session: Session, assignment: Assignment, event: AssignmentEventName, now: datetime) -> None:
    """Record what happened to an assignment.

    After "left", what is not answered can be planned again at once; with "resumed", its lease begins again.
    """
    session.add(AssignmentEvent(assignment_id=assignment.id, event=event, made_at=now))
    session.flush()


def make_step(
    assignment: Assignment, pass_number: int, position: int, block: Block, unit_id: int, slot: int
) -> Step:
    """Make a step of an assignment, which the caller adds."""
    return Step(
        assignment_id=assignment.id,
        annotator_id=assignment.annotator_id,
        unit_id=unit_id,
        position=position,
        slot=slot,
        pass_number=pass_number,
        block=block,
    )


def list_progress(session: Session, which: ColumnElement[bool], now: datetime) -> list[AssignmentProgress]:
    """List assignments with their states, the oldest first; `which`: a condition on them and their plans."""
    query = select(Assignment).join(Assignment.plan).join(Assignment.annotator).where(which)
    query = query.options(
        contains_eager(Assignment.plan).joinedload(AssignmentPlan.round),
        contains_eager(Assignment.annotator).joinedload(Annotator.entry),
    )
    rows = session.scalars(query.order_by(Assignment.id)).unique().all()
    steps = _count_steps(session, which)
    events = _last_events(session, which)
    return [
        _make_progress(assignment, steps.get(assignment.id, []), events.get(assignment.id, {}), now)
        for assignment in rows
    ]


def _make_progress(
    assignment: Assignment,
    passes: Sequence[PassProgress],
    events: dict[AssignmentEventName, datetime],
    now: datetime,
) -> AssignmentProgress:
    active = [assignment.taken_at, events.get("resumed"), *(each.last_answer for each in passes)]
    opens_at = _find_next_opening(assignment, passes)
    facts = AssignmentFacts(
        sum(each.n_open for each in passes),
        sum(each.n_reassigned for each in passes),
        max(at for at in active if at is not None),
        events.get("left"),
        timedelta(hours=assignment.annotator.entry.lease_hours),
        opens_at,
        failed="failed" in events and not assignment.annotator.trial,
    )
    return AssignmentProgress(
        assignment, find_state(facts, now), passes, facts.last_active, facts.expires_at, opens_at
    )


def _find_next_opening(assignment: Assignment, passes: Sequence[PassProgress]) -> datetime | None:
    """Return when the last of these passes opens; None: it is the first one, or has begun, or waits for it.

    An organizer who tries the campaign need not wait.
    """
    if len(passes) < 2 or passes[-1].last_answer is not None:
        return None
    before = passes[-2]
    if before.n_open or before.last_answer is None:
        return None
    hours = assignment.plan.round.rules.passes[passes[-1].number - 1].after_hours
    return before.last_answer + timedelta(hours=0 if assignment.annotator.trial else hours)


def _count_steps(session: Session, which: ColumnElement[bool]) -> dict[int, list[PassProgress]]:
    """Count the steps of the passes of assignments, by the ids of these."""
    again = ~HAS_ANSWER & Assignment.number.is_not(None) & REASSIGNED
    last = select(func.max(UnitAnswer.arrived_at)).where(UnitAnswer.step_id == Step.id).scalar_subquery()
    query = (
        select(
            Step.assignment_id,
            Step.pass_number,
            func.count(Step.id),
            func.count(Step.id).filter(HAS_ANSWER),
            func.count(Step.id).filter(again),
            func.max(last, type_=UnitAnswer.arrived_at.type),
        )
        .join(Step.assignment)
        .join(Assignment.plan)
        .where(which)
        .group_by(Step.assignment_id, Step.pass_number)
        .order_by(Step.assignment_id, Step.pass_number)
    )
    found: dict[int, list[PassProgress]] = {}
    for row in session.execute(query):
        found.setdefault(row[0], []).append(PassProgress(row[1], row[2], row[3], row[4], row[5]))
    return found


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
