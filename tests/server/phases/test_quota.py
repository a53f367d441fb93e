from datetime import UTC, datetime, timedelta, timezone

import pytest

from server.phases.quotas import FilesUsed, files_left, upload_limit, utc_day


@pytest.mark.parametrize(
    ("n_items", "keyed", "limit"), [(0, False, 65_536), (500, False, 193_536), (500, True, 774_144)]
)
def test_file_size_limit_is_64_kb_plus_256_bytes_per_item_and_four_times_that_if_keyed(
    n_items: int, keyed: bool, limit: int
) -> None:
    assert upload_limit(n_items, keyed=keyed) == limit


@pytest.mark.parametrize(("used", "left"), [(0, 3), (2, 1), (3, 0), (5, 0)])
def test_remaining_quota_is_never_negative(used: int, left: int) -> None:
    assert files_left(FilesUsed(used, 0), 3, None).now == left
    assert files_left(FilesUsed(9, used), None, 3).now == left


def test_smaller_of_daily_and_total_quota_applies() -> None:
    left = files_left(FilesUsed(in_all=4, today=1), 10, 2)
    assert (left.in_all, left.today, left.now) == (6, 1, 1)
    assert files_left(FilesUsed(in_all=10, today=0), 10, 2).now == 0


def test_quota_day_is_a_utc_day_in_any_time_zone() -> None:
    begin, end = datetime(2026, 3, 10, tzinfo=UTC), datetime(2026, 3, 11, tzinfo=UTC)
    assert utc_day(begin) == utc_day(end - timedelta(microseconds=1)) == (begin, end)
    assert utc_day(datetime(2026, 3, 9, 22, tzinfo=timezone(timedelta(hours=-12)))) == (begin, end)


def test_without_a_quota_uploads_are_unlimited() -> None:
    assert files_left(FilesUsed(10_000, 10_000), None, None).now is None
