"""Pure rules of assignments: whether one is being worked on, and which slots of the units lack an answer."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from scorer.campaigns.config import Grouping

AssignmentState = Literal["active", "resting", "expired", "left", "finished"]
"""resting: a pass is done, and the next one is not open yet."""


@dataclass(frozen=True, slots=True)
class AssignmentFacts:
    """What decides the state of an assignment.

    `n_open`: how many of its steps have no answer and were not reassigned; `n_reassigned`: how many have no
    answer and were reassigned; `last_active`: when its annotator took it, came back to it or last answered;
    `opens_at`: when the next pass opens or opened, which has no answer yet; `failed`: its annotator did not
    pass the gate, and never comes back.
    """

    n_open: int
    n_reassigned: int
    last_active: datetime
    left_at: datetime | None
    lease: timedelta
    opens_at: datetime | None = None
    failed: bool = False

    @property
    def expires_at(self) -> datetime:
        """When others may get what is not answered; the pause between two passes does not count."""
        since = self.last_active if self.opens_at is None else max(self.last_active, self.opens_at)
        return since + self.lease


def find_state(facts: AssignmentFacts, now: datetime) -> AssignmentState:
    """Return the state of an assignment.

    An expired or left assignment stays its annotator's: it is active again once they come back.
    """
    if facts.n_open == 0:
        return "expired" if facts.n_reassigned else "finished"
    if facts.failed or (facts.left_at is not None and facts.left_at >= facts.last_active):
        return "left"
    if facts.opens_at is not None and now < facts.opens_at:
        return "resting"
    return "expired" if facts.expires_at <= now else "active"


@dataclass(frozen=True, slots=True)
class SlotFacts:
    """A slot of a unit in one of the assignments that had it.

    `plan`: the number of the plan; `counts`: it has an answer in force in each pass that may count;
    `awaited`: it lacks an answer, and someone has it, or can still get it.
    """

    unit: str
    slot: int
    plan: int
    counts: bool
    awaited: bool


def find_missing(slots: Iterable[SlotFacts], answers_per_unit: int) -> dict[str, list[int]]:
    """Return the slots, by their unit, that nobody filled or will fill unless they are reassigned.

    An answer that arrived after its slot was reassigned counts for the unit, so fewer slots may be missing
    than are empty.
    """
    by_plan = sorted(slots, key=lambda slot: slot.plan)
    newest = {(slot.unit, slot.slot): slot for slot in by_plan}
    filled = {(slot.unit, slot.slot) for slot in by_plan if slot.counts}
    empty: dict[str, list[int]] = {}
    for (unit, number), slot in sorted(newest.items()):
        if not slot.awaited and (unit, number) not in filled:
            empty.setdefault(unit, []).append(number)
    taken = Counter(slot.unit for slot in by_plan if slot.counts)
    taken.update(slot.unit for slot in newest.values() if slot.awaited)
    missing = {unit: numbers[: max(0, answers_per_unit - taken[unit])] for unit, numbers in empty.items()}
    return {unit: numbers for unit, numbers in missing.items() if numbers}


def pick_repair(
    missing: Mapping[str, Sequence[int]],
    groups: Mapping[str, str | None],
    had: Collection[str],
    assignment: int,
    grouping: Grouping,
) -> list[tuple[str, int]]:
    """Pick missing slots for one person: units that they have not `had`, those that lack most first.

    With groups apart, they get at most one unit of a group, and of no group that they had. With groups
    together, `assignment` counts groups, of which they get all missing units.
    """
    had_groups = (
        {groups[unit] for unit in had if groups.get(unit) is not None} if grouping == "apart" else set()
    )
    picked: dict[str, int] = {}
    counted: set[str | None] = set()
    position = {unit: number for number, unit in enumerate(groups)}
    for unit in sorted(missing, key=lambda unit: (-len(missing[unit]), position[unit])):
        group = groups[unit]
        if unit in had or (group is not None and group in had_groups):
            continue
        name = group if grouping == "together" else unit
        if name not in counted and len(counted) == assignment:
            continue
        counted.add(name)
        picked[unit] = missing[unit][0]
        if grouping == "apart" and group is not None:
            had_groups.add(group)
    return sorted(picked.items(), key=lambda pair: position[pair[0]])
