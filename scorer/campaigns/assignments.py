"""Plans the work of a round before it opens: assignments, which are lists of steps for one person each.

A plan depends on the units, the design and the seed alone. Its bytes are the same on every machine and in
every version of Python: see `scorer.campaigns.dealing`. It needs the standard library alone.

The units are divided into *panels* of assignments whose people meet each other. Two people of different
panels have no unit in common. Panels are as small as the design allows: people for at least three units at a
time, so that nobody's colleagues are always the same.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from hashlib import sha256
from itertools import chain, pairwise
from math import fsum, sqrt
from random import Random
from typing import Annotated, Any, Literal, NamedTuple, TypeVar

from scorer.campaigns.config import Grouping, PlanRules, RoundConfig, StepOrder, Unit
from scorer.campaigns.dealing import MeetingBalance, deal_evenly, shuffled
from scorer.errors import BundleError, Problem, RequestError
from scorer.typed_json import PLAIN_READER, Fault, Scalar, parse_json

PLAN_SCHEMA = "assay.assignment-plan/1"
PlanReason = Literal["first", "repair"]
_MIN_STACKS = 3
"""A panel has people for at least so many units at a time."""
MAX_PEOPLE = 2000
"""The maximum number of different people that a group of units needs."""
MAX_STEPS = 500_000
"""The maximum number of answers that all units need together."""
_MAX_WORK = 10_000_000
"""Limits the exchanges that are considered for a round, so that a plan takes seconds."""


_Member = TypeVar("_Member")


class PlannedStep(NamedTuple):
    """A unit in an assignment, and the slot of the unit that it fills, from 1 to the number of answers."""

    unit: str
    slot: int


def _are_steps(pairs: Any) -> bool:
    are_pairs = type(pairs) is list and all(type(pair) is list and len(pair) == 2 for pair in pairs)
    return are_pairs and all(type(unit) is str and type(slot) is int for unit, slot in pairs)


@dataclass(frozen=True, slots=True)
class PlannedAssignment:
    """The steps of one person in their order; `panel` is the number of the panel, from 1."""

    number: int
    panel: int
    steps: Annotated[
        tuple[PlannedStep, ...],
        Scalar("units and slots", _are_steps, lambda pairs: tuple(map(PlannedStep._make, pairs))),
    ]


@dataclass(frozen=True, slots=True)
class Plan:
    """The assignments of a round, numbered from 1.

    Parameters
    ----------
    round : str
        The slug of the round.
    number : int
        1 for the first plan of a round; repair plans have the next numbers.
    reason : "first" or "repair"
    seed : int
    units_sha256 : str
        The hash of the units, as `hash_units` computes it.
    answers : int
        The number of answers that each unit needs.
    assignments : tuple of PlannedAssignment
    """

    round: str
    number: int
    reason: PlanReason
    seed: int
    units_sha256: str
    answers: int
    assignments: tuple[PlannedAssignment, ...]

    def to_json(self) -> bytes:
        """Write the plan as JSON: the same plan always has the same bytes."""
        values = {"schema": PLAN_SCHEMA, **_list_members(self)}
        options: dict[str, Any] = {"ensure_ascii": False, "sort_keys": True, "separators": (",", ":")}
        text = json.dumps(values, default=_list_members, **options)
        return f"{text}\n".encode()

    @classmethod
    def from_json(cls, data: bytes, source: str = "plan.json") -> "Plan":
        """Read a plan that `to_json` wrote.

        Raises
        ------
        BundleError
            If the file is not such a plan.
        """
        faults = list[Fault]()
        try:
            values = parse_json(data)
            plan = PLAIN_READER.read(cls, values, faults)
        except ValueError:
            faults.append((source, "is not JSON"))
        if faults or values.get("schema") != PLAN_SCHEMA:
            message = "is not a plan of assignments as `scorer assignments plan` writes it"
            raise BundleError([Problem(source, None, "bad_plan", message)])
        return plan


def _list_members(record: Plan | PlannedAssignment) -> dict[str, Any]:
    return {field.name: getattr(record, field.name) for field in fields(record)}


def hash_units(units: Iterable[Unit]) -> str:
    """Return a SHA-256 of the units with all their columns, which does not depend on their order."""
    values = sorted(
        [
            *(unit.key, unit.group or "", unit.genre or "", sorted(unit.texts.items())),
            *([candidate.key, candidate.text] for candidate in unit.candidates),
        ]
        for unit in units
    )
    return sha256(json.dumps(values, separators=(",", ":")).encode()).hexdigest()


def plan_assignments(round_slug: str, units: Sequence[Unit], rules: PlanRules) -> Plan:
    """Plan all assignments of a round.

    Parameters
    ----------
    round_slug : str
    units : sequence of Unit
        The units, with unique keys. Their order matters only if that of the steps is "given".
    rules : PlanRules

    Returns
    -------
    Plan
        Each unit has the slots 1 to k, all in different assignments. A panel has as few assignments as its
        units allow, and their numbers of steps differ by at most 1.

    Raises
    ------
    RequestError
        If there are no units, two have the same key, a number is less than 1, a group needs more than 2000
        people, or all units together need more than 500,000 answers.

    Notes
    -----
    Groups are drawn in random order and divided into panels. Each group is dealt to the people with the
    fewest steps so far; a unit gets k of them, its stack. Then two people of two stacks are exchanged as long
    as this lowers the sum over pairs of people of (c - m)^4, where c is the number of units that both have,
    and m is its mean. Exchanges stay within a group, or within groups that together have each person at most
    once, so that they break no rule. A last sweep exchanges people of units that have the same people.

    With groups of equal size g, this is a resolvable incomplete block design: people are treatments, units
    are blocks, and each group is a complete replicate of g k people.

    References
    ----------
    Patterson and Williams (1976), A new class of resolvable incomplete block designs, Biometrika 63(1),
    83-92, doi:10.1093/biomet/63.1.83.

    Examples
    --------
    >>> units = [Unit(f"u{n}", f"g{n // 2}", None, {}) for n in range(6)]
    >>> plan = plan_assignments("rate", units, PlanRules(answers=2, assignment=3))
    >>> [len(assignment.steps) for assignment in plan.assignments]
    [3, 3, 3, 3]
    """
    _require_design(units, rules)
    in_groups = _group_units(units, rules.groups)
    rng = Random(f"{rules.seed}/groups")  # noqa: S311  (a plan shall be predictable)
    drawn = [in_groups[name] for name in shuffled(sorted(in_groups), rng)]
    if rules.groups == "apart" and rules.answers * max(map(len, drawn)) > MAX_PEOPLE:
        raise RequestError(f"the units of a group need more than {MAX_PEOPLE} different people")
    places = {unit.key: place for place, unit in enumerate(units)}
    if rules.groups == "together":
        hands = [[PlannedStep(unit.key, 1) for unit in group] for group in drawn]
        dealt = _keep_together(hands, rules, places)
        return Plan(round_slug, 1, "first", rules.seed, hash_units(units), rules.answers, dealt)
    planned: list[PlannedAssignment] = []
    if rules.people == "same" and rules.order == "given":
        drawn.sort(key=lambda group: places[group[0].key])
    divide = _divide_evenly if rules.people == "same" else _divide_into_panels
    for panel, members in enumerate(divide(drawn, rules.assignment), start=1):
        rng = Random(f"{rules.seed}/panel/{panel}")  # noqa: S311
        n_people = _count_people(members, rules.answers, rules.assignment)
        work = _MAX_WORK * sum(map(len, members)) // len(units)
        for steps in _deal_panel(members, rules.answers, n_people, work, rng):
            arranged = _arrange(steps, rules.order, places, f"{rules.seed}/order/{len(planned) + 1}")
            planned.append(PlannedAssignment(len(planned) + 1, panel, arranged))
    return Plan(round_slug, 1, "first", rules.seed, hash_units(units), rules.answers, tuple(planned))


def plan_round(round_: RoundConfig) -> Plan:
    """Plan all assignments of a configured round, as `plan_assignments` does."""
    return plan_assignments(round_.slug, round_.units, round_)


def plan_repair(
    plan: Plan,
    group_of: Mapping[str, str | None],
    missing: Sequence[PlannedStep],
    rules: PlanRules,
    *,
    number: int,
) -> Plan:
    """Plan the steps again that nobody answered.

    Parameters
    ----------
    plan : Plan
        The first plan of the round.
    group_of : mapping of str to str or None
        The group of each unit of the round by its key, in the order of the units.
    missing : sequence of PlannedStep
        The steps to plan, in any order.
    rules : PlanRules
    number : int
        The number of the new plan, from 2.

    Returns
    -------
    Plan
        As few assignments as the rules allow, of one panel, whose numbers of steps differ by at most 1. No
        assignment has a unit twice or, if groups are apart, two units of a group. The caller checks that
        nobody gets a unit (or a group) that they had before.

    Raises
    ------
    RequestError
        If a step is not one of the plan's, or nothing is missing.
    """
    places = {key: place for place, key in enumerate(group_of)}
    unknown = [step for step in missing if step.unit not in places or not 1 <= step.slot <= plan.answers]
    if unknown or not missing or len(set(missing)) < len(missing):
        raise RequestError("the missing steps are not steps of the plan, or one is given twice")
    by_group: dict[str, list[PlannedStep]] = defaultdict(list)
    for step in sorted(missing, key=lambda step: (step.unit, step.slot)):
        by_group[_name_group(step.unit, group_of[step.unit], rules.groups)].append(step)
    rng = Random(f"{rules.seed}/repair/{number}")  # noqa: S311
    hands = [by_group[name] for name in shuffled(sorted(by_group), rng)]
    if rules.groups == "together":
        dealt = _keep_together(hands, rules, places)
        return Plan(plan.round, number, "repair", rules.seed, plan.units_sha256, plan.answers, dealt)
    n_people = max(-(-len(missing) // rules.assignment), *map(len, hands))
    steps_of: list[list[PlannedStep]] = [[] for _ in range(n_people)]
    for steps, hand in zip(hands, deal_evenly([len(steps) for steps in hands], n_people, rng), strict=True):
        for step, person in zip(steps, hand, strict=True):
            steps_of[person].append(step)
    planned = tuple(
        PlannedAssignment(
            place, 1, _arrange(steps, rules.order, places, f"{rules.seed}/repair/{number}/{place}")
        )
        for place, steps in enumerate(steps_of, start=1)
    )
    return Plan(plan.round, number, "repair", rules.seed, plan.units_sha256, plan.answers, planned)


def shuffle_candidates(keys: Sequence[str], *, seed: int, assignment: str, unit: str) -> list[str]:
    """Return the candidates of a tuple in the order in which an assignment shows them.

    Parameters
    ----------
    keys : sequence of str
    seed : int
        The seed of the round.
    assignment : str
        The name of the assignment, such as "1/17" for the 17th one of the first plan.
    unit : str
        The key of the tuple.
    """
    return shuffled(sorted(keys), Random(f"{seed}/candidates/{assignment}/{unit}"))  # noqa: S311


def draw_repeats(units: Sequence[str], n: int, *, seed: int, annotator: str) -> list[str]:
    """Draw at most n units that an annotator rates again.

    Parameters
    ----------
    units : sequence of str
        The keys of the units that the annotator rated, or will rate, before.
    n : int
    seed : int
        The seed of the round.
    annotator : str
    """
    return shuffled(sorted(units), Random(f"{seed}/repeats/{annotator}"))[:n]  # noqa: S311


@dataclass(frozen=True, slots=True)
class Meetings:
    """How often two people of a panel meet: the number of units that both have."""

    minimum: int
    maximum: int
    mean: float
    sd: float


def summarize_meetings(plan: Plan) -> Meetings | None:
    """Say how often two people of a panel meet; None if no panel has two people.

    The standard deviation is that of all pairs (divided by their number).
    """
    pairs = _count_meetings(plan)
    if not pairs:
        return None
    n = pairs.total()
    mean = sum(times * count for times, count in pairs.items()) / n
    variance = fsum(count * (times - mean) ** 2 for times, count in pairs.items()) / n
    return Meetings(min(pairs), max(pairs), mean, sqrt(variance))


def _count_meetings(plan: Plan) -> Counter[int]:
    """Count the pairs of people of a panel by how often they meet. In large panels, most never do."""
    people: dict[str, list[int]] = defaultdict(list)
    for person, assignment in enumerate(plan.assignments):
        for step in assignment.steps:
            people[step.unit].append(person)
    later = Counter(assignment.panel for assignment in plan.assignments)
    pairs = Counter[int]()
    for person, assignment in enumerate(plan.assignments):
        later[assignment.panel] -= 1
        met = Counter(chain.from_iterable(people[step.unit] for step in assignment.steps))
        times = [count for other, count in met.items() if other > person]
        pairs.update(times)
        pairs[0] += later[assignment.panel] - len(times)
    return +pairs


def count_equal_stacks(plan: Plan) -> int:
    """Count the units that are answered by exactly the same two or more people as an earlier unit."""
    people: dict[str, set[int]] = defaultdict(set)
    for assignment in plan.assignments:
        for step in assignment.steps:
            people[step.unit].add(assignment.number)
    counts = Counter(frozenset(stack) for stack in people.values() if len(stack) > 1)
    return sum(times - 1 for times in counts.values())


def _require_design(units: Sequence[Unit], rules: PlanRules) -> None:
    if not units:
        raise RequestError("there are no units to plan")
    if rules.groups == "together" and rules.answers != 1:
        raise RequestError("groups that are together have 1 answer for each unit")
    if rules.answers < 1 or rules.assignment < 1:
        raise RequestError("a unit needs at least 1 answer, and an assignment at least 1 unit")
    if len(units) * rules.answers > MAX_STEPS:
        raise RequestError(f"the units need more than {MAX_STEPS} answers together")
    if len({unit.key for unit in units}) < len(units):
        raise RequestError("two units have the same key")


def _group_units(units: Sequence[Unit], groups: Grouping) -> dict[str, list[Unit]]:
    """Return the units by group, sorted by key. A unit without a group is a group of its own."""
    in_groups: dict[str, list[Unit]] = defaultdict(list)
    for unit in sorted(units, key=lambda unit: unit.key):
        in_groups[_name_group(unit.key, unit.group, groups)].append(unit)
    return in_groups


def _name_group(key: str, group: str | None, groups: Grouping) -> str:
    return f"unit {key}" if groups == "free" or group is None else f"group {group}"


def _keep_together(
    hands: Sequence[list[PlannedStep]], rules: PlanRules, places: Mapping[str, int]
) -> tuple[PlannedAssignment, ...]:
    """Plan assignments of whole groups, each in its order; the groups are in the order in which they came."""
    place: Callable[[PlannedStep], int] = lambda step: places[step.unit]  # noqa: E731
    planned = []
    for number, members in enumerate(_divide_evenly(hands, rules.assignment), start=1):
        steps = [step for group in members for step in sorted(group, key=place)]
        arranged = tuple(sorted(steps, key=place) if rules.order == "given" else steps)
        planned.append(PlannedAssignment(number, number, arranged))
    return tuple(planned)


def _divide_evenly(drawn: Sequence[list[_Member]], assignment: int) -> list[list[list[_Member]]]:
    """Divide groups into as few panels as fit into one assignment each, of which none is much smaller."""
    n_panels = -(-len(drawn) // assignment)
    bounds = [len(drawn) * panel // n_panels for panel in range(n_panels + 1)]
    return [list(drawn[start:end]) for start, end in pairwise(bounds)]


def _divide_into_panels(drawn: Sequence[list[Unit]], assignment: int) -> list[list[list[Unit]]]:
    """Divide groups into panels of which each is large enough that its assignments are full.

    A panel of n units, the largest group of which has g, needs g k people, because nobody gets two units of
    the group; their assignments are full if n is at least g times the number of steps of an assignment.
    """
    panels: list[list[list[Unit]]] = [[]]
    for group in drawn:
        if _is_full(panels[-1], assignment):
            panels.append([])
        panels[-1].append(group)
    while len(panels) > 1 and not _is_full(panels[-1], assignment):
        rest = panels.pop()
        panels[-1] += rest
    return panels


def _is_full(members: Sequence[list[Unit]], assignment: int) -> bool:
    at_once = max([_MIN_STACKS, *map(len, members)])
    return sum(map(len, members)) >= at_once * assignment


def _count_people(members: Sequence[list[Unit]], answers: int, assignment: int) -> int:
    """Return the number of people of a panel: as few as the size of assignments and the groups allow."""
    steps = answers * sum(map(len, members))
    return max(-(-steps // assignment), answers * max(map(len, members)))


def _deal_panel(
    members: Sequence[list[Unit]], answers: int, people: int, work: int, rng: Random
) -> list[list[PlannedStep]]:
    """Deal the units of a panel to its people, and return the steps of each person."""
    hands = deal_evenly([answers * len(group) for group in members], people, rng)
    units = [unit for group in members for unit in group]
    groups = [place for place, group in enumerate(members) for _ in group]
    stacks = [hand[at : at + answers] for hand in hands for at in range(0, len(hand), answers)]
    balance = MeetingBalance(stacks, groups, people, work)
    if answers > 1:  # otherwise nobody meets
        balance.improve()
        balance.separate_equal()
    steps: list[list[PlannedStep]] = [[] for _ in range(people)]
    for unit, stack in zip(units, balance.stacks, strict=True):
        for slot, person in enumerate(stack, start=1):
            steps[person].append(PlannedStep(unit.key, slot))
    return steps


def _arrange(
    steps: Sequence[PlannedStep], order: StepOrder, places: dict[str, int], seed: str
) -> tuple[PlannedStep, ...]:
    """Put the steps of an assignment into their order."""
    place: Callable[[PlannedStep], int] = lambda step: places[step.unit]  # noqa: E731
    if order == "given":
        return tuple(sorted(steps, key=place))
    return tuple(shuffled(sorted(steps, key=lambda step: step.unit), Random(seed)))  # noqa: S311
