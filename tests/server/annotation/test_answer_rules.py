from datetime import timedelta

import pytest

from server.annotation.answers import rules
from server.annotation.answers.questions import choose_keys, format_value
from server.annotation.answers.rules import GivenAnswer, KnownAnswer
from tests.server.world import DURING


@pytest.mark.parametrize(
    ("values", "keys"),
    [
        (["0", "1", "2"], {"0": "0", "1": "1", "2": "2"}),
        (["0", "0.5", "1"], {"0": "0", "1": "1"}),
        (["10", "20", "30"], {"10": "1", "20": "2", "30": "3"}),
        (["-1", "0", "1"], {"0": "0", "1": "1"}),
        ([str(number) for number in range(10, 20)], {}),
    ],
)
def test_each_point_has_its_own_digit_or_its_place_as_key(values: list[str], keys: dict[str, str]) -> None:
    assert choose_keys(values) == keys


def test_points_are_written_without_needless_digits() -> None:
    assert [format_value(value) for value in (0.0, 0.25, 3.0, 0.1 + 0.2)] == ["0", "0.25", "3", "0.3"]


def test_same_form_with_the_same_content_has_the_same_key() -> None:
    key = rules.content_nonce("a" * 16, GivenAnswer(3.0, "Odd", visible_ms=5, input="key"))
    assert key == rules.content_nonce("a" * 16, GivenAnswer(3.0, "Odd", visible_ms=9, input="touch"))
    assert len(key) == 32
    others = [GivenAnswer(4.0, "Odd"), GivenAnswer(3.0), GivenAnswer(3.0, None, "Odd")]
    assert key not in {rules.content_nonce("a" * 16, other) for other in others}
    assert key != rules.content_nonce("b" * 16, GivenAnswer(3.0, "Odd"))


def test_late_answer_is_never_in_force() -> None:
    counts = KnownAnswer(1, "a" * 32, True, (3.0, None, None))
    late = KnownAnswer(2, "b" * 32, False, (5.0, None, None))
    assert rules.find_in_force([counts, late]) == counts
    assert rules.find_in_force([late]) is None
    assert rules.find_repeated([counts, late], "c" * 32, GivenAnswer(5.0)) is None


@pytest.mark.parametrize(
    ("seconds", "stored"), [(0, True), (12, True), (12.001, False), (-1, False), (1e6, False)]
)
def test_visible_time_is_at_most_two_seconds_above_the_elapsed_time(seconds: float, stored: bool) -> None:
    milliseconds = round(seconds * 1000)
    found = rules.credible_visible_ms(milliseconds, DURING, DURING + timedelta(seconds=10))
    assert found == (milliseconds if stored else None)


def test_hash_of_free_texts_needs_the_salt_and_tells_what_was_written() -> None:
    hashes = {
        rules.hash_texts(GivenAnswer(None, comment="a"), "salt"),
        rules.hash_texts(GivenAnswer(None, reason="a"), "salt"),
        rules.hash_texts(GivenAnswer(None, written="a"), "salt"),
        rules.hash_texts(GivenAnswer(None, comment="a"), "other"),
    }
    assert len(hashes) == 4
