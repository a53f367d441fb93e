"""What a page asks about a unit, in one language, and the texts that it shows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scorer.campaigns.assignments import shuffle_candidates
from scorer.campaigns.config import Candidate, scale_points
from scorer.campaigns.units_reader import SENTENCE_TAGS, TURN
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


@dataclass(frozen=True, slots=True)
class RateQuestion:
    """What is asked about each unit of a round of ratings."""

    text: str
    points: tuple[ScalePoint, ...]
    comment: bool
    cannot_judge: bool
    one_press: bool
    """Whether each point is a button that answers and goes on: the scale is short enough for that."""


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


def build_question(step: Step, language: str) -> RateQuestion | PickQuestion:
    """Build the question of a step in a language of its campaign."""
    round_ = step.assignment.plan.round
    rules, campaign = round_.rules, round_.campaign
    if round_.kind == "bws":
        return PickQuestion(
            in_language(campaign, rules.best, language),
            in_language(campaign, rules.worst, language),
            in_language(campaign, rules.best_label, language) or _("Best"),
            in_language(campaign, rules.worst_label, language) or _("Worst"),
            order_candidates(step),
            rules.comment,
            rules.cannot_judge,
        )
    return build_rate_question(round_, step.pass_number, language)


def build_rate_question(round_: AnnotationRound, pass_number: int, language: str) -> RateQuestion:
    """Build the question of a pass of a round of ratings."""
    rules, campaign = round_.rules, round_.campaign
    values = [format_value(value) for value in scale_points(rules.scale)]
    of_points = in_language(campaign, rules.labels, language) or {}
    labels = {format_value(point): label for point, label in of_points.items()}
    keys = choose_keys(values)
    return RateQuestion(
        _ask_in_pass(round_, pass_number, language),
        tuple(ScalePoint(value, labels.get(value, ""), keys.get(value)) for value in values),
        rules.comment,
        rules.cannot_judge,
        one_press=len(values) <= MOST_BUTTONS,
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
    """Say what an answer is."""
    if answer.picks is not None:
        texts = dict(answer.step.unit.candidates or ())
        best, worst = texts[answer.picks["best"]], texts[answer.picks["worst"]]
        return _("best “%(best)s”, worst “%(worst)s”", best=best, worst=worst)
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
