"""Deals stacks to people such that people meet each other equally often.

A *stack* is the people of one unit. Two people meet at each unit that both have. People are numbers from 0.

Random numbers come from `random.Random(text)` and its `random()` method alone: the standard library promises
the same numbers on every machine and in every version. All costs are integers. Therefore the same input gives
the same plan everywhere, and planning needs no numpy.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations, groupby, pairwise
from random import Random
from typing import TypeVar

Stacks = list[list[int]]
"""The people of each unit, in the order of its slots."""
_MAX_SWEEPS = 5
_MAX_DISTANCE = 4
"""Exchanges are tried between stacks of a block that are at most so far apart, which bounds their number."""
_STACK_WORK = 20
"""Considering two stacks takes as long as so many exchanges, in addition to those of their people."""
_Value = TypeVar("_Value")


def shuffled(values: Sequence[_Value], rng: Random) -> list[_Value]:
    """Return the values in random order."""
    cards = list(values)
    for last in range(len(cards) - 1, 0, -1):
        other = int(rng.random() * (last + 1))
        cards[last], cards[other] = cards[other], cards[last]
    return cards


def deal_evenly(sizes: Sequence[int], people: int, rng: Random) -> list[list[int]]:
    """Deal hands of different people, such that the numbers of hands that people are in differ by at most 1.

    Parameters
    ----------
    sizes : sequence of int
        The number of people of each hand, each at most `people`.
    people : int
    rng : Random

    Returns
    -------
    list of list of int
        The people of each hand, in random order. They are the people who are in the fewest hands so far;
        among equals, the lot decides.
    """
    loads = [0] * people
    hands = []
    for size in sizes:
        order = sorted(shuffled(range(people), rng), key=loads.__getitem__)
        hand = shuffled(order[:size], rng)
        for person in hand:
            loads[person] += 1
        hands.append(hand)
    return hands


class MeetingBalance:
    """The stacks of a panel, how often its people meet, and exchanges that make this more even.

    Parameters
    ----------
    stacks : list of list of int
        The people of each unit. The exchanges change these lists.
    groups : sequence of int
        The group of each stack, in ascending order. A person is in at most one stack of a group.
    people : int
        The number of people.
    work : int
        How many exchanges are considered, roughly: then the stacks stay as they are.
    """

    def __init__(self, stacks: Stacks, groups: Sequence[int], people: int, work: int) -> None:
        self.stacks = stacks
        self._groups = groups
        self._people = people
        self._work = work
        self._met = [[0] * people for _ in range(people)]
        self._held: list[set[int]] = [set() for _ in range(people)]
        for stack, group in zip(stacks, groups, strict=True):
            for person in stack:
                self._held[person].add(group)
            for one, other in combinations(stack, 2):
                self._count(one, other, 1)
        pairs = people * (people - 1)
        twice_mean = round(2 * sum(map(sum, self._met)) / pairs) if pairs else 0
        costs = [(2 * times - twice_mean) ** 4 for times in range(len(stacks) + 2)]
        self._costs = costs
        self._more = [after - before for before, after in pairwise(costs)]
        self._less = [0, *(before - after for before, after in pairwise(costs))]

    @property
    def cost(self) -> int:
        """The sum over pairs of people of (2 c - 2 m)^4, if they meet c times and the mean is m.

        2 m is rounded to an integer. The fourth power punishes pairs that meet much more often than others,
        or much less often: it gives a smaller range than the square.
        """
        return sum(self._costs[times] for one, row in enumerate(self._met) for times in row[:one])

    def improve(self) -> None:
        """Exchange two people of two stacks as long as that lowers the cost."""
        blocks = self._blocks()
        for _ in range(_MAX_SWEEPS):
            changed = [
                self._exchange_best(first, second)
                for block in blocks
                for place, first in enumerate(block)
                for second in block[place + 1 : place + 1 + _MAX_DISTANCE]
            ]
            if not any(changed):
                return

    def separate_equal(self) -> None:
        """Exchange people of stacks that are equal, where the result is no stack that is there already."""
        counts = Counter(frozenset(stack) for stack in self.stacks)
        for block in self._blocks():
            for first in block:
                if self._work > 0 and counts[frozenset(self.stacks[first])] > 1:
                    self._separate(first, block, counts)

    def _blocks(self) -> list[list[int]]:
        """Divide the stacks into blocks, in which exchanges are tried.

        A block is a stretch of whole groups that have room for each person once, and at least one group.
        """
        blocks: list[list[int]] = []
        size = 0
        for _, members in groupby(range(len(self.stacks)), key=self._groups.__getitem__):
            group = list(members)
            of_group = sum(len(self.stacks[place]) for place in group)
            if blocks and size + of_group <= self._people:
                blocks[-1] += group
                size += of_group
            else:
                blocks.append(group)
                size = of_group
        return blocks

    def _exchange_best(self, first: int, second: int) -> bool:
        """Make the best exchanges between two stacks until none lowers the cost; return whether one did."""
        changed = False
        while True:
            best = min(self._list_exchanges(first, second), default=None)
            if best is None or best[0] >= 0:
                return changed
            self._exchange(first, best[1], second, best[2])
            changed = True

    def _list_exchanges(self, first: int, second: int) -> list[tuple[int, int, int]]:
        """List the possible exchanges: the change of the cost, and the two places in the stacks."""
        if self._work <= 0:
            return []
        self._work -= len(self.stacks[first]) * len(self.stacks[second]) + _STACK_WORK
        a, b, met, more, less = self.stacks[first], self.stacks[second], self._met, self._more, self._less
        leaving_b = []
        for place in self._movable(second, first):
            row = met[b[place]]
            # Nobody meets themselves: that count is 0, for which `less` is 0.
            change = sum([less[row[other]] for other in b]) + sum([more[row[other]] for other in a])
            leaving_b.append((place, b[place], change))
        exchanges = []
        for place in self._movable(first, second):
            row = met[a[place]]
            change = sum([less[row[other]] for other in a]) + sum([more[row[other]] for other in b])
            # The two do not meet through the exchange, which both sums assume.
            exchanges += [
                (change + change_b - 2 * more[row[other]], place, place_b)
                for place_b, other, change_b in leaving_b
            ]
        return exchanges

    def _movable(self, from_stack: int, to_stack: int) -> list[int]:
        """List the places of a stack whose people can be in the other one without having a group twice."""
        from_group, to_group = self._groups[from_stack], self._groups[to_stack]
        stack = self.stacks[from_stack]
        if from_group == to_group:
            return list(range(len(stack)))
        return [place for place, person in enumerate(stack) if to_group not in self._held[person]]

    def _exchange(self, first: int, place_a: int, second: int, place_b: int) -> None:
        a, b = self.stacks[first], self.stacks[second]
        p, q = a[place_a], b[place_b]
        for stack, leaving, coming in ((a, p, q), (b, q, p)):
            for other in stack:
                if other != leaving:
                    self._count(leaving, other, -1)
                    self._count(coming, other, 1)
        a[place_a], b[place_b] = q, p
        group_a, group_b = self._groups[first], self._groups[second]
        if group_a != group_b:
            self._held[p] = self._held[p] - {group_a} | {group_b}
            self._held[q] = self._held[q] - {group_b} | {group_a}

    def _count(self, one: int, other: int, by: int) -> None:
        self._met[one][other] += by
        self._met[other][one] += by

    def _separate(self, first: int, block: Sequence[int], counts: "Counter[frozenset[int]]") -> None:
        """Make the cheapest exchange that turns a stack and another one of its block into new stacks."""
        best: tuple[int, int, int, int] | None = None
        a = frozenset(self.stacks[first])
        for second in block:
            if second == first:
                continue
            b = frozenset(self.stacks[second])
            for change, place_a, place_b in self._list_exchanges(first, second):
                p, q = self.stacks[first][place_a], self.stacks[second][place_b]
                is_new = not counts[a - {p} | {q}] and not counts[b - {q} | {p}]
                candidate = (change, second, place_a, place_b)
                if is_new and a - {p} | {q} != b - {q} | {p} and (best is None or candidate < best):
                    best = candidate
        if best is not None:
            _, second, place_a, place_b = best
            places = first, second
            counts.subtract(frozenset(self.stacks[place]) for place in places)
            self._exchange(first, place_a, second, place_b)
            counts.update(frozenset(self.stacks[place]) for place in places)
