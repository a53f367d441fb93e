"""Receives answers: each well-formed one behind a good ticket ends as a row, once."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, select
from sqlalchemy.orm import Session, joinedload

from server.annotation.answers import browsers, pass_reminders, rules
from server.annotation.answers.rules import GivenAnswer, KnownAnswer, Outcome
from server.annotation.answers.tickets import INVALID_TICKET, Ticket
from server.annotation.assignments import gates, progress
from server.annotation.campaigns import consents, personal_links, service as campaigns
from server.annotation.models import Annotator, AnswerText, Assignment, AssignmentPlan, Step, UnitAnswer
from server.core.errors import Conflict, ServerError

_ASSIGNMENT = joinedload(Step.assignment)
_STEP = select(Step).options(
    _ASSIGNMENT.joinedload(Assignment.annotator).joinedload(Annotator.entry),
    _ASSIGNMENT.joinedload(Assignment.plan).joinedload(AssignmentPlan.round),
)
"""One query, because the site's write lock is held."""


@dataclass(frozen=True, slots=True)
class ReceivedAnswer:
    """What became of an answer; `answer_id`: its row, or the row that already says the same."""

    answer_id: int
    outcome: Outcome
    verdict: gates.GateVerdict | None = None
    """What the gate says of its annotator, if this was the last answer that it judges."""


def receive_answer(session: Session, ticket: Ticket, given: GivenAnswer, arrived: datetime) -> ReceivedAnswer:
    """Store an answer, unless it only repeats an earlier one.

    The value was checked against the round's scale. The caller's transaction writes, so that nothing else is
    stored between what is read here and the new row.

    Raises:
        ServerError: the annotator's link was replaced, or the step is someone else's.
        Conflict: the annotator has withdrawn their consent, or answered the step in another browser.
    """
    step = session.scalar(_STEP.where(Step.id == ticket.step_id, is_of_ticket(ticket)))
    if step is None:
        raise ServerError.of(INVALID_TICKET)
    annotator = step.assignment.annotator
    browsers.require_given_here(session, annotator, ticket.key_sha256, step.id)
    earlier = list_known_answers(session, step.id)
    key = rules.content_nonce(ticket.nonce, given)
    repeated = rules.find_repeated(earlier, key, given)
    if repeated is not None:
        return ReceivedAnswer(repeated.id, "repeated")
    if consents.has_withdrawn(session, annotator):
        raise Conflict.of("You have withdrawn your consent, so the answer was not saved.")
    late = _is_late(session, step, arrived)
    in_force = None if late else rules.find_in_force(earlier)
    answer = UnitAnswer(
        step_id=step.id,
        nonce=key,
        value=given.value,
        picks=given.picks,
        standing="late" if late else "counts",
        supersedes_id=None if in_force is None else in_force.id,
        shown_at=ticket.shown_at,
        arrived_at=arrived,
        visible_ms=rules.credible_visible_ms(given.visible_ms, ticket.shown_at, arrived),
        input=given.input,
        key_sha256=ticket.key_sha256 if annotator.is_of_crowd else None,
    )
    _add(session, answer, given)
    if not late:
        pass_reminders.queue_reminders(session, step, arrived)
    outcome = "late" if late else rules.judge_outcome(in_force, ticket.nonce, ticket.known_answer_id)
    return ReceivedAnswer(answer.id, outcome, None if late else gates.judge(session, step, arrived))


def is_of_ticket(ticket: Ticket) -> ColumnElement[bool]:
    """Whether a step belongs to the annotator of a ticket, whose link was not replaced since."""
    return Step.annotator_id == personal_links.annotator_of(ticket.key_sha256)


def list_known_answers(session: Session, step_id: int) -> Sequence[KnownAnswer]:
    """List the answers to a step in the order of their arrival."""
    query = select(UnitAnswer).where(UnitAnswer.step_id == step_id).order_by(UnitAnswer.id)
    return [_make_known(answer) for answer in session.scalars(query.options(joinedload(UnitAnswer.texts)))]


def _make_known(answer: UnitAnswer) -> KnownAnswer:
    texts = answer.texts or AnswerText()
    choice = rules.find_choice(answer.value, answer.picks, texts.written)
    content = choice, texts.comment, texts.reason
    return KnownAnswer(answer.id, answer.nonce, answer.standing == "counts", content)


def _is_late(session: Session, step: Step, arrived: datetime) -> bool:
    assignment = step.assignment
    return (
        campaigns.round_state(session, assignment.plan.round) == "closed"
        or progress.is_handed_in(session, assignment)
        or gates.is_final(session, step)
        or progress.is_pass_done(session, assignment, step.pass_number, arrived)
    )


def _add(session: Session, answer: UnitAnswer, given: GivenAnswer) -> None:
    session.add(answer)
    texts = {name: getattr(given, name) for name in ("comment", "reason", "written")}
    if not any(texts.values()):
        session.flush()
        return
    salt = secrets.token_hex(16)
    answer.texts_sha256 = rules.hash_texts(given, salt)
    session.flush()
    session.add(AnswerText(answer_id=answer.id, salt=salt, **texts))
    session.flush()
