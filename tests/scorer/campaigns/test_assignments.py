"""Plans keep their rules for every design (the properties P1 to P8 of the design), and repair plans too."""

import hashlib
import subprocess
import sys
from collections import Counter
from itertools import combinations
from math import ceil
from random import Random
from statistics import fmean, pstdev
from typing import NamedTuple

import pytest
from hypothesis import given, strategies as st

from scorer.campaigns.assignments import (
    Plan,
    PlannedStep,
    count_equal_stacks,
    hash_units,
    plan_assignments,
    plan_repair,
    summarize_meetings,
)
from scorer.campaigns.config import Grouping, PlanRules, StepOrder, Unit
from scorer.campaigns.dealing import MeetingBalance, deal_evenly
from scorer.campaigns.plan_checks import check_plan
from scorer.errors import BundleError, RequestError


class Design(NamedTuple):
    """The units of a round and its rules."""

    units: list[Unit]
    answers: int
    assignment: int
    groups: Grouping
    order: StepOrder
    seed: int

    def plan(self, units: list[Unit] | None = None) -> Plan:
        return plan_assignments(
            "rate",
            self.units if units is None else units,
            PlanRules(
                answers=self.answers,
                assignment=self.assignment,
                groups=self.groups,
                order=self.order,
                seed=self.seed,
            ),
        )

    def group_of(self, key: str) -> str:
        group = next(unit.group for unit in self.units if unit.key == key)
        return key if group is None or self.groups == "free" else f"group {group}"


def make_unit(number: int, group: str | None) -> Unit:
    return Unit(f"u{number:04}", group, None, {"left": f"left {number}", "right": f"right {number}"})


def groups_of(units: list[Unit]) -> dict[str, str | None]:
    return {unit.key: unit.group for unit in units}


def unit_lists() -> st.SearchStrategy[list[Unit]]:
    groups = st.none() | st.sampled_from("abcdefgh")
    return st.lists(groups, min_size=1, max_size=40).map(
        lambda drawn: [make_unit(number, group) for number, group in enumerate(drawn)]
    )


@pytest.mark.parametrize(("order", "first"), [("given", ["u0000", "u0001", "u0002"]), ("shuffled", None)])
def test_same_people_can_answer_every_unit(order: StepOrder, first: list[str] | None) -> None:
    units = [make_unit(number, None) for number in range(10)]
    plan = plan_assignments(
        "rate", units, PlanRules(answers=2, assignment=4, groups="free", order=order, people="same")
    )
    parts = [{step.unit for step in assignment.steps} for assignment in plan.assignments]
    assert parts[0::2] == parts[1::2]
    assert sorted(map(len, parts[0::2])) == [3, 3, 4]
    assert set.union(*parts) == {unit.key for unit in units}
    assert first is None or sorted(parts[0]) == first
    assert check_plan(plan, units, PlanRules(answers=2, assignment=4, groups="free")) == []


designs = st.builds(
    Design,
    unit_lists(),
    answers=st.integers(1, 5),
    assignment=st.integers(1, 12),
    groups=st.sampled_from(("apart", "free")),
    order=st.sampled_from(("shuffled", "given")),
    seed=st.integers(0, 1000),
)


def in_panels(plan: Plan) -> list[list[int]]:
    """The numbers of steps of the assignments of each panel."""
    panels: dict[int, list[int]] = {}
    for assignment in plan.assignments:
        panels.setdefault(assignment.panel, []).append(len(assignment.steps))
    return list(panels.values())


@given(designs)
def test_same_input_gives_the_same_bytes(design: Design) -> None:
    assert design.plan().to_json() == design.plan().to_json()


def test_plan_has_the_same_bytes_on_every_machine_and_version() -> None:
    design = Design([make_unit(n, f"g{n // 3}") for n in range(300)], 9, 50, "apart", "shuffled", 7)
    digest = hashlib.sha256(design.plan().to_json()).hexdigest()
    assert digest == "dc7ec5050afff614e8a906651087015e2909c3aeb7a6ccaed08162e8efdb2546"


