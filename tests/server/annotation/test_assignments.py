from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from pathlib import Path
from threading import Barrier

import pytest
from hypothesis import settings, strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, rule, run_state_machine_as_test
from sqlalchemy import func, select

from scorer.campaigns.counted import AnswerRecord, classify_answers
from server.annotation.answers.receive import receive_answer
from server.annotation.answers.rules import GivenAnswer
from server.annotation.assignments import leases, plans, progress
from server.annotation.assignments.rules import SlotFacts, find_missing, pick_repair
from server.annotation.campaigns import creation, exclusions, service as campaigns
from server.annotation.models import Annotator, Assignment, Step, Unit, UnitAnswer
from server.core import db
from server.core.errors import Conflict, NoAssignmentLeft
from tests.server.annotation.annotating import LEASE, Annotating, add_answer, make_own_ticket, write_campaign
from tests.server.world import DURING, World

HOUR = timedelta(hours=1)


def annotating(world: World, folder: Path, **design: int | bool) -> Annotating:
    """An open campaign of this design."""
    campaign = Annotating(world)
    campaign.add(creation.prepare_campaign(write_campaign(folder / "campaign", **design)))
    campaign.open()
    return campaign


def count_answers(campaign: Annotating) -> Counter[str]:
    """How many answers with a value each unit has, of people who are not excluded."""
    session = campaign.world.session
    excluded = exclusions.list_excluded(session, campaign.campaign)
    return Counter(
        answer.step.unit.key
        for answer in session.scalars(select(UnitAnswer))
        if answer.value is not None and answer.step.annotator_id not in excluded
    )


def states(campaign: Annotating, now: datetime) -> list[str]:
    """The states of the round's assignments."""
    return [row.state for row in progress.round_progress(campaign.world.session, campaign.round, now)]


def test_each_annotator_takes_the_next_assignment_until_each_unit_has_its_answers(
    world: World, tmp_path: Path
) -> None:
    campaign = annotating(world, tmp_path)
    names = campaign.join(4)
    assert sorted(len(campaign.work(name)) for name in names) == [3, 3, 3, 3]
    assert count_answers(campaign) == {f"u{n}": 2 for n in range(6)}
    (late,) = campaign.join()
    with pytest.raises(NoAssignmentLeft, match="No assignment is left for you now"):
        campaign.take(late)
    with pytest.raises(NoAssignmentLeft, match="You have done everything"):
        campaign.take(names[0])


def test_taking_again_returns_the_unfinished_assignment_even_after_its_lease(
    world: World, tmp_path: Path
) -> None:
    campaign = annotating(world, tmp_path)
    (name,) = campaign.join()
    first = campaign.take(name)
    campaign.answer(first)
    assert campaign.take(name, DURING + HOUR) == first
    assert states(campaign, DURING + LEASE) == ["expired"]
    assert campaign.take(name, DURING + LEASE + HOUR) == first
    assert states(campaign, DURING + LEASE + 2 * HOUR) == ["active"]


@pytest.mark.parametrize("stops", ["leaves", "expires"])
def test_what_someone_left_undone_is_reassigned_and_gone_from_their_rest(
    world: World, tmp_path: Path, stops: str
) -> None:
    campaign = annotating(world, tmp_path)
    names = campaign.join(5)
    first = campaign.take(names[0])
    done = campaign.answer(first)
    if stops == "leaves":
        campaign.leave(first, DURING + HOUR)
        later = DURING + 2 * HOUR
    else:
        later = DURING + LEASE
    for name in names[1:4]:
        campaign.work(name, later)
    repaired = campaign.work(names[4], later + HOUR)
    assert len(repaired) == 2
    assert done not in repaired
    assert count_answers(campaign) == {f"u{n}": 2 for n in range(6)}
    assert campaign.answer(first, at=later + 2 * HOUR) is None  # nothing of the rest is theirs any more
    rows = plans.list_plans(world.session, campaign.round)
    assert [(row.number, row.reason, row.n_assignments) for row in rows] == [
        (1, "first", 4),
        (2, "repair", 1),
    ]
    (held, *_) = progress.own_progress(world.session, campaign.annotator(names[0]), later)
    assert (held.state, held.n_answered, held.n_open) == ("expired", 1, 0)


def test_steps_that_cannot_be_judged_and_those_of_excluded_annotators_are_reassigned(
    world: World, tmp_path: Path
) -> None:
    campaign = annotating(world, tmp_path)
    names = campaign.join(4)
    unsure = campaign.take(names[0])
    key = campaign.answer(unsure, None)
    for name in names:
        campaign.work(name) if name != names[0] else None
    while campaign.answer(unsure):
        pass
    assert leases.missing_slots(world.session, campaign.round, DURING).keys() == {key}
    campaign.exclude(names[3])
    with pytest.raises(Conflict, match="The organizers ended your work"):
        campaign.take(names[3])
    for name in campaign.join(2):
        campaign.work(name)
    assert count_answers(campaign) == {f"u{n}": 2 for n in range(6)}
    campaign.exclude(names[3], excluded=False)
    assert leases.missing_slots(world.session, campaign.round, DURING) == {}


