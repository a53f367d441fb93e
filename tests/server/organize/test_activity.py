from datetime import UTC, datetime, timedelta

from server.organize.upload_chart import BarPosition, ChartBar, build_upload_chart, find_bar_position
from server.phases.rules import Window

CLOSES = datetime(2026, 3, 15, 12, tzinfo=UTC)
WINDOW = Window(datetime(2026, 3, 1, tzinfo=UTC), CLOSES, 72)


def chart_bar(hours: float, on_time: int = 1, late: int = 0) -> ChartBar:
    """So many files, hours from the deadline."""
    return ChartBar(CLOSES + timedelta(hours=hours), on_time, late)


def test_chart_shows_days_without_gaps_far_from_a_deadline() -> None:
    found = build_upload_chart(
        [chart_bar(-10 * 24, 2), chart_bar(-8 * 24), chart_bar(-8 * 24 + 5)],
        WINDOW,
        CLOSES - timedelta(days=6),
    )
    assert found.unit == "day"
    assert [bar.total for bar in found.bars] == [0, 0, 2, 0, 2, 0, 0]
    assert found.bars[2].start == datetime(2026, 3, 5, tzinfo=UTC)
    assert found.most == found.bars[2]


def test_chart_shows_hours_near_a_deadline_with_late_files_separate() -> None:
    found = build_upload_chart([chart_bar(-2, 3), chart_bar(0, 0, 1)], WINDOW, CLOSES + timedelta(minutes=90))
    assert found.unit == "hour"
    assert len(found.bars) == 12
    assert [(bar.on_time, bar.late) for bar in found.bars[-4:]] == [(3, 0), (0, 0), (0, 1), (0, 0)]
    assert found.deadline == BarPosition(10, 0.0)


def test_deadline_is_marked_inside_a_bar_or_not_at_all() -> None:
    days = [CLOSES - timedelta(hours=12), CLOSES + timedelta(hours=12)]
    marks = [
        find_bar_position(days, timedelta(days=1), CLOSES + timedelta(hours=hours))
        for hours in (-13, 0, 18, 36)
    ]
    assert marks == [None, BarPosition(0, 0.5), BarPosition(1, 0.25), None]


def test_chart_ends_with_the_grace_period_and_has_a_limited_number_of_bars() -> None:
    days = build_upload_chart(
        [chart_bar(-300 * 24), chart_bar(1, 0, 1)], WINDOW, CLOSES + timedelta(days=900)
    )
    assert days.bars[-1].start == datetime(2026, 3, 18, tzinfo=UTC)
    assert len(days.bars) == 120
    assert build_upload_chart([], WINDOW, CLOSES).bars == ()
