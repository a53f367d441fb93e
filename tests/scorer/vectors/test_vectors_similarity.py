"""The similarity of texts by word vectors: worked values, a plain program, laws, words without a vector."""

import math
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, strategies as st

from scorer.errors import DataError
from scorer.vectors.similarity import WordVectors, fit_vectors, parse_frequencies

WORDS = {
    "the": np.array([200.0, 0.0, 0.0]),
    "harbour": np.array([0.0, 4.0, 0.0]),
    "mill": np.array([0.0, 1.2, 1.6]),
    "quay": np.array([0.0, -3.2, -1.6]),
}
FREQUENCIES = {"the": 0.009, "harbour": 0.001}
"""So the weights are .1 for "the", .5 for "harbour", and 1 for "mill" and "quay"."""
TEXTS = ["The harbour", "the mill", "the quay"]


def test_a_worked_example_of_sif() -> None:
    """The vectors (10, 1, 0), (10, .6, .8), (10, -1.6, -.8) have the first component (1, 0, 0)."""
    similarity = fit_vectors(TEXTS, WordVectors(WORDS), frequencies=FREQUENCIES)
    assert similarity("The harbour", "the mill") == pytest.approx(0.6, abs=1e-12)
    assert similarity("The harbour", "the quay") == 0.0  # the cosine is -2 / sqrt(5)
    assert similarity("a mill", "The mill?") == pytest.approx(1.0, abs=1e-12)


def test_a_worked_example_of_the_plain_mean() -> None:
    similarity = fit_vectors(TEXTS, WordVectors(WORDS), plain=True)
    expected = (100 * 100 + 2 * 0.6) / (math.hypot(100, 2) * math.hypot(100, 0.6, 0.8))
    assert similarity("The harbour", "the mill of 1165") == pytest.approx(expected, abs=1e-12)
    assert similarity("harbour harbour mill", "harbour") == pytest.approx(9.2 / math.hypot(9.2, 1.6))


def plain_sif(documents: list[str], frequencies: dict[str, float]) -> list[list[float]]:
    """Algorithm 1 of the paper, with a singular value decomposition."""
    rows = []
    for text in documents:
        words = [word for word in text.split() if word in WORDS]
        row = np.zeros(3)
        for word in words:
            row += 0.001 / (0.001 + frequencies.get(word, 0.0)) * WORDS[word] / len(words)
        rows.append(row)
    u = np.linalg.svd(np.array(rows))[2][0]
    return [list(row - u * np.dot(u, row)) for row in rows]


texts = st.lists(
    st.lists(st.sampled_from([*WORDS, "pier"]), max_size=6).map(" ".join), min_size=4, max_size=9
)


@given(texts, st.booleans())
@example(["the mill", "the quay", "harbour", "pier"], True)
@example(["the mill", "the quay", "harbour", "pier"], False)
def test_values_equal_a_plain_program(documents: list[str], counted: bool) -> None:
    tokens = " ".join(documents).split()
    own = {word: tokens.count(word) / len(tokens) for word in tokens}
    similarity = fit_vectors(documents, WordVectors(WORDS), frequencies=FREQUENCIES if counted else None)
    rows = plain_sif(documents, FREQUENCIES if counted else own)
    for (a, row_a), (b, row_b) in product(zip(documents, rows, strict=True), repeat=2):
        lengths = math.hypot(*row_a) * math.hypot(*row_b)
        if min(math.hypot(*row_a), math.hypot(*row_b)) > 1e-3:  # else the direction is one of rounding errors
            cosine = max(0.0, sum(x * y for x, y in zip(row_a, row_b, strict=True)) / lengths)
            assert similarity(a, b) == pytest.approx(cosine, abs=1e-6)


@given(texts, st.booleans())
def test_similarity_is_symmetric_and_from_0_to_1(documents: list[str], plain: bool) -> None:
    similarity = fit_vectors(documents, WordVectors(WORDS), plain=plain)
    for a, b in product(documents, repeat=2):
        assert 0 <= similarity(a, b) <= 1
        assert similarity(a, b) == similarity(b, a)


