import pytest

from server.submissions.rules import SubmissionFacts, find_counting_id


def filed(id_: int, *, late: bool = False, withdrawn: bool = False) -> SubmissionFacts:
    return SubmissionFacts(id_, late, withdrawn)


FILES = [filed(1), filed(2), filed(3, withdrawn=True), filed(4, late=True)]


def test_the_newest_on_time_that_is_not_withdrawn_counts() -> None:
    assert find_counting_id(FILES, late=False) == 2


def test_the_newest_counts_in_whatever_order_the_files_are_listed() -> None:
    assert find_counting_id(reversed(FILES), late=False) == 2


def test_a_late_file_counts_apart_and_never_replaces() -> None:
    assert find_counting_id(FILES, late=True) == 4


@pytest.mark.parametrize("files", [[], [filed(1, withdrawn=True)], FILES[3:]])
def test_nothing_counts_where_nothing_is_left(files: list[SubmissionFacts]) -> None:
    assert find_counting_id(files, late=False) is None
