import pytest

from server.domain.system_keys import read_key, write_key


@pytest.mark.parametrize(
    ("team", "run"), [("quay", "cross-encoder"), ("a/b", "100 %"), ("čtyři", "?&=#"), ("%2F", "/")]
)
def test_a_key_names_its_system_again(team: str, run: str) -> None:
    key = write_key("late", team, run)
    assert read_key(key) == ("late", team, run)
    assert key.isascii()


@pytest.mark.parametrize("text", ["", "quay/run", "official/quay", "official/quay/run/1", "board/quay/run"])
def test_a_text_that_is_no_key_names_nothing(text: str) -> None:
    assert read_key(text) is None
