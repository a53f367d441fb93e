"""Measures of lexical diversity: the type-token ratio, and measures that depend less on the text length."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from scorer.errors import RequestError, UndefinedError

MTLD_THRESHOLD = 0.72
"""The value of McCarthy & Jarvis (2010, p. 385), who found similar results for values from .660 to .750."""
HDD_DRAWS = 42
"""The value of McCarthy & Jarvis (2007), because vocd-D uses samples of 35 to 50 words."""
TTR_WINDOW = 50
"""The words of a segment or window, as in programs that compute MSTTR and MATTR, such as Kyle's TAALED."""

_Indices = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class TokenizedText:
    """A text in the form that the measures need, so that `index_tokens` has to prepare it only once.

    Parameters
    ----------
    previous : (n,) array of int
        For each token, the index of the previous token with the same word, or -1 if there is none.
    counts : array of int
        The number of tokens of each type.
    """

    previous: _Indices
    counts: _Indices

    def __len__(self) -> int:
        return len(self.previous)

    def reverse_previous(self) -> _Indices:
        """Return `previous` for the reversed text."""
        n = len(self.previous)
        repeated = np.flatnonzero(self.previous >= 0)
        following = np.full(n, n, dtype=np.intp)
        following[self.previous[repeated]] = repeated
        return n - 1 - following[::-1]


Tokens = Sequence[Hashable] | NDArray[np.integer] | TokenizedText


def ttr(tokens: Tokens) -> float:
    """Compute the type-token ratio.

    Parameters
    ----------
    tokens : (n,) sequence, n >= 1
        The words in order, or an array of numbers from 0 that represent them, or a `TokenizedText`. Equal
        tokens are one type.

    Returns
    -------
    float
        The number of types divided by the number of tokens, above 0 and at most 1. It decreases with the
        length of a text, so compare only texts of the same length.

    Raises
    ------
    UndefinedError
        If there are no tokens.

    References
    ----------
    Johnson (1944), Studies in language behavior I: A program of research, Psychological Monographs 56(2).

    Examples
    --------
    >>> ttr("the pier and the quay".split())
    0.8
    """
    types, n = _count_types(tokens)
    return types / n


def rttr(tokens: Tokens) -> float:
    """Compute the root type-token ratio.

    Parameters
    ----------
    tokens : (n,) sequence, n >= 1
        The text, as for `ttr`.

    Returns
    -------
    float
        The number of types divided by the square root of the number of tokens, above 0 and at most sqrt(n).

    Raises
    ------
    UndefinedError
        If there are no tokens.

    References
    ----------
    Guiraud (1954), Les caractères statistiques du vocabulaire (Presses universitaires de France).

    Examples
    --------
    >>> rttr("the pier and the".split())
    1.5
    """
    types, n = _count_types(tokens)
    return types / sqrt(n)


def cttr(tokens: Tokens) -> float:
    """Compute the corrected type-token ratio.

    Parameters
    ----------
    tokens : (n,) sequence, n >= 1
        The text, as for `ttr`.

    Returns
    -------
    float
        The number of types divided by the square root of twice the number of tokens, above 0 and at most
        sqrt(n / 2).

    Raises
    ------
    UndefinedError
        If there are no tokens.

    References
    ----------
    Carroll (1964), Language and thought (Prentice-Hall).

    Examples
    --------
    >>> cttr("the pier".split())
    1.0
    """
    types, n = _count_types(tokens)
    return types / sqrt(2 * n)


def msttr(tokens: Tokens, segment: int = TTR_WINDOW) -> float:
    """Compute the mean segmental type-token ratio.

    Parameters
    ----------
    tokens : (n,) sequence, n >= segment
        The text, as for `ttr`.
    segment : int, at least 1
        The number of words in a segment. Segments do not overlap, and an incomplete segment at the end is
        not used.

    Returns
    -------
    float
        The mean of the segments' type-token ratios, from 1 / segment to 1.

    Raises
    ------
    UndefinedError
        If there is no complete segment.
    RequestError
        If `segment` is below 1.

    References
    ----------
    Johnson (1944), Studies in language behavior I: A program of research, Psychological Monographs 56(2).

    Examples
    --------
    >>> msttr("the pier the quay a pier on".split(), segment=3)
    0.8333333333333334
    """
    previous = _require_tokens(tokens, segment, "segment").previous
    used = len(previous) // segment * segment
    place = np.arange(used)
    new = previous[:used] < place - place % segment
    return int(new.sum()) / used


def mattr(tokens: Tokens, window: int = TTR_WINDOW) -> float:
    """Compute the moving-average type-token ratio.

    Parameters
    ----------
    tokens : (n,) sequence, n >= window
        The text, as for `ttr`.
    window : int, at least 1
        The number of words in a window. The window moves by one word at a time.

    Returns
    -------
    float
        The mean of the windows' type-token ratios, from 1 / window to 1.

    Raises
    ------
    UndefinedError
        If there is no complete window.
    RequestError
        If `window` is below 1.

    Notes
    -----
    A token adds a type to the windows that contain it but not the previous token with the same word. The
    number of these windows follows from the indices of the two tokens, so the types of all windows are
    summed as integers, without a loop over windows.

    References
    ----------
    Covington & McFall (2010), Cutting the Gordian knot: The moving-average type-token ratio (MATTR), Journal
    of Quantitative Linguistics 17(2), doi:10.1080/09296171003643098.

    Examples
    --------
    >>> mattr("the pier the quay".split(), window=3)
    0.8333333333333334
    """
    previous = _require_tokens(tokens, window, "window").previous
    n = len(previous)
    place = np.arange(n)
    last = np.minimum(place, n - window)
    first = np.maximum(place - window, previous) + 1
    types = np.maximum(last - np.maximum(first, 0) + 1, 0).sum()
    return int(types) / (window * (n - window + 1))


