"""Taking an assignment: the one that the annotator has, else the next free one, else what others left undone.

Everything happens in the caller's one transaction that writes, and the database's unique constraints hold
what the plan promises: no assignment goes to two people, and nobody is asked about a unit twice.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from scorer.campaigns.assignments import PlannedAssignment, PlannedStep, draw_repeats
from scorer.campaigns.counted import Block
from server.annotation import campaign_log
from server.annotation.assignments import gates, leases, plans, progress
from server.annotation.campaigns import consents, exclusions
from server.annotation.campaigns.service import accepts_work, is_for, round_state
from server.annotation.models import (
    AnnotationRound,
    Annotator,
    Assignment,
    AssignmentPlan,
    Step,
    Unit,
    UnitAnswer,
)
from server.core.actors import VISITOR
from server.core.errors import Conflict, NoAssignmentLeft
from server.core.i18n import _


def take_assignment(
    session: Session, annotator: Annotator, round_: AnnotationRound, now: datetime
) -> Assignment:
    """Return the annotator's unfinished assignment, or give them one.

    Raises:
        Conflict: the round is not open, or the annotator did not consent, or was excluded.
        NoAssignmentLeft: they did as many assignments as they may, or no assignment is left for them.
    """
    require_may_work(session, annotator, round_)
    for held in reversed(progress.own_progress(session, annotator, now)):
        if held.n_open and held.assignment.plan.round_id == round_.id:
            if held.state in ("expired", "left"):
                progress.add_event(session, held.assignment, "resumed", now)
            return held.assignment
    if annotator.trial:
        return _take_trial(session, annotator, round_, now)
    _require_not_used_up(session, annotator, round_)
    places, had = plans.find_places(session, round_), _find_had_units(session, annotator, round_)
    planned = _find_planned(session, round_, places, had)
    if planned is not None:
        return _add(session, annotator, plans.list_plans(session, round_)[0], planned, places, now)
    repair = leases.make_repair_plan(session, round_, had, now)
    if repair is None:
        raise NoAssignmentLeft.of("No assignment is left for you now. Thank you for coming.")
    return _add(session, annotator, *repair, places, now)


def is_left_for(session: Session, annotator: Annotator, round_: AnnotationRound, now: datetime) -> bool:
    """Whether an assignment of the round is left that the annotator could take, if they may work in it."""
    places, had = plans.find_places(session, round_), _find_had_units(session, annotator, round_)
    planned = _find_planned(session, round_, places, had)
    return planned is not None or bool(leases.pick_missing(session, round_, had, now))


def require_may_work(session: Session, annotator: Annotator, round_: AnnotationRound) -> None:
    """Raise unless the annotator may work in the round now.

    Raises:
        Conflict: the round is not open or not for their entry; or the annotator did not consent, did not
            pass the gate, or was excluded.
    """
    if not is_for(round_, annotator):
        raise Conflict.of("This assignment is for other annotators.")
    if not accepts_work(session, round_, annotator):
        raise Conflict(
            {
                "planned": _("This annotation has not begun yet. Come back later."),
                "paused": _("This annotation is paused. Your answers are saved. Come back later."),
                "closed": _("This annotation is closed. Thank you for your work."),
            }[round_state(session, round_)]
        )
    if not consents.has_consented(session, annotator):
        raise Conflict.of("Open your personal link again, and consent to the text there first.")
    if gates.has_failed(session, annotator, round_):
        raise Conflict.of(
            "Thank you for your interest. Too many of your answers to the first texts differ from the known "
            "answers, so you get no more texts here."
        )
    if exclusions.is_excluded(session, annotator):
        raise Conflict.of(
            "The organizers ended your work in this campaign. If you have questions, write to %(contact)s.",
            contact=annotator.campaign.contact,
        )


def _require_not_used_up(session: Session, annotator: Annotator, round_: AnnotationRound) -> None:
    most = annotator.entry.assignments_each
    if most and _count_assignments(session, annotator, round_) >= most:
        raise NoAssignmentLeft.of("You have done everything. Thank you for your work.")


def _count_assignments(session: Session, annotator: Annotator, round_: AnnotationRound) -> int:
    query = (
        select(func.count(Assignment.id))
        .join(Assignment.plan)
        .where(Assignment.annotator_id == annotator.id, AssignmentPlan.round_id == round_.id)
    )
    return session.scalar(query) or 0


def _find_had_units(session: Session, annotator: Annotator, round_: AnnotationRound) -> set[str]:
    """Return the keys of the planned units that an annotator was given."""
    query = select(Unit.key).join(Step, Step.unit_id == Unit.id)
    return set(
        session.scalars(
            query.where(Step.annotator_id == annotator.id, Unit.round_id == round_.id, Unit.role == "main")
        )
    )


def _find_planned(
    session: Session, round_: AnnotationRound, places: Mapping[str, plans.UnitPlace], had: Collection[str]
) -> PlannedAssignment | None:
    """Return the first free assignment of the first plan for a person who had some units."""
    groups = {places[key].group for key in had} - {None} if round_.rules.groups == "apart" else set()
    first = plans.list_plans(session, round_)[0]
    return _find_free(leases.free_assignments(session, first), places, had, groups)


def _find_free(
    free: Iterable[PlannedAssignment],
    places: Mapping[str, plans.UnitPlace],
    had: Collection[str],
    groups: Collection[str | None],
) -> PlannedAssignment | None:
    """Return the first free assignment without a unit or a group that the person had."""
    for planned in free:
        if not any(step.unit in had or places[step.unit].group in groups for step in planned.steps):
            return planned
    return None


def _take_trial(session: Session, annotator: Annotator, round_: AnnotationRound, now: datetime) -> Assignment:
    """Give a trial a copy of a planned assignment, which stays free for others."""
    first = plans.list_plans(session, round_)[0]
    places, had = plans.find_places(session, round_), _find_had_units(session, annotator, round_)
    planned = _find_free(plans.read_plan(session, first).assignments, places, had, ())
    if planned is None:
        raise NoAssignmentLeft.of("You have tried everything that can be tried.")
    return _add(session, annotator, first, planned, places, now)


def _add(
    session: Session,
    annotator: Annotator,
    row: AssignmentPlan,
    planned: PlannedAssignment,
    places: Mapping[str, plans.UnitPlace],
    now: datetime,
) -> Assignment:
    number = None if annotator.trial else planned.number
    is_first = _count_assignments(session, annotator, row.round) == 0
    assignment = Assignment(plan=row, number=number, annotator=annotator, taken_at=now)
    session.add(assignment)
    session.flush()
    _add_steps(session, assignment, planned.steps, places, is_first=is_first)
    if not annotator.trial:
        n_steps = len(planned.steps)
        campaign_log.record_assignment(session, VISITOR, now, "assignment.take", assignment, steps=n_steps)
    return assignment


@dataclass(frozen=True, slots=True)
class _Repeated:
    """A step that is asked again: an earlier one by its id, or one of this assignment by its place."""

    unit_id: int
    step_id: int | None
    place: int | None = None


def _add_steps(
    session: Session,
    assignment: Assignment,
    planned: Sequence[PlannedStep],
    places: Mapping[str, plans.UnitPlace],
    *,
    is_first: bool,
) -> None:
    """Insert the steps of an assignment that was just taken.

    Only the annotator's first assignment of a round has calibration units and repeats. Behind the
    calibration units of a gate, positions are left free for further tries.
    """
    round_ = assignment.plan.round
    rules = round_.rules.calibration
    units = plans.list_units(session, round_, "calibration") if is_first and rules else []
    calibration = [unit.id for unit in units]
    position = 0
    for number in range(1, round_.n_passes + 1):
        asked = calibration if number == 1 or (rules and rules.each_pass) else []
        n_free = len(asked) * (rules.gate.tries - 1) if number == 1 and rules and rules.gate else 0
        repeated = _draw_repeated(session, assignment, planned, places, number) if is_first else []
        of_pass: list[tuple[Block, int, int]] = [
            *(("calibration", unit_id, 0) for unit_id in asked),
            *(("main", places[step.unit].id, step.slot) for step in planned),
        ]
        steps = [
            progress.make_step(
                assignment, number, position + place + n_free * (place > len(asked)), *planned_step
            )
            for place, planned_step in enumerate(of_pass, 1)
        ]
        session.add_all(steps)
        session.flush()  # the repeats refer to them
        position += len(steps) + n_free
        for again in repeated:
            position += 1
            step = progress.make_step(assignment, number, position, "repeat", again.unit_id, 0)
            step.repeats_step_id = (
                again.step_id if again.place is None else steps[len(asked) + again.place].id
            )
            session.add(step)
    session.flush()


def _draw_repeated(
    session: Session,
    assignment: Assignment,
    planned: Sequence[PlannedStep],
    places: Mapping[str, plans.UnitPlace],
    pass_number: int,
) -> list[_Repeated]:
    """Draw the units that are asked again at the end of a pass: the same ones in each pass."""
    round_, annotator = assignment.plan.round, assignment.annotator
    rules, seed = round_.rules.repeats, round_.rules.seed
    if rules is None:
        return []
    found: list[_Repeated] = []
    if rules.from_round is not None:
        answered = _find_pilot_steps(session, annotator, round_, rules.from_round)
        for key in draw_repeats(list(answered), rules.n, seed=seed, annotator=annotator.name):
            unit_id, step_ids = answered[key]
            found.append(_Repeated(unit_id, step_ids[pass_number - 1]))
    if rules.from_round is None or rules.or_main:
        first_half = {step.unit: place for place, step in enumerate(planned[: len(planned) // 2])}
        drawn = draw_repeats(list(first_half), rules.n - len(found), seed=seed, annotator=annotator.name)
        found += [_Repeated(places[key].id, None, first_half[key]) for key in drawn]
    return found


def _find_pilot_steps(
    session: Session, annotator: Annotator, round_: AnnotationRound, pilot_slug: str
) -> dict[str, tuple[int, list[int]]]:
    """Return the units that the annotator rated in an earlier round, with the step for each pass of this one.

    A pass repeats the earlier pass of the same name, or else the first one. Units without a rating in one of
    these are left out.
    """
    pilot = next(each for each in round_.campaign.rounds if each.slug == pilot_slug)
    query = (
        select(Unit.key, Unit.id, Step.pass_number, Step.id)
        .join(Unit, Unit.id == Step.unit_id)
        .join(Step.assignment)
        .join(Assignment.plan)
        .join(UnitAnswer, UnitAnswer.step_id == Step.id)
        .where(
            AssignmentPlan.round_id == pilot.id,
            Step.annotator_id == annotator.id,
            Step.block == "main",
            progress.IN_FORCE,
            UnitAnswer.value.is_not(None),
        )
    )
    steps: dict[tuple[str, int], dict[int, int]] = {}
    for key, unit_id, number, step_id in session.execute(query):
        steps.setdefault((key, unit_id), {})[number] = step_id
    earlier = pilot.pass_slugs
    wanted = [earlier.index(slug) + 1 if slug in earlier else 1 for slug in round_.pass_slugs]
    return {
        key: (unit_id, [numbers[number] for number in wanted])
        for (key, unit_id), numbers in sorted(steps.items())
        if all(number in numbers for number in wanted)
    }
