"""The gate of a round: calibration units with known ratings, which decide which annotators go on.

It is judged in the transaction that stores the last of their answers in the first pass. Each further try has
steps of its own, so that no answer of an earlier try is changed.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Literal

from sqlalchemy import select
from sqlalchemy.orm import Session, joinedload

from scorer.campaigns.config import Gate
from scorer.campaigns.units_reader import KNOWN
from server.annotation.assignments.progress import IN_FORCE, add_event, make_step
from server.annotation.campaigns import consents
from server.annotation.models import (
    AnnotationRound,
    Annotator,
    Assignment,
    AssignmentEvent,
    AssignmentPlan,
    Step,
    UnitAnswer,
)

GateVerdict = Literal["passed", "failed", "retry"]
"""retry: not passed, and there is another try."""
_ROUNDING = 1e-9


def is_gate_step(step: Step) -> bool:
    """Whether the gate of the round judges the answer to a step."""
    has_gate = step.assignment.plan.round.rules.gate is not None
    return has_gate and step.block == "calibration" and step.pass_number == 1


def judge(session: Session, step: Step, now: datetime) -> GateVerdict | None:
    """Judge the gate if the answer to a step was the last one of a try; None: it was not."""
    gate, assignment = step.assignment.plan.round.rules.gate, step.assignment
    if gate is None or not is_gate_step(step):
        return None
    tries = list_tries(session, assignment)
    values = _read_values(session, tries[-1])
    if len(values) < len(tries[-1]):
        return None
    if _count_near(tries[-1], values, gate) >= gate.need:
        verdict: GateVerdict = "passed"
    else:
        verdict = "retry" if len(tries) < gate.tries else "failed"
    if verdict == "retry":
        _add_try(session, assignment, tries[-1])
    add_event(session, assignment, verdict, now)
    return verdict


def find_verdict(session: Session, assignment: Assignment) -> GateVerdict | None:
    """Return the newest verdict of the gate on an assignment; None: it was not judged."""
    query = select(AssignmentEvent.event).where(
        AssignmentEvent.assignment_id == assignment.id,
        AssignmentEvent.event.in_(("passed", "failed", "retry")),
    )
    event: GateVerdict | None = session.scalar(query.order_by(AssignmentEvent.id.desc()).limit(1))
    return event


def list_tries(session: Session, assignment: Assignment) -> list[Sequence[Step]]:
    """List the steps of each try at the gate; none in an assignment without calibration units."""
    query = select(Step).where(
        Step.assignment_id == assignment.id, Step.block == "calibration", Step.pass_number == 1
    )
    steps = session.scalars(query.order_by(Step.position).options(joinedload(Step.unit))).all()
    n = len({step.unit_id for step in steps})
    return [steps[start : start + n] for start in range(0, len(steps), n or 1)]


def list_known(steps: Sequence[Step]) -> dict[int, float]:
    """Return the known ratings by the ids of the steps."""
    return {step.id: float(step.unit.texts[KNOWN]) for step in steps}


def is_final(session: Session, step: Step) -> bool:
    """Whether a step is one of the gate whose try was judged, so that its answer can no longer be changed."""
    if not is_gate_step(step):
        return False
    verdict = find_verdict(session, step.assignment)
    if verdict is None:
        return False
    return verdict != "retry" or step.id not in {each.id for each in list_tries(session, step.assignment)[-1]}


def is_before_gate(session: Session, step: Step) -> bool:
    """Whether a step waits for the gate: it is not one of the gate, which was not passed yet."""
    assignment = step.assignment
    if assignment.plan.round.rules.gate is None or is_gate_step(step):
        return False
    return find_verdict(session, assignment) in (None, "retry") and bool(list_tries(session, assignment))


def list_verdicts(session: Session, round_: AnnotationRound) -> Mapping[int, bool]:
    """Return who passed the gate of a round (true) or failed it (false), by the ids of annotators.

    Trials are left out, and people who withdrew their consent.
    """
    if round_.rules.gate is None:
        return {}
    query = (
        select(Assignment.annotator_id, AssignmentEvent.event == "passed")
        .join(Assignment, Assignment.id == AssignmentEvent.assignment_id)
        .join(Assignment.plan)
        .where(
            AssignmentPlan.round_id == round_.id,
            AssignmentEvent.event.in_(("passed", "failed")),
            Assignment.number.is_not(None),
            Assignment.annotator_id.not_in(consents.select_withdrawn(round_.campaign_id)),
        )
    )
    return dict(session.execute(query).all())


def has_failed(session: Session, annotator: Annotator, round_: AnnotationRound) -> bool:
    """Whether the annotator failed the gate of a round; an organizer who tries it can go on all the same."""
    if annotator.trial or round_.rules.gate is None:
        return False
    query = (
        select(AssignmentEvent.id)
        .join(Assignment, Assignment.id == AssignmentEvent.assignment_id)
        .join(Assignment.plan)
        .where(
            AssignmentPlan.round_id == round_.id,
            Assignment.annotator_id == annotator.id,
            AssignmentEvent.event == "failed",
        )
    )
    return session.scalar(query.limit(1)) is not None


def _read_values(session: Session, steps: Sequence[Step]) -> dict[int, float | None]:
    """Return the ratings in force by the ids of the steps."""
    query = select(UnitAnswer.step_id, UnitAnswer.value)
    rows = session.execute(query.where(UnitAnswer.step_id.in_([step.id for step in steps]), IN_FORCE))
    return dict(rows.all())


def _count_near(steps: Sequence[Step], values: Mapping[int, float | None], gate: Gate) -> int:
    """Count the ratings near the known ones; who cannot judge a unit has no such rating of it."""
    pairs = [(values[step_id], known) for step_id, known in list_known(steps).items()]
    return sum(value is not None and abs(value - known) <= gate.within + _ROUNDING for value, known in pairs)


def _add_try(session: Session, assignment: Assignment, steps: Sequence[Step]) -> None:
    """Ask about the units of a try again, at the positions that were left free for it."""
    session.add_all(
        make_step(
            assignment, step.pass_number, step.position + len(steps), step.block, step.unit_id, step.slot
        )
        for step in steps
    )
    session.flush()
