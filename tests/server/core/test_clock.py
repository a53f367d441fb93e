import time
from datetime import UTC, datetime, timedelta

import pytest

from server.core.clock import parse_arrival, step_seconds

NOW = datetime(2026, 3, 15, 12, 0, 1, tzinfo=UTC)


def arrival_header(at: datetime) -> str:
    return f"t={int(at.timestamp())}.{at.microsecond // 1000:03d}"


@pytest.mark.parametrize("ago", [timedelta(0), timedelta(milliseconds=1500), timedelta(minutes=10)])
def test_proxy_arrival_time_is_trusted_within_ten_minutes(ago: timedelta) -> None:
    assert parse_arrival(arrival_header(NOW - ago), NOW) == NOW - ago
    assert parse_arrival(arrival_header(NOW - ago).removeprefix("t="), NOW) == NOW - ago


@pytest.mark.parametrize(
    "value",
    [
        None, "", "yesterday", "t=1", "t=-1.000", "t=1e9.000", "t=99999999999.999", "t=1773576000.00\u0661",
        arrival_header(NOW + timedelta(milliseconds=1)),
        arrival_header(NOW - timedelta(minutes=10, milliseconds=1)),
    ],
)  # fmt: skip
def test_invalid_arrival_time_falls_back_to_the_server_clock(value: str | None) -> None:
    assert parse_arrival(value, NOW) == NOW


def test_clock_that_is_set_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert step_seconds() == pytest.approx(0, abs=0.5)
    before = time.time
    monkeypatch.setattr(time, "time", lambda: before() - 300)
    assert step_seconds() == pytest.approx(-300, abs=0.5)
