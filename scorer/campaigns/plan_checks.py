"""Checks a plan, and answers to it, against the rules of planning. Each broken rule is one sentence."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from itertools import chain

from scorer.campaigns.answers_reader import ExportedAnswer
from scorer.campaigns.assignments import Plan, PlannedAssignment, hash_units
from scorer.campaigns.config import Grouping, PlanRules, Unit
from scorer.campaigns.counted import classify_answers
from scorer.files.text import count_noun, shorten

_MAX_LISTED = 5


def check_plan(plan: Plan, units: Sequence[Unit], rules: PlanRules) -> list[str]:
    """Check that a plan keeps the rules of its round.

    Parameters
    ----------
    plan : Plan
        The first plan of a round, or a repair plan, which need not have every step.
    units : sequence of Unit
        The units of the round.
    rules : PlanRules

    Returns
    -------
    list of str
        A sentence for each rule that is broken; none if the plan is good.
    """
    by_key = {unit.key: unit for unit in units}
    problems = []
    if plan.units_sha256 != hash_units(units):
        problems.append("The units are not those of the plan: a key, a text or another column differs.")
    if plan.answers != rules.answers:
        problems.append(f"The plan is for {plan.answers} answers for each unit, not for {rules.answers}.")
    problems += _check_numbers(plan)
    problems += _check_slots(plan, by_key)
    problems += _check_assignments(plan, by_key, rules.groups)
    parts = {planned.number: _list_parts(planned, by_key, rules.groups) for planned in plan.assignments}
    long = [f"{number} ({len(found)})" for number, found in parts.items() if len(found) > rules.assignment]
    noun = "groups" if rules.groups == "together" else "steps"
    problems += _sentence(long, "assignment has", "assignments have", f"more than {rules.assignment} {noun}")
    if rules.groups == "together":
        split = [shorten(group) for group, times in _count(chain.from_iterable(parts.values())) if times > 1]
        problems += _sentence(split, "group is", "groups are", "in several assignments")
    problems += _check_loads(plan)
    return problems


def _list_parts(planned: PlannedAssignment, units: dict[str, Unit], groups: Grouping) -> list[str]:
    """List what an assignment is made of: its steps, or the groups that are together."""
    keys = [step.unit for step in planned.steps]
    if groups != "together":
        return keys
    return [*dict.fromkeys(units[key].group or key for key in keys if key in units)]


def _check_numbers(plan: Plan) -> list[str]:
    numbers = [planned.number for planned in plan.assignments]
    is_good = numbers == list(range(1, len(numbers) + 1))
    return [] if is_good else ["The assignments are not numbered from 1 in their order."]


def _check_slots(plan: Plan, units: Collection[str]) -> list[str]:
    """Check that each unit has each slot once; a repair plan may lack slots."""
    slots: dict[str, Counter[int]] = defaultdict(Counter)
    for planned in plan.assignments:
        for step in planned.steps:
            slots[step.unit][step.slot] += 1
    known = range(1, plan.answers + 1)
    unknown = [shorten(unit) for unit in slots if unit not in units]
    outside = [
        f"slot {slot} of {shorten(unit)}" for unit in slots for slot in slots[unit] if slot not in known
    ]
    repeated = [
        f"slot {slot} of {shorten(unit)}" for unit in slots for slot in slots[unit] if slots[unit][slot] > 1
    ]
    lacking = [shorten(unit) for unit in units if plan.reason == "first" and len(slots[unit]) < plan.answers]
    return [
        *_sentence(unknown, "unit of the plan is", "units of the plan are", "not in the file of units"),
        *_sentence(outside, "slot is", "slots are", f"outside 1 to {plan.answers}"),
        *_sentence(repeated, "slot is", "slots are", "planned more than once"),
        *_sentence(lacking, "unit has", "units have", f"fewer than {count_noun(plan.answers, 'slot')}"),
    ]


def _check_assignments(plan: Plan, units: dict[str, Unit], groups: Grouping) -> list[str]:
    twice = [
        f"{shorten(unit)} in assignment {planned.number}"
        for planned in plan.assignments
        for unit, times in _count(step.unit for step in planned.steps)
        if times > 1
    ]
    problems = _sentence(twice, "unit is", "units are", "more than once in an assignment")
    if groups == "apart":
        together = [
            f"{shorten(group)} in assignment {planned.number}"
            for planned in plan.assignments
            for group, times in _count(_list_groups({step.unit for step in planned.steps}, units))
            if times > 1
        ]
        problems += _sentence(together, "group has", "groups have", "two units in an assignment")
    return problems


def _check_loads(plan: Plan) -> list[str]:
    panels: dict[int, list[PlannedAssignment]] = defaultdict(list)
    for planned in plan.assignments:
        panels[planned.panel].append(planned)
    uneven = []
    for panel, members in sorted(panels.items()):
        loads = [len(planned.steps) for planned in members]
        if max(loads) - min(loads) > 1:
            uneven.append(f"panel {panel} ({min(loads)} to {max(loads)})")
    return _sentence(
        uneven, "panel has", "panels have", "assignments whose numbers of steps differ by more than 1"
    )


def check_answers(
    answers: Sequence[ExportedAnswer], plan: Plan, units: Sequence[Unit], *, groups: Grouping
) -> list[str]:
    """Check answers of an export against a plan and the rules of counting.

    Parameters
    ----------
    answers : sequence of ExportedAnswer
        All answers of the export. Those to other plans are checked too, except for their steps.
    plan : Plan
    units : sequence of Unit
        The units of the round.
    groups : "apart", "free" or "together"

    Returns
    -------
    list of str
        A sentence for each rule that is broken.
    """
    by_key = {unit.key: unit for unit in units}
    planned = {
        (assignment.number, step.unit, step.slot)
        for assignment in plan.assignments
        for step in assignment.steps
    }
    unplanned = [
        str(answer.record.id)
        for answer in answers
        if answer.plan == plan.number
        and answer.record.block == "main"
        and (answer.assignment, answer.record.unit, answer.record.slot) not in planned
    ]
    shared = [
        f"assignment {number} of plan {of_plan}"
        for (of_plan, number), people in _people_of_assignments(answers).items()
        if len(people) > 1
    ]
    return [
        *_sentence(unplanned, "answer is", "answers are", f"to a step that plan {plan.number} does not have"),
        *_sentence(shared, "assignment has", "assignments have", "answers of more than one annotator"),
        *_check_people(answers, by_key, groups),
        *_check_outcomes(answers, plan.answers),
    ]


def _people_of_assignments(answers: Iterable[ExportedAnswer]) -> dict[tuple[int, int], set[str]]:
    people: dict[tuple[int, int], set[str]] = defaultdict(set)
    for answer in answers:
        people[answer.plan, answer.assignment].add(answer.record.annotator)
    return people


def _check_people(answers: Iterable[ExportedAnswer], units: dict[str, Unit], groups: Grouping) -> list[str]:
    """Check that nobody answered a unit in two steps of a pass or, if groups are apart, two of a group."""
    steps: dict[tuple[str, str, str], set[int]] = defaultdict(set)
    of_person: dict[str, set[str]] = defaultdict(set)
    for answer in answers:
        record = answer.record
        if record.block == "main":
            steps[record.annotator, record.unit, record.pass_slug].add(record.step)
            of_person[record.annotator].add(record.unit)
    twice = [f"{name} {shorten(unit)}" for (name, unit, _), numbers in steps.items() if len(numbers) > 1]
    problems = _sentence(twice, "annotator has answered", "annotators have answered", "a unit in two steps")
    if groups == "apart":
        together = [
            f"{name} {shorten(group)}"
            for name, answered in of_person.items()
            for group, times in _count(_list_groups(answered, units))
            if times > 1
        ]
        problems += _sentence(
            together, "annotator has answered", "annotators have answered", "two units of a group"
        )
    return problems


def _check_outcomes(answers: Sequence[ExportedAnswer], answers_per_unit: int) -> list[str]:
    """Check that the outcomes of an export are those that the rules give for its exclusions."""
    excluded = {answer.record.annotator for answer in answers if answer.outcome == "excluded"}
    outcomes = classify_answers(
        [answer.record for answer in answers], answers_per_unit=answers_per_unit, excluded=excluded
    )
    wrong = [
        f'{answer.record.id} ("{answer.outcome}", not "{outcomes[answer.record.id]}")'
        for answer in answers
        if answer.outcome != outcomes[answer.record.id]
    ]
    return _sentence(wrong, "answer has", "answers have", "an outcome that the rules of counting do not give")


def _list_groups(keys: Iterable[str], units: dict[str, Unit]) -> list[str]:
    """Return the group of each of these units that has one."""
    found = [units[key].group for key in keys if key in units]
    return [group for group in found if group is not None]


def _count(values: Iterable[str]) -> list[tuple[str, int]]:
    return sorted(Counter(values).items())


def _sentence(places: Sequence[str], singular: str, plural: str, fact: str) -> list[str]:
    """Write one sentence about the places that break a rule, with the first of them, if there are any."""
    if not places:
        return []
    more = ", …" if len(places) > _MAX_LISTED else ""
    listed = ", ".join(places[:_MAX_LISTED])
    return [f"{len(places)} {singular if len(places) == 1 else plural} {fact}: {listed}{more}."]
