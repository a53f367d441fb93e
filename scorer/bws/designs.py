"""Designs: tuples of items in which all items, and all pairs of items, occur nearly equally often.

A local search exchanges items between tuples until pairs are distributed evenly. If the numbers allow it, the
search for a difference family is tried too: a few base tuples from which adding 1, 2 and so on (modulo n) to
their items gives a balanced design. In this module, two items "meet" in a tuple that contains both.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations, permutations
from math import comb, isqrt

from scorer.statistics.random_streams import RandomIntegers

Design = list[list[int]]
_UNMET_PAIR_COST = 5
"""The cost of a pair that never meets. The cost of a pair that meets c times is c^2, so 4 for c = 2."""
_DUPLICATE_COST = 10_000
"""The cost of a repeated item in a tuple, and of a repeated tuple, which exceeds the cost of any pairs."""
MAX_EXCHANGES = 150_000
_EXCHANGES_PER_TUPLE = 5_000
"""The number of exchanges for each tuple in simulated annealing, which takes a few seconds in all."""
_ACCEPTANCE_RATIOS = ((4, 5), (3, 4), (2, 3), (1, 2), (1, 4), (0, 1))
"""The values of r in the stages of annealing: an exchange with the extra cost d has the probability r^d."""
_MAX_ACCEPTED_COST = 40
"""An exchange that increases the cost by more than this is never accepted."""


def make_design(n: int, size: int, tuples: int, picks: RandomIntegers) -> Design:
    """Choose distinct tuples of n items such that items occur equally often and few pairs never meet.

    Parameters
    ----------
    n : int
        The number of items.
    size : int
        The number of items in a tuple, from 2 to n.
    tuples : int
        The number of tuples, from 1 to C(n, size).
    picks : RandomIntegers
        The source of random numbers.

    Returns
    -------
    list of list of int
        Tuples of items from 0 to n - 1. The numbers of tuples of two items differ by at most one.

    Notes
    -----
    The items are first dealt like packs of cards. Then two items of two tuples are exchanged repeatedly, if
    this lowers the cost: the sum over pairs of c^2, plus 5 if c is 0, where c is the number of tuples that
    contain both items. If this does not give an optimal design and n divides the number of tuples, the
    function searches for difference families: base tuples whose differences are all the numbers from 1 to
    n - 1 equally often, and which give all other tuples by adding 1, 2 and so on. If that fails too,
    exchanges that increase the cost are accepted with decreasing probability (simulated annealing). If more
    than half of all possible tuples are requested, the excluded tuples are chosen instead. If tuples have
    more than half of the items and the search fails to avoid duplicates, the items that each tuple leaves out
    are chosen instead.

    References
    ----------
    Difference families: Bose (1939), On the construction of balanced incomplete block designs, Annals of
    Eugenics 9(4), 353-399, doi:10.1111/j.1469-1809.1939.tb02219.x.
    The aims are those of generate-BWS-tuples.pl 1.2 of the NRC (Kiritchenko & Mohammad 2016,
    doi:10.18653/v1/N16-1095), which keeps the best of 100 random deals.

    Examples
    --------
    >>> from scorer.statistics.random_streams import open_stream
    >>> fano = make_design(7, 3, 7, RandomIntegers(open_stream(1, [], "tuples")))
    >>> len({pair for each in fano for pair in combinations(sorted(each), 2)})
    21
    """
    every = comb(n, size)
    if tuples == every:
        return [list(combination) for combination in combinations(range(n), size)]
    if 2 * tuples > every:
        excluded_tuples = {
            tuple(sorted(combination)) for combination in make_design(n, size, every - tuples, picks)
        }
        return [
            list(combination)
            for combination in combinations(range(n), size)
            if combination not in excluded_tuples
        ]
    design = _search_design(n, size, tuples, picks)
    if _has_no_duplicates(design):
        return design
    if 2 * size <= n:
        return make_design(n, size, tuples, picks)
    return [
        [item for item in range(n) if item not in combination]
        for combination in make_design(n, n - size, tuples, picks)
    ]


def _has_no_duplicates(tuples: Design) -> bool:
    """Whether no tuple is repeated, and no item is repeated within a tuple."""
    sets = {frozenset(items) for items in tuples}
    return len(sets) == len(tuples) and all(len(items) == len(tuples[0]) for items in sets)


def _search_design(n: int, size: int, tuples: int, picks: RandomIntegers) -> Design:
    """Search for a design, and return the best one. If tuples have nearly all items, some may be repeated."""
    search = _DesignSearch(_deal_design(n, size, tuples, picks), n, picks)
    search.improve((0, 1), 20 * (tuples + 50))
    developed = []
    if search.cost > search.perfect and tuples % n == 0:
        developed = [_DesignSearch(other, n, picks) for other in develop_designs(n, size, tuples // n, picks)]
    if all(other.cost > other.perfect for other in developed):
        for ratio in _ACCEPTANCE_RATIOS:
            search.improve(
                ratio, min(MAX_EXCHANGES, _EXCHANGES_PER_TUPLE * tuples) // len(_ACCEPTANCE_RATIOS)
            )
    return min((search, *developed), key=lambda other: other.best_cost).best


def _deal_design(n: int, size: int, tuples: int, picks: RandomIntegers) -> Design:
    """Deal the items to tuples like cards from shuffled packs. An item can be repeated within a tuple."""
    cards: list[int] = []
    while len(cards) < tuples * size:
        cards += shuffled(range(n), picks)
    return [cards[size * place : size * (place + 1)] for place in range(tuples)]


class _DesignSearch:
    """A local search: a design, its cost, and exchanges of items between its tuples."""

    def __init__(self, tuples: Design, n: int, picks: RandomIntegers) -> None:
        self.tuples = tuples
        self.picks = picks
        self.n = n
        self.met: dict[int, int] = {}
        self.same: Counter[tuple[int, ...]] = Counter()
        self.cost = 0
        for items in tuples:
            self.cost += self._count(items, 1) + sum(self._meet(a, b) for a, b in combinations(items, 2))
        self.perfect = _minimum_cost(n, len(tuples[0]), len(tuples))
        self.often = max(1, len(tuples) * comb(len(tuples[0]), 2) // comb(n, 2))
        self.best, self.best_cost = [list(items) for items in tuples], self.cost

    def improve(self, ratio: tuple[int, int], limit: int) -> None:
        """Try about `limit` exchanges of items in tuples that have a pair that meets too often."""
        chances = [(ratio[0] ** d << 32) // ratio[1] ** d for d in range(_MAX_ACCEPTED_COST + 1)]
        while limit > 0 and self.cost > self.perfect:
            uneven = [place for place, items in enumerate(self.tuples) if self._needs_exchange(items)]
            if not uneven:
                return
            times = max(3, min(50, 2 * len(self.tuples) // len(uneven)))
            for place in uneven:
                self._try(place, times, chances)
                limit -= times
                if self.cost == self.perfect:
                    break
            if self.cost < self.best_cost:
                self.best, self.best_cost = [list(items) for items in self.tuples], self.cost

    def _needs_exchange(self, items: list[int]) -> bool:
        pairs = combinations(items, 2)
        return self.same[tuple(sorted(items))] > 1 or any(
            a == b or self.met[self._key(a, b)] > self.often for a, b in pairs
        )

    def _try(self, place: int, times: int, chances: Sequence[int]) -> None:
        below, tuples = self.picks.below, self.tuples
        size = len(tuples[place])
        for _ in range(times):
            k, other, at = below(size), below(len(tuples)), below(size)
            if other == place or tuples[place][k] == tuples[other][at]:
                continue
            change = self._exchange(place, k, other, at)
            if change > 0 and (change > _MAX_ACCEPTED_COST or below(1 << 32) >= chances[change]):
                change += self._exchange(place, k, other, at)
            self.cost += change

    def _exchange(self, place: int, k: int, other: int, at: int) -> int:
        """Exchange two items and return the change of the cost."""
        first, second = self.tuples[place], self.tuples[other]
        x, y = first[k], second[at]
        change = self._count(first, -1) + self._count(second, -1)
        for items, removed, added, position in ((first, x, y, k), (second, y, x, at)):
            for spot, item in enumerate(items):
                if spot != position:
                    change += self._part(removed, item) + self._meet(added, item)
        first[k], second[at] = y, x
        return change + self._count(first, 1) + self._count(second, 1)

    def _key(self, a: int, b: int) -> int:
        return a * self.n + b if a < b else b * self.n + a

    def _meet(self, a: int, b: int) -> int:
        if a == b:
            return _DUPLICATE_COST
        key = self._key(a, b)
        times = self.met.get(key, 0)
        self.met[key] = times + 1
        return 2 * times + 1 if times else 1 - _UNMET_PAIR_COST

    def _part(self, a: int, b: int) -> int:
        if a == b:
            return -_DUPLICATE_COST
        key = self._key(a, b)
        times = self.met[key] - 1
        self.met[key] = times
        return -2 * times - 1 if times else _UNMET_PAIR_COST - 1

    def _count(self, items: list[int], by: int) -> int:
        """Add a tuple to the counts, or remove it, and return the change of the cost of repeated tuples."""
        key = tuple(sorted(items))
        before = self.same[key]
        self.same[key] = before + by
        return by * _DUPLICATE_COST if max(before, before + by) > 1 else 0


def _minimum_cost(n: int, size: int, tuples: int) -> int:
    """Return a lower bound of the cost, in which each item meets the others equally often (or once more)."""
    times, further = divmod(tuples * size, n)
    total = 0
    for items, shown in ((n - further, times), (further, times + 1)):
        often, more = divmod(shown * (size - 1), n - 1)
        total += items * ((n - 1 - more) * _pair_cost(often) + more * _pair_cost(often + 1))
    return -(-total // 2)


def _pair_cost(times: int) -> int:
    """Return the cost of a pair that meets this often, minus the cost of a pair that never meets."""
    return times**2 - _UNMET_PAIR_COST if times else 0


def pair_counts(tuples: Sequence[Sequence[int]]) -> Counter[tuple[int, ...]]:
    """Count the tuples that contain both items of each pair."""
    return Counter(pair for items in tuples for pair in combinations(sorted(items), 2))


_MAX_CHANGES = 60_000
"""The maximum number of changes that are tried for a difference family, which takes one to two seconds."""
_WORSE_CHANCES = ((1 << 32) // 8, (1 << 32) // 64, (1 << 32) // 512)
"""The probabilities, times 2^32, of accepting a change that increases the cost by up to 2, 4 and 8."""


def develop_designs(n: int, size: int, bases: int, picks: RandomIntegers) -> Iterator[list[list[int]]]:
    """Search for difference families, and yield the designs that they generate.

    Parameters
    ----------
    n, size, bases : int
        The number of items, the number of items in a tuple, and the number of base tuples of the family.
    picks : RandomIntegers
        The source of random numbers.

    Yields
    ------
    list of list of int
        n times `bases` tuples, in which each item occurs equally often. The first design uses addition modulo
        n. If n is a square, a second design uses addition of two digits modulo the root of n. If the
        differences within the family are all nonzero numbers equally often, all pairs meet equally often.

    References
    ----------
    Bose (1939), On the construction of balanced incomplete block designs, Annals of Eugenics 9(4), 353-399,
    doi:10.1111/j.1469-1809.1939.tb02219.x.

    Examples
    --------
    >>> from scorer.statistics.random_streams import open_stream
    >>> plane = next(develop_designs(13, 4, 1, RandomIntegers(open_stream(1, [], "tuples"))))
    >>> len({frozenset(pair) for each in plane for pair in permutations(each, 2)})
    78
    """
    root = isqrt(n)
    for low in (n, root) if root * root == n else (n,):
        family = _DifferenceFamily(n, low, [shuffled(range(n), picks)[:size] for _ in range(bases)])
        family.improve(picks)
        yield [[family.moved(item, by, 1) for item in base] for base in family.bases for by in range(n)]


def shuffled(values: Sequence[int], picks: RandomIntegers) -> list[int]:
    """Return the values in random order."""
    cards = list(values)
    for last in range(len(cards) - 1, 0, -1):
        other = picks.below(last + 1)
        cards[last], cards[other] = cards[other], cards[last]
    return cards


class _DifferenceFamily:
    """The base tuples of a difference family, and the number of times that each difference occurs in them."""

    def __init__(self, n: int, low: int, bases: list[list[int]]) -> None:
        self.n = n
        self.low = low
        self.bases = bases
        differences = (self.moved(a, b, -1) for base in bases for a, b in permutations(base, 2))
        self.counts = Counter(differences)
        often, more = divmod(self.counts.total(), n - 1)
        self.best = (n - 1) * often**2 + more * (2 * often + 1)
        self.cost = sum(times**2 for times in self.counts.values())

    def moved(self, a: int, b: int, sign: int) -> int:
        """Return a + b or a - b, computed digit by digit. The lower digit is below `low`."""
        low = self.low
        return (a // low + sign * (b // low)) % (self.n // low) * low + (a + sign * b) % low

    def improve(self, picks: RandomIntegers) -> None:
        """Replace single items until the differences are even, or until the maximum number of changes."""
        for _ in range(_MAX_CHANGES):
            if self.cost == self.best:
                return
            base = self.bases[picks.below(len(self.bases))]
            place, new = picks.below(len(base)), picks.below(self.n)
            if new not in base:
                self._try(base, place, new, picks)

    def _try(self, base: list[int], place: int, new: int, picks: RandomIntegers) -> None:
        others = base[:place] + base[place + 1 :]
        removed, added = self._differences(base[place], others), self._differences(new, others)
        change = self._count(removed, -1) + self._count(added, 1)
        worse = next(
            (chance for step, chance in zip((2, 4, 8), _WORSE_CHANCES, strict=True) if change <= step), 0
        )
        if change > 0 and picks.below(1 << 32) >= worse:
            self._count(added, -1)
            self._count(removed, 1)
        else:
            base[place] = new
            self.cost += change

    def _differences(self, item: int, others: Sequence[int]) -> list[int]:
        return [d for other in others for d in (self.moved(item, other, -1), self.moved(other, item, -1))]

    def _count(self, differences: Sequence[int], by: int) -> int:
        """Add differences to the counts, or remove them, and return the change of the sum of squares."""
        added = 0
        for difference in differences:
            added += 2 * by * self.counts[difference] + 1
            self.counts[difference] += by
        return added
