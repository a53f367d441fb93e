"""Greedy string tiling (GST), the second baseline of SemEval-2014 Task 3."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from heapq import heapify, heappop, heappush
from itertools import count

from scorer.baselines.rounding import round_half_up
from scorer.baselines.text_normalization import lower_each, strip_ends
from scorer.errors import RequestError

GST_MIN_MATCH = 6
"""The minimum match length in characters of the published baseline (GreedyStringTiling(6) of DKPro)."""


@dataclass(frozen=True, slots=True)
class Tile:
    """A substring of both texts. It starts at `a` in the first text and at `b` in the second."""

    a: int
    b: int
    length: int


def gst(a: str, b: str, min_match: int = GST_MIN_MATCH, digits: int | None = None) -> float:
    """Compute the share of the larger text that is covered by greedy string tiling with the smaller text.

    Parameters
    ----------
    a : str
        The larger item, from the first column of the items file. The measure is not symmetric.
    b : str
        The smaller item. Characters up to U+0020 at the ends of both are ignored.
    min_match : int, default 6
        The minimum length of a tile in characters, at least 1.
    digits : int or None, default None
        The number of decimal places to which the share is rounded, half up. None does not round.

    Returns
    -------
    float
        The share, from 0 (no tile) to 1 (a is completely covered).

    Raises
    ------
    RequestError
        If `min_match` is below 1.

    Notes
    -----
    The number of characters of a that are in tiles, divided by its length. Each character is converted to
    lower case on its own, so that the length does not change. An empty text has the value 0.

    References
    ----------
    Wise (1996), YAP3: Improved detection of similarities in computer program and other texts
    (SIGCSE 1996, doi:10.1145/236452.236525). Jurgens, Pilehvar & Navigli (2014), SemEval-2014 Task 3:
    Cross-Level Semantic Similarity, the GST baseline (ACL S14-2003).

    Examples
    --------
    >>> gst("Gothic church", "a GOTHIC chapel", digits=3)
    0.692
    """
    return float(round_half_up(gst_ratio(a, b, min_match), digits))


def gst_ratio(a: str, b: str, min_match: int = GST_MIN_MATCH) -> Fraction:
    """Compute `gst` as an exact number, without rounding."""
    a, b = lower_each(strip_ends(a)), lower_each(strip_ends(b))
    marked = sum(tile.length for tile in greedy_string_tiling(a, b, min_match))
    return Fraction(marked, len(a)) if a else Fraction(0)


def greedy_string_tiling(a: str, b: str, min_match: int = GST_MIN_MATCH) -> tuple[Tile, ...]:
    """Cover two texts with the longest substrings that they share, starting with the longest.

    Parameters
    ----------
    a, b : str
        Any two texts. They are compared by code points, without normalization.
    min_match : int, default 6
        The minimum length of a tile in characters, at least 1.

    Returns
    -------
    tuple of Tile
        The tiles in descending order of length; tiles of equal length are in the order of their position in
        a, then in b. Tiles do not overlap in either text.

    Raises
    ------
    RequestError
        If `min_match` is below 1.

    Notes
    -----
    In the definition, each pass places all remaining matches of maximal length, ordered by their position in
    a, then in b. This implementation uses a heap with an upper bound of the longest match for each start in
    a, which is corrected when it is at the top. The characters of a tile are overwritten with a character
    that is not in the other text, so that an ordinary search finds only uncovered text, from left to right.
    The time is quadratic in the worst case and nearly linear for the texts of a task.

    References
    ----------
    Wise (1996), YAP3: Improved detection of similarities in computer program and other texts
    (SIGCSE 1996, doi:10.1145/236452.236525).

    Examples
    --------
    >>> greedy_string_tiling("abcdefgh--uvwxyz", "uvwxyz abcdefgh")
    (Tile(a=0, b=7, length=8), Tile(a=10, b=0, length=6))
    """
    if min_match < 1:
        raise RequestError(f"a minimum match of {min_match} characters makes no sense; give 1 or more")
    return tuple(_tiles(a, b, min_match))


def _tiles(a: str, b: str, min_match: int) -> Iterator[Tile]:
    unused = (character for character in map(chr, count()) if character not in a and character not in b)
    hole_in_a, hole_in_b = next(unused), next(unused)
    bounds = [(-length, start) for start, length in enumerate(_longest_matches(a, b, min_match)) if length]
    heapify(bounds)
    while bounds:
        bound, start = heappop(bounds)
        window = a[start : start - bound]
        position = b.find(window)
        if position >= 0:
            yield Tile(start, position, len(window))
            a = _mark(a, start, len(window), hole_in_a)
            b = _mark(b, position, len(window), hole_in_b)
        elif length := _longest_prefix(window[:-1], b, min_match):
            heappush(bounds, (-length, start))


def _mark(text: str, start: int, length: int, hole: str) -> str:
    return text[:start] + hole * length + text[start + length :]


def _longest_matches(a: str, b: str, min_match: int) -> Iterator[int]:
    """Yield for each start in a the length of the longest match in b, or 0 if it is below `min_match`."""
    grams = {b[start : start + min_match] for start in range(len(b) - min_match + 1)}
    length = 0
    for start in range(len(a)):
        length -= 1  # the previous match without its first character is still a match
        if length < min_match:
            length = min_match if a[start : start + min_match] in grams else 0
        while 0 < length < len(a) - start and a[start : start + length + 1] in b:
            length += 1
        yield length


def _longest_prefix(window: str, b: str, min_match: int) -> int:
    """Return the length of the longest prefix of `window` in b, or 0 if it is below `min_match`."""
    if len(window) < min_match or window[:min_match] not in b:
        return 0
    low, high = min_match, len(window) + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if window[:middle] in b else (low, middle)
    return low
