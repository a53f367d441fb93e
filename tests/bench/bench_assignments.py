"""`scorer assignments plan` on large rounds, and beside the rules by which other tools give out work.

Run it as `python tests/bench/bench_assignments.py`; it takes a minute. Times are seconds of processor. The
rules of others are simulated as their code is read, not run: people come one after the other and take 50
units at once. Exit 1 if a plan breaks a rule.
"""

import random
import resource
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from time import process_time

from scorer.campaigns.assignments import plan_assignments, summarize_meetings
from scorer.campaigns.config import PlanRules, Unit
from scorer.campaigns.plan_checks import check_plan

ROUNDS = (
    ("Czech News STS: 1,200 pairs x 9", 1200, 3, 9, 50, 1.0),
    ("GiCCS: 600 tuples x 5", 600, 10, 5, 20, 1.0),
    ("10,000 x 9, groups of 3", 10_000, 3, 9, 50, 15.0),
    ("10,000 x 9, no groups", 10_000, None, 9, 50, 15.0),
    ("10,000 x 9, groups of 50", 10_000, 50, 9, 50, 15.0),
    ("5,000 x 100, groups of 20", 5_000, 20, 100, 50, 15.0),
    ("117,000 x 1, no groups", 117_000, None, 1, 50, 10.0),
)
"""Name, units, units in a group, answers of each unit, units in an assignment, and the most seconds."""
PEOPLE, EACH, ANSWERS, UNITS = 216, 50, 9, 1200
SEEDS = (1, 2, 3, 4, 5)


def make_units(n: int, group: int | None) -> list[Unit]:
    return [
        Unit(f"u{place}", None if group is None else f"g{place // group}", None, {}) for place in range(n)
    ]


def measure_rounds() -> bool:
    """Plan each round once, print its figures, and return whether all plans keep the rules in time."""
    good = True
    print(
        f"{'round':34} {'seconds':>8} {'goal':>5} {'assignments':>12} {'steps':>9} {'meetings':>9} {'sd':>5}"
    )
    for name, n, group, answers, assignment, goal in ROUNDS:
        units = make_units(n, group)
        start = process_time()
        plan = plan_assignments("rate", units, PlanRules(answers=answers, assignment=assignment))
        seconds = process_time() - start
        broken = check_plan(plan, units, PlanRules(answers=answers, assignment=assignment, groups="apart"))
        steps = [len(each.steps) for each in plan.assignments]
        meetings = summarize_meetings(plan)
        common = "" if meetings is None else f"{meetings.minimum} to {meetings.maximum}"
        sd = "" if meetings is None else f"{meetings.sd:.2f}"
        print(
            f"{name:34} {seconds:8.2f} {goal:5g} {len(steps):12} {f'{min(steps)} to {max(steps)}':>9} "
            f"{common:>9} {sd:>5}"
        )
        print("".join(f"    {sentence}\n" for sentence in broken), end="")
        good = good and not broken
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory of all: {peak:.0f} MB")
    return good


Choose = Callable[[Sequence[int], Counter[int], random.Random], list[int]]


def choose_random(open_units: Sequence[int], _counts: Counter[int], rng: random.Random) -> list[int]:
    """Take random units below the cap, as Potato does by default."""
    return rng.sample(open_units, min(EACH, len(open_units)))


def choose_least(open_units: Sequence[int], counts: Counter[int], rng: random.Random) -> list[int]:
    """Take the units with the fewest answers; the lot decides among equals."""
    shuffled = rng.sample(open_units, len(open_units))
    return sorted(shuffled, key=counts.__getitem__)[:EACH]


def simulate(choose: Choose, seed: int) -> tuple[int, int, int]:
    """Return the answers that are missing, the people with fewer units, and those with two of a group."""
    rng, counts = random.Random(seed), Counter[int]()  # noqa: S311  (a rival's lot)
    short = twice = 0
    for _ in range(PEOPLE):
        taken = choose([unit for unit in range(UNITS) if counts[unit] < ANSWERS], counts, rng)
        counts.update(taken)
        short += len(taken) < EACH
        twice += len({unit // 3 for unit in taken}) < len(taken)
    return UNITS * ANSWERS - counts.total(), short, twice


def count_planned(seed: int) -> tuple[int, int, int]:
    """Return the same numbers of a plan."""
    units = make_units(UNITS, 3)
    groups = {unit.key: unit.group for unit in units}
    plan = plan_assignments("rate", units, PlanRules(answers=ANSWERS, assignment=EACH, seed=seed))
    taken = [[step.unit for step in each.steps] for each in plan.assignments]
    short = sum(len(each) < EACH for each in taken)
    twice = sum(len({groups[unit] for unit in each}) < len(each) for each in taken)
    return UNITS * ANSWERS - sum(map(len, taken)), short, twice


def compare_rules() -> None:
    print(f"\n{PEOPLE} people, {EACH} of {UNITS} units each, {ANSWERS} answers for each unit, seeds {SEEDS}")
    print(f"{'rule':28} {'answers missing':>16} {'fewer units':>12} {'two of a group':>15}")
    rules = (
        ("random below the cap", lambda seed: simulate(choose_random, seed)),
        ("fewest answers first", lambda seed: simulate(choose_least, seed)),
        ("planned", count_planned),
    )
    for name, count in rules:
        columns = zip(*map(count, SEEDS), strict=True)
        cells = [f"{min(column)} to {max(column)}" for column in columns]
        print(f"{name:28} {cells[0]:>16} {cells[1]:>12} {cells[2]:>15}")


def main() -> int:
    good = measure_rounds()
    compare_rules()
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