def mtld(tokens: Tokens, threshold: float = MTLD_THRESHOLD, *, below: bool = False) -> float:
    """Compute the measure of textual lexical diversity.

    Parameters
    ----------
    tokens : (n,) sequence, n >= 2
        The text, as for `ttr`.
    threshold : float, above 0 and below 1
        The type-token ratio at which a factor is complete.
    below : bool
        Whether the ratio must fall below the threshold for a factor to be complete. By default it is enough
        if the ratio equals the threshold, as with 18 types in 25 tokens.

    Returns
    -------
    float
        The mean length of the factors, at least 1.

    Raises
    ------
    UndefinedError
        If no word is repeated, so that there is not even a partial factor.
    RequestError
        If the threshold is not between 0 and 1.

    Notes
    -----
    Starting at the beginning, words are added to a factor until its type-token ratio reaches the threshold;
    then the next factor begins. The remaining words at the end, with the ratio t, count as
    (1 - t) / (1 - threshold) of a factor. The number of tokens is divided by the number of factors, once for
    the text and once for the reversed text, and the result is the mean of both. This is what the package
    `lexicalrichness` computes. The package `lexical-diversity` uses `below`, and its factors have at least
    ten words.

    References
    ----------
    McCarthy & Jarvis (2010), MTLD, vocd-D, and HD-D: A validation study of sophisticated approaches to
    lexical diversity assessment, Behavior Research Methods 42(2), 381-392, doi:10.3758/BRM.42.2.381.

    Examples
    --------
    >>> mtld("the pier and the quay and the ship and the sea".split())
    6.416666666666668
    """
    if not 0 < threshold < 1:
        raise RequestError(f"the threshold is {threshold:g}; it has to be between 0 and 1")
    text = index_tokens(tokens)
    types, n = _count_types(text)
    if types == n:
        raise UndefinedError("no_repeated_word", "no word occurs twice, so there is no factor")
    forward, backward = (
        n / _count_mtld_factors(previous.tolist(), threshold, below=below)
        for previous in (text.previous, text.reverse_previous())
    )
    return (forward + backward) / 2


def hdd(tokens: Tokens, draws: int = HDD_DRAWS) -> float:
    """Compute HD-D: the expected type-token ratio of a random sample of the text.

    Parameters
    ----------
    tokens : (n,) sequence, n >= draws
        The text, as for `ttr`. The order of the words does not matter.
    draws : int, at least 1
        The number of words in the sample, which is drawn without replacement.

    Returns
    -------
    float
        The expected ratio, from 1 / draws to 1.

    Raises
    ------
    UndefinedError
        If there are fewer tokens than draws.
    RequestError
        If `draws` is below 1.

    Notes
    -----
    Each type with c of the n tokens adds the probability that it is in the sample, which is
    1 - C(n - c, draws) / C(n, draws), and the sum is divided by `draws`. The quotient is computed as a
    product of `draws` factors.

    References
    ----------
    McCarthy & Jarvis (2007), vocd: A theoretical and empirical evaluation, Language Testing 24(4),
    doi:10.1177/0265532207080767; (2010), doi:10.3758/BRM.42.2.381.

    Examples
    --------
    >>> hdd("the pier the quay".split(), draws=2)
    0.9166666666666667
    """
    text = _require_tokens(tokens, draws, "sample")
    n = len(text)
    counts, how_many = np.unique(text.counts, return_counts=True)
    absent = np.ones(len(counts))
    for drawn in range(draws):
        absent *= np.maximum(n - counts - drawn, 0) / (n - drawn)
    return float(((1 - absent) * how_many).sum()) / draws


def _count_mtld_factors(previous: Sequence[int], threshold: float, *, below: bool) -> float:
    """Count the complete factors and the partial factor at the end of a text."""
    factors, types, start = 0, 0, 0
    for place, last in enumerate(previous):
        types += last < start
        ratio = types / (place - start + 1)
        if ratio < threshold or (ratio == threshold and not below):
            factors, types, start = factors + 1, 0, place + 1
    rest = len(previous) - start
    return factors + ((1 - types / rest) / (1 - threshold) if rest else 0.0)


def index_tokens(tokens: Tokens) -> TokenizedText:
    """Prepare a text for the measures. A text that is already prepared is returned unchanged.

    >>> index_tokens("the pier the quay".split()).previous.tolist()
    [-1, -1, 0, -1]
    """
    if isinstance(tokens, TokenizedText):
        return tokens
    codes = tokens if isinstance(tokens, np.ndarray) else _codes(tokens)
    order = np.argsort(codes, kind="stable")
    is_repeated = codes[order[1:]] == codes[order[:-1]]
    previous = np.full(len(codes), -1, dtype=np.intp)
    previous[order[1:][is_repeated]] = order[:-1][is_repeated]
    counts = np.bincount(codes)
    return TokenizedText(previous, counts[counts > 0])


def _codes(tokens: Sequence[Hashable]) -> _Indices:
    codes: dict[Hashable, int] = {}
    numbers = (codes.setdefault(token, len(codes)) for token in tokens)
    return np.fromiter(numbers, dtype=np.intp, count=len(tokens))


def _count_types(tokens: Tokens) -> tuple[int, int]:
    text = index_tokens(tokens)
    if not len(text):
        raise UndefinedError("no_words", "there are no words")
    return len(text.counts), len(text)


def _require_tokens(tokens: Tokens, size: int, what: str) -> TokenizedText:
    if size < 1:
        raise RequestError(f"a {what} of {size} words is too small; it has to have at least one")
    text = index_tokens(tokens)
    if len(text) < size:
        raise UndefinedError("too_few_words", f"there are fewer than {size} words, the size of a {what}")
    return text
