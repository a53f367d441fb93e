"""An annotator's own page: what is done and what is next; stopping, handing in and withdrawing."""

from datetime import datetime

from flask import Response, redirect, request, url_for
from flask.typing import ResponseReturnValue
from sqlalchemy import ColumnElement, true

from server.annotation.answers import answered_steps, browsers, own_work
from server.annotation.answers.questions import LANGUAGE_NAMES, find_new_question, in_language
from server.annotation.assignments import gates, progress, taking
from server.annotation.campaigns import consents, people, service as campaigns
from server.annotation.models import Annotator, Assignment, Step
from server.core.errors import Conflict, NotFound
from server.pages.annotation.annotator_responses import (
    check_token,
    current_annotator,
    current_key,
    form_token,
    make_blueprint,
    next_address,
    render_own,
)
from server.web import context
from server.web.calendar_files import write_calendar

blueprint = make_blueprint("annotator_pages", __name__)
PURPOSE = "work"


@blueprint.get("/<int:campaign_id>/")
def show(campaign_id: int) -> str:
    """Show what the annotator has done, and the button to go on."""
    return _render_page(current_annotator(campaign_id), "")


@blueprint.post("/<int:campaign_id>/assignments")
def take(campaign_id: int) -> ResponseReturnValue:
    """Go on with the annotator's assignment, or give them the next one."""
    check_token(PURPOSE, current_key())
    try:
        with context.writing() as session:
            annotator = current_annotator(campaign_id)
            round_ = campaigns.get_round(annotator.campaign, request.form.get("round", ""))
            assignment_id = taking.take_assignment(session, annotator, round_, context.arrival_time()).id
    except Conflict as error:
        return _render_page(current_annotator(campaign_id), error.message), 409
    return redirect(url_for(".go_on", campaign_id=campaign_id, assignment_id=assignment_id), 303)


@blueprint.get("/<int:campaign_id>/assignments/<int:assignment_id>/next")
def go_on(campaign_id: int, assignment_id: int) -> ResponseReturnValue:
    """Send the annotator to their first step without an answer, or to what comes after the last one."""
    return redirect(next_address(_get_assignment(campaign_id, assignment_id)))


@blueprint.get("/<int:campaign_id>/assignments/<int:assignment_id>/end")
def end(campaign_id: int, assignment_id: int) -> ResponseReturnValue:
    """Show what comes after the last answer: the pause between two passes, handing in, and then thanks."""
    session, annotator = context.session(), current_annotator(campaign_id)
    assignment = own_work.get_own_assignment(session, annotator, assignment_id)
    following = progress.next_step(session, assignment)
    if browsers.is_worked_on_elsewhere(session, assignment, current_key()):
        return redirect(url_for(".show", campaign_id=campaign_id))
    if following is not None and not own_work.is_between_passes(session, assignment, following):
        return redirect(url_for(".show", campaign_id=campaign_id))
    number = assignment.plan.round.n_passes if following is None else following.pass_number - 1
    handed_in = progress.is_handed_in(session, assignment)
    rounds = own_work.list_own_rounds(session, annotator, context.arrival_time())
    last_step = [step for step in progress.list_steps(session, assignment) if step.pass_number == number][-1]
    return render_own(
        "annotation/annotators/end.html",
        annotator,
        assignment=assignment,
        handed_in=handed_in,
        code=own_work.find_code(session, annotator, current_key(), rounds),
        reassigned=any(
            work.n_answered < work.n_steps
            for own in rounds
            for work in own.works
            if work.assignment is assignment
        ),
        offered=[own for own in rounds if handed_in and own.may_take],
        opens_at=None
        if following is None
        else progress.find_opening(session, assignment, following.pass_number),
        following=following,
        new_question=None
        if following is None
        else find_new_question(assignment.plan.round, following.pass_number, annotator.language),
        now=context.arrival_time(),
        reminded=people.has_email(session, annotator) and _reminds(assignment),
        last_step=last_step,
        can_go_back=not _list_elsewhere(annotator, Step.id == last_step.id),
        notice=own_work.find_notice(session, annotator, current_key(), request.args),
        token=form_token(PURPOSE, current_key()),
    )


@blueprint.get("/<int:campaign_id>/assignments/<int:assignment_id>/gate")
def gate(campaign_id: int, assignment_id: int) -> ResponseReturnValue:
    """Show whether the annotator passed the gate, and the known answers if the round gives feedback."""
    session, annotator = context.session(), current_annotator(campaign_id)
    assignment = own_work.get_own_assignment(session, annotator, assignment_id)
    verdict, rules = gates.find_verdict(session, assignment), assignment.plan.round.rules.gate
    if verdict is None or rules is None:
        return redirect(url_for(".show", campaign_id=campaign_id))
    judged = gates.list_tries(session, assignment)[-2 if verdict == "retry" else -1]
    own = Step.id.in_([step.id for step in judged])
    rounds = own_work.list_own_rounds(session, annotator, context.arrival_time())
    return render_own(
        "annotation/annotators/gate.html",
        annotator,
        assignment=assignment,
        verdict=verdict,
        known=gates.list_known(judged),
        steps=answered_steps.list_steps(session, own) if rules.feedback else (),
        elsewhere=_list_elsewhere(annotator, own),
        code=own_work.find_code(session, annotator, current_key(), rounds),
        guide=in_language(annotator.campaign, annotator.campaign.guide, annotator.language),
    )


