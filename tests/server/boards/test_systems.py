import pytest

from server.boards.systems import format_system_key, parse_system_key


@pytest.mark.parametrize(
    ("team", "run", "expected"),
    [
        ("quay", "cross-encoder", "late/quay/cross-encoder"),
        ("Team A", "run 1", "late/Team A/run 1"),
        ("a/b", "100 %", "late/a*2Fb/100 *25"),
        ("čtyři", "?&=#+~_.", "late/čtyři/?&=#+~_."),
        ("%2F", "*2F*", "late/*252F/*2A2F*2A"),
    ],
)
def test_system_key_is_parsed_back(team: str, run: str, expected: str) -> None:
    assert format_system_key("late", team, run) == expected
    assert parse_system_key(expected) == ("late", team, run)


@pytest.mark.parametrize("text", ["", "quay/run", "official/quay", "official/quay/run/1", "board/quay/run"])
def test_invalid_system_key_names_no_system(text: str) -> None:
    assert parse_system_key(text) is None