@pytest.mark.parametrize("documents", [["the mill"], ["the mill", "the mill"], ["mill", "pier"]])
def test_nothing_is_left_of_texts_that_are_one_component(documents: list[str]) -> None:
    similarity = fit_vectors(documents, WordVectors(WORDS))
    assert similarity(documents[0], documents[-1]) == 0.0


def test_texts_without_a_vector_have_no_similarity() -> None:
    for plain, words in product((True, False), (WORDS, {})):
        similarity = fit_vectors(["pier", "the mill"], WordVectors(words), plain=plain)
        assert similarity("pier", "pier") == similarity("pier", "the mill") == similarity("", "1165") == 0.0


NOUNS = {"Hafen": np.array([1.0, 0.0]), "hafen": np.array([0.0, 1.0]), "der": np.array([1.0, 1.0])}


@pytest.mark.parametrize(
    ("lower_case", "word", "expected"),
    [
        (False, "Hafen", [1, 0]),
        (False, "hafen", [0, 1]),
        (False, "Der", [1, 1]),
        (False, "HAFEN", [0, 1]),
        (True, "Hafen", [0, 1]),
        (True, "Mole", None),
    ],
)
def test_words_are_looked_up_as_written_and_then_in_lower_case(
    lower_case: bool, word: str, expected: list[float] | None
) -> None:
    vector = WordVectors(NOUNS, lower_case).find(word)
    assert (None if vector is None else vector.tolist()) == expected


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Příští rok v přístavu, 1165.", ["Příští", "rok", "v", "přístavu"]),
        ("Die Straße am »Groß-Hafen«", ["Die", "Straße", "am", "Groß-Hafen"]),
        ("The harbour-master’s 2 ships", ["The", "harbour-master's", "ships"]),
        ("Pr\u030ci\u0301stav", ["P\u0159\u00edstav"]),
    ],
)
def test_tokens_are_those_of_the_statistics_of_items(text: str, words: list[str]) -> None:
    vectors = {word: np.array([1.0]) for word in words}
    covered = WordVectors(vectors).coverage([text])
    assert (covered.tokens, covered.missing_tokens) == (len(words), 0)


def test_coverage_counts_tokens_and_types() -> None:
    vectors = {"the": np.array([1.0])}
    covered = WordVectors(vectors).coverage(["The pier, the mill", "the pier"])
    assert (covered.tokens, covered.missing_tokens, covered.types, covered.missing_types) == (6, 3, 4, 2)
    assert str(covered) == "3 of 6 tokens (50.0%) and 2 of 4 types (50.0%) have no vector"
    lower = WordVectors(vectors, lower_case=True).coverage(["The pier, the mill"])
    assert (lower.types, lower.missing_types) == (3, 2)
    assert str(lower.__class__(0, 0, 0, 0)).startswith("0 of 0 tokens (0.0%)")


def test_only_words_of_the_texts_are_read(tmp_path: Path) -> None:
    path = tmp_path / "vectors.txt"
    path.write_text("hafen 1 0\nHafen 0 1\nmole 1 1\n", encoding="utf-8")
    assert set(WordVectors.read(str(path), ["Der Hafen"]).vectors) == {"hafen", "Hafen"}


def test_counts_are_parsed_with_every_bad_line() -> None:
    assert parse_frequencies("přístav\t3\nder  1\n\n".encode(), "c") == {"přístav": 0.75, "der": 0.25}
    with pytest.raises(DataError) as refused:
        parse_frequencies(b"pier 1\npier\nold pier 2\nmill -1\nmill 1.5\n", "counts.txt")
    (problem,) = refused.value.problems
    assert [problem.line, *(other.line for other in problem.others)] == [2, 3, 4, 5]
    assert str(refused.value).startswith('counts.txt:2: "pier" is no word with its count; write them with')
    with pytest.raises(DataError, match="all counts are 0"):
        parse_frequencies(b"pier 0\n", "counts.txt")
