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
def test_phase_boundaries_are_inclusive_in_favour_of_the_team(at: datetime, state: str) -> None:
    assert WINDOW.state(at) == state


def test_without_grace_period_the_phase_is_over_right_after_the_deadline() -> None:
    assert Window(OPENS, CLOSES).state(CLOSES + INSTANT) == "over"


def test_phase_state_is_independent_of_the_time_zone_of_a_time() -> None:
    anywhere_on_earth = datetime.fromisoformat("2026-03-15T00:00:00-12:00")
    assert WINDOW.state(anywhere_on_earth) == "open"
    assert WINDOW.state(anywhere_on_earth + INSTANT) == "grace"


def test_files_may_arrive_until_the_grace_period_ends_and_forever_in_an_endless_hidden_phase() -> None:
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
def test_missing_opening_or_closing_time_does_not_limit_the_phase(window: Window, state: str) -> None:
    assert window.state(datetime(1990, 1, 1, tzinfo=UTC)) == "open"
    assert window.state(datetime(2990, 1, 1, tzinfo=UTC)) == state


def test_phase_without_deadline_has_no_grace_period() -> None:
    assert Window(OPENS, None, grace_hours=5).grace_ends is None


@pytest.mark.parametrize("at", [OPENS, CLOSES, CLOSES + INSTANT])
def test_accepted_file_has_no_rejection_message(at: datetime) -> None:
    assert explain_closed_phase(WINDOW, at, "Evaluation") is None


def test_early_file_is_rejected_with_opening_and_current_time() -> None:
    assert explain_closed_phase(WINDOW, OPENS - timedelta(seconds=1), "Evaluation") == (
        "Evaluation opens on 1 Mar 2026, 00:00 UTC; your file arrived on 28 Feb 2026, 23:59:59 UTC."
    )


def test_file_after_the_grace_period_is_rejected_with_all_times() -> None:
    assert explain_closed_phase(WINDOW, CLOSES + timedelta(hours=73), "Evaluation") == (
        "Evaluation closed on 15 Mar 2026, 12:00 UTC and accepted late submissions until "
        "18 Mar 2026, 12:00 UTC; your file arrived on 18 Mar 2026, 13:00:00 UTC."
    )


def test_message_of_a_phase_without_grace_period_does_not_mention_one() -> None:
    words = explain_closed_phase(Window(OPENS, CLOSES), CLOSES + timedelta(hours=1), "Evaluation")
    assert words is not None
    assert "late" not in words
