"""Which items to show together: tuples in which items, and pairs of them, come up in nearly equal numbers.

Items change places until pairs meet evenly. Where the numbers allow it, a difference family is sought first:
a few tuples that give a balanced design as 1, 2 and so on are added to their items."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations, permutations
from math import comb, isqrt

from scorer.statistics.random_streams import RandomIntegers

Design = list[list[int]]
_UNMET_PAIR_COST = 5
"""What an unmet pair costs beside the squares of how often pairs meet: more than one that meets twice."""
_DUPLICATE_COST = 10_000
"""What an item twice in a tuple costs, or a tuple twice: more than any pairs."""
MAX_EXCHANGES = 150_000
_EXCHANGES_PER_TUPLE = 5_000
"""Exchanges that are tried where no design is found to be perfect: some seconds, and less for few tuples."""
_ACCEPTANCE_RATIOS = ((4, 5), (3, 4), (2, 3), (1, 2), (1, 4), (0, 1))
"""An exchange that makes a design worse by d is kept with probability r^d; r goes down this list."""
_MAX_ACCEPTED_COST = 40
"""One that makes it worse by more is never kept."""


def make_design(n: int, size: int, tuples: int, picks: RandomIntegers) -> Design:
    """Choose distinct tuples of n items: items in numbers that differ by one at most, few pairs left unmet.

    Parameters
    ----------
    n : int
        Items.
    size : int
        Of a tuple, from 2 to n.
    tuples : int
        How many, from 1 to n over size.
    picks : Picks
        Random choices.

    Returns
    -------
    list of list of int
        Tuples of items from 0 to n - 1, all of them where there are no more.

    Notes
    -----
    Items are dealt like packs of cards; then two items of two tuples change places, again and again, where
    that lowers the sum over pairs of c^2, plus 5 if c is 0, for c the tuples with both items. In designs that
    exchanges cannot make perfect, worse ones are kept at times, more and more seldom: simulated annealing.
    Before that, where n divides the number of tuples, difference families are looked for: few tuples whose
    differences are all the numbers from 1 to n - 1 equally often give all others by adding 1, 2 and so on.
    Of more than half of all tuples, those that are left out are chosen; and of tuples of nearly all items, if
    need be, the items that each leaves out.

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
    """Whether the items of each tuple differ, and so do the tuples."""
    sets = {frozenset(items) for items in tuples}
    return len(sets) == len(tuples) and all(len(items) == len(tuples[0]) for items in sets)


