"""How rules that changed from one release to the next are written on pages."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from markupsafe import Markup

from server.domain.rule_changes import RuleChange
from server.views.figures import metric
from server.views.times import instant, utc
from server.views.words import plural


class RuleWords(NamedTuple):
    """A rule, what it was, and what it is."""

    name: str
    before: str | Markup
    after: str | Markup


def rule_words(change: RuleChange) -> RuleWords:
    """A change of a rule in words."""
    name, words = WORDS[change.rule]
    after: str | Markup = words(change.after)
    if change.rule == "gold" and change.after:
        after = Markup("{}, in force since {}").format(after, utc(instant(change.after["since"])))
    return RuleWords(name.format(change.level), words(change.before), after)


def _time(none: str) -> Callable[[str | None], str | Markup]:
    return lambda text: none if text is None else utc(instant(text))


def _count(noun: str, none: str = "any number") -> Callable[[int | None], str]:
    return lambda count: none if count is None else plural(count, noun)


def _either(yes: str, no: str) -> Callable[[bool], str]:
    return lambda holds: yes if holds else no


def _version(number: int | None) -> str:
    return "none" if number is None else f"version {number}"


def _gold(gold: Mapping[str, Any] | None) -> str:
    return _version(gold["version"] if gold else None)


def _metrics(names: list[str]) -> str:
    return ", ".join(metric(name) for name in names)


def _feedback(feedback: Mapping[str, Any]) -> str:
    return {
        "hidden": "none",
        "scores": "all digits",
        "rounded": f"rounded to {plural(feedback['places'] or 0, 'place')}",
        "public-part": "those on the public items",
    }.get(feedback["kind"], f"the Ladder, in steps of {feedback['step']}")


def _total(total: str) -> str:
    return "mean, weighted by items" if total == "weighted" else total


WORDS: dict[str, tuple[str, Callable[[Any], str | Markup]]] = {
    "gold": ("Gold of {}", _gold),
    "level": ("{}", _either("a level", "no level")),
    "metrics": ("Metrics of {}", _metrics),
    "counts": ("{} in the total", _either("counts", "does not count")),
    "items": ("Items of {}", _count("item")),
    "public_items": ("Public items of {}", _count("item", "none")),
    "phase.title": ("Title of the phase", str),
    "phase.opens": ("Opens", _time("open from the start")),
    "phase.closes": ("Closes", _time("without a deadline")),
    "phase.grace_hours": ("Late files", _count("hour")),
    "extensions.teams": ("Deadlines of their own", _count("team")),
    "runs_per_team": ("Runs of a team", _count("run")),
    "files_per_level": ("Scored files for each level", _count("file")),
    "files_per_day": ("Scored files of each level on a day", _count("file")),
    "feedback": ("Scores that teams saw", _feedback),
    "board.total": ("How the total is made", _total),
    "board.total_needs": (
        "Levels that a total needs",
        lambda needs: "all" if needs == "all" else "those entered",
    ),
    "board.enter_at_least": ("Levels that a system has to enter", str),
    "baselines": ("Baselines", _either("shown", "left out")),
    "runs_public": ("Files of runs", _either("published", "not made public")),
    "opens_gold": ("Gold", _either("public", "hidden")),
    "terms": ("Terms", _version),
    "scorer": ("Scorer", str),
}
"""Each rule's name, and how a value of it is written."""
