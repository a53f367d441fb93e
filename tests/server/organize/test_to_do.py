from typing import get_args

from server.organize.to_do import URGENCY, ToDoKind


def test_each_kind_has_an_urgency_and_the_most_urgent_come_first() -> None:
    assert set(URGENCY) == set(get_args(ToDoKind))
    ranks = [("blocked", "problem", "decision").index(urgency) for urgency in URGENCY.values()]
    assert ranks == sorted(ranks)
