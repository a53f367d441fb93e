"""Changes of rules between two releases, as pages describe them."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from markupsafe import Markup

from server.boards.score_formatting import format_metric
from server.core.i18n import N_, _, ngettext, translate
from server.releases.rules import RuleChange
from server.web.times import parse_instant, utc


class RuleWords(NamedTuple):
    """The name of a rule, its old and its new value."""

    name: str
    before: str | Markup
    after: str | Markup


def describe_rule_change(change: RuleChange) -> RuleWords:
    """Describe a change of a rule."""
    name, words = RULE_WORDS[change.rule]
    after: str | Markup = words(change.after)
    if change.rule == "gold" and change.after:
        since = utc(parse_instant(change.after["since"]))
        after = Markup.escape(_("%(version)s, in force since %(at)s", version=after, at="{at}"))
        after = Markup(after.replace("{at}", since))  # noqa: S704  (escaped, and an element of ours)
    return RuleWords(_(name, level=change.level), words(change.before), after)


ValueFormatter = Callable[[Any], str | Markup]


def _time(none: str) -> ValueFormatter:
    return lambda text: translate(none) if text is None else utc(parse_instant(text))


def _count(one: str, many: str, none: str = N_("any number")) -> ValueFormatter:
    return lambda count: translate(none) if count is None else ngettext(one, many, count)


def _yes_or_no(yes: str, no: str) -> ValueFormatter:
    return lambda holds: translate(yes if holds else no)


def _version(number: int | None) -> str:
    return _("none") if number is None else _("version %(number)d", number=number)


def _gold(gold: Mapping[str, Any] | None) -> str:
    return _version(gold["version"] if gold else None)


def _metrics(names: list[str]) -> str:
    return ", ".join(format_metric(name) for name in names)


FEEDBACK_WORDS = {
    "hidden": N_("none"),
    "scores": N_("exact scores"),
    "public-part": N_("those on the public items"),
}


def _feedback(feedback: Mapping[str, Any]) -> str:
    kind = feedback["kind"]
    if kind == "rounded":
        places = feedback["places"] or 0
        return ngettext("rounded to %(num)d decimal place", "rounded to %(num)d decimal places", places)
    if kind in FEEDBACK_WORDS:
        return translate(FEEDBACK_WORDS[kind])
    return _("the Ladder, in steps of %(step)s", step=feedback["step"])


TOTAL_WORDS = {
    "sum": N_("sum"),
    "mean": N_("mean"),
    "weighted": N_("mean, weighted by items"),
    "none": N_("none"),
}


def _total(total: str) -> str:
    return translate(TOTAL_WORDS[total])


RULE_WORDS: dict[str, tuple[str, ValueFormatter]] = {
    "gold": (N_("Gold standard of %(level)s"), _gold),
    "level": ("%(level)s", _yes_or_no(N_("part of the task"), N_("not part of the task"))),
    "metrics": (N_("Metrics of %(level)s"), _metrics),
    "counts": (N_("%(level)s in the total"), _yes_or_no(N_("counts"), N_("does not count"))),
    "items": (N_("Items of %(level)s"), _count(N_("%(num)d item"), N_("%(num)d items"))),
    "public_items": (
        N_("Public items of %(level)s"),
        _count(N_("%(num)d item"), N_("%(num)d items"), N_("none")),
    ),
    "phase.title": (N_("Title of the phase"), str),
    "phase.opens": (N_("Opens"), _time(N_("open from the start"))),
    "phase.closes": (N_("Closes"), _time(N_("no deadline"))),
    "phase.grace_hours": (N_("Grace period"), _count(N_("%(num)d hour"), N_("%(num)d hours"))),
    "extensions.teams": (N_("Extensions for single teams"), _count(N_("%(num)d team"), N_("%(num)d teams"))),
    "runs_per_team": (N_("Runs per team"), _count(N_("%(num)d run"), N_("%(num)d runs"))),
    "files_per_level": (
        N_("Submissions per level"),
        _count(N_("%(num)d submission"), N_("%(num)d submissions")),
    ),
    "files_per_day": (
        N_("Submissions per level and day"),
        _count(N_("%(num)d submission"), N_("%(num)d submissions")),
    ),
    "feedback": (N_("Scores shown to teams"), _feedback),
    "board.total": (N_("Rule for the total"), _total),
    "board.total_needs": (
        N_("Levels required for a total"),
        lambda needs: _("all") if needs == "all" else _("those entered"),
    ),
    "board.enter_at_least": (N_("Minimum number of levels"), str),
    "baselines": (N_("Baselines"), _yes_or_no(N_("shown"), N_("not shown"))),
    "runs_public": (N_("Submissions"), _yes_or_no(N_("published"), N_("not made public"))),
    "opens_gold": (N_("Gold standard"), _yes_or_no(N_("public"), N_("hidden"))),
    "terms": (N_("Terms"), _version),
    "scorer": (N_("Scorer"), str),
}
"""The name of each rule, and the function that formats its value."""
