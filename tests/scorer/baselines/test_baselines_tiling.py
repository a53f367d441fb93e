"""Greedy string tiling: worked values, a plain implementation of the definition, laws, odd input."""

import pytest
from hypothesis import example, given, strategies as st

from scorer.baselines import Tile, greedy_string_tiling, gst
from scorer.errors import RequestError

overlapping = st.one_of(
    st.text("ab", max_size=24),
    st.text("abc", max_size=30),
    st.lists(st.sampled_from(["ab", "aba", "bc", "c", "abcab"]), max_size=9).map("".join),
)


def plain_tiling(a: str, b: str, min_match: int) -> list[Tile]:
    """Wise's passes word by word: all free matches of the longest length, by position in a, then in b."""
    marked_a, marked_b = [False] * len(a), [False] * len(b)
    tiles: list[Tile] = []
    while True:
        longest = min_match
        matches: list[tuple[int, int]] = []
        for i in range(len(a)):
            for j in range(len(b)):
                length = 0
                while (
                    i + length < len(a)
                    and j + length < len(b)
                    and a[i + length] == b[j + length]
                    and not marked_a[i + length]
                    and not marked_b[j + length]
                ):
                    length += 1
                if length > longest:
                    longest, matches = length, []
                if length == longest:
                    matches.append((i, j))
        if not matches:
            return tiles
        for i, j in matches:
            if any(marked_a[i : i + longest]) or any(marked_b[j : j + longest]):
                continue
            marked_a[i : i + longest] = marked_b[j : j + longest] = [True] * longest
            tiles.append(Tile(i, j, longest))


@given(overlapping, overlapping, st.integers(1, 6))
@example("abcabcab", "abcab", 1)
@example("aaaa", "aaaaaaa", 2)
@example("ab" * 8, "ab" * 5 + "c" + "ab" * 4, 3)
def test_tiles_equal_the_plain_definition(a: str, b: str, min_match: int) -> None:
    assert list(greedy_string_tiling(a, b, min_match)) == plain_tiling(a, b, min_match)


@given(overlapping, overlapping, st.integers(1, 6))
def test_tiles_match_and_never_overlap(a: str, b: str, min_match: int) -> None:
    tiles = greedy_string_tiling(a, b, min_match)
    in_a = [place for tile in tiles for place in range(tile.a, tile.a + tile.length)]
    in_b = [place for tile in tiles for place in range(tile.b, tile.b + tile.length)]
    assert [a[place] for place in in_a] == [b[place] for place in in_b]
    assert len(set(in_a)) == len(in_a)
    assert len(set(in_b)) == len(in_b)
    assert all(tile.length >= min_match for tile in tiles)
    assert [tile.length for tile in tiles] == sorted((tile.length for tile in tiles), reverse=True)


@given(st.text(min_size=6, max_size=40))
def test_a_text_covers_itself_with_one_tile(text: str) -> None:
    assert greedy_string_tiling(text, text) == (Tile(0, 0, len(text)),)


@pytest.mark.parametrize(
    ("a", "b", "value"),
    [
        ("abcdefghij", "xxabcdefyy", 0.6),
        ("abcdefghij", "abcde", 0.0),  # b is shorter than a tile
        ("abcde", "abcde", 0.0),  # so are both
        ("abcdef", "abcdef", 1.0),
        ("ABCDEF", "abcdef", 1.0),
        ("abcdef abcdef", "abcdef", 6 / 13),  # what is placed is used up
        ("abcdefgh ijklmn", "ijklmn, abcdefgh", 14 / 15),  # the order of parts does not matter
        ("\tabcdef ", "abcdef", 1.0),
        ("abcdef\u00a0", "abcdef", 6 / 7),  # a no-break space stays
        ("", "abcdef", 0.0),
        ("  ", "", 0.0),
        ("\u0130stanbul", "istanbul", 1.0),  # one character stays one character
        ("x\u0130\u0130\u0130\u0130\u0130\u0130", "\u0130" * 6, 6 / 7),
        ("ΟΔΥΣΣΕΥΣ", "οδυσσευσ", 1.0),  # a sigma at the end is lower-cased like any other
        ("\U0001f600" * 7, "\U0001f600" * 6, 6 / 7),
        ("\U00010400" * 6, "\U00010428" * 6, 1.0),  # Deseret has case beyond the basic plane
        ("\x01\x02\x03\x04\x05\x06\x07abcdef\x00", "z\x00\x01\x02\x03\x04\x05\x06\x07abcdef", 1.0),
    ],
)
def test_gst_of_worked_pairs(a: str, b: str, value: float) -> None:
    assert gst(a, b) == value


def test_gst_rounds_only_when_asked() -> None:
    assert gst("abcdef\u00a0", "abcdef", digits=3) == 0.857


def test_gst_is_not_symmetric() -> None:
    assert gst("abcdefgh", "abcdef") == 0.75
    assert gst("abcdef", "abcdefgh") == 1.0


def test_minimum_match_below_one_is_rejected() -> None:
    with pytest.raises(RequestError, match="minimum match of 0 characters"):
        greedy_string_tiling("abc", "abc", 0)
