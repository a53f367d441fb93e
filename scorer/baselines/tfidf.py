"""Tf-idf, a baseline that compares the parts of words, or words, weighted by how few texts have them."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from decimal import Context, Decimal
from functools import cache
from itertools import chain
from math import fsum, sqrt

TFIDF_LENGTHS = (3, 4, 5)
"""The lengths of the character n-grams."""

_WORD_PATTERN = re.compile(r"\b\w\w+\b")
_DECIMAL = Context(prec=30)
"""`decimal` rounds logarithms correctly (General Decimal Arithmetic, "ln"); those of C libraries differ."""


def fit_tfidf(texts: Iterable[str], *, words: bool = False) -> Callable[[str, str], float]:
    """Learn from texts how rare each term is, and return the tf-idf similarity of two texts.

    Parameters
    ----------
    texts : iterable of str
        The documents: for a level, both sides of all items, each as often as it occurs.
    words : bool, default False
        Whether terms are words instead of character n-grams.

    Returns
    -------
    callable
        The similarity of two texts, from 0 (no term in common) to 1 (the same terms equally often). Terms
        that are in none of `texts` are ignored.

    Notes
    -----
    The cosine of the angle between two vectors. A term that a text has c times has the weight
    ``(1 + ln c) * (1 + ln((1 + n) / (1 + d)))``, where d is the number of the n documents that have it.

    The terms of a text in lower case are the substrings of three, four and five characters of each word with
    a space before and after it, where words are what whitespace separates; punctuation stays. With `words`,
    they are the sequences of two or more letters, digits and underscores.

    These are ``TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 5), sublinear_tf=True)`` and
    ``TfidfVectorizer(sublinear_tf=True)`` of scikit-learn, whose values differ by rounding errors only. Here
    sums are exact and logarithms correctly rounded, so the digits are the same on every machine.

    References
    ----------
    Salton & Buckley (1988), Term-weighting approaches in automatic text retrieval, Information Processing &
    Management 24(5), doi:10.1016/0306-4573(88)90021-0. Pedregosa et al. (2011), Scikit-learn: Machine
    learning in Python, JMLR 12; its user guide, section "Tf-idf term weighting".

    Examples
    --------
    >>> similarity = fit_tfidf(["an old harbour", "the harbours", "an old mill"])
    >>> round(similarity("an old harbour", "the harbours"), 3), similarity("an old mill", "the harbours")
    (0.464, 0.0)
    """
    split = _split_words if words else _ngram_splitter()
    n, frequencies = 0, Counter[str]()
    for text in texts:
        n += 1
        frequencies.update(set(split(text)))
    rarity = {d: 1 + (_ln(1 + n) - _ln(1 + d)) for d in set(frequencies.values())}
    idf = {term: rarity[d] for term, d in frequencies.items()}

    def weigh(text: str) -> dict[str, float]:
        counts = Counter(split(text)).items()
        return {term: idf[term] * (1 + _ln(c) if c > 1 else 1) for term, c in counts if term in idf}

    return lambda a, b: _cosine(weigh(a), weigh(b))


def _split_words(text: str) -> list[str]:
    return _WORD_PATTERN.findall(text.lower())


def _ngram_splitter() -> Callable[[str], list[str]]:
    """Return a function that lists the character n-grams of a text, and computes those of a word once."""

    @cache
    def ngrams(word: str) -> list[str]:
        padded = f" {word} "
        return [padded[i : i + n] for n in TFIDF_LENGTHS for i in range(len(padded) - n + 1)]

    return lambda text: list(chain.from_iterable(map(ngrams, text.lower().split())))


def _cosine(a: Mapping[str, float], b: Mapping[str, float]) -> float:
    shared = a.keys() & b.keys()
    if not shared:
        return 0.0
    squares = [fsum([weight * weight for weight in vector.values()]) for vector in (a, b)]
    product = fsum([a[term] * b[term] for term in shared])
    return min(1.0, product / sqrt(squares[0] * squares[1]))


@cache
def _ln(number: int) -> float:
    return float(_DECIMAL.ln(Decimal(number)))
