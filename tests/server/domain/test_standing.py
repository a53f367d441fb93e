from datetime import UTC, datetime, timedelta

import pytest

from server.domain.standing import Filed, counting

NOON = datetime(2026, 3, 10, 12, tzinfo=UTC)


def filed(id_: int, *, late: bool = False, withdrawn: bool = False, minutes: int | None = None) -> Filed:
    return Filed(id_, NOON + timedelta(minutes=id_ if minutes is None else minutes), late, withdrawn)


FILES = [filed(1), filed(2), filed(3, withdrawn=True), filed(4, late=True)]


def test_the_newest_on_time_that_is_not_withdrawn_counts() -> None:
    assert counting(FILES, late=False) == 2


def test_the_newest_counts_in_whatever_order_the_files_are_listed() -> None:
    assert counting(reversed(FILES), late=False) == 2


def test_a_late_file_counts_apart_and_never_replaces() -> None:
    assert counting(FILES, late=True) == 4


def test_a_file_that_took_long_to_send_is_as_old_as_its_first_byte() -> None:
    assert counting([filed(1, minutes=5), filed(2, minutes=3)], late=False) == 1
    assert counting([filed(1, minutes=3), filed(2, minutes=3)], late=False) == 2


@pytest.mark.parametrize("files", [[], [filed(1, withdrawn=True)], FILES[3:]])
def test_nothing_counts_where_nothing_is_left(files: list[Filed]) -> None:
    assert counting(files, late=False) is None
