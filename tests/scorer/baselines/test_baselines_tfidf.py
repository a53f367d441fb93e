"""Tf-idf: worked values, a plain implementation of the definition, laws, digits, odd input."""

import math
from decimal import localcontext
from itertools import pairwise

import pytest
from hypothesis import example, given, strategies as st

from scorer.baselines import fit_tfidf

texts = st.lists(st.text("ab B,\u00a0", max_size=20), min_size=1, max_size=8)


def plain_ngrams(text: str) -> list[str]:
    """The substrings that scikit-learn's char_wb analyzer describes, word by word and length by length."""
    ngrams = []
    for word in text.lower().split():
        padded = f" {word} "
        for length in (3, 4, 5):
            ngrams += [
                padded[start:][:length] for start in range(len(padded)) if start + length <= len(padded)
            ]
    return ngrams


def plain_cosine(documents: list[str], a: str, b: str) -> float:
    """The cosine of two unit vectors over the whole vocabulary, as scikit-learn computes it."""
    vocabulary = sorted({ngram for text in documents for ngram in plain_ngrams(text)})

    def unit_vector(text: str) -> list[float]:
        vector = []
        for ngram in vocabulary:
            count = plain_ngrams(text).count(ngram)
            frequency = sum(ngram in plain_ngrams(document) for document in documents)
            idf = math.log((1 + len(documents)) / (1 + frequency)) + 1
            vector.append((1 + math.log(count)) * idf if count else 0.0)
        length = math.sqrt(sum(weight**2 for weight in vector)) or 1.0
        return [weight / length for weight in vector]

    return sum(x * y for x, y in zip(unit_vector(a), unit_vector(b), strict=True))


@given(texts)
@example(["abc abc abd", "abc", "abcdef, ghi"])
def test_values_equal_the_plain_definition(documents: list[str]) -> None:
    similarity = fit_tfidf(documents)
    for a, b in pairwise(documents):
        assert similarity(a, b) == pytest.approx(plain_cosine(documents, a, b), abs=1e-12)


def test_a_worked_pair_of_character_ngrams() -> None:
    """The terms of "ab" are " ab", "ab " and " ab ", of "ac" likewise; the third text has those of "ab"."""
    similarity = fit_tfidf(["ab", "ac", "ab ac"])
    assert similarity("ab", "ac") == 0.0
    assert similarity("ab", "ab ac") == pytest.approx(math.sqrt(1 / 2))  # 3 of 6 terms of equal weight


def test_a_worked_pair_of_words() -> None:
    """The weights are 1 for "old", 1 + ln(3/2) for "harbour", and (1 + ln 2) times as much for "mill"."""
    rare = 1 + math.log(1.5)
    twice = (1 + math.log(2)) * rare
    expected = 1 / (math.hypot(1, rare) * math.hypot(1, twice))
    similarity = fit_tfidf(["Old harbour", "old mill, MILL; a"], words=True)
    assert similarity("Old harbour", "old mill, MILL; a") == pytest.approx(expected, rel=1e-15)


@given(texts, st.booleans())
def test_similarity_is_symmetric_and_from_0_to_1(documents: list[str], words: bool) -> None:
    similarity = fit_tfidf(documents, words=words)
    for a in documents:
        for b in documents:
            assert 0 <= similarity(a, b) <= 1
            assert similarity(a, b) == similarity(b, a)


@given(texts)
def test_the_order_of_documents_and_words_does_not_change_a_bit(documents: list[str]) -> None:
    a, b = documents[0], documents[-1]
    turned = " ".join(reversed(a.split()))
    assert fit_tfidf(documents)(a, b) == fit_tfidf(documents[::-1])(turned, b)


@pytest.mark.parametrize(
    ("a", "b", "value"),
    [
        ("the mill", "the mill", 1.0),
        ("The MILL", "the  mill\t", 1.0),  # case and whitespace do not count
        ("mill the", "the mill", 1.0),  # nor does the order of words
        ("mill mill the the", "the mill", 1.0),  # nor their number, if each is as often as the other
        ("x", "x", 1.0),  # " x " has three characters
        ("the mill", "harbour", 0.0),
        ("", "the mill", 0.0),
        (" \u00a0", "", 0.0),
        ("ΟΔΥΣΣΕΥΣ", "οδυσσευς", 1.0),
        ("\U0001f600", "\U0001f600", 1.0),
    ],
)
def test_similarity_of_special_pairs(a: str, b: str, value: float) -> None:
    assert fit_tfidf([a, b])(a, b) == value


def test_terms_that_no_document_has_are_ignored() -> None:
    similarity = fit_tfidf(["the mill"])
    assert similarity("the mill", "the mill of stone") == 1.0
    assert similarity("stone", "stone") == 0.0


def test_no_documents_give_no_terms() -> None:
    assert fit_tfidf([])("a", "a") == 0.0


def test_digits_depend_neither_on_the_logarithm_of_the_machine_nor_on_decimal_settings(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The logarithms of 3 and 2 are the floats nearest to their values in Abramowitz & Stegun, table 4.2."""
    rare = 1 + (float("1.09861228866810969") - float("0.69314718055994531"))
    monkeypatch.setattr(math, "log", lambda *_: 0.0)
    with localcontext(prec=3):
        value = fit_tfidf(["of old", "of mill"], words=True)("of old", "of mill")
    assert value == 1 / (1 + rare * rare)
