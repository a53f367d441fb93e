import pytest

from server.domain.quota import files_left, upload_limit


@pytest.mark.parametrize(
    ("n_items", "keyed", "limit"), [(0, False, 65_536), (500, False, 193_536), (500, True, 774_144)]
)
def test_a_file_may_have_64_kb_and_256_bytes_an_item_and_four_times_that_if_keyed(
    n_items: int, keyed: bool, limit: int
) -> None:
    assert upload_limit(n_items, keyed=keyed) == limit


@pytest.mark.parametrize(("used", "left"), [(0, 3), (2, 1), (3, 0), (5, 0)])
def test_what_is_left_never_goes_below_nothing(used: int, left: int) -> None:
    assert files_left(used, 3) == left


def test_without_a_quota_nothing_runs_out() -> None:
    assert files_left(10_000, None) is None
