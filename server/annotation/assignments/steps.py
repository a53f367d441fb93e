"""The steps of an assignment: calibration units, its planned units and repeats, in each pass."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from scorer.campaigns.assignments import PlannedStep, draw_repeats
from scorer.campaigns.counted import Block
from server.annotation.assignments.plans import UnitPlace
from server.annotation.assignments.progress import IN_FORCE
from server.annotation.models import (
    AnnotationRound,
    Annotator,
    Assignment,
    AssignmentPlan,
    Step,
    Unit,
    UnitAnswer,
)


@dataclass(frozen=True, slots=True)
class _Repeated:
    """A step that is asked again: an earlier one by its id, or one of this assignment by its place."""

    unit_id: int
    step_id: int | None
    place: int | None = None


def add_steps(
    session: Session,
    assignment: Assignment,
    planned: Sequence[PlannedStep],
    places: Mapping[str, UnitPlace],
    *,
    is_first: bool,
) -> None:
    """Insert the steps of an assignment that was just taken.

    Only the annotator's first assignment of a round has calibration units and repeats.
    """
    round_ = assignment.plan.round
    rules = round_.rules.calibration
    calibration = _list_calibration(session, round_) if is_first and rules else []
    position = 0
    for number in range(1, round_.n_passes + 1):
        asked = calibration if number == 1 or (rules and rules.each_pass) else []
        repeated = _draw_repeated(session, assignment, planned, places, number) if is_first else []
        of_pass: list[tuple[Block, int, int]] = [
            *(("calibration", unit_id, 0) for unit_id in asked),
            *(("main", places[step.unit].id, step.slot) for step in planned),
        ]
        steps = [
            _make_step(assignment, number, position + place, block, unit_id, slot)
            for place, (block, unit_id, slot) in enumerate(of_pass, 1)
        ]
        session.add_all(steps)
        session.flush()  # the repeats refer to them
        position += len(steps)
        for again in repeated:
            position += 1
            step = _make_step(assignment, number, position, "repeat", again.unit_id, 0)
            step.repeats_step_id = (
                again.step_id if again.place is None else steps[len(asked) + again.place].id
            )
            session.add(step)
    session.flush()


def _make_step(
    assignment: Assignment, pass_number: int, position: int, block: Block, unit_id: int, slot: int
) -> Step:
    return Step(
        assignment_id=assignment.id,
        annotator_id=assignment.annotator_id,
        unit_id=unit_id,
        position=position,
        slot=slot,
        pass_number=pass_number,
        block=block,
    )


def _list_calibration(session: Session, round_: AnnotationRound) -> list[int]:
    query = select(Unit.id).where(Unit.round_id == round_.id, Unit.role == "calibration")
    return list(session.scalars(query.order_by(Unit.position)))


def _draw_repeated(
    session: Session,
    assignment: Assignment,
    planned: Sequence[PlannedStep],
    places: Mapping[str, UnitPlace],
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
            IN_FORCE,
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
