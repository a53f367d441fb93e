import pytest

from server.submissions.rules import SubmissionFacts, find_counting_id


def filed(id_: int, *, late: bool = False, withdrawn: bool = False) -> SubmissionFacts:
    return SubmissionFacts(id_, late, withdrawn)


FILES = [filed(1), filed(2), filed(3, withdrawn=True), filed(4, late=True)]


def test_newest_on_time_file_that_is_not_withdrawn_counts() -> None:
    assert find_counting_id(FILES, late=False) == 2


def test_newest_file_counts_in_any_order_of_the_list() -> None:
    assert find_counting_id(reversed(FILES), late=False) == 2


def test_late_file_counts_separately_and_never_replaces_one_on_time() -> None:
    assert find_counting_id(FILES, late=True) == 4


@pytest.mark.parametrize("files", [[], [filed(1, withdrawn=True)], FILES[3:]])
def test_no_file_counts_if_none_is_left(files: list[SubmissionFacts]) -> None:
    assert find_counting_id(files, late=False) is None
