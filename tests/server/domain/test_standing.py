import pytest

from server.domain.standing import Filed, counting

FILES = [
    Filed(1, late=False, withdrawn=False),
    Filed(2, late=False, withdrawn=False),
    Filed(3, late=False, withdrawn=True),
    Filed(4, late=True, withdrawn=False),
]


def test_the_newest_on_time_that_is_not_withdrawn_counts() -> None:
    assert counting(FILES, late=False) == 2


def test_the_newest_counts_in_whatever_order_the_files_are_listed() -> None:
    assert counting(reversed(FILES), late=False) == 2


def test_a_late_file_counts_apart_and_never_replaces() -> None:
    assert counting(FILES, late=True) == 4


@pytest.mark.parametrize("files", [[], [Filed(1, late=False, withdrawn=True)], FILES[3:]])
def test_nothing_counts_where_nothing_is_left(files: list[Filed]) -> None:
    assert counting(files, late=False) is None