def test_planning_and_reading_a_campaign_import_no_numpy() -> None:
    """A site plans in the processes that serve its pages, which never load numpy."""
    code = (
        "import sys, scorer.campaigns.reader, scorer.campaigns.plan_checks; sys.exit('numpy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@given(designs)
def test_each_unit_has_each_slot_once_in_different_assignments(design: Design) -> None:
    places: dict[str, list[tuple[int, int]]] = {unit.key: [] for unit in design.units}
    for assignment in design.plan().assignments:
        for step in assignment.steps:
            places[step.unit].append((step.slot, assignment.number))
    for slots_and_people in places.values():
        slots, people = zip(*slots_and_people, strict=True)
        assert sorted(slots) == list(range(1, design.answers + 1))
        assert len(set(people)) == design.answers


@given(designs)
def test_no_assignment_has_two_units_of_a_group(design: Design) -> None:
    for assignment in design.plan().assignments:
        groups = [design.group_of(step.unit) for step in assignment.steps]
        assert len(set(groups)) == len(groups)


@given(designs)
def test_a_panel_has_as_few_assignments_as_its_units_allow(design: Design) -> None:
    plan = design.plan()
    assert [assignment.number for assignment in plan.assignments] == list(range(1, len(plan.assignments) + 1))
    members: dict[int, set[str]] = {}
    for assignment in plan.assignments:
        assert 1 <= len(assignment.steps) <= design.assignment
        members.setdefault(assignment.panel, set()).update(step.unit for step in assignment.steps)
    for loads, units in zip(in_panels(plan), members.values(), strict=True):
        largest = max(Counter(design.group_of(unit) for unit in units).values())
        assert len(loads) == max(ceil(sum(loads) / design.assignment), largest * design.answers)


@given(designs)
def test_assignments_of_a_panel_differ_by_at_most_one_step(design: Design) -> None:
    for loads in in_panels(design.plan()):
        assert max(loads) - min(loads) <= 1


@given(designs, st.randoms(use_true_random=False))
def test_order_of_rows_changes_no_assignment(design: Design, random: Random) -> None:
    permuted = random.sample(design.units, len(design.units))
    plan, other = design.plan(), design.plan(permuted)
    if design.order == "shuffled":
        assert other.to_json() == plan.to_json()
    else:
        places = [unit.key for unit in permuted]
        for one, two in zip(plan.assignments, other.assignments, strict=True):
            assert set(one.steps) == set(two.steps)
            assert [step.unit for step in two.steps] == sorted(
                (step.unit for step in two.steps), key=places.index
            )


@given(designs)
def test_given_order_is_the_order_of_the_file(design: Design) -> None:
    keys = [unit.key for unit in design.units]
    for assignment in design._replace(order="given").plan().assignments:
        shown = [step.unit for step in assignment.steps]
        assert shown == sorted(shown, key=keys.index)


WORK = 1_000_000


def deal(sizes: list[int], answers: int, spare: int, seed: int) -> tuple[MeetingBalance, list[int], int]:
    """Deal groups of these sizes to people: the stacks, the group of each stack, and the number of people."""
    people = max(sizes) * answers + spare
    rng = Random(seed)  # noqa: S311  (as in a plan)
    hands = deal_evenly([size * answers for size in sizes], people, rng)
    stacks = [hand[at : at + answers] for hand in hands for at in range(0, len(hand), answers)]
    groups = [place for place, size in enumerate(sizes) for _ in range(size)]
    return MeetingBalance(stacks, groups, people, WORK), groups, people


def loads_of(balance: MeetingBalance, people: int) -> list[int]:
    counts = Counter(person for stack in balance.stacks for person in stack)
    return [counts[person] for person in range(people)]


def require_rules(balance: MeetingBalance, groups: list[int], answers: int, loads: list[int]) -> None:
    """Check that exchanges changed neither loads nor sizes, and gave nobody a group twice."""
    assert loads_of(balance, len(loads)) == loads
    assert all(len(stack) == answers for stack in balance.stacks)
    held = [(group, person) for group, stack in zip(groups, balance.stacks, strict=True) for person in stack]
    assert len(set(held)) == len(held)


def sum_costs(balance: MeetingBalance, people: int) -> int:
    """Compute the cost of stacks from its definition."""
    met = Counter(pair for stack in balance.stacks for pair in combinations(sorted(stack), 2))
    pairs = people * (people - 1) // 2
    twice_mean = round(2 * met.total() / pairs) if pairs else 0
    return sum((2 * met[pair] - twice_mean) ** 4 for pair in combinations(range(people), 2))


deals = st.tuples(
    st.lists(st.integers(1, 4), min_size=1, max_size=12), st.integers(1, 4), st.integers(0, 3), st.integers()
)


@given(deals)
def test_exchanges_never_raise_the_cost_and_keep_the_rules(drawn: tuple[list[int], int, int, int]) -> None:
    balance, groups, people = deal(*drawn)
    loads, before = loads_of(balance, people), balance.cost
    assert before == sum_costs(balance, people)
    balance.improve()
    assert balance.cost <= before
    assert balance.cost == sum_costs(balance, people)
    require_rules(balance, groups, drawn[1], loads)


def count_equal(balance: MeetingBalance) -> int:
    counts = Counter(frozenset(stack) for stack in balance.stacks)
    return sum(times - 1 for times in counts.values())


@given(deals)
def test_last_sweep_never_adds_equal_stacks_and_keeps_the_rules(
    drawn: tuple[list[int], int, int, int],
) -> None:
    balance, groups, people = deal(*drawn)
    loads, before = loads_of(balance, people), count_equal(balance)
    balance.separate_equal()
    assert count_equal(balance) <= before
    assert balance.cost == sum_costs(balance, people)
    require_rules(balance, groups, drawn[1], loads)


def test_last_sweep_exchanges_equal_stacks_apart() -> None:
    stacks = [[0, 1, 2], [3, 4, 5], [0, 1, 2], [3, 4, 5]]
    balance = MeetingBalance(stacks, [0, 0, 1, 1], 6, WORK)
    balance.separate_equal()
    assert count_equal(balance) == 0


def test_exchanges_make_meetings_more_even() -> None:
    stacks = [[0, 1, 2], [3, 4, 5], [0, 1, 2], [3, 4, 5], [0, 1, 2], [3, 4, 5]]
    balance = MeetingBalance(stacks, [0, 0, 1, 1, 2, 2], 6, WORK)
    balance.improve()
    met = Counter(pair for stack in balance.stacks for pair in combinations(sorted(stack), 2))
    assert max(met.values()) < 3


@pytest.mark.parametrize("work", [0, 30])
def test_exchanges_end_when_their_work_is_done(work: int) -> None:
    """Two stacks of three are 29 of work."""
    stacks = [[0, 1, 2], [3, 4, 5], [0, 1, 2], [3, 4, 5]]
    balance = MeetingBalance(stacks, [0, 0, 1, 1], 6, work)
    balance.improve()
    balance.separate_equal()
    assert [stacks[0] != [0, 1, 2], stacks[2] != [0, 1, 2]] == [work > 0, False]


@pytest.mark.parametrize("seed", [1, 2, 3, 7])
def test_czech_round_fills_every_assignment_and_evens_meetings(seed: int) -> None:
    """1,200 pairs in 400 groups of three, nine answers each: 216 assignments of exactly 50."""
    units = [make_unit(n, f"s{n // 3}") for n in range(1200)]
    plan = plan_assignments("rate", units, PlanRules(answers=9, assignment=50, seed=seed))
    assert [len(assignment.steps) for assignment in plan.assignments] == [50] * 216
    assert in_panels(plan) == [[50] * 27] * 8
    meetings = summarize_meetings(plan)
    assert meetings is not None
    assert meetings.minimum >= 13
    assert meetings.maximum <= 17
    assert meetings.mean == pytest.approx(50 * 8 / 26)
    assert count_equal_stacks(plan) == 0


def test_units_without_groups_get_panels_for_three_units_at_a_time() -> None:
    units = [make_unit(n, None) for n in range(1200)]
    plan = plan_assignments("rate", units, PlanRules(answers=9, assignment=50, groups="free"))
    assert in_panels(plan) == [[50] * 27] * 8


def test_groups_that_do_not_fill_a_panel_join_the_last_one() -> None:
    units = [make_unit(n, f"g{n // 3}") for n in range(3 * 60)]
    plan = plan_assignments("rate", units, PlanRules(answers=2, assignment=50))
    assert in_panels(plan) == [[45] * 8]


def test_a_large_group_shortens_assignments_where_nobody_may_have_two_of_its_units() -> None:
    units = [make_unit(n, "g") for n in range(10)]
    plan = plan_assignments("rate", units, PlanRules(answers=2, assignment=5))
    assert in_panels(plan) == [[1] * 20]


def test_balanced_plane_is_approached_by_exchanges() -> None:
    """AG(3,3): 27 people in stacks of 9 meet 4 times each over 13 groups; an even design is that close."""
    units = [make_unit(n, f"g{n // 3}") for n in range(39)]
    plan = plan_assignments("rate", units, PlanRules(answers=9, assignment=13, seed=3))
    meetings = summarize_meetings(plan)
    assert meetings is not None
    assert meetings.mean == 4
    assert meetings.minimum >= 2
    assert meetings.maximum <= 6


@given(designs, st.data())
def test_repair_plans_what_is_missing_with_the_same_rules(design: Design, data: st.DataObject) -> None:
    plan = design.plan()
    steps = [step for assignment in plan.assignments for step in assignment.steps]
    missing = data.draw(st.lists(st.sampled_from(steps), min_size=1, unique=True))
    repair = plan_repair(
        plan,
        groups_of(design.units),
        missing,
        PlanRules(
            answers=plan.answers,
            assignment=design.assignment,
            groups=design.groups,
            order=design.order,
            seed=design.seed,
        ),
        number=2,
    )
    planned = [step for assignment in repair.assignments for step in assignment.steps]
    assert Counter(planned) == Counter(missing)
    loads = [len(assignment.steps) for assignment in repair.assignments]
    largest = max(Counter(design.group_of(step.unit) for step in missing).values())
    assert len(loads) == max(ceil(len(missing) / design.assignment), largest)
    assert max(loads) - min(loads) <= 1
    for assignment in repair.assignments:
        groups = [design.group_of(step.unit) for step in assignment.steps]
        assert len(set(groups)) == len(groups)
    assert (repair.number, repair.reason, repair.round) == (2, "repair", plan.round)


def test_repair_does_not_depend_on_the_order_of_missing_steps() -> None:
    units = [make_unit(n, f"g{n // 3}") for n in range(12)]
    plan = plan_assignments("rate", units, PlanRules(answers=3, assignment=4))
    missing = [*plan.assignments[0].steps, *plan.assignments[3].steps]
    repairs = {
        plan_repair(
            plan, groups_of(units), steps, PlanRules(answers=plan.answers, assignment=4), number=2
        ).to_json()
        for steps in (missing, missing[::-1])
    }
    assert len(repairs) == 1
    assert (
        plan_repair(
            plan, groups_of(units), missing, PlanRules(answers=plan.answers, assignment=4), number=3
        ).to_json()
        not in repairs
    )


def test_repair_refuses_other_steps() -> None:
    units = [make_unit(n, None) for n in range(6)]
    plan = plan_assignments("rate", units, PlanRules(answers=2, assignment=3))
    for missing in (
        [],
        [PlannedStep("u0000", 3)],
        [PlannedStep("nowhere", 1)],
        [PlannedStep("u0000", 1), PlannedStep("u0000", 1)],
    ):
        with pytest.raises(
            RequestError, match="missing steps are not steps of the plan, or one is given twice"
        ):
            plan_repair(
                plan, groups_of(units), missing, PlanRules(answers=plan.answers, assignment=3), number=2
            )


@given(designs)
def test_plan_is_read_as_it_was_written(design: Design) -> None:
    plan = design.plan()
    assert Plan.from_json(plan.to_json()) == plan


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b"{}",
        b'{"schema": "assay.board/1"}',
        b"\xff",
        b"[" * 100_000,
        b'{"schema":"assay.assignment-plan/1","round":"r","number":1,"reason":"first","seed":true,'
        b'"units_sha256":"","answers":1,"assignments":[]}',
    ],
)
def test_other_json_is_no_plan(data: bytes) -> None:
    with pytest.raises(BundleError, match=r"p\.json: is not a plan of assignments"):
        Plan.from_json(data, "p.json")