def _search_design(n: int, size: int, tuples: int, picks: RandomIntegers) -> Design:
    """The best design that was found; of tuples of nearly all items some may be alike."""
    search = _DesignSearch(_deal_design(n, size, tuples, picks), n, picks)
    search.improve((0, 1), 20 * (tuples + 50))
    turned = []
    if search.cost > search.perfect and tuples % n == 0:
        turned = [_DesignSearch(each, n, picks) for each in develop_designs(n, size, tuples // n, picks)]
    if all(each.cost > each.perfect for each in turned):
        for ratio in _ACCEPTANCE_RATIOS:
            search.improve(
                ratio, min(MAX_EXCHANGES, _EXCHANGES_PER_TUPLE * tuples) // len(_ACCEPTANCE_RATIOS)
            )
    return min((search, *turned), key=lambda each: each.best_cost).best


def _deal_design(n: int, size: int, tuples: int, picks: RandomIntegers) -> Design:
    """Items dealt like cards, a new pack when one is used up; an item may be in a tuple twice."""
    cards: list[int] = []
    while len(cards) < tuples * size:
        cards += shuffled(range(n), picks)
    return [cards[size * place : size * (place + 1)] for place in range(tuples)]


class _DesignSearch:
    """A design that items change places in, and what it costs."""

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
        """Exchange items of tuples with a pair that meets too often, about `limit` times."""
        chances = [(ratio[0] ** d << 32) // ratio[1] ** d for d in range(_MAX_ACCEPTED_COST + 1)]
        while limit > 0 and self.cost > self.perfect:
            wanting = [place for place, items in enumerate(self.tuples) if self._wants(items)]
            if not wanting:
                return
            times = max(3, min(50, 2 * len(self.tuples) // len(wanting)))
            for place in wanting:
                self._try(place, times, chances)
                limit -= times
                if self.cost == self.perfect:
                    break
            if self.cost < self.best_cost:
                self.best, self.best_cost = [list(items) for items in self.tuples], self.cost

    def _wants(self, each: list[int]) -> bool:
        pairs = combinations(each, 2)
        return self.same[tuple(sorted(each))] > 1 or any(
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
        """Let two items change places; what that costs."""
        first, second = self.tuples[place], self.tuples[other]
        x, y = first[k], second[at]
        change = self._count(first, -1) + self._count(second, -1)
        for items, gone, come, its in ((first, x, y, k), (second, y, x, at)):
            for spot, item in enumerate(items):
                if spot != its:
                    change += self._part(gone, item) + self._meet(come, item)
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

    def _count(self, each: list[int], by: int) -> int:
        """Note a tuple, or that it is gone; what its being there twice costs."""
        key = tuple(sorted(each))
        before = self.same[key]
        self.same[key] = before + by
        return by * _DUPLICATE_COST if max(before, before + by) > 1 else 0


def _minimum_cost(n: int, size: int, tuples: int) -> int:
    """What no design costs less than: each item meets the others in numbers that differ by one at most."""
    times, further = divmod(tuples * size, n)
    total = 0
    for items, shown in ((n - further, times), (further, times + 1)):
        often, more = divmod(shown * (size - 1), n - 1)
        total += items * ((n - 1 - more) * _pair_cost(often) + more * _pair_cost(often + 1))
    return -(-total // 2)


def _pair_cost(times: int) -> int:
    """Of a pair that meets so often, less that of one that does not."""
    return times**2 - _UNMET_PAIR_COST if times else 0


def pair_counts(tuples: Sequence[Sequence[int]]) -> Counter[tuple[int, ...]]:
    """How many tuples have both items of each pair that meets."""
    return Counter(pair for items in tuples for pair in combinations(sorted(items), 2))


_MAX_CHANGES = 60_000
"""Changes of an item that are tried for a family, one to two seconds."""
_WORSE_CHANCES = ((1 << 32) // 8, (1 << 32) // 64, (1 << 32) // 512)
"""In 2^32 times, how often a change is kept that makes a family worse by up to 2, 4 and 8."""


def develop_designs(n: int, size: int, bases: int, picks: RandomIntegers) -> Iterator[list[list[int]]]:
    """Designs of n times `bases` tuples of n items, each item in as many.

    Parameters
    ----------
    n, size, bases : int
        Items, items of a tuple, and tuples of the family.
    picks : Picks
        Random choices.

    Yields
    ------
    list of list of int
        By addition modulo n; where n is a square, also of two digits modulo its root. Where the differences
        within the family are all numbers but 0 equally often, all pairs meet equally often.

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
    """The values in random order."""
    cards = list(values)
    for last in range(len(cards) - 1, 0, -1):
        other = picks.below(last + 1)
        cards[last], cards[other] = cards[other], cards[last]
    return cards


class _DifferenceFamily:
    """Tuples, and how often each difference comes up in them."""

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
        """a + b or a - b, digit by digit; the lower digit is below `low`."""
        low = self.low
        return (a // low + sign * (b // low)) % (self.n // low) * low + (a + sign * b) % low

    def improve(self, picks: RandomIntegers) -> None:
        """Put other items for single ones until the differences are even, or for long enough."""
        for _ in range(_MAX_CHANGES):
            if self.cost == self.best:
                return
            base = self.bases[picks.below(len(self.bases))]
            place, new = picks.below(len(base)), picks.below(self.n)
            if new not in base:
                self._try(base, place, new, picks)

    def _try(self, base: list[int], place: int, new: int, picks: RandomIntegers) -> None:
        others = base[:place] + base[place + 1 :]
        gone, come = self._differences(base[place], others), self._differences(new, others)
        change = self._count(gone, -1) + self._count(come, 1)
        worse = next(
            (chance for step, chance in zip((2, 4, 8), _WORSE_CHANCES, strict=True) if change <= step), 0
        )
        if change > 0 and picks.below(1 << 32) >= worse:
            self._count(come, -1)
            self._count(gone, 1)
        else:
            base[place] = new
            self.cost += change

    def _differences(self, item: int, others: Sequence[int]) -> list[int]:
        return [d for other in others for d in (self.moved(item, other, -1), self.moved(other, item, -1))]

    def _count(self, differences: Sequence[int], by: int) -> int:
        """Note differences, or that they are gone; what that adds to the sum of squares."""
        added = 0
        for difference in differences:
            added += 2 * by * self.counts[difference] + 1
            self.counts[difference] += by
        return added
