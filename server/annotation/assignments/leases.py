"""What annotators who stopped did not answer, and assigning it to others."""

from collections.abc import Collection, Iterator
from datetime import datetime

from sqlalchemy import exists, func, select
from sqlalchemy.orm import Session

from scorer.campaigns.assignments import PlannedAssignment, PlannedStep, plan_repair
from server.access import service as access
from server.annotation import campaign_log
from server.annotation.assignments import plans
from server.annotation.assignments.progress import IN_FORCE, IS_EMPTY, add_event, own_progress, round_progress
from server.annotation.assignments.rules import SlotFacts, find_missing, pick_repair
from server.annotation.campaigns import consents, exclusions
from server.annotation.models import (
    AnnotationRound,
    Annotator,
    Assignment,
    AssignmentPlan,
    Step,
    Unit,
    UnitAnswer,
)
from server.core.actors import VISITOR, Actor
from server.core.errors import Conflict


def missing_slots(session: Session, round_: AnnotationRound, now: datetime) -> dict[str, list[int]]:
    """Return the slots, by the key of their unit, that are missing unless they are reassigned."""
    rows = plans.list_plans(session, round_)
    slots = [*_list_free_slots(session, rows[0]), *_list_taken_slots(session, round_, now)]
    return find_missing(slots, round_.rules.answers)


def free_assignments(session: Session, row: AssignmentPlan) -> list[PlannedAssignment]:
    """List the assignments of a plan that nobody took."""
    taken = set(
        session.scalars(
            select(Assignment.number).where(Assignment.plan_id == row.id, Assignment.number.is_not(None))
        )
    )
    return [planned for planned in plans.read_plan(session, row).assignments if planned.number not in taken]


def release_assignments(session: Session, actor: Actor, annotator: Annotator, now: datetime) -> None:
    """Let others have at once what an annotator, who will not come, has not answered.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task.
        Conflict: the annotator has nothing left to answer.
    """
    access.require_organizer(session, actor, annotator.campaign.task)
    works = [work for work in own_progress(session, annotator, now) if work.n_open and work.state != "left"]
    if not works:
        raise Conflict.of("%(name)s has no assignment that could be released.", name=annotator.name)
    for work in works:
        add_event(session, work.assignment, "left", now)
        campaign_log.record_assignment(session, actor, now, "assignment.release", work.assignment)


def make_repair_plan(
    session: Session, round_: AnnotationRound, had: Collection[str], now: datetime
) -> tuple[AssignmentPlan, PlannedAssignment] | None:
    """Plan one assignment of missing slots for a person who takes it now; None: they can do none of them.

    A repair plan is one assignment, so what it assigns is always taken: nothing waits for a person who can do
    it, and may never come.

    `had`: the keys of the units that the person had.
    """
    picked = pick_missing(session, round_, had, now)
    if not picked:
        return None
    rows = plans.list_plans(session, round_)
    plan = plan_repair(
        plans.read_plan(session, rows[0]),
        _find_groups(session, round_),
        [PlannedStep(unit, slot) for unit, slot in picked],
        round_.rules,
        number=rows[-1].number + 1,
    )
    row = plans.store_plan(session, round_, plan, None, now)
    details = {"round": round_.slug, "plan": row.number, "steps": len(picked), "sha256": row.sha256}
    campaign_log.record(session, VISITOR, now, "campaign.repair", round_.campaign, **details)
    return row, plan.assignments[0]


def pick_missing(
    session: Session, round_: AnnotationRound, had: Collection[str], now: datetime
) -> list[tuple[str, int]]:
    """Pick missing slots for an assignment of a person who had some units; none: they can do none of them."""
    missing, rules = missing_slots(session, round_, now), round_.rules
    if not missing:
        return []
    groups = _find_groups(session, round_)
    return pick_repair(missing, groups, had, rules.assignment, rules.groups)


def _find_groups(session: Session, round_: AnnotationRound) -> dict[str, str | None]:
    return {key: place.group for key, place in plans.find_places(session, round_).items()}


def _list_free_slots(session: Session, row: AssignmentPlan) -> Iterator[SlotFacts]:
    for planned in free_assignments(session, row):
        for step in planned.steps:
            yield SlotFacts(step.unit, step.slot, row.number, counts=False, awaited=True)


def _list_taken_slots(session: Session, round_: AnnotationRound, now: datetime) -> Iterator[SlotFacts]:
    campaign = round_.campaign
    uncounted = exclusions.list_excluded(session, campaign) | consents.list_withdrawn(session, campaign)
    at_work = {
        row.assignment.id
        for row in round_progress(session, round_, now)
        if row.state in ("active", "resting")
    }
    counts = exists().where(UnitAnswer.step_id == Step.id, IN_FORCE, ~IS_EMPTY)
    query = (
        select(
            Unit.key,
            Step.slot,
            AssignmentPlan.number,
            Step.assignment_id,
            Step.annotator_id,
            func.count(Step.id).filter(exists().where(UnitAnswer.step_id == Step.id)),
            func.count(Step.id).filter(counts),
        )
        .join(Unit, Unit.id == Step.unit_id)
        .join(Step.assignment)
        .join(Assignment.plan)
        .where(AssignmentPlan.round_id == round_.id, Assignment.number.is_not(None), Step.block == "main")
        .group_by(Unit.key, Step.slot, AssignmentPlan.number, Step.assignment_id, Step.annotator_id)
    )
    # A slot counts with an answer in each pass: paired tests need the same person twice.
    for key, slot, number, assignment_id, annotator_id, n_answered, n_counted in session.execute(query):
        may_count = annotator_id not in uncounted
        awaited = may_count and n_answered < round_.n_passes and assignment_id in at_work
        yield SlotFacts(key, slot, number, counts=may_count and n_counted == round_.n_passes, awaited=awaited)
