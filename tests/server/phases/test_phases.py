from datetime import UTC, datetime, timedelta

import pytest

from server.phases.rules import Window, explain_closed_phase, files_may_come

OPENS = datetime(2026, 3, 1, tzinfo=UTC)
CLOSES = datetime(2026, 3, 15, 12, tzinfo=UTC)
INSTANT = timedelta(microseconds=1)
WINDOW = Window(OPENS, CLOSES, grace_hours=72)


@pytest.mark.parametrize(
    ("at", "state"),
    [
        (OPENS - INSTANT, "early"),
        (OPENS, "open"),
        (CLOSES, "open"),
        (CLOSES + INSTANT, "grace"),
        (CLOSES + timedelta(hours=72), "grace"),
        (CLOSES + timedelta(hours=72) + INSTANT, "over"),
    ],
)
def test_bounds_belong_to_the_side_of_the_team(at: datetime, state: str) -> None:
    assert WINDOW.state(at) == state


def test_without_grace_the_next_instant_is_over() -> None:
    assert Window(OPENS, CLOSES).state(CLOSES + INSTANT) == "over"


def test_an_instant_counts_whatever_zone_it_is_written_in() -> None:
    anywhere_on_earth = datetime.fromisoformat("2026-03-15T00:00:00-12:00")
    assert WINDOW.state(anywhere_on_earth) == "open"
    assert WINDOW.state(anywhere_on_earth + INSTANT) == "grace"


def test_files_may_come_until_the_last_late_one_and_in_a_hidden_phase_without_end() -> None:
    end, own = CLOSES + timedelta(hours=72), Window(OPENS, CLOSES + timedelta(hours=48), grace_hours=72)
    later = Window(CLOSES + timedelta(days=99), None)
    for windows, last in (
        ([(WINDOW, "hidden"), (Window(None, CLOSES), "scores")], end),
        ([(WINDOW, "scores"), (own, "scores")], end + timedelta(hours=48)),
        ([(WINDOW, "hidden"), (later, "scores")], end),
    ):
        assert [files_may_come(windows, at) for at in (OPENS - INSTANT, last, last + INSTANT)] == [
            True,
            True,
            False,
        ]
    assert files_may_come([(WINDOW, "scores"), (later, "hidden")], end + timedelta(days=3650))
    assert not files_may_come([], OPENS)


@pytest.mark.parametrize(("window", "state"), [(Window(None, None), "open"), (Window(None, CLOSES), "over")])
def test_a_missing_bound_bounds_nothing(window: Window, state: str) -> None:
    assert window.state(datetime(1990, 1, 1, tzinfo=UTC)) == "open"
    assert window.state(datetime(2990, 1, 1, tzinfo=UTC)) == state


def test_an_endless_phase_has_no_grace_to_end() -> None:
    assert Window(OPENS, None, grace_hours=5).grace_ends is None


@pytest.mark.parametrize("at", [OPENS, CLOSES, CLOSES + INSTANT])
def test_a_file_that_is_taken_needs_no_words(at: datetime) -> None:
    assert explain_closed_phase(WINDOW, at, "Evaluation") is None


def test_an_early_file_is_refused_with_both_clocks() -> None:
    assert explain_closed_phase(WINDOW, OPENS - timedelta(seconds=1), "Evaluation") == (
        "Evaluation opens at 2026-03-01 00:00:00 UTC; your file arrived at 2026-02-28 23:59:59 UTC."
    )


def test_a_file_after_the_grace_is_refused_with_all_clocks() -> None:
    assert explain_closed_phase(WINDOW, CLOSES + timedelta(hours=73), "Evaluation") == (
        "Evaluation closed at 2026-03-15 12:00:00 UTC and accepted late submissions until "
        "2026-03-18 12:00:00 UTC; your file arrived at 2026-03-18 13:00:00 UTC."
    )


def test_a_phase_without_grace_speaks_of_none() -> None:
    words = explain_closed_phase(Window(OPENS, CLOSES), CLOSES + timedelta(hours=1), "Evaluation")
    assert words is not None
    assert "late" not in words
