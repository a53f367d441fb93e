"""The longest common substring (LCS), the official baseline of SemEval-2014 Task 3."""

from collections.abc import Hashable, Sequence
from fractions import Fraction
from itertools import islice

from scorer.baselines.rounding import round_half_up
from scorer.baselines.text_normalization import strip_ends

LCS_DIGITS = 3
"""The decimal places of the official baseline files (SemEval-2014 Task 3, keys/baselines), before scaling."""

_MAX_SEARCH_PRODUCT = 10**7
"""The product of the lengths up to which `_by_search` is faster, as measured on English texts."""

_Names = tuple[Sequence[int], Sequence[int]]
"""A number for the substring at each position of a and of b. Equal substrings have equal numbers, and a
substring of a that is not in b has -1."""


def lcs(a: str, b: str, digits: int | None = LCS_DIGITS) -> float:
    """Compute the similarity of two texts by their longest common substring.

    Parameters
    ----------
    a, b : str
        The two sides of an item, unchanged. Characters up to U+0020 at their ends are ignored.
    digits : int or None, default 3
        The number of decimal places to which the exact ratio is rounded, half up. None does not round.

    Returns
    -------
    float
        The similarity, from 0 (nothing in common) to 1 (equal).

    Notes
    -----
    ``2 L / (|a| + |b|)``, with L the length of the longest common contiguous substring in characters (code
    points). The comparison is case-sensitive, and whitespace and punctuation count like any other character.
    Two texts that are empty after stripping have the similarity 0.

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
    """Compute `lcs` as an exact number, without rounding."""
    a, b = strip_ends(a), strip_ends(b)
    total_length = len(a) + len(b)
    return Fraction(2 * longest_common_substring(a, b), total_length) if total_length else Fraction(0)


def longest_common_substring(a: str, b: str) -> int:
    """Compute the length of the longest contiguous substring that two texts share.

    Parameters
    ----------
    a, b : str
        Any two texts. They are compared by code points, without normalization.

    Returns
    -------
    int
        The length, from 0 to the length of the shorter text.

    Notes
    -----
    In short texts, the function searches at each start for a substring that is one character longer than the
    best so far, which is quadratic with a very small constant. In long texts, the substrings of 1, 2, 4, ...
    characters are numbered, and then the longest shared substrings are extended by decreasing powers of two.
    This takes O((n + m) log L) time for all texts and is exact.

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
    """Number the substrings that consist of `first` at a position and `second` at `offset` after it."""
    in_a = list(zip(first[0], islice(second[0], offset, None), strict=False))
    in_b = list(zip(first[1], islice(second[1], offset, None), strict=False))
    return _name(in_a, in_b)


def _name(in_a: Sequence[Hashable], in_b: Sequence[Hashable]) -> _Names | None:
    """Number the distinct values of b and use the same numbers for a. None if a and b share no value."""
    names: dict[Hashable, int] = {}
    of_b = [names.setdefault(value, len(names)) for value in in_b]
    of_a = [names.get(value, -1) for value in in_a]
    return (of_a, of_b) if max(of_a, default=-1) >= 0 else None
