"""Runs from log-likelihoods: the probability of each candidate in its group, and tables that are refused."""

import math

import pytest
from hypothesis import given, strategies as st

from scorer.baselines.log_likelihoods import choice_probabilities, log_likelihoods_run
from scorer.errors import RequestError, RunError
from scorer.files.reading import Items, ItemsLayout, parse_items
from scorer.metrics import choice_accuracy, choice_credits

ROWS = "Hi\tHello there\ta\td1\nHi\tBye\tb\td1\nWhy?\tBecause\tc\td2\nWhy?\tNo\td\td2\nOh\tAh\te\t \n"
TABLE = (
    "id\tcandidate\tloglikelihood\nd\tNo\t-2\nc\tBecause\t-2\nb\tBye\t-6\na\tHello there\t-11\ne\tAh\t-9\n"
)


def items(columns: str = "left,right,id,group") -> Items:
    return parse_items(ROWS.encode(), "items.tsv", ItemsLayout(tuple(columns.split(","))))


def run(table: str, **rules: object) -> list[float]:
    return list(map(float, log_likelihoods_run(items(), table.encode(), "lm.tsv", **rules).splitlines()))


def test_a_worked_table() -> None:
    """In d1, the odds are e^5 to 1; in d2, both are equal; e has no rival."""
    expected = [1 / (1 + math.exp(5)), 1 / (1 + math.exp(-5)), 0.5, 0.5, 1.0]
    assert run(TABLE, scale=1) == pytest.approx(expected, abs=1e-15)
    assert run(TABLE, scale=(1, 5)) == pytest.approx([1 + 4 * p for p in expected], abs=1e-14)
    assert run(TABLE, scale=1, digits=2) == [0.01, 0.99, 0.5, 0.5, 1.0]


def test_a_long_candidate_can_win_per_character() -> None:
    """-11 / 11 against -6 / 3, and -2 / 7 against -2 / 2."""
    hello, because = 1 / (1 + math.exp(-1)), 1 / (1 + math.exp(2 / 7 - 1))
    expected = [hello, 1 - hello, because, 1 - because, 1.0]
    assert run(TABLE, scale=1, per_character=True) == pytest.approx(expected, abs=1e-14)


def test_the_chosen_candidate_is_the_most_likely_one() -> None:
    gold, groups = [1.0, 0.0, 1.0, 0.0, 1.0], items().groups
    assert groups is not None
    assert choice_credits(gold, run(TABLE), groups) == {"d1": 0.0, "d2": 0.5}
    assert choice_accuracy(gold, run(TABLE, per_character=True), groups) == 1.0


values = st.lists(st.tuples(st.floats(-1e4, 0), st.sampled_from(["a", "b", None])), min_size=1, max_size=12)


@given(values)
def test_probabilities_add_up_to_1_and_keep_the_order_in_a_group(
    rows: list[tuple[float, str | None]],
) -> None:
    numbers, groups = [value for value, _ in rows], [group for _, group in rows]
    shares = choice_probabilities(numbers, groups)
    for name in {group for group in groups if group is not None}:
        pairs = sorted((v, p) for v, p, g in zip(numbers, shares, groups, strict=True) if g == name)
        assert math.fsum(p for _, p in pairs) == pytest.approx(1)
        assert [p for _, p in pairs] == sorted(p for _, p in pairs)
    assert all(p == 1 for p, group in zip(shares, groups, strict=True) if group is None)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("b\tBye\t-6\n", ""), "lm.tsv: .*b"),
        (("-6", "n/a"), r"lm\.tsv:4: .*n/a"),
        (("b\tBye", "z\tBye"), r"lm\.tsv:4: .*z"),
        (("loglikelihood", "value"), r'lm\.tsv:1: .*"loglikelihood"'),
        (("\t-", "\t"), "all log-likelihoods are positive, so they may be losses; write them with a minus"),
    ],
)
def test_a_table_with_problems_is_refused(change: tuple[str, str], message: str) -> None:
    with pytest.raises(RunError, match=message):
        run(TABLE.replace(*change))


def test_items_without_groups_are_refused() -> None:
    with pytest.raises(RequestError, match="the items have no groups; name the column"):
        log_likelihoods_run(items("left,right,id,..."), TABLE.encode(), "lm.tsv")
