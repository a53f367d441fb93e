"""Taking an assignment: the one that the annotator has, else the next free one, else what others left undone.

Everything happens in the caller's one transaction that writes, and the database's unique constraints hold
what the plan promises: no assignment goes to two people, and nobody is asked about a unit twice.
"""

from collections.abc import Iterable
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from scorer.campaigns.assignments import PlannedAssignment
from server.annotation.assignments import leases, plans, progress
from server.annotation.campaigns import consents, standing
from server.annotation.campaigns.service import accepts_work, round_state
from server.annotation.models import AnnotationRound, Annotator, Assignment, AssignmentPlan, Step, Unit
from server.audit import service as audit
from server.core.actors import VISITOR
from server.core.errors import Conflict, NoAssignmentLeft
from server.core.i18n import _
from server.core.storage import Storage


def take_assignment(
    session: Session, storage: Storage, annotator: Annotator, round_: AnnotationRound, now: datetime
) -> Assignment:
    """Return the annotator's unfinished assignment, or give them one.

    Raises:
        Conflict: the round is not open, or the annotator did not consent, or was excluded.
        NoAssignmentLeft: they did as many assignments as they may, or no assignment is left for them.
    """
    require_may_work(session, annotator, round_)
    for held in reversed(progress.own_progress(session, annotator, now)):
        if held.n_open and held.assignment.plan.round_id == round_.id:
            if held.state != "active":
                progress.resume_assignment(session, held.assignment, now)
            return held.assignment
    if annotator.trial:
        return _take_trial(session, storage, annotator, round_, now)
    _require_not_used_up(session, annotator, round_)
    had = _list_had_units(session, annotator, round_)
    keys = {unit.key for unit in had}
    groups = _groups_of(had) if round_.rules["groups"] == "apart" else set()
    first = plans.list_plans(session, round_)[0]
    units = plans.list_units(session, round_)
    planned = _find_free(leases.free_assignments(session, storage, first), units, keys, groups)
    if planned is not None:
        return _take(session, annotator, first, planned, units, now)
    repair = leases.make_repair_plan(session, storage, round_, keys, now)
    if repair is None:
        raise NoAssignmentLeft(_("No assignment is left for you now. Thank you for coming."))
    return _take(session, annotator, *repair, units, now)


def require_may_work(session: Session, annotator: Annotator, round_: AnnotationRound) -> None:
    """Raise unless the annotator may work in the round now.

    Raises:
        Conflict: the round is not open, or the annotator did not consent, or was excluded.
    """
    if not accepts_work(session, round_, annotator):
        raise Conflict(
            {
                "planned": _("This annotation has not begun yet. Come back later."),
                "paused": _("This annotation is paused. Your answers are saved. Come back later."),
                "closed": _("This annotation is closed. Thank you for your work."),
            }[round_state(session, round_)]
        )
    if not consents.has_consented(session, annotator):
        raise Conflict(_("Open your personal link again, and consent to the text there first."))
    if annotator.id in standing.list_excluded(session, annotator.campaign):
        raise Conflict(
            _(
                "The organizers ended your work in this campaign. If you have questions, write to "
                "%(contact)s.",
                contact=annotator.campaign.contact,
            )
        )


def _require_not_used_up(session: Session, annotator: Annotator, round_: AnnotationRound) -> None:
    most = annotator.entry.assignments_each
    query = (
        select(func.count(Assignment.id))
        .join(Assignment.plan)
        .where(Assignment.annotator_id == annotator.id, AssignmentPlan.round_id == round_.id)
    )
    if most and (session.scalar(query) or 0) >= most:
        raise NoAssignmentLeft(_("You have done everything. Thank you for your work."))


def _list_had_units(session: Session, annotator: Annotator, round_: AnnotationRound) -> list[Unit]:
    query = select(Unit).join(Step, Step.unit_id == Unit.id)
    return list(session.scalars(query.where(Step.annotator_id == annotator.id, Unit.round_id == round_.id)))


def _groups_of(units: Iterable[Unit]) -> set[str]:
    return {unit.group for unit in units if unit.group is not None}


def _find_free(
    free: Iterable[PlannedAssignment], units: Iterable[Unit], had: set[str], groups: set[str]
) -> PlannedAssignment | None:
    """Return the first free assignment without a unit or a group that the person had."""
    group_of = {unit.key: unit.group for unit in units}
    for planned in free:
        keys = [step.unit for step in planned.steps]
        if not any(key in had or group_of[key] in groups for key in keys):
            return planned
    return None


def _take_trial(
    session: Session, storage: Storage, annotator: Annotator, round_: AnnotationRound, now: datetime
) -> Assignment:
    """Give a trial a copy of a planned assignment, which stays free for others."""
    first = plans.list_plans(session, round_)[0]
    keys = {unit.key for unit in _list_had_units(session, annotator, round_)}
    units = plans.list_units(session, round_)
    planned = _find_free(plans.read_plan(storage, first).assignments, units, keys, set())
    if planned is None:
        raise NoAssignmentLeft(_("You have tried everything that can be tried."))
    return _add(session, annotator, first, planned, units, now, number=None)


def _take(
    session: Session,
    annotator: Annotator,
    row: AssignmentPlan,
    planned: PlannedAssignment,
    units: Iterable[Unit],
    now: datetime,
) -> Assignment:
    assignment = _add(session, annotator, row, planned, units, now, number=planned.number)
    audit.record(
        session,
        VISITOR,
        now,
        "assignment.take",
        annotator.campaign.task_id,
        campaign=annotator.campaign.slug,
        annotator=annotator.name,
        round=row.round.slug,
        plan=row.number,
        assignment=planned.number,
        steps=len(planned.steps),
    )
    return assignment


def _add(
    session: Session,
    annotator: Annotator,
    row: AssignmentPlan,
    planned: PlannedAssignment,
    units: Iterable[Unit],
    now: datetime,
    *,
    number: int | None,
) -> Assignment:
    assignment = Assignment(plan=row, number=number, annotator=annotator, taken_at=now)
    session.add(assignment)
    session.flush()
    ids = {unit.key: unit.id for unit in units}
    session.add_all(
        Step(
            assignment_id=assignment.id,
            annotator_id=annotator.id,
            unit_id=ids[step.unit],
            position=position,
            slot=step.slot,
        )
        for position, step in enumerate(planned.steps, 1)
    )
    session.flush()
    return assignment
