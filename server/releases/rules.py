"""Limits of a release, and the rules of the task that differ between two releases."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

NOTE_MAX_LENGTH = 1000
"""The maximum length of the note to readers."""

RULE_PATHS = (
    "phase.title", "phase.opens", "phase.closes", "phase.grace_hours", "extensions.teams", "runs_per_team",
    "files_per_level", "files_per_day", "feedback", "board.total", "board.total_needs",
    "board.enter_at_least", "baselines", "runs_public", "opens_gold", "terms", "scorer",
)  # fmt: skip
LEVEL_RULES = ("gold", "metrics", "counts", "items", "public_items")
RULES_ON_BOARDS = (
    "board.total", "board.total_needs", "board.enter_at_least", "scorer", "counts", "level", "metrics",
)  # fmt: skip
"""Rules that leaderboards contain, so that comparing two leaderboards shows their changes."""

Rules = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class RuleChange:
    """One rule in both releases; `level`: the title of the level that it belongs to."""

    rule: str
    before: Any
    after: Any
    level: str | None = None


def named_gold_versions(rules: Rules) -> dict[str, int]:
    """Return the numbers of the gold versions that the rules of a release name, by level."""
    return {level["slug"]: level["gold"]["version"] for level in rules["levels"] if level["gold"]}


def list_rule_changes(before: Rules, after: Rules) -> list[RuleChange]:
    """List the differences, first of gold versions and levels."""
    pairs = [(rule, _rule_value(before, rule), _rule_value(after, rule)) for rule in RULE_PATHS]
    whole = [RuleChange(*pair) for pair in pairs if pair[1] != pair[2] and pair[0] != "opens_gold"]
    opened = after["opens_gold"] and not before["opens_gold"]
    return _level_changes(before, after) + whole + [RuleChange("opens_gold", False, True)] * opened


def _rule_value(rules: Rules, path: str) -> Any:
    value: Any = rules
    for name in path.split("."):
        value = value[name]
    return value


def _level_changes(before: Rules, after: Rules) -> list[RuleChange]:
    """List the changes by level in the later order, removed levels last."""
    old, new = ({level["slug"]: level for level in rules["levels"]} for rules in (before, after))
    changes = []
    for slug, level in {**new, **old}.items():
        old_level, new_level = old.get(slug), new.get(slug)
        if old_level is None or new_level is None:
            changes.append(RuleChange("level", old_level is not None, new_level is not None, level["title"]))
            continue
        changes += [
            RuleChange(rule, old_level[rule], new_level[rule], new_level["title"])
            for rule in LEVEL_RULES
            if _compared_value(rule, old_level[rule]) != _compared_value(rule, new_level[rule])
        ]
    return changes


def _compared_value(rule: str, value: Any) -> Any:
    """Return the value to compare: of a gold version only its number, not since when it is in force."""
    return value["version"] if rule == "gold" and value else value
