"""The similarity of two texts by the vectors of their words: averages, and SIF."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from scorer.errors import DataError, RequestError
from scorer.files.text import Problems, decode_lines, shorten
from scorer.items.words import is_word, split_words
from scorer.vectors.reading import Vector, read_vectors

SIF_A = 1e-3
"""The parameter of the weights (Arora, Liang & Ma 2017, section 4: 1e-3 to 1e-4 are best)."""

_NOISE = 1e-9
"""The length, relative to that before the removal, up to which the rest of a vector is rounding errors."""

_COUNT = re.compile("[0-9]{1,18}")


@dataclass(frozen=True, slots=True)
class WordVectors:
    """Word vectors, and how words are looked up among them.

    Parameters
    ----------
    vectors : mapping of str to (d,) array of float
        The vector of each word.
    lower_case : bool
        Whether words are looked up in lower case only. If not, a word is looked up as it is written, and in
        lower case if this has no vector.
    """

    vectors: Mapping[str, Vector]
    lower_case: bool = False

    @classmethod
    def read(cls, path: str, texts: Iterable[str], *, lower_case: bool = False) -> "WordVectors":
        """Read from a file the vectors of the words of some texts; see `read_vectors`.

        Raises
        ------
        RequestError
            If no word has one.
        """
        words = {word for text in texts for word in split_text(text)}
        vectors = read_vectors(path, {*words, *map(str.lower, words)})
        if words and not vectors:
            raise RequestError(f"{path}: no word of the items has a vector; name a file of their language")
        return cls(vectors, lower_case)

    def find(self, word: str) -> Vector | None:
        """Return the vector of a word, or None if it has none."""
        vector = None if self.lower_case else self.vectors.get(word)
        return self.vectors.get(word.lower()) if vector is None else vector

    def coverage(self, texts: Iterable[str]) -> "WordCoverage":
        """Count the words of texts that have no vector."""
        tokens = Counter(
            word.lower() if self.lower_case else word for text in texts for word in split_text(text)
        )
        missing = [word for word in tokens if self.find(word) is None]
        return WordCoverage(tokens.total(), sum(tokens[word] for word in missing), len(tokens), len(missing))


@dataclass(frozen=True, slots=True)
class WordCoverage:
    """The number of words of some texts, and of those without a vector: all of them, and distinct ones."""

    tokens: int
    missing_tokens: int
    types: int
    missing_types: int

    def __str__(self) -> str:
        counts = (self.missing_tokens, self.tokens, "tokens"), (self.missing_types, self.types, "types")
        shares = (f"{n} of {total} {noun} ({n / max(1, total):.1%})" for n, total, noun in counts)
        return f"{' and '.join(shares)} have no vector"


def split_text(text: str) -> list[str]:
    """Split a text into its words without numbers, as `scorer items` does, in their own case.

    >>> split_text("Der Hafen von 1165")
    ['Der', 'Hafen', 'von']
    """
    return [token for token in split_words(text) if is_word(token)]


def fit_vectors(
    texts: Iterable[str],
    vectors: WordVectors,
    *,
    plain: bool = False,
    frequencies: Mapping[str, float] | None = None,
) -> Callable[[str, str], float]:
    """Learn from texts what to remove from averages of word vectors, and return the similarity of two texts.

    Parameters
    ----------
    texts : iterable of str
        For a level, both sides of all items, each as often as it occurs.
    vectors : WordVectors
        The vectors of their words.
    plain : bool, default False
        Whether the vector of a text is the mean of the vectors of its words, without weights and removal.
    frequencies : mapping of str to float, optional
        The relative frequency of each word in lower case, from 0 to 1; 0 for a word that is not in it. By
        default these are the frequencies in `texts`.

    Returns
    -------
    callable
        The similarity of two texts: the cosine of their vectors, from 0 to 1. It is 0 if the cosine is
        negative, and if a text has no word with a vector.

    Notes
    -----
    Smooth inverse frequency (SIF): the vector of a text is the mean of ``a / (a + p(w)) v(w)`` over its words
    w that have a vector, with a = 0.001 and the frequency p(w). Then the first component, which is the first
    singular vector of the vectors of all texts, not centred, is removed. Words are those of `scorer items`:
    letters and digits with hyphens and apostrophes inside, without numbers.

    References
    ----------
    Arora, Liang & Ma (2017), A simple but tough-to-beat baseline for sentence embeddings (ICLR 2017,
    openreview.net/forum?id=SyK00v5xx), algorithm 1.

    Examples
    --------
    >>> words = WordVectors({"old": np.array([1.0, 0.0]), "mill": np.array([0.0, 1.0])})
    >>> round(fit_vectors([], words, plain=True)("The old mill", "a mill"), 3)
    0.707
    """
    documents = list(texts)
    if plain:
        return _cosine_of(_embedder(vectors, lambda _: 1.0))
    counts = Counter(word.lower() for text in documents for word in split_text(text))
    p = _relative_frequencies(counts) if frequencies is None else frequencies
    embed = _embedder(vectors, lambda word: SIF_A / (SIF_A + p.get(word.lower(), 0.0)))
    component = _first_component([embed(text) for text in documents])

    @cache
    def without_component(text: str) -> Vector:
        before = embed(text)
        after = before - component * (component @ before)
        return after if np.linalg.norm(after) > _NOISE * np.linalg.norm(before) else np.zeros_like(before)

    return _cosine_of(without_component)


def _relative_frequencies(counts: Counter[str]) -> dict[str, float]:
    total = counts.total()
    return {word: n / total for word, n in counts.items()}


def _embedder(vectors: WordVectors, weigh: Callable[[str], float]) -> Callable[[str], Vector]:
    """Return a function that averages the weighted vectors of the words of a text."""
    width = len(next(iter(vectors.vectors.values()), ()))

    @cache
    def embed(text: str) -> Vector:
        pairs = [
            (weigh(word), vector) for word in split_text(text) if (vector := vectors.find(word)) is not None
        ]
        if not pairs:
            return np.zeros(width)
        mean: Vector = np.mean([weight * vector for weight, vector in pairs], axis=0)
        return mean

    return embed


def _first_component(rows: Sequence[Vector]) -> Vector:
    """Return the first right singular vector of some rows, or zeros if there are none."""
    matrix = np.array(rows)
    if not matrix.size:
        return np.zeros(matrix.shape[1:] or 0)
    component: Vector = np.linalg.eigh(matrix.T @ matrix).eigenvectors[:, -1]
    return component


def _cosine_of(embed: Callable[[str], Vector]) -> Callable[[str, str], float]:
    def similarity(left: str, right: str) -> float:
        a, b = embed(left), embed(right)
        lengths = float(np.linalg.norm(a) * np.linalg.norm(b))
        return min(1.0, max(0.0, float(a @ b) / lengths)) if lengths else 0.0

    return similarity


def parse_frequencies(data: bytes, source: str) -> dict[str, float]:
    r"""Parse a list of words and their counts in a corpus, and return their relative frequencies.

    Parameters
    ----------
    data : bytes
        A word and its count in each line, with a tab or spaces between them, in UTF-8.
    source : str
        The name of the list in messages.

    Returns
    -------
    dict of str to float
        The frequency of each word in lower case, from 0 to 1.

    Raises
    ------
    DataError
        If a line is not a word and a count. The error lists all such lines.

    Examples
    --------
    >>> parse_frequencies(b"the 5\nThe 1\npier\t2\n", "counts.txt")
    {'the': 0.75, 'pier': 0.25}
    """
    problems, counts = Problems(source), Counter[str]()
    for number, line in enumerate(decode_lines(data, problems), start=1):
        fields = (line or "").split()
        if len(fields) == 2 and _COUNT.fullmatch(fields[1]):
            counts[fields[0].lower()] += int(fields[1])
        elif fields:
            message = f"{shorten(line or '')} is no word with its count; write them with a tab between them"
            problems.add(number, "bad_count", message, line)
    if not problems.count and not counts.total():
        problems.add(None, "no_counts", "all counts are 0; write how often each word occurs")
    problems.raise_as(DataError)
    return _relative_frequencies(counts)
