"""Random draws that every version of numpy makes alike: raw bits of PCG64 through a mapping of our own.

numpy promises the raw bits of its bit generators and the words of `SeedSequence`, and not what its
`Generator` makes of them. A row of draws takes whole words, so that nothing depends on the size of batches.
"""

from collections.abc import Sequence
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

Stream = np.random.PCG64
_WORD_BITS = 64
_HALF_WORD_BITS = 32
_WORDS_AHEAD = 4096
"""Words that are drawn ahead for single numbers."""
MAX_UNITS = 2**20
"""More units than this cannot be drawn from: the mapping is exact below it."""


def open_stream(seed: int, gold: Sequence[float], purpose: str, copy: int = 0) -> Stream:
    """Open the stream of a seed, for one gold and one purpose.

    Parameters
    ----------
    seed : int
        At least 0.
    gold : (n,) sequence of float
        The gold values that are scored. Whatever is computed against the same gold with the same seed shares
        its draws: every system of a board, in every command. Levels, whose golds differ, are independent.
    purpose : str
        Such as "bootstrap"; streams of different purposes are independent.
    copy : int
        Another number gives another stream of the same purpose: for a second level with the same gold.

    Returns
    -------
    PCG64
        To be given to `draw_units` and `draw_masks`.

    Examples
    --------
    >>> draw_units(open_stream(7, [0.0, 1.0, 4.0], "bootstrap"), 2, 3).tolist()
    [[2, 0, 0], [0, 2, 2]]
    """
    values = np.asarray(gold, dtype="<f8") + 0.0
    words = f"{purpose}{copy or ''}"
    digest = sha256(words.encode() + b"\0" + values.tobytes()).digest()
    return np.random.PCG64(np.random.SeedSequence([seed, int.from_bytes(digest, "little")]))


def draw_units(stream: Stream, rows: int, n: int) -> NDArray[np.int64]:
    """Draw n of n units with replacement, `rows` times.

    Parameters
    ----------
    stream : PCG64
        From `open_stream`; it moves on by `rows` times ceil(n / 2) words.
    rows : int
        How many resamples.
    n : int
        How many units there are, 1 to 2^20.

    Returns
    -------
    (rows, n) array of int
        Units from 0 to n - 1; a row is a resample.

    Notes
    -----
    Half a word u becomes floor(u n / 2^32), exactly. A unit's probability is off by less than n / 2^32 of
    itself, below a ten-thousandth at the largest n and below 1e-6 at 4,000 units.
    """
    words = stream.random_raw(rows * ((n + 1) // 2)).astype("<u8", copy=False)
    halves = words.view("<u4").reshape(rows, -1)[:, :n]
    units: NDArray[np.int64] = (halves * (n / 2**_HALF_WORD_BITS)).astype(np.int64)
    return units


def draw_masks(stream: Stream, rows: int, n: int) -> NDArray[np.float64]:
    """Draw `rows` random subsets of n units, each unit in with probability one half.

    Parameters
    ----------
    stream : PCG64
        From `open_stream`; it moves on by `rows` times ceil(n / 64) words.
    rows, n : int
        How many subsets, and of how many units.

    Returns
    -------
    (n, rows) array of float
        1.0 where a unit is in the subset, else 0.0; a column is a subset.
    """
    words = stream.random_raw(rows * -(-n // _WORD_BITS)).astype("<u8", copy=False)
    bits = np.unpackbits(words.view(np.uint8).reshape(rows, -1), axis=1, count=n, bitorder="little")
    masks: NDArray[np.float64] = bits.T.astype(np.float64, order="C")
    return masks


def draw_order(stream: Stream, n: int) -> NDArray[np.intp]:
    """Draw one of the orders of n units.

    Parameters
    ----------
    stream : PCG64
        From `open_stream`; it moves on by n words.
    n : int
        How many units there are.

    Returns
    -------
    (n,) array of int
        Each of 0 to n - 1 once.

    Notes
    -----
    Each unit gets a word, and they stand in the order of their words. Two words of 64 bits are alike with a
    chance below n^2 / 2^65; such units keep their order.
    """
    words = stream.random_raw(n).astype("<u8", copy=False)
    return np.argsort(words, kind="stable")


def draw_halves(stream: Stream, rows: int, n: int) -> NDArray[np.bool_]:
    """Split n units into two random halves, `rows` times.

    Parameters
    ----------
    stream : PCG64
        From `open_stream`; it moves on by `rows` times n words, or n + 1 where n is odd.
    rows, n : int
        How many splits, and of how many units.

    Returns
    -------
    (rows, n) array of bool
        Whether a unit is in the first half. Of an odd number, either half has one more, with probability one
        half each; every split of its sizes is as likely as another.

    Notes
    -----
    Each unit gets a word, an odd number of them one more that belongs to nobody; those with the smaller half
    of the words are the first half. Equal words, of probability n^2 / 2^65, go by their places.

    Examples
    --------
    >>> draw_halves(open_stream(7, [], "halves"), 2, 5).sum(axis=1).tolist()
    [2, 3]
    """
    even = n + n % 2
    words = stream.random_raw(rows * even).reshape(rows, even)
    first = np.argsort(words, axis=1, kind="stable")[:, : even // 2]
    halves = np.zeros((rows, even), dtype=bool)
    np.put_along_axis(halves, first, values=True, axis=1)
    return halves[:, :n]


class RandomIntegers:
    """Whole numbers below others, one at a time, from the raw words of a stream."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._words: list[int] = []

    def below(self, n: int) -> int:
        """A number from 0 to n - 1; as even as 64 bits make it."""
        if not self._words:
            self._words = self._stream.random_raw(_WORDS_AHEAD).tolist()
        return self._words.pop() * n >> _WORD_BITS
