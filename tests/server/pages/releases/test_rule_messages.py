"""Rules that changed from one release to the next: which are found, and how they are described."""

from copy import deepcopy
from typing import Any

import pytest
from markupsafe import Markup

from server.pages.releases.rule_messages import RULE_WORDS, describe_rule_change
from server.releases.rules import LEVEL_RULES, RULE_PATHS, list_rule_changes

pytestmark = pytest.mark.one_database

LEVEL: dict[str, Any] = {
    "slug": "p2s", "title": "P to <S>", "metrics": ["pearson"], "counts": True, "items": 4,
    "public_items": None, "gold": {"version": 1, "since": "2026-03-01T00:00:00Z"},
}  # fmt: skip
BEFORE: dict[str, Any] = {
    "phase": {
        "title": "Evaluation", "opens": None, "closes": "2026-03-15T12:00:00Z", "grace_hours": 72
    },
    "extensions": {"for_all": [], "teams": 0},
    "runs_per_team": 2, "files_per_level": None, "files_per_day": 3,
    "feedback": {"kind": "hidden", "places": None, "step": None},
    "board": {"total": "sum", "total_needs": "entered", "enter_at_least": 1},
    "levels": [LEVEL, {**LEVEL, "slug": "s2p", "title": "S to P"}],
    "baselines": False, "runs_public": False, "opens_gold": False, "terms": None, "scorer": "1.0.0",
}  # fmt: skip
CHANGED = {
    ("phase", "title"): ("Final", "Title of the phase: Evaluation > Final"),
    ("phase", "opens"): ("2026-03-02T00:00:00Z", "Opens: open from the start > 2 Mar 2026, 00:00 UTC"),
    ("phase", "closes"): (None, "Closes: 15 Mar 2026, 12:00 UTC > no deadline"),
    ("phase", "grace_hours"): (1, "Grace period: 72 hours > 1 hour"),
    ("extensions", "teams"): (1, "Extensions for single teams: 0 teams > 1 team"),
    ("runs_per_team",): (3, "Runs per team: 2 runs > 3 runs"),
    ("files_per_level",): (9, "Submissions per level: any number > 9 submissions"),
    ("files_per_day",): (None, "Submissions per level and day: 3 submissions > any number"),
    ("feedback",): (
        {"kind": "rounded", "places": 2, "step": None},
        "Scores shown to teams: none > rounded to 2 decimal places",
    ),
    ("board", "total"): ("weighted", "Rule for the total: sum > mean, weighted by items"),
    ("board", "total_needs"): ("all", "Levels required for a total: those entered > all"),
    ("board", "enter_at_least"): (2, "Minimum number of levels: 1 > 2"),
    ("baselines",): (True, "Baselines: not shown > shown"),
    ("runs_public",): (True, "Submissions: not made public > published"),
    ("opens_gold",): (True, "Gold standard: hidden > public"),
    ("terms",): (1, "Terms: none > version 1"),
    ("scorer",): ("1.1.0", "Scorer: 1.0.0 > 1.1.0"),
    ("levels", 0, "gold"): (
        {"version": 2, "since": "2026-03-19T16:00:00Z"},
        "Gold standard of P to <S>: version 1 > version 2, in force since 19 Mar 2026, 16:00 UTC",
    ),
    ("levels", 0, "metrics"): (["mse", "pearson"], "Metrics of P to <S>: Pearson > MSE, Pearson"),
    ("levels", 0, "counts"): (False, "P to <S> in the total: counts > does not count"),
    ("levels", 0, "items"): (5, "Items of P to <S>: 4 items > 5 items"),
    ("levels", 0, "public_items"): (2, "Public items of P to <S>: none > 2 items"),
}


def descriptions(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """The changes as a reader has them, whose browser shows no tags and what is escaped as it was."""
    found = [describe_rule_change(change) for change in list_rule_changes(before, after)]
    return [f"{name}: {plain(old)} > {plain(new)}" for name, old, new in found]


def plain(words: str | Markup) -> str:
    return words.striptags() if isinstance(words, Markup) else words


@pytest.mark.parametrize("path", CHANGED, ids=str)
def test_each_changed_rule_is_described(path: tuple[str | int, ...]) -> None:
    after: Any = deepcopy(BEFORE)
    place = after
    for name in path[:-1]:
        place = place[name]
    place[path[-1]], words = CHANGED[path]
    assert descriptions(BEFORE, after) == [words]


def test_every_rule_has_a_description_and_added_and_removed_levels_are_described() -> None:
    assert {*RULE_PATHS, *LEVEL_RULES, "level"} == set(RULE_WORDS)
    fewer = {**BEFORE, "levels": [LEVEL]}
    assert descriptions(fewer, BEFORE) == ["S to P: not part of the task > part of the task"]
    assert descriptions(BEFORE, fewer) == ["S to P: part of the task > not part of the task"]


def test_unchanged_rules_are_not_described() -> None:
    put_back = deepcopy(BEFORE)
    put_back["levels"][0]["gold"]["since"] = "2026-03-19T16:00:00Z"
    assert descriptions(BEFORE, put_back) == []
    assert descriptions({**BEFORE, "opens_gold": True}, BEFORE) == [], "it opened once, and is open"
