"""The longest common substring: worked values, an outside oracle, laws, odd input."""

from difflib import SequenceMatcher
from fractions import Fraction

import pytest
from hypothesis import given, strategies as st

from scorer.baselines import lcs, longest_common_substring
from scorer.baselines.common_substring import _by_names, _by_search, lcs_ratio
from scorer.baselines.rounding import round_half_up, shortest_decimal

few_letters = st.text("abA ", max_size=40)
any_text = st.text(max_size=25)


@pytest.mark.parametrize(
    ("a", "b", "length"),
    [
        ("abcdef", "zcdem", 3),
        ("Cathedral", "cathedral", 8),  # case counts
        ("a  b", "a b", 2),  # white space is not folded
        ("banana", "ananas", 5),
        ("same", "same", 4),
        ("abc", "xyz", 0),
        ("", "abc", 0),
        ("", "", 0),
        ("\U0001f600\U0001f601x", "y\U0001f600\U0001f601", 2),  # code points, not UTF-16 units
    ],
)
def test_longest_common_substring_of_worked_pairs(a: str, b: str, length: int) -> None:
    assert longest_common_substring(a, b) == length
    assert _by_names(a, b) == length


@pytest.mark.parametrize(
    ("a", "b", "value"),
    [
        ("sedation", "sedate", 0.714),  # 2 x 5 / 14 = .7142857
        ("a" * 16, "b" * 15 + "a", 0.063),  # 2 / 32 = .0625, half up
        ("a" + "b" * 7, "c" * 7 + "a", 0.125),
        ("abcdefgh", "abcdefgh", 1.0),
        (" \t\x00abc\x1f", "abc", 1.0),  # up to U+0020 is stripped
        ("abc\u00a0", "abc", 0.857),  # a no-break space stays: 6 / 7
        ("abc\u2003", "abc", 0.857),  # so does any other whitespace
        ("", "", 0.0),
        (" \t ", "\x00", 0.0),
        ("", "abc", 0.0),
    ],
)
def test_lcs_of_worked_pairs(a: str, b: str, value: float) -> None:
    assert lcs(a, b) == value


def test_lcs_rounds_to_the_digits_asked_for() -> None:
    assert lcs("abcd", "abc", digits=1) == 0.9
    assert lcs("abcd", "abc", digits=0) == 1.0
    assert lcs("abcd", "abc", digits=None) == 6 / 7


@given(few_letters, few_letters)
def test_longest_common_substring_equals_difflib(a: str, b: str) -> None:
    size = SequenceMatcher(None, a, b, autojunk=False).find_longest_match().size
    assert _by_search(a, b) == size
    assert _by_names(a, b) == size


@given(any_text, any_text)
def test_lcs_is_symmetric_and_bounded(a: str, b: str) -> None:
    assert lcs_ratio(a, b) == lcs_ratio(b, a)
    assert 0 <= lcs_ratio(a, b) <= 1


@given(any_text, any_text, any_text)
def test_shared_part_is_found_completely(left: str, shared: str, right: str) -> None:
    found = longest_common_substring(left + shared, shared + right)
    assert len(shared) <= found <= min(len(left), len(right)) + len(shared)


@given(few_letters, few_letters, st.text("abA ", max_size=5))
def test_lengthening_a_text_never_loses_a_match(a: str, b: str, more: str) -> None:
    assert longest_common_substring(a + more, b) >= longest_common_substring(a, b)


@pytest.mark.parametrize("b", ["ab" * 20_000, "b" + "ab" * 20_000, ("ab" * 20 + "c") * 1000])
def test_periodic_texts_are_exact_and_fast(b: str) -> None:
    # Quadratic search takes minutes here, which pytest would show; the value is what is asserted.
    expected = 40 if "c" in b else 40_000
    assert longest_common_substring("ab" * 20_000, b) == expected


@pytest.mark.parametrize(
    ("value", "digits", "rounded"),
    [
        (Fraction(1, 2000), 3, "0.001"),
        (Fraction(1, 16), 3, "0.063"),
        (Fraction(3, 16), 3, "0.188"),  # 0.1875; half to even would agree, 0.0625 would not
        (Fraction(2, 3), None, "0.6666666666666666"),
        (Fraction(1), 3, "1"),
        (Fraction(0), 3, "0"),
        (Fraction(1, 100_000), None, "0.00001"),
        (Fraction(10**20), None, "100000000000000000000"),
    ],
)
def test_numbers_are_rounded_half_up_and_printed_short(value: Fraction, digits: int, rounded: str) -> None:
    assert shortest_decimal(round_half_up(value, digits)) == rounded


@given(st.fractions(0, 4, max_denominator=10_000))
def test_a_printed_number_reads_back_as_the_nearest_float(value: Fraction) -> None:
    assert float(shortest_decimal(value)) == float(value)
