"""What a page asks about a unit, in one language, and the texts that it shows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scorer.campaigns.assignments import shuffle_candidates
from scorer.campaigns.config import Candidate, scale_points
from scorer.campaigns.units_reader import TURN
from scorer.files.text import SENTENCE_TAGS
from server.annotation.answers.rules import Choice
from server.annotation.models import AnnotationRound, Campaign, Step, Unit, UnitAnswer
from server.core.i18n import _

LANGUAGE_NAMES = {"en": "English", "cs": "Čeština", "de": "Deutsch"}
"""The languages of annotators' pages, each in itself."""
CANNOT_JUDGE = "cannot"
"""What a form sends as the value if the annotator cannot judge the unit."""
MOST_BUTTONS = 9
"""A scale with more points is a ruler; without script, it is radio buttons."""


@dataclass(frozen=True, slots=True)
class ScalePoint:
    """One point of the scale: what the form sends, what it means, and the key that chooses it."""

    value: str
    label: str
    key: str | None
    number: float


@dataclass(frozen=True, slots=True)
class RateQuestion:
    """What is asked about each unit of a round of ratings."""

    text: str
    points: tuple[ScalePoint, ...]
    comment: bool
    cannot_judge: bool
    one_press: bool
    """Whether each point is a button that answers and goes on: the scale is short enough for that."""
    template = "annotation/annotators/_scale.html"

    def fill_in(self, value: float) -> dict[str, str]:
        """Return the fields of an earlier answer."""
        return {"value": format_value(value)}

    def read(self, form: Mapping[str, str], problems: list[str]) -> Choice:
        """Return the rating, and note that it is missing."""
        numbers = {point.value: point.number for point in self.points}
        value = numbers.get(form.get("value", ""))
        if value is None:
            problems.append(_("Choose an answer."))
        return {"value": value}


@dataclass(frozen=True, slots=True)
class PickQuestion:
    """What is asked about a tuple: its best and its worst candidate, in the order of the page."""

    best: str
    worst: str
    best_label: str
    worst_label: str
    candidates: tuple[Candidate, ...]
    comment: bool
    cannot_judge: bool
    one_press = False
    """Whether a choice answers and goes on."""
    template = "annotation/annotators/_picks.html"

    def fill_in(self, picks: Mapping[str, str]) -> dict[str, str]:
        """Return the fields of an earlier answer."""
        places = [candidate.key for candidate in self.candidates]
        return {name: str(places.index(key) + 1) for name, key in picks.items()}

    def read(self, form: Mapping[str, str], problems: list[str]) -> Choice:
        """Return the candidates at the chosen places; their keys, which may name systems, are on no page."""
        keys = {str(place): candidate.key for place, candidate in enumerate(self.candidates, 1)}
        best, worst = keys.get(form.get("best", "")), keys.get(form.get("worst", ""))
        if best is None:
            problems.append(_("Choose the best text."))
        if worst is None:
            problems.append(_("Choose the worst text."))
        if best is not None and best == worst:
            problems.append(_("The best and the worst text must be different ones."))
        return {"picks": {"best": best, "worst": worst}}


@dataclass(frozen=True, slots=True)
class MarkedText:
    """A text of a unit; `marked` is the sentence in it that the unit is about, between the other parts."""

    before: str
    marked: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True)
class Stage:
    """The texts of a unit: the turns of a dialogue, of which the last one is meant, and other texts."""

    turns: tuple[str, ...]
    texts: tuple[MarkedText, ...]


def build_pick_question(step: Step, language: str) -> PickQuestion:
    """Build the question of a step of best-worst scaling."""
    round_ = step.assignment.plan.round
    rules, campaign = round_.rules, round_.campaign
    return PickQuestion(
        in_language(campaign, rules.best, language),
        in_language(campaign, rules.worst, language),
        in_language(campaign, rules.best_label, language) or _("Best"),
        in_language(campaign, rules.worst_label, language) or _("Worst"),
        order_candidates(step),
        rules.comment,
        rules.cannot_judge,
    )


def build_rate_question(round_: AnnotationRound, pass_number: int, language: str) -> RateQuestion:
    """Build the question of a pass of a round of ratings."""
    rules, points = round_.rules, build_points(round_, language)
    return RateQuestion(
        _ask_in_pass(round_, pass_number, language),
        points,
        rules.comment,
        rules.cannot_judge,
        one_press=len(points) <= MOST_BUTTONS,
    )


