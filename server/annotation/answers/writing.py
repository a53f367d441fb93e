"""The question of a step that asks for a text, or for a sense, which is as similar as wanted."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from scorer.campaigns.config import Candidate
from scorer.campaigns.units_reader import WANTED
from server.annotation.answers.questions import (
    ScalePoint,
    build_points,
    format_value,
    in_language,
    order_candidates,
)
from server.annotation.answers.rules import Choice, Picks
from server.annotation.models import AnswerText, Assignment, AssignmentPlan, Step, UnitAnswer
from server.core.i18n import _

MAX_WRITTEN = 2000
"""The maximum number of characters of a written text."""


@dataclass(frozen=True, slots=True)
class WriteQuestion:
    """What is asked about a text: to write another one, or to choose a sense, that is as similar as wanted.

    `written`: what the annotator wrote in other steps of the round.
    """

    noun: str
    given: str
    wanted: ScalePoint
    points: tuple[ScalePoint, ...]
    example: str
    words: tuple[int, int] | None
    candidates: tuple[Candidate, ...]
    written: Collection[str]
    comment: bool
    cannot_judge = True
    """A text can always be left blank."""
    one_press = False
    """Whether a choice answers and goes on."""
    template = "annotation/annotators/_writing.html"

    def fill_in(self, choice: Picks | str) -> dict[str, str]:
        """Return the fields of an earlier answer."""
        if isinstance(choice, str):
            return {"written": choice, "sure": choice}
        places = [candidate.key for candidate in self.candidates]
        return {"sense": str(places.index(choice["sense"]) + 1)}

    def read(self, form: Mapping[str, str], problems: list[str]) -> Choice:
        """Return the sense or the text, and note what is missing, or to be asked about once."""
        if self.candidates:
            keys = {str(place): candidate.key for place, candidate in enumerate(self.candidates, 1)}
            sense = keys.get(form.get("sense", ""))
            if sense is None:
                problems.append(_("Choose a definition, or leave it blank."))
            return {"picks": {"sense": sense}}
        written = " ".join(form.get("written", "").split())
        if not written:
            problems.append(_("Write a text, or leave it blank."))
        elif len(written) > MAX_WRITTEN:
            problems.append(_("The text can have at most %(most)d characters.", most=MAX_WRITTEN))
        elif form.get("sure") != written:
            problems += self._list_doubts(written)
        return {"written": written}

    def _list_doubts(self, written: str) -> list[str]:
        """List what may be a mistake; the same text sent again is accepted."""
        doubts, folded = [], written.casefold()
        if folded == " ".join(self.given.split()).casefold():
            doubts.append(_("This is the given text."))
        if folded in {text.casefold() for text in self.written}:
            doubts.append(_("You wrote this text before."))
        number = len(written.split())
        if self.words is not None and not self.words[0] <= number <= self.words[1]:
            wanted = self.say_words()
            doubts.append(
                _("Number of words: %(number)d instead of %(wanted)s.", number=number, wanted=wanted)
            )
        return [*doubts, _("If you mean it, send it again.")] if doubts else []

    def say_words(self) -> str:
        """Say how many words are wanted, such as 1 or 1–3; empty: any number."""
        return "–".join(map(str, dict.fromkeys(self.words or ())))


def build_write_question(session: Session, step: Step, language: str) -> WriteQuestion:
    """Build the question of a step; senses are in the order that the plan decides."""
    round_ = step.assignment.plan.round
    rules, campaign = round_.rules, round_.campaign
    points = build_points(round_, language)
    wanted = next(point for point in points if point.value == step.unit.texts[WANTED])
    examples = in_language(campaign, rules.examples, language) or {}
    return WriteQuestion(
        str(in_language(campaign, rules.noun, language)),
        step.unit.texts["left"],
        wanted,
        points,
        {format_value(point): text for point, text in examples.items()}.get(wanted.value, ""),
        rules.words,
        order_candidates(step),
        _list_written(session, step),
        rules.comment,
    )


def _list_written(session: Session, step: Step) -> set[str]:
    """List what the annotator wrote in other steps of the round.

    Nothing of a crowd: a stranger could try out in another browser what a person wrote.
    """
    if step.assignment.annotator.is_of_crowd:
        return set()
    query = (
        select(AnswerText.written)
        .join(UnitAnswer, UnitAnswer.id == AnswerText.answer_id)
        .join(Step, Step.id == UnitAnswer.step_id)
        .join(Assignment, Assignment.id == Step.assignment_id)
        .join(AssignmentPlan, AssignmentPlan.id == Assignment.plan_id)
        .where(
            Step.annotator_id == step.annotator_id,
            Step.id != step.id,
            AssignmentPlan.round_id == step.assignment.plan.round_id,
        )
    )
    return {written for written in session.scalars(query) if written is not None}
