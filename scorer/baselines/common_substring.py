"""The longest common substring (LCS), the official baseline of SemEval-2014 Task 3."""

from collections.abc import Hashable, Sequence
from fractions import Fraction
from itertools import islice

from scorer.baselines.rounding import round_half_up
from scorer.baselines.text_normalization import strip_ends

LCS_DIGITS = 3
"""Decimals of the official baseline files (SemEval-2014 Task 3, keys/baselines), before scaling to 0-4."""

_MAX_SEARCH_PRODUCT = 10**7
"""Product of the lengths up to which a search for each start is the faster way (measured on English)."""

_Names = tuple[Sequence[int], Sequence[int]]
"""One number for each position of a and of b; equal numbers are equal substrings, -1 is one that b lacks."""


def lcs(a: str, b: str, digits: int | None = LCS_DIGITS) -> float:
    """Similarity of two texts by their longest common substring.

    Parameters
    ----------
    a, b : str
        Two fields of an item as they stand in the file. Characters up to U+0020 at their ends do not count.
    digits : int or None, default 3
        Decimals to round to, half up, on the exact ratio. None does not round.

    Returns
    -------
    float
        From 0 (nothing in common) to 1 (equal).

    Notes
    -----
    ``2 L / (|a| + |b|)``, with L the length of the longest common contiguous substring in characters (code
    points), case-sensitive; white space and punctuation count like any other character. Two texts that are
    empty after stripping have 0.

    References
    ----------
    Jurgens, Pilehvar & Navigli (2014), SemEval-2014 Task 3: Cross-Level Semantic Similarity, the LCS
    baseline (ACL S14-2003). Formula and rounding are those of the task's official baseline files.

    Examples
    --------
    >>> lcs("comply with obligations", "complying")
    0.375
    >>> lcs("a" * 16, "b" * 15 + "a")
    0.063
    """
    return float(round_half_up(lcs_ratio(a, b), digits))


def lcs_ratio(a: str, b: str) -> Fraction:
    """`lcs` as an exact number, not rounded."""
    a, b = strip_ends(a), strip_ends(b)
    total_length = len(a) + len(b)
    return Fraction(2 * longest_common_substring(a, b), total_length) if total_length else Fraction(0)


def longest_common_substring(a: str, b: str) -> int:
    """Length of the longest contiguous substring that two texts share.

    Parameters
    ----------
    a, b : str
        Any two texts, compared code point by code point, as they are.

    Returns
    -------
    int
        From 0 to the length of the shorter text.

    Notes
    -----
    Short texts are searched start by start, each time for one character more than the best so far, which is
    quadratic with a tiny constant. Long ones get numbers as names of their substrings of 1, 2, 4, ...
    characters, then the longest shared ones are lengthened by falling powers of two: O((n + m) log L) time
    whatever the texts, and exact.

    References
    ----------
    Karp, Miller & Rosenberg (1972), Rapid identification of repeated patterns in strings, trees and arrays
    (STOC 1972, doi:10.1145/800152.804905).

    Examples
    --------
    >>> longest_common_substring("the old cathedral", "The olden days")
    6
    """
    return _by_search(a, b) if len(a) * len(b) <= _MAX_SEARCH_PRODUCT else _by_names(a, b)


def _by_search(a: str, b: str) -> int:
    longest = 0
    for start in range(len(a)):
        while start + longest < len(a) and a[start : start + longest + 1] in b:
            longest += 1
    return longest


def _by_names(a: str, b: str) -> int:
    level = _name(a, b)
    levels: list[_Names] = []
    while level is not None:
        levels.append(level)
        level = _join(level, level, 1 << (len(levels) - 1))
    if not levels:
        return 0
    best = levels.pop()
    length = 1 << len(levels)
    while levels:
        longer = _join(best, levels.pop(), length)
        if longer is not None:
            best = longer
            length += 1 << len(levels)
    return length


def _join(first: _Names, second: _Names, offset: int) -> _Names | None:
    """Names of the substrings that are `first` at a position and `second` at `offset` behind it."""
    in_a = list(zip(first[0], islice(second[0], offset, None), strict=False))
    in_b = list(zip(first[1], islice(second[1], offset, None), strict=False))
    return _name(in_a, in_b)


def _name(in_a: Sequence[Hashable], in_b: Sequence[Hashable]) -> _Names | None:
    """Number the distinct values of b and carry the numbers to a; None if a and b share no value."""
    names: dict[Hashable, int] = {}
    of_b = [names.setdefault(value, len(names)) for value in in_b]
    of_a = [names.get(value, -1) for value in in_a]
    return (of_a, of_b) if max(of_a, default=-1) >= 0 else None