def build_points(round_: AnnotationRound, language: str) -> tuple[ScalePoint, ...]:
    """Build the points of a round's scale in a language of its campaign."""
    points = {format_value(point): point for point in scale_points(round_.rules.scale)}
    of_points = in_language(round_.campaign, round_.rules.labels, language) or {}
    labels = {format_value(point): label for point, label in of_points.items()}
    keys = choose_keys([*points])
    return tuple(
        ScalePoint(value, labels.get(value, ""), keys.get(value), point) for value, point in points.items()
    )


def find_new_question(round_: AnnotationRound, pass_number: int, language: str) -> str | None:
    """Return the question of a pass after the first, if it is another one than in the pass before."""
    before, now = (_ask_in_pass(round_, number, language) for number in (pass_number - 1, pass_number))
    return None if before == now else now


def _ask_in_pass(round_: AnnotationRound, pass_number: int, language: str) -> str:
    question = round_.rules.passes[pass_number - 1].question or round_.rules.question
    return str(in_language(round_.campaign, question, language))


def order_candidates(step: Step) -> tuple[Candidate, ...]:
    """Return the candidates of a step's tuple in the order in which it shows them, which the plan decides."""
    assignment, unit = step.assignment, step.unit
    texts = dict(unit.candidates or ())
    seed, plan = assignment.plan.round.rules.seed, assignment.plan.number
    order = order_keys(list(texts), seed, plan, assignment.number, unit.key)
    return tuple(Candidate(key, texts[key]) for key in order)


def order_keys(keys: Sequence[str], seed: int, plan: int, assignment: int | None, unit: str) -> list[str]:
    """Return the keys of a tuple's candidates in the order in which an assignment shows them."""
    return shuffle_candidates(keys, seed=seed, assignment=f"{plan}/{assignment}", unit=unit)


def in_language(campaign: Campaign, texts: Mapping[str, Any], language: str) -> Any:
    """Return what was written in a language, or else in the first one of the campaign that has it."""
    return next((texts[name] for name in (language, *campaign.languages) if name in texts), None)


def choose_keys(values: Sequence[str]) -> dict[str, str]:
    """Choose the key of each point: its own digit; or its number in the list if no point has one."""
    digits = {value: value for value in values if len(value) == 1}
    if digits or len(values) > MOST_BUTTONS:
        return digits
    return {value: str(number) for number, value in enumerate(values, 1)}


def format_value(value: float) -> str:
    """Write a point of a scale without needless digits."""
    return f"{value:.12g}"


def say_answer(answer: UnitAnswer) -> str:
    """Say what an answer is; `written`: the text that it has."""
    if answer.texts is not None and answer.texts.written is not None:
        return answer.texts.written
    if answer.picks is not None:
        texts = dict(answer.step.unit.candidates or ())
        if "sense" in answer.picks:
            return texts[answer.picks["sense"]]
        if "best" not in answer.picks:
            return ", ".join(
                f"{slot} {format_value(rating)}" for slot, (_key, rating) in answer.picks.items()
            )
        best, worst = texts[answer.picks["best"]], texts[answer.picks["worst"]]
        return _("best “%(best)s”, worst “%(worst)s”", best=best, worst=worst)
    if answer.step.assignment.plan.round.kind == "write":
        return _("left blank")
    return _("I cannot judge this") if answer.value is None else format_value(answer.value)


def build_stage(show: Sequence[str], unit: Unit) -> Stage:
    """Return the texts of a unit that a pass shows, and no other column.

    After the turns of a dialogue, the first other text is its last turn.
    """
    turns = [unit.texts[name] for name in show if TURN.fullmatch(name) and unit.texts[name]]
    texts = [unit.texts[name] for name in show if not TURN.fullmatch(name)]
    if turns and texts:
        turns.append(texts.pop(0))
    return Stage(tuple(turns), tuple(_mark(text) for text in texts))


def _mark(text: str) -> MarkedText:
    opening, closing = SENTENCE_TAGS
    before, found, rest = text.partition(opening)
    marked, _, after = rest.partition(closing)
    return MarkedText(before, marked, after) if found else MarkedText(text)
