"""Random draws that are the same in every version of numpy: raw bits of PCG64 with a mapping of our own.

numpy guarantees that the raw bits of its bit generators and of `SeedSequence` do not change. It does not
guarantee the streams of its `Generator`. Each row of draws uses whole 64-bit words, so the draws do not
depend on the size of batches.
"""

from collections.abc import Sequence
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

Stream = np.random.PCG64
_WORD_BITS = 64
_HALF_WORD_BITS = 32
_WORDS_AHEAD = 4096
"""The number of words that `RandomIntegers` draws at a time."""
MAX_UNITS = 2**20
"""The maximum number of units that can be drawn from. Up to this number, the mapping is exact."""


def open_stream(seed: int, gold: Sequence[float], purpose: str, copy: int = 0) -> Stream:
    """Open the random stream for a seed, a gold standard and a purpose.

    Parameters
    ----------
    seed : int
        The seed, at least 0.
    gold : (n,) sequence of float
        The gold values that are scored. All systems of a board and all commands have the same draws for the
        same gold and seed. Levels have different gold, so their streams are independent.
    purpose : str
        A name such as "bootstrap". Streams with different purposes are independent.
    copy : int
        The number of earlier levels with the same gold, so that each of them has an independent stream.

    Returns
    -------
    PCG64
        A stream for `draw_units`, `draw_masks` and the other functions of this module.

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
        A stream from `open_stream`. It advances by `rows` times ceil(n / 2) words.
    rows : int
        The number of resamples.
    n : int
        The number of units, from 1 to 2^20.

    Returns
    -------
    (rows, n) array of int
        The drawn units, from 0 to n - 1. Each row is a resample.

    Notes
    -----
    Each half u of a word is mapped to floor(u n / 2^32), exactly. The relative error of a unit's probability
    is less than n / 2^32, which is below 3e-4 at the largest n and below 1e-6 at 4,000 units.
    """
    words = stream.random_raw(rows * ((n + 1) // 2)).astype("<u8", copy=False)
    halves = words.view("<u4").reshape(rows, -1)[:, :n]
    units = np.empty(halves.shape, dtype=np.int64)
    np.multiply(halves, n / 2**_HALF_WORD_BITS, out=units, casting="unsafe")
    return units


def draw_masks(stream: Stream, rows: int, n: int) -> NDArray[np.float64]:
    """Draw `rows` random subsets of n units. Each unit is in a subset with probability one half.

    Parameters
    ----------
    stream : PCG64
        A stream from `open_stream`. It advances by `rows` times ceil(n / 64) words.
    rows, n : int
        The number of subsets, and the number of units.

    Returns
    -------
    (n, rows) array of float
        1.0 if a unit is in the subset, else 0.0. Each column is a subset.
    """
    words = stream.random_raw(rows * -(-n // _WORD_BITS)).astype("<u8", copy=False)
    bits = np.unpackbits(words.view(np.uint8).reshape(rows, -1), axis=1, count=n, bitorder="little")
    masks: NDArray[np.float64] = bits.T.astype(np.float64, order="C")
    return masks


def draw_order(stream: Stream, n: int) -> NDArray[np.intp]:
    """Draw a random permutation of n units.

    Parameters
    ----------
    stream : PCG64
        A stream from `open_stream`. It advances by n words.
    n : int
        The number of units.

    Returns
    -------
    (n,) array of int
        The numbers from 0 to n - 1 in random order.

    Notes
    -----
    Each unit gets a word, and the units are sorted by their words. The probability that two of the 64-bit
    words are equal is below n^2 / 2^65; units with equal words keep their order.
    """
    words = stream.random_raw(n).astype("<u8", copy=False)
    return np.argsort(words, kind="stable")


def draw_halves(stream: Stream, rows: int, n: int) -> NDArray[np.bool_]:
    """Split n units into two random halves, `rows` times.

    Parameters
    ----------
    stream : PCG64
        A stream from `open_stream`. It advances by `rows` times n words, or n + 1 words if n is odd.
    rows, n : int
        The number of splits, and the number of units.

    Returns
    -------
    (rows, n) array of bool
        Whether a unit is in the first half. If n is odd, one of the halves, with equal probability, has one
        unit more. All splits with the same sizes are equally likely.

    Notes
    -----
    Each unit gets a word; if n is odd, a dummy unit is added. The units with the smaller words are the first
    half. Units with equal words, which have a probability of n^2 / 2^65, are ordered by their indices.

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
    """Draws single random integers from a stream."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._words: list[int] = []

    def below(self, n: int) -> int:
        """Draw an integer from 0 to n - 1. Its distribution is as uniform as 64 bits allow."""
        if not self._words:
            self._words = self._stream.random_raw(_WORDS_AHEAD).tolist()
        return self._words.pop() * n >> _WORD_BITS
