"""Lexical diversity: published values, other programs' values, laws, and texts too short for a value."""

import csv
import os
from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

from scorer.errors import RequestError, UndefinedError
from scorer.items.lexical_diversity import cttr, hdd, mattr, msttr, mtld, rttr, ttr
from scorer.items.words import words_of

SHARED = Path(os.environ.get("ASSAY_SHARED", Path(__file__).parents[4] / "shared"))
ORACLE = SHARED / "oracles/lexical_diversity.tsv"
words = st.lists(st.integers(0, 12), min_size=1, max_size=60)


def test_measures_equal_published_values_and_two_programs() -> None:
    if not ORACLE.exists():
        pytest.skip(
            "ASSAY_SHARED names no folder with oracles/lexical_diversity.tsv: its text is not measured"
        )
    with ORACLE.open(encoding="utf-8", newline="") as file:
        (expected,) = csv.DictReader(file, delimiter="\t")
    tokens = words_of(expected["text"])
    assert (len(tokens), len(set(tokens))) == (int(expected["words"]), int(expected["terms"]))
    found = {
        "ttr": ttr(tokens),
        "rttr": rttr(tokens),
        "cttr": cttr(tokens),
        "msttr25": msttr(tokens, 25),
        "mattr25": mattr(tokens, 25),
        "mtld072": mtld(tokens),
        "mtld070": mtld(tokens, 0.70),
        "hdd42": hdd(tokens),
        "ld_mtld_on_same_tokens": mtld(tokens, below=True),
        "ld_root_ttr": rttr(tokens),
    }
    assert found == {name: pytest.approx(float(expected[name]), abs=1e-9) for name in found}


def test_mtld_factor_equals_the_example_in_the_paper() -> None:
    # McCarthy & Jarvis (2010): "of the people by the people" ends its factor at the second "people", .667
    tokens = words_of("of the people by the people for the people")
    # what is left, "for the people", repeats nothing; backwards: people the for people the | people by the of
    assert mtld(tokens) == 9


def test_measures_equal_lexicalrichness_on_a_sample_text() -> None:
    text = (
        "The old harbour lies behind the long pier, and the ships wait in the harbour for the tide. When "
        "the tide comes, the ships leave the pier one by one; the pier is empty then, and so is the quay."
    )
    tokens = words_of(text)
    # lexicalrichness 0.5.1: LexicalRichness(text), words, ttr, rttr, cttr, and so on
    # (its msttr drops the last segment also where it is whole, so segments have 9 of the 40 words here)
    assert len(tokens) == 40
    found = (ttr(tokens), rttr(tokens), cttr(tokens), msttr(tokens, 9), mattr(tokens, 10), mtld(tokens))
    expected = (0.575, 3.636619309193636, 2.571478174124758, 0.8333333333333333, 0.7709677419354837)
    assert (*found, hdd(tokens, 30)) == pytest.approx(
        (*expected, 12.606177861998596, 0.6297233467892863), abs=1e-9
    )


def test_hdd_is_the_mean_over_all_samples() -> None:
    tokens = words_of("the pier the quay the isle a pier")
    samples = [len(set(sample)) / 3 for sample in combinations(tokens, 3)]
    assert hdd(tokens, 3) == pytest.approx(sum(samples) / len(samples))


@given(words, st.integers(1, 60))
def test_segments_and_windows_equal_a_plain_loop(tokens: list[int], size: int) -> None:
    n = len(tokens)
    if size > n:
        for measure in (msttr, mattr, hdd):
            with pytest.raises(UndefinedError, match="there are fewer than"):
                measure(tokens, size)
        return
    windows = [len(set(tokens[start : start + size])) / size for start in range(n - size + 1)]
    assert mattr(tokens, size) == pytest.approx(sum(windows) / len(windows))
    assert msttr(tokens, size) == pytest.approx(sum(windows[::size]) / len(windows[::size]))
    assert 1 / size <= hdd(tokens, size) + 1e-12 <= 1 + 1e-9
    assert hdd(tokens, size) == pytest.approx(hdd(tokens[::-1], size))


def factors_of(tokens: list[int]) -> float:
    """McCarthy & Jarvis's factors by slices."""
    factors, start = 0.0, 0
    for end in range(1, len(tokens) + 1):
        ratio = len(set(tokens[start:end])) / (end - start)
        if ratio <= 0.72:
            factors, start = factors + 1, end
        elif end == len(tokens):
            factors += (1 - ratio) / (1 - 0.72)
    return factors


@given(words)
def test_measures_ignore_renaming_and_direction_of_tokens(tokens: list[int]) -> None:
    renamed = np.array([97 - token for token in tokens])
    for measure in (ttr, rttr, cttr):
        assert measure(tokens) == measure(renamed) == measure(tokens[::-1])
    assert rttr(tokens) == pytest.approx(cttr(tokens) * 2**0.5)
    if len(set(tokens)) == len(tokens):
        with pytest.raises(UndefinedError, match="no word occurs twice"):
            mtld(tokens)
        return
    assert mtld(tokens) == mtld(renamed) == pytest.approx(mtld(tokens[::-1]))
    assert mtld(tokens) >= 1
    both = [len(tokens) / factors_of(order) for order in (tokens, tokens[::-1])]
    assert mtld(tokens) == pytest.approx(sum(both) / 2)


@pytest.mark.parametrize("measure", [ttr, rttr, cttr, msttr, mattr, mtld, hdd])
def test_text_without_words_has_no_value(measure: Callable[[list[str]], float]) -> None:
    with pytest.raises(UndefinedError):
        measure([])


def test_invalid_measure_options_are_rejected() -> None:
    with pytest.raises(RequestError, match="between 0 and 1"):
        mtld(["a", "a"], 1.0)
    for measure in (msttr, mattr, hdd):
        with pytest.raises(RequestError, match="of 0 words"):
            measure(["a"], 0)
