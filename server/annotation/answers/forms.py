"""Reads the form of an answer."""

from collections.abc import Mapping

from werkzeug.datastructures import MultiDict

from scorer.campaigns.counted import Picks
from server.annotation.answers import rules
from server.annotation.answers.questions import CANNOT_JUDGE, PickQuestion, RateQuestion
from server.annotation.answers.rules import GivenAnswer
from server.core.i18n import _

MAX_TEXT = 2000
"""The maximum number of characters of a comment."""
_LONGEST_MS = 31 * 24 * 3600 * 1000


def read_answer(
    form: MultiDict[str, str], question: RateQuestion | PickQuestion
) -> tuple[GivenAnswer | None, list[str]]:
    """Return the answer in a form, or None and every problem that it has."""
    problems: list[str] = []
    value, picks = None, None
    cannot_judge = question.cannot_judge and CANNOT_JUDGE in form.getlist("value")
    if isinstance(question, PickQuestion) and not cannot_judge:
        picks = _read_picks(form, question, problems)
    elif isinstance(question, RateQuestion) and not cannot_judge:
        value = form.get("value", "")
        if value not in {point.value for point in question.points}:
            problems.append(_("Choose an answer."))
    comment = _read_text(form, "comment") if question.comment else None
    reason = _read_text(form, "reason") if cannot_judge else None
    if len(comment or "") > MAX_TEXT:
        problems.append(_("The comment can have at most %(most)d characters.", most=MAX_TEXT))
    if len(reason or "") > MAX_TEXT:
        problems.append(_("The reason can have at most %(most)d characters.", most=MAX_TEXT))
    if problems:
        return None, problems
    given = GivenAnswer(
        None if value is None else float(value),
        comment,
        reason,
        _read_ms(form),
        rules.find_input(form.get("input", "")),
        picks,
    )
    return given, []


def _read_picks(form: Mapping[str, str], question: PickQuestion, problems: list[str]) -> Picks | None:
    """Return the candidates at the chosen places; their keys, which may name systems, are on no page."""
    keys = {str(place): candidate.key for place, candidate in enumerate(question.candidates, 1)}
    best, worst = keys.get(form.get("best", "")), keys.get(form.get("worst", ""))
    if best is None:
        problems.append(_("Choose the best text."))
    if worst is None:
        problems.append(_("Choose the worst text."))
    if best is None or worst is None:
        return None
    if best == worst:
        problems.append(_("The best and the worst text must be different ones."))
    return Picks(best, worst)


def _read_text(form: Mapping[str, str], name: str) -> str | None:
    """Return a text with the line ends of Unix; None if it is empty."""
    return form.get(name, "").replace("\r\n", "\n").strip() or None


def _read_ms(form: Mapping[str, str]) -> int | None:
    text = form.get("visible_ms", "")
    is_number = text.isascii() and text.isdigit() and len(text) <= len(str(_LONGEST_MS))
    return min(int(text), _LONGEST_MS) if is_number else None
