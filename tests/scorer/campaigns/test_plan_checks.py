"""Each broken rule of a plan, or of answers to it, is one sentence that names the places."""

import json
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from scorer.campaigns.answers_reader import ExportedAnswer, parse_answers
from scorer.campaigns.assignments import Plan, PlannedAssignment, PlannedStep, plan_assignments
from scorer.campaigns.config import Grouping, PlanRules, Unit
from scorer.campaigns.counted import AnswerOutcome, AnswerRecord
from scorer.campaigns.plan_checks import check_answers, check_plan
from scorer.errors import RatingsError

UNITS = [Unit(f"{group}{number}", group, None, {}) for group in "abc" for number in (1, 2)]
PLAN = plan_assignments("rate", UNITS, PlanRules(answers=2, assignment=3, seed=7))


def checked(plan: Plan, groups: Grouping = "apart") -> list[str]:
    return check_plan(plan, UNITS, PlanRules(answers=2, assignment=3, groups=groups))


def with_steps(plan: Plan, number: int, steps: Iterable[PlannedStep]) -> Plan:
    """Return a plan in which an assignment has other steps."""
    return replace(
        plan,
        assignments=tuple(
            replace(each, steps=tuple(steps)) if each.number == number else each for each in plan.assignments
        ),
    )


def test_good_plan_breaks_no_rule() -> None:
    assert checked(PLAN) == []


def test_missing_step_is_an_incomplete_unit() -> None:
    first = PLAN.assignments[0].steps
    assert checked(with_steps(PLAN, 1, first[1:])) == [f'1 unit has fewer than 2 slots: "{first[0].unit}".']


def test_repair_plan_need_not_have_every_slot() -> None:
    assert checked(replace(with_steps(PLAN, 1, PLAN.assignments[0].steps[1:]), reason="repair")) == []


def test_repeated_and_unknown_steps_are_named() -> None:
    steps = (*PLAN.assignments[0].steps[:2], PlannedStep("nowhere", 3))
    problems = checked(with_steps(PLAN, 1, steps))
    assert '1 unit of the plan is not in the file of units: "nowhere".' in problems
    assert '1 slot is outside 1 to 2: slot 3 of "nowhere".' in problems
    twice = with_steps(PLAN, 2, PLAN.assignments[0].steps)
    assert any("slots are planned more than once: slot " in problem for problem in checked(twice))


def test_unit_twice_and_group_twice_in_an_assignment_are_named() -> None:
    steps = [PlannedStep("a1", 1), PlannedStep("a1", 2), PlannedStep("a2", 1)]
    problems = checked(with_steps(PLAN, 1, steps))
    assert '1 unit is more than once in an assignment: "a1" in assignment 1.' in problems
    assert '1 group has two units in an assignment: "a" in assignment 1.' in problems
    free = checked(with_steps(PLAN, 1, steps), "free")
    assert not any("group" in problem for problem in free)


def test_long_and_uneven_assignments_are_named() -> None:
    everything = [step for each in PLAN.assignments for step in each.steps]
    problems = checked(with_steps(PLAN, 1, everything))
    assert "1 assignment has more than 3 steps: 1 (12)." in problems
    assert (
        "1 panel has assignments whose numbers of steps differ by more than 1: panel 1 (3 to 12)." in problems
    )


def test_other_units_numbers_and_answers_are_said() -> None:
    problems = check_plan(
        replace(PLAN, assignments=PLAN.assignments[::-1]),
        [*UNITS[:5], replace(UNITS[5], genre="news")],
        PlanRules(answers=3, assignment=3, groups="apart"),
    )
    assert problems == [
        "The units are not those of the plan: a key, a text or another column differs.",
        "The plan is for 2 answers for each unit, not for 3.",
        "The assignments are not numbered from 1 in their order.",
    ]


def test_many_places_are_one_sentence_with_the_first_five() -> None:
    problems = checked(replace(PLAN, assignments=(PlannedAssignment(1, 1, PLAN.assignments[0].steps),)))
    assert problems == ['6 units have fewer than 2 slots: "a1", "a2", "b1", "b2", "c1", ….']


def exported(plan: Plan = PLAN) -> list[ExportedAnswer]:
    """Answer every step of a plan; annotator A001 has assignment 1, and so on."""
    answers = []
    for assignment in plan.assignments:
        for step in assignment.steps:
            number = len(answers) + 1
            record = AnswerRecord(
                id=number,
                unit=step.unit,
                slot=step.slot,
                annotator=f"A{assignment.number:03}",
                value=1.0,
                late=False,
                arrived=datetime(2026, 3, 2, tzinfo=UTC) + timedelta(minutes=number),
                step=number,
            )
            place = plan.number, assignment.number, len(answers) % 3 + 1
            answers.append(ExportedAnswer(record, *place, "counted", 6.5, None, "key"))
    return answers