@blueprint.get("/<int:campaign_id>/assignments/<int:assignment_id>/opening.ics")
def opening(campaign_id: int, assignment_id: int) -> Response:
    """Send the time at which the next pass opens as a file for calendars."""
    session, assignment = context.session(), _get_assignment(campaign_id, assignment_id)
    following = progress.next_step(session, assignment)
    found = following and progress.find_opening(session, assignment, following.pass_number)
    if not isinstance(found, datetime):
        raise NotFound.of("No second reading is waiting for you.")
    uid = f"assignment-{assignment.id}@{request.host}"
    event = (uid, assignment.annotator.campaign.title, found)
    return Response(write_calendar([event], context.arrival_time()), mimetype="text/calendar")


@blueprint.get("/<int:campaign_id>/assignments/<int:assignment_id>/answers")
def answers(campaign_id: int, assignment_id: int) -> ResponseReturnValue:
    """List the annotator's answers of an assignment that they can still change."""
    session, annotator = context.session(), current_annotator(campaign_id)
    assignment = own_work.get_own_assignment(session, annotator, assignment_id)
    if not own_work.may_work(session, assignment) or progress.is_handed_in(session, assignment):
        return redirect(url_for(".show", campaign_id=campaign_id))
    is_second = progress.is_pass_done(session, assignment, 1, context.arrival_time())
    own = (Step.assignment_id == assignment.id) & (Step.pass_number == (2 if is_second else 1))
    if assignment.plan.round.rules.gate is not None and gates.find_verdict(session, assignment) is not None:
        own &= Step.block != "calibration"
    return render_own(
        "annotation/annotators/answers.html",
        annotator,
        steps=answered_steps.list_steps(session, own),
        elsewhere=_list_elsewhere(annotator, own),
    )


@blueprint.post("/<int:campaign_id>/language")
def choose_language(campaign_id: int) -> ResponseReturnValue:
    """Change the language of the annotator's pages to another one of the campaign."""
    check_token(PURPOSE, current_key())
    with context.writing():
        annotator, language = current_annotator(campaign_id), request.form.get("language", "")
        if language in annotator.campaign.languages:
            annotator.language = language
    return redirect(url_for(".show", campaign_id=campaign_id), 303)


@blueprint.post("/<int:campaign_id>/assignments/<int:assignment_id>/hand-in")
def hand_in(campaign_id: int, assignment_id: int) -> ResponseReturnValue:
    """End the time in which the answers of an assignment can be changed."""
    check_token(PURPOSE, current_key())
    with context.writing() as session:
        assignment = _get_assignment(campaign_id, assignment_id)
        _require_worked_on_here(assignment)
        progress.finish_assignment(session, assignment, context.arrival_time())
    return redirect(url_for(".end", campaign_id=campaign_id, assignment_id=assignment_id), 303)


@blueprint.post("/<int:campaign_id>/assignments/<int:assignment_id>/stop")
def stop(campaign_id: int, assignment_id: int) -> ResponseReturnValue:
    """Leave an assignment: what is not answered is given to others; the answers stay."""
    check_token(PURPOSE, current_key())
    with context.writing() as session:
        assignment = _get_assignment(campaign_id, assignment_id)
        _require_worked_on_here(assignment)
        progress.add_event(session, assignment, "left", context.arrival_time())
    return redirect(url_for(".show", campaign_id=campaign_id), 303)


@blueprint.get("/<int:campaign_id>/withdraw")
def withdraw(campaign_id: int) -> str:
    """Ask whether the annotator wants to withdraw their consent."""
    annotator = current_annotator(campaign_id)
    return render_own(
        "annotation/annotators/withdraw.html",
        annotator,
        withdrawn=consents.has_withdrawn(context.session(), annotator),
        elsewhere=_list_elsewhere(annotator, true()),
        token=form_token(PURPOSE, current_key()),
    )


@blueprint.post("/<int:campaign_id>/withdraw")
def withdraw_now(campaign_id: int) -> ResponseReturnValue:
    """Withdraw the consent: no answer of the annotator is used from now on."""
    check_token(PURPOSE, current_key())
    with context.writing() as session:
        annotator = current_annotator(campaign_id)
        if _list_elsewhere(annotator, true()):
            raise Conflict.of(browsers.ELSEWHERE)
        consents.withdraw_consent(session, annotator, context.arrival_time())
    return redirect(url_for(".withdraw", campaign_id=campaign_id), 303)


def _get_assignment(campaign_id: int, assignment_id: int) -> Assignment:
    return own_work.get_own_assignment(context.session(), current_annotator(campaign_id), assignment_id)


def _list_elsewhere(annotator: Annotator, which: ColumnElement[bool]) -> set[int]:
    """Return the ids of steps whose answers this browser must not show."""
    return browsers.list_steps_elsewhere(context.session(), annotator, current_key(), which)


def _require_worked_on_here(assignment: Assignment) -> None:
    if browsers.is_worked_on_elsewhere(context.session(), assignment, current_key()):
        raise Conflict.of(browsers.ELSEWHERE)


def _render_page(annotator: Annotator, problem: str) -> str:
    session, campaign = context.session(), annotator.campaign
    rounds = own_work.list_own_rounds(session, annotator, context.arrival_time())
    assignments = [work.assignment for own in rounds for work in own.works]
    withdrawn = consents.has_withdrawn(session, annotator)
    return render_own(
        "annotation/annotators/own.html",
        annotator,
        rounds=rounds,
        code=own_work.find_code(session, annotator, current_key(), rounds),
        handed_in=own_work.list_handed_in(session, annotator),
        elsewhere={
            each.id for each in assignments if browsers.is_worked_on_elsewhere(session, each, current_key())
        },
        withdrawn=withdrawn,
        languages=LANGUAGE_NAMES,
        guide=in_language(campaign, campaign.guide, annotator.language),
        problem=problem,
        notice=own_work.find_notice(session, annotator, current_key(), request.args),
        token=form_token(PURPOSE, current_key()),
    )


def _reminds(assignment: Assignment) -> bool:
    return any(each.remind_hours for each in assignment.plan.round.rules.passes)
