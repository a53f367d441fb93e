"""Which answers count: the newest of each step, at most k of each unit, and each slot's first one first."""

from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from random import Random

import pytest
from hypothesis import given, strategies as st

from scorer.campaigns.config import GoldRuleName
from scorer.campaigns.counted import AnswerOutcome, AnswerRecord, GoldValue, classify_answers, compute_gold

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


def answer(number: int, *, slot: int = 1, step: int | None = None, value: float | None = 2.0) -> AnswerRecord:
    """An answer to unit "a" by the annotator of its step, a minute after the answer numbered before it."""
    step = number if step is None else step
    return AnswerRecord(
        id=number,
        unit="a",
        slot=slot,
        annotator=f"A{step:03}",
        value=value,
        late=False,
        arrived=NOON + timedelta(minutes=number),
        step=step,
    )


def outcomes(*answers: AnswerRecord, k: int = 2, excluded: tuple[str, ...] = ()) -> list[AnswerOutcome]:
    found = classify_answers(answers, answers_per_unit=k, excluded=excluded)
    return [found[each.id] for each in answers]


def test_answers_up_to_k_count_and_the_rest_are_surplus() -> None:
    assert outcomes(answer(1), answer(2, slot=2), answer(3)) == ["counted", "counted", "surplus"]


def test_each_slot_counts_its_first_answer_before_a_second_one_of_another_slot() -> None:
    assert outcomes(answer(1), answer(2), answer(3, slot=2)) == ["counted", "surplus", "counted"]


def test_second_answer_to_a_slot_counts_while_another_slot_is_empty() -> None:
    assert outcomes(answer(1), answer(2)) == ["counted", "counted"]


def test_newer_answer_to_a_step_supersedes_the_older_one() -> None:
    assert outcomes(answer(1, step=1), answer(2, step=1, value=3.0), answer(3, slot=2)) == [
        "superseded",
        "counted",
        "counted",
    ]


def test_changed_answer_keeps_its_place_before_a_later_one() -> None:
    changed = answer(3, step=1)
    assert outcomes(answer(1, step=1), answer(2), changed, k=1) == ["superseded", "surplus", "counted"]


def test_late_answer_is_never_in_force_and_supersedes_nothing() -> None:
    late = replace(answer(2, step=1), late=True)
    assert outcomes(answer(1, step=1), late) == ["counted", "late"]


def test_answer_without_a_value_fills_no_slot() -> None:
    assert outcomes(answer(1, value=None), answer(2), answer(3)) == ["no value", "counted", "counted"]


def test_change_to_cannot_judge_takes_the_rating_back() -> None:
    assert outcomes(answer(1, step=1), answer(2, step=1, value=None)) == ["superseded", "no value"]


def test_answers_of_excluded_annotators_do_not_count() -> None:
    assert outcomes(answer(1), answer(2), answer(3), excluded=("A001",)) == ["excluded", "counted", "counted"]


answer_lists = st.lists(
    st.builds(
        lambda step, unit, value, late, minute: (step, unit, value, late, minute),
        st.integers(1, 8),
        st.just("a"),
        st.none() | st.sampled_from((0.0, 1.0, 2.0)),
        st.booleans(),
        st.integers(0, 5),
    ),
    max_size=25,
).map(
    lambda drawn: [
        replace(
            answer(number, step=step, slot=1 + step % 3, value=value),
            unit="ab"[step % 2],
            late=late,
            arrived=NOON + timedelta(minutes=minute),
        )
        for number, (step, _, value, late, minute) in enumerate(drawn, start=1)
    ]
)


@given(answer_lists, st.integers(1, 4), st.sets(st.sampled_from(("A001", "A002", "A003"))), st.randoms())
def test_every_answer_has_one_outcome_and_units_have_at_most_k(
    answers: list[AnswerRecord], k: int, excluded: set[str], random: Random
) -> None:
    found = classify_answers(answers, answers_per_unit=k, excluded=excluded)
    assert found.keys() == {each.id for each in answers}
    shuffled = random.sample(answers, len(answers))
    assert classify_answers(shuffled, answers_per_unit=k, excluded=excluded) == found
    of_step = Counter(each.step for each in answers if found[each.id] in ("counted", "surplus"))
    assert max(of_step.values(), default=1) == 1
    for unit in "ab":
        usable = [each for each in answers if each.unit == unit and found[each.id] in ("counted", "surplus")]
        counted = [each for each in usable if found[each.id] == "counted"]
        assert len(counted) == min(k, len(usable))
        assert not {each.annotator for each in usable} & excluded


@given(answer_lists, st.integers(1, 4))
def test_a_slot_with_an_answer_is_represented_while_there_is_room(
    answers: list[AnswerRecord], k: int
) -> None:
    found = classify_answers(answers, answers_per_unit=k, excluded=())
    for unit in "ab":
        usable = [each for each in answers if each.unit == unit and found[each.id] in ("counted", "surplus")]
        counted_slots = {each.slot for each in usable if found[each.id] == "counted"}
        assert len(counted_slots) == min(k, len({each.slot for each in usable}))


@pytest.mark.parametrize(
    ("values", "rule", "at_least", "expected"),
    [
        ([1.0, 2.0, 6.0], "mean", 2, GoldValue(3, 3.0, 7**0.5)),
        ([6.0, 1.0, 2.0], "median", 2, GoldValue(3, 2.0)),
        ([4.0, 1.0, 2.0, 3.0], "median", 2, GoldValue(4, 2.5)),
        ([1.0], "mean", 2, GoldValue(1, None)),
        ([], "median", 1, GoldValue(0, None)),
        ([0.1] * 10, "mean", 1, GoldValue(10, 0.1, 0.0)),
    ],
)
def test_gold_is_the_mean_or_median_of_enough_values(
    values: list[float], rule: GoldRuleName, at_least: int, expected: GoldValue
) -> None:
    assert compute_gold({"a": values}, rule=rule, at_least=at_least) == {"a": expected}


@given(st.lists(st.floats(0, 6), min_size=1), st.sampled_from(("mean", "median")), st.randoms())
def test_gold_does_not_depend_on_the_order_of_answers(
    values: list[float], rule: GoldRuleName, random: Random
) -> None:
    shuffled = random.sample(values, len(values))
    assert compute_gold({"a": values}, rule=rule, at_least=1) == compute_gold(
        {"a": shuffled}, rule=rule, at_least=1
    )