def answers_checked(answers: list[ExportedAnswer], groups: Grouping = "apart") -> list[str]:
    return check_answers(answers, PLAN, UNITS, groups=groups)


def test_answers_to_a_plan_break_no_rule() -> None:
    assert answers_checked(exported()) == []


def test_answer_to_a_step_that_is_not_planned_is_named() -> None:
    answers = exported()
    other = next(
        unit.key for unit in UNITS if unit.key not in {step.unit for step in PLAN.assignments[0].steps}
    )
    answers[0] = replace(answers[0], record=replace(answers[0].record, unit=other))
    assert "1 answer is to a step that plan 1 does not have: 1." in answers_checked(answers)
    elsewhere = replace(answers[0], plan=2, assignment=1)
    assert not any("to a step" in problem for problem in answers_checked([elsewhere, *answers[1:]]))


def test_assignment_of_two_people_is_named() -> None:
    answers = exported()
    answers[0] = replace(answers[0], record=replace(answers[0].record, annotator="A009"))
    assert answers_checked(answers) == [
        "1 assignment has answers of more than one annotator: assignment 1 of plan 1."
    ]


def test_annotator_with_a_unit_or_a_group_twice_is_named() -> None:
    answers = [
        replace(each, record=replace(each.record, annotator="A001")) if each.assignment == 2 else each
        for each in exported()
    ]
    problems = answers_checked(answers)
    assert any("answered two units of a group: A001 " in problem for problem in problems)
    assert not any("two units of a group" in problem for problem in answers_checked(answers, "free"))
    twice = replace(answers[0], record=replace(answers[0].record, id=99, step=99), outcome="surplus")
    assert any(
        "answered a unit in two steps: A001 " in problem for problem in answers_checked([*answers, twice])
    )


@pytest.mark.parametrize("outcome", ["surplus", "late", "superseded"])
def test_outcome_that_the_rules_do_not_give_is_named(outcome: AnswerOutcome) -> None:
    answers = exported()
    answers[4] = replace(answers[4], outcome=outcome)
    assert answers_checked(answers) == [
        "1 answer has an outcome that the rules of counting do not give: "
        + f'5 ("{outcome}", not "counted").'
    ]


def test_exclusions_of_the_export_are_taken_as_given() -> None:
    answers = [
        replace(each, outcome="excluded") if each.record.annotator == "A002" else each for each in exported()
    ]
    assert answers_checked(answers) == []


LINE: dict[str, Any] = {
    "id": 1,
    "plan": 1,
    "assignment": 1,
    "turn": 3,
    "step": 4,
    "slot": 1,
    "unit": "a1",
    "annotator": "A001",
    "value": 2.5,
    "late": False,
    "outcome": "counted",
    "supersedes": None,
    "arrived": "2026-03-02T12:00:00.500Z",
    "elapsed": 6.5,
    "visible": None,
    "input": "key",
    "comment": "a key that is ignored",
}


def test_answers_of_an_export_are_read() -> None:
    (found,) = parse_answers(json.dumps(LINE).encode(), "answers.jsonl")
    assert found.record == AnswerRecord(
        1, "a1", 1, "A001", 2.5, False, datetime(2026, 3, 2, 12, 0, 0, 500_000, UTC), 4
    )
    assert (found.plan, found.assignment, found.turn, found.outcome) == (1, 1, 3, "counted")
    assert (found.seconds, found.input) == (6.5, "key")
    (other,) = parse_answers(json.dumps(LINE | {"visible": 4}).encode(), "answers.jsonl")
    assert other.seconds == 4


@pytest.mark.parametrize(
    "change",
    [
        {"id": "1"},
        {"slot": True},
        {"value": "high"},
        {"value": float("nan")},
        {"late": "early"},
        {"outcome": "lost"},
        {"arrived": "yesterday"},
        {"arrived": "2026-03-02T12:00:00"},
        {"annotator": None},
    ],
)
def test_line_that_is_no_answer_is_refused_by_its_number(change: dict[str, Any]) -> None:
    data = f"{json.dumps(LINE)}\n{json.dumps(LINE | {'id': 2} | change)}\n".encode()
    with pytest.raises(
        RatingsError, match=r"answers\.jsonl:2: is not an answer as a campaign's export has it"
    ):
        parse_answers(data, "answers.jsonl")


@pytest.mark.parametrize("line", ["{}", "[]", "7", "{", "[" * 100_000])
def test_other_json_is_no_answer(line: str) -> None:
    with pytest.raises(RatingsError, match=r"answers\.jsonl:1: is not an answer"):
        parse_answers(line.encode(), "answers.jsonl")


def test_answer_twice_is_refused() -> None:
    data = f"{json.dumps(LINE)}\n{json.dumps(LINE)}\n".encode()
    with pytest.raises(RatingsError, match=r"answers\.jsonl:2: answer 1 is on line 1 already"):
        parse_answers(data, "answers.jsonl")