def test_nobody_gets_two_units_of_a_group(world: World, tmp_path: Path) -> None:
    campaign = annotating(world, tmp_path, grouped=True, units=12, each=0)
    (name, other) = campaign.join(2)
    while True:
        try:
            campaign.work(name)
        except NoAssignmentLeft:
            break
    units = world.session.scalars(select(Step).where(Step.annotator_id == campaign.annotator(name).id)).all()
    groups = [step.unit.group for step in units]
    assert len(groups) == len(set(groups)) >= 3
    campaign.work(other)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ("planned", "has not begun yet"),
        ("paused", "is paused"),
        ("closed", "is closed"),
        ("no consent", "consent to the text"),
    ],
)
def test_an_assignment_needs_an_open_round_and_consent(
    world: World, tmp_path: Path, change: str, why: str
) -> None:
    campaign = Annotating(world)
    campaign.add(creation.prepare_campaign(write_campaign(tmp_path)))
    (name,) = campaign.join()
    if change != "planned":
        campaign.open()
    if change == "paused":
        campaign.pause()
    elif change == "closed":
        campaign.close()
    elif change == "no consent":
        campaign.withdraw(name)
    with pytest.raises(Conflict, match=why):
        campaign.take(name)
    assert world.session.scalar(select(func.count(Assignment.id))) == 0


def test_a_late_answer_of_a_slot_that_was_reassigned_counts_and_the_other_is_not_asked_for() -> None:
    slots = [
        SlotFacts("u1", 1, 1, counts=True, awaited=False),
        SlotFacts("u1", 1, 2, counts=True, awaited=False),
        SlotFacts("u1", 2, 1, counts=False, awaited=False),
        SlotFacts("u2", 1, 1, counts=False, awaited=False),
        SlotFacts("u2", 1, 2, counts=False, awaited=True),
        SlotFacts("u2", 2, 1, counts=False, awaited=False),
    ]
    assert find_missing(slots, 2) == {"u2": [2]}


def test_repair_picks_units_that_lack_most_and_no_group_twice() -> None:
    groups = {"a": "1", "b": "1", "c": "2", "d": None, "e": None}
    missing = {"a": [1], "b": [1, 2], "c": [2], "d": [1], "e": [1]}
    assert pick_repair(missing, groups, {"d"}, 3, "apart") == [("b", 1), ("c", 2), ("e", 1)]
    assert pick_repair(missing, groups, {"a"}, 2, "apart") == [("c", 2), ("d", 1)]
    assert pick_repair(missing, groups, (), 2, "free") == [("a", 1), ("b", 1)]
    assert pick_repair(missing, groups, (), 1, "together") == [("a", 1), ("b", 1)]
    assert pick_repair({"a": [1]}, groups, {"b"}, 2, "apart") == []


