"""The form of a step: its question, and the answer in it."""

from collections.abc import Mapping

from sqlalchemy.orm import Session
from werkzeug.datastructures import MultiDict

from server.annotation.answers import rules
from server.annotation.answers.choosing import ChooseQuestion, build_choose_question
from server.annotation.answers.questions import (
    CANNOT_JUDGE,
    PickQuestion,
    RateQuestion,
    build_pick_question,
    build_rate_question,
)
from server.annotation.answers.writing import WriteQuestion, build_write_question
from server.annotation.models import Step
from server.core.i18n import _

Question = RateQuestion | PickQuestion | ChooseQuestion | WriteQuestion
MAX_TEXT = 2000
"""The maximum number of characters of a comment."""
_LONGEST_MS = 31 * 24 * 3600 * 1000


def build_question(session: Session, step: Step, language: str) -> Question:
    """Build the question of a step in a language of its campaign."""
    round_ = step.assignment.plan.round
    if round_.kind == "bws":
        return build_pick_question(step, language)
    if round_.kind == "choose":
        return build_choose_question(session, step, language)
    if round_.kind == "write":
        return build_write_question(session, step, language)
    return build_rate_question(round_, step.pass_number, language)


def read_answer(form: MultiDict[str, str], question: Question) -> tuple[rules.GivenAnswer | None, list[str]]:
    """Return the answer in a form, or None and every problem that it has."""
    problems: list[str] = []
    cannot_judge = question.cannot_judge and CANNOT_JUDGE in form.getlist("value")
    choice = {"value": None} if cannot_judge else question.read(form, problems)
    comment = _read_text(form, "comment") if question.comment else None
    reason = _read_text(form, "reason") if cannot_judge else None
    if len(comment or "") > MAX_TEXT:
        problems.append(_("The comment can have at most %(most)d characters.", most=MAX_TEXT))
    if len(reason or "") > MAX_TEXT:
        problems.append(_("The reason can have at most %(most)d characters.", most=MAX_TEXT))
    if problems:
        return None, problems
    given = rules.GivenAnswer(
        comment=comment,
        reason=reason,
        visible_ms=_read_ms(form),
        input=rules.find_input(form.get("input", "")),
        **choice,
    )
    return given, []


def _read_text(form: Mapping[str, str], name: str) -> str | None:
    """Return a text with the line ends of Unix; None if it is empty."""
    return form.get(name, "").replace("\r\n", "\n").strip() or None


def _read_ms(form: Mapping[str, str]) -> int | None:
    text = form.get("visible_ms", "")
    is_number = text.isascii() and text.isdigit() and len(text) <= len(str(_LONGEST_MS))
    return min(int(text), _LONGEST_MS) if is_number else None