def test_hash_of_units_changes_with_every_column_and_not_with_their_order() -> None:
    units = [Unit("a", "g", "news", {"left": "x"}), Unit("b", None, None, {"left": "y"})]
    others = [
        [Unit("a", "g", "news", {"left": "x"}), Unit("b", None, None, {"left": "z"})],
        [Unit("a", "h", "news", {"left": "x"}), units[1]],
        [Unit("a", "g", "forum", {"left": "x"}), units[1]],
        [Unit("a", "g", "news", {"right": "x"}), units[1]],
        [Unit("c", "g", "news", {"left": "x"}), units[1]],
        units[:1],
    ]
    assert hash_units(units[::-1]) == hash_units(units)
    assert len({hash_units(units), *map(hash_units, others)}) == len(others) + 1


@pytest.mark.parametrize(
    ("units", "answers", "assignment", "message"),
    [
        ([], 1, 1, "no units"),
        ([make_unit(1, None)], 0, 1, "at least 1 answer"),
        ([make_unit(1, None)], 1, 0, "at least 1 unit"),
        ([make_unit(1, None)] * 2, 1, 1, "two units have the same key"),
        ([make_unit(n, "g") for n in range(201)], 10, 5, "more than 2000 different people"),
        ([make_unit(n, None) for n in range(5001)], 100, 5, "more than 500000 answers"),
    ],
)
def test_designs_without_a_plan_are_refused(
    units: list[Unit], answers: int, assignment: int, message: str
) -> None:
    with pytest.raises(RequestError, match=message):
        plan_assignments("rate", units, PlanRules(answers=answers, assignment=assignment))


@given(designs)
def test_meetings_are_the_common_units_of_each_two_people_of_a_panel(design: Design) -> None:
    plan = design.plan()
    common = [
        len({step.unit for step in one.steps} & {step.unit for step in other.steps})
        for one, other in combinations(plan.assignments, 2)
        if one.panel == other.panel
    ]
    meetings = summarize_meetings(plan)
    assert (meetings is None) == (not common)
    if meetings is not None:
        assert (meetings.minimum, meetings.maximum) == (min(common), max(common))
        assert (meetings.mean, meetings.sd) == pytest.approx((fmean(common), pstdev(common)))


def test_a_single_assignment_has_no_meetings() -> None:
    assert (
        summarize_meetings(plan_assignments("rate", [make_unit(1, None)], PlanRules(answers=1, assignment=1)))
        is None
    )
