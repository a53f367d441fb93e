"""One step of an assignment: the texts, the question, and the annotator's answer."""

from http import HTTPStatus
from typing import Any

from flask import jsonify, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from scorer.campaigns.config import CHOICES
from server.annotation.answers import browsers, forms, own_work, questions, tickets
from server.annotation.answers.receive import ReceivedAnswer, receive_answer
from server.annotation.answers.rules import KnownAnswer
from server.annotation.models import Annotator, Step
from server.core import i18n
from server.core.errors import ServerError
from server.core.i18n import _
from server.pages.annotation.annotator_responses import (
    current_annotator,
    current_key,
    find_current_annotator,
    make_blueprint,
    next_address,
    render_own,
    secret_key,
)
from server.web import context

blueprint = make_blueprint("annotator_steps", __name__)
FIELDS = (
    *("value", "best", "worst", "sense", "written", "sure", "comment", "reason"),
    *(field for slot in CHOICES for field in (slot, f"{slot}_rating")),
)


@blueprint.get("/<int:campaign_id>/steps/<int:step_id>")
def show(campaign_id: int, step_id: int) -> str:
    """Show a step, with the answer that the annotator gave already."""
    session, annotator = context.session(), current_annotator(campaign_id)
    step = own_work.get_own_step(session, annotator, step_id)
    browsers.require_given_here(session, annotator, current_key(), step.id)
    own_work.require_answerable(session, annotator, step, context.arrival_time())
    known = own_work.find_own_answer(session, step)
    ticket = tickets.make_ticket(
        current_key(), step.id, None if known is None else known.id, context.arrival_time()
    )
    notice = own_work.find_notice(session, annotator, current_key(), request.args)
    question = forms.build_question(session, step, annotator.language)
    signed = tickets.sign_ticket(secret_key(), ticket)
    return _render_page(step, annotator, signed, question, _filled_in(question, known), (), notice)


@blueprint.post("/<int:campaign_id>/steps/<int:step_id>")
def answer(campaign_id: int, step_id: int) -> ResponseReturnValue:
    """Store an answer. Its ticket says whose it is, so that it is stored even without the cookie."""
    try:
        ticket = _read_ticket(step_id)
    except ServerError as error:
        return _show_unsaved(campaign_id, step_id, error.message), HTTPStatus.BAD_REQUEST
    step = own_work.find_ticket_step(context.session(), campaign_id, ticket)
    if step is None:
        return _show_unsaved(campaign_id, step_id, _(tickets.INVALID_TICKET)), HTTPStatus.BAD_REQUEST
    annotator = step.assignment.annotator
    i18n.speak(annotator.language)
    question = forms.build_question(context.session(), step, annotator.language)
    given, problems = forms.read_answer(request.form, question)
    if given is None:
        filled_in = dict(request.form) | {"sure": " ".join(request.form.get("written", "").split())}
        page = _render_page(step, annotator, request.form["ticket"], question, filled_in, problems, None)
        return page, HTTPStatus.UNPROCESSABLE_ENTITY
    assignment_id = step.assignment_id  # the commit expires the row
    with context.writing() as session:
        received = receive_answer(session, ticket, given, context.arrival_time())
    return _go_on(campaign_id, assignment_id, received)


def _read_ticket(step_id: int) -> tickets.Ticket:
    ticket = tickets.read_ticket(secret_key(), request.form.get("ticket", ""), context.arrival_time())
    if ticket.step_id != step_id:
        raise ServerError.of(tickets.INVALID_TICKET)
    return ticket


def _go_on(campaign_id: int, assignment_id: int, received: ReceivedAnswer) -> ResponseReturnValue:
    """Send the browser to what comes next: a script, which sends forms itself, gets its address."""
    annotator = find_current_annotator(campaign_id)
    if annotator is None:
        address = url_for(
            "annotator_pages.go_on", campaign_id=campaign_id, assignment_id=assignment_id, saved="yes"
        )
    else:
        assignment = own_work.get_assignment(context.session(), assignment_id)
        notice = {received.outcome: received.answer_id} if received.outcome in own_work.NOTICES else {}
        address = next_address(assignment, **notice)
        gate = assignment.plan.round.rules.gate
        if gate is not None and received.verdict and (gate.feedback or received.verdict != "passed"):
            address = url_for("annotator_pages.gate", campaign_id=campaign_id, assignment_id=assignment_id)
    if request.accept_mimetypes.best == "application/json":
        return jsonify(location=address)
    return redirect(address, HTTPStatus.SEE_OTHER)


def _filled_in(question: Any, known: KnownAnswer | None) -> dict[str, str]:
    """Return the fields of the answer that the annotator gave already."""
    if known is None:
        return {}
    choice, comment, reason = known.content
    fields = {"comment": comment or "", "reason": reason or ""}
    given: dict[str, str] = {"value": questions.CANNOT_JUDGE} if choice is None else question.fill_in(choice)
    return fields | given


def _render_page(
    step: Step,
    annotator: Annotator,
    ticket: str,
    question: forms.Question,
    filled_in: dict[str, str],
    problems: tuple[str, ...] | list[str],
    notice: own_work.Notice | None,
) -> str:
    round_ = step.assignment.plan.round
    campaign = round_.campaign
    return render_own(
        "annotation/annotators/step.html",
        annotator,
        step=step,
        place=own_work.find_place(context.session(), step, current_key()),
        n_passes=round_.n_passes,
        question=question,
        stage=questions.build_stage(round_.rules.passes[step.pass_number - 1].show, step.unit),
        guide=questions.in_language(campaign, campaign.guide, annotator.language),
        ticket=ticket,
        filled_in=dict.fromkeys(FIELDS, "") | filled_in,
        problems=problems,
        notice=notice,
        max_text=forms.MAX_TEXT,
    )


def _show_unsaved(campaign_id: int, step_id: int, message: str) -> str:
    """Repeat what was typed in a form that cannot be accepted, with a link to the step."""
    return render_template(
        "annotation/annotators/unsaved.html",
        campaign_id=campaign_id,
        step_id=step_id,
        message=message,
        typed=[request.form[name] for name in FIELDS if name != "sure" and request.form.get(name)],
    )
