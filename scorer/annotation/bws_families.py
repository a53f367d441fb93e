"""Difference families: few tuples that give a balanced design as 1, 2 and so on are added to their items."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import permutations
from math import isqrt

from scorer.inference.streams import Picks

_CHANGES = 60_000
"""Changes of an item that are tried for a family, one to two seconds."""
_WORSE = ((1 << 32) // 8, (1 << 32) // 64, (1 << 32) // 512)
"""In 2^32 times, how often a change is kept that makes a family worse by up to 2, 4 and 8."""


def developed(n: int, size: int, bases: int, picks: Picks) -> Iterator[list[list[int]]]:
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
    >>> from scorer.inference.streams import open_stream
    >>> plane = next(developed(13, 4, 1, Picks(open_stream(1, [], "tuples"))))
    >>> len({frozenset(pair) for each in plane for pair in permutations(each, 2)})
    78
    """
    root = isqrt(n)
    for low in (n, root) if root * root == n else (n,):
        family = _Family(n, low, [shuffled(range(n), picks)[:size] for _ in range(bases)])
        family.improve(picks)
        yield [[family.moved(item, by, 1) for item in base] for base in family.bases for by in range(n)]


def shuffled(values: Sequence[int], picks: Picks) -> list[int]:
    """The values in random order."""
    cards = list(values)
    for last in range(len(cards) - 1, 0, -1):
        other = picks.below(last + 1)
        cards[last], cards[other] = cards[other], cards[last]
    return cards


class _Family:
    """Tuples, and how often each difference comes up in them."""

    def __init__(self, n: int, low: int, bases: list[list[int]]) -> None:
        self.n = n
        self.low = low
        self.bases = bases
        found = (self.moved(a, b, -1) for base in bases for a, b in permutations(base, 2))
        self.counts = Counter(found)
        often, more = divmod(self.counts.total(), n - 1)
        self.best = (n - 1) * often**2 + more * (2 * often + 1)
        self.cost = sum(times**2 for times in self.counts.values())

    def moved(self, a: int, b: int, sign: int) -> int:
        """a + b or a - b, digit by digit; the lower digit is below `low`."""
        low = self.low
        return (a // low + sign * (b // low)) % (self.n // low) * low + (a + sign * b) % low

    def improve(self, picks: Picks) -> None:
        """Put other items for single ones until the differences are even, or for long enough."""
        for _ in range(_CHANGES):
            if self.cost == self.best:
                return
            base = self.bases[picks.below(len(self.bases))]
            place, new = picks.below(len(base)), picks.below(self.n)
            if new not in base:
                self._try(base, place, new, picks)

    def _try(self, base: list[int], place: int, new: int, picks: Picks) -> None:
        others = base[:place] + base[place + 1 :]
        gone, come = self._differences(base[place], others), self._differences(new, others)
        change = self._count(gone, -1) + self._count(come, 1)
        worse = next((chance for step, chance in zip((2, 4, 8), _WORSE, strict=True) if change <= step), 0)
        if change > 0 and picks.below(1 << 32) >= worse:
            self._count(come, -1)
            self._count(gone, 1)
        else:
            base[place] = new
            self.cost += change

    def _differences(self, item: int, others: Sequence[int]) -> list[int]:
        return [d for each in others for d in (self.moved(item, each, -1), self.moved(each, item, -1))]

    def _count(self, differences: Sequence[int], by: int) -> int:
        """Note differences, or that they are gone; what that adds to the sum of squares."""
        added = 0
        for each in differences:
            added += 2 * by * self.counts[each] + 1
            self.counts[each] += by
        return added