class Annotators(RuleBasedStateMachine):
    """P10: whatever annotators and organizers do in whatever order, the promises of the plan hold.

    With two passes, because a slot that lacks the second answer is then given to others in both.
    """

    passes = ("free", "dependent")
    world: World
    folder: Path
    count = 0
    names = Bundle("names")
    assignments = Bundle("assignments")

    def __init__(self) -> None:
        super().__init__()
        Annotators.count += 1
        self.now = DURING
        self.campaign = Annotating(self.world, f"harbour{self.count}")
        folder = write_campaign(self.folder / str(self.count), units=8, grouped=True, each=0)
        config = (folder / "annotation.toml").read_text()
        config = config.replace('"harbour"', f'"harbour{self.count}"')
        config += "".join(f'[[round.passes]]\nslug = "{name}"\n' for name in self.passes)
        (folder / "annotation.toml").write_text(config)
        self.campaign.add(creation.prepare_campaign(folder))
        self.campaign.open()
        self.n_answers = 0
        self.excluded: set[str] = set()

    @rule(target=names)
    def join(self) -> str:
        return self.campaign.join(at=self.now)[0]

    @rule(target=assignments, name=names)
    def take(self, name: str) -> int | None:
        try:
            return self.campaign.take(name, self.now)
        except Conflict:  # nothing is left, or the annotator was excluded
            return None

    @rule(assignment=assignments, value=st.sampled_from([None, 1.0, 4.0]), steps=st.integers(1, 3))
    def answer(self, assignment: int | None, value: float | None, steps: int) -> None:
        for _ in range(steps if assignment else 0):
            self.n_answers += self.campaign.answer(assignment, value, self.now) is not None

    @rule(assignment=assignments)
    def answer_a_step_that_was_reassigned(self, assignment: int | None) -> None:
        """The form of a step is good for 30 days, whatever happened to the step since."""
        session = self.world.session
        with db.writing(session):
            query = select(Step).where(Step.assignment_id == assignment).order_by(Step.position.desc())
            step = session.scalar(query.limit(1))
            if step is not None:
                add_answer(session, step, 2, self.now)
                self.n_answers += 1

    @rule(assignment=assignments)
    def leave(self, assignment: int | None) -> None:
        if assignment:
            self.campaign.leave(assignment, self.now)

    @rule(hours=st.sampled_from([1, 47, 49]))
    def wait(self, hours: int) -> None:
        self.now += timedelta(hours=hours)

    @rule(name=names, excluded=st.booleans())
    def exclude(self, name: str, excluded: bool) -> None:
        self.campaign.exclude(name, self.now, excluded=excluded)
        (self.excluded.add if excluded else self.excluded.discard)(name)

    @invariant()
    def nobody_has_a_unit_or_a_group_twice(self) -> None:
        query = (
            select(Step.annotator_id, Step.pass_number, Unit.group, func.count())
            .join(Step.unit)
            .where(Unit.round_id == self.campaign.round.id)
            .group_by(Step.annotator_id, Step.pass_number, Unit.group)
        )
        assert all(row[-1] == 1 for row in self.world.session.execute(query))

    @invariant()
    def no_answer_disappears_and_at_most_so_many_count(self) -> None:
        records = self.records()
        assert len(records) == self.n_answers
        assert all(count <= 2 for count in self.count_counted(records).values())

    def teardown(self) -> None:
        """Once everyone who can has worked, and newcomers came, each unit has its answers."""
        self.now += 2 * LEASE
        for _ in range(40):
            (name,) = self.campaign.join(at=self.now)
            try:
                self.campaign.work(name, self.now)
            except NoAssignmentLeft:
                break
        units = [f"u{n}" for n in range(8)]
        assert self.count_counted(self.records()) == {(name, key): 2 for name in self.passes for key in units}
        session = self.world.session
        assert leases.missing_slots(session, self.campaign.round, self.now) == {}

    def records(self) -> list[AnswerRecord]:
        query = (
            select(UnitAnswer, Unit.key, Step.slot, Step.pass_number, Annotator.name)
            .join(UnitAnswer.step)
            .join(Step.unit)
            .join(Annotator, Annotator.id == Step.annotator_id)
            .where(Unit.round_id == self.campaign.round.id)
        )
        return [
            AnswerRecord(
                answer.id, unit, slot, name, answer.value, answer.standing == "late", answer.arrived_at,
                answer.step_id, pass_slug=self.passes[number - 1],
            )
            for answer, unit, slot, number, name in self.world.session.execute(query)
        ]  # fmt: skip

    def count_counted(self, records: list[AnswerRecord]) -> Counter[tuple[str, str]]:
        outcomes = classify_answers(records, answers_per_unit=2, excluded=self.excluded)
        return Counter(
            (record.pass_slug, record.unit) for record in records if outcomes[record.id] == "counted"
        )


def test_any_sequence_of_taking_leaving_expiring_and_excluding_keeps_the_promises_of_the_plan(
    world: World, tmp_path: Path
) -> None:
    machine = type("Machine", (Annotators,), {"world": world, "folder": tmp_path})
    run_state_machine_as_test(
        machine, settings=settings(max_examples=6, stateful_step_count=20, deadline=None)
    )
    assert campaigns.list_campaigns(world.session, world.actor("ada"), world.task)


@pytest.mark.both_databases
def test_people_who_come_at_the_same_time_get_different_assignments(world: World, tmp_path: Path) -> None:
    campaign = annotating(world, tmp_path, units=24, assignment=2, answers=2)
    names = campaign.join(24)
    gate = Barrier(8)

    def take(name: str) -> tuple[int, int | None]:
        gate.wait(30)
        try:
            assignment = world.session.get_one(Assignment, campaign.take(name))
            return assignment.plan_id, assignment.number
        finally:
            world.site.session.remove()

    with ThreadPoolExecutor(8) as pool:
        taken = list(pool.map(take, names))
    assert len(set(taken)) == len(names)


def test_unit_that_could_not_be_judged_is_given_to_others(world: World, tmp_path: Path) -> None:
    campaign = annotating(world, tmp_path, units=3, answers=1)
    (name,) = campaign.join()
    assignment = campaign.take(name)
    session = world.session
    with db.writing(session):
        step = progress.next_step(session, session.get_one(Assignment, assignment))
        assert step is not None
        key, ticket = step.unit.key, make_own_ticket(session, step, None, DURING)
        receive_answer(session, ticket, GivenAnswer(None), DURING)
    assert leases.missing_slots(session, campaign.round, DURING) == {key: [1]}


def test_only_the_newest_answer_to_a_step_counts_for_its_slot(world: World, tmp_path: Path) -> None:
    campaign = annotating(world, tmp_path, units=3, answers=1)
    (name,) = campaign.join()
    assignment = campaign.take(name)
    session = world.session

    def missing() -> dict[str, list[int]]:
        return leases.missing_slots(session, campaign.round, DURING)

    step = progress.next_step(session, session.get_one(Assignment, assignment))
    assert step is not None
    key, known = step.unit.key, None
    for value, expected in [(3, {}), (None, {key: [1]}), (2, {})]:
        with db.writing(session):
            ticket = make_own_ticket(session, step, known, DURING)
            receive_answer(session, ticket, GivenAnswer(value), DURING)
        known = session.scalars(select(func.max(UnitAnswer.id))).one()
        assert missing() == expected
