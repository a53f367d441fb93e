"""The Ladder, and drawing public items."""

import hashlib

from hypothesis import given, strategies as st

from server.phases.feedback import decimal_places, draw_public_items, ladder


def test_the_ladder_moves_only_for_more_than_a_step_and_shows_multiples_of_it() -> None:
    scores = [0.512, 0.52, None, 0.47, 0.523, 0.531, 0.9]
    assert ladder(scores, 0.02) == [0.52, 0.52, 0.52, 0.52, 0.52, 0.52, 0.9]
    assert ladder([None, 0.514, 0.527], 0.01) == [None, 0.51, 0.53]


def test_decimal_places_follow_the_feedback_setting() -> None:
    steps = (0.1, 0.01, 0.05, 0.25, 0.0001, 1.0)
    assert [decimal_places("ladder", None, step) for step in steps] == [1, 2, 2, 2, 4, 0]
    assert (
        decimal_places("rounded", 2, None),
        decimal_places("scores", None, None),
        decimal_places(None, 2, 0.1),
    ) == (
        2,
        None,
        None,
    )


def test_ladder_goes_down_for_error_metrics() -> None:
    assert ladder([1.26, 1.3, 1.21, 0.9], 0.1, higher_is_better=False) == [1.3, 1.3, 1.3, 0.9]


@given(st.lists(st.none() | st.floats(-1, 1), max_size=20), st.sampled_from([0.5, 0.1, 0.01, 0.0001]))
def test_ladder_never_steps_back_and_stays_within_one_step_of_the_best(
    scores: list[float | None], step: float
) -> None:
    shown = ladder(scores, step)
    known = [value for value in shown if value is not None]
    assert known == sorted(known)
    for place, value in enumerate(shown):
        so_far = [score for score in scores[: place + 1] if score is not None]
        assert (value is None) == (not so_far)
        assert value is None or max(so_far) - value <= step * 1.0001


def test_same_seed_draws_the_same_items_and_another_seed_others() -> None:
    ids = [f"x-{number}" for number in range(100)]
    drawn = draw_public_items(ids, 30, "harbour")
    by_hand = sorted(ids, key=lambda id_: hashlib.sha256(b"harbour\n" + id_.encode()).hexdigest())[:30]
    assert drawn == sorted(by_hand, key=ids.index)
    assert drawn == draw_public_items(ids, 30, "harbour") != draw_public_items(ids, 30, "other")
    assert (len(draw_public_items(ids[:4], 1, "s")), len(draw_public_items(ids[:4], 99, "s"))) == (2, 2)
