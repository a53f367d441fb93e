"""Organizers' pages of a leaderboard: its preview, and the actions on its releases."""

from collections.abc import Callable
from datetime import datetime

from flask import Response, flash, redirect, render_template, url_for
from flask.typing import ResponseReturnValue
from sqlalchemy.orm import Session

from server.access import request_tasks
from server.boards import service as boards
from server.boards.inference_marks import mark_board
from server.core.actors import Actor
from server.core.dates import format_utc
from server.core.errors import ConfirmationRequired, Conflict, InvalidDates
from server.core.i18n import _
from server.pages.confirmation import render_confirmation, wants_edit
from server.phases import windows
from server.phases.models import Phase
from server.planning import phase_editing
from server.releases import (
    confirmations,
    creation as release_creation,
    inferences,
    live_boards,
    pseudonyms,
    release_gold,
    scheduling as release_scheduling,
    service as releases,
)
from server.releases.creation import ReleaseOptions
from server.releases.forms import ReleaseForm, WithdrawReleaseForm
from server.releases.responses import requested_view, send_draft_board, send_draft_inference
from server.web import context
from server.web.fields import ConfirmForm
from server.web.form_errors import flash_error, render_form
from server.web.page_rules import SignedInBlueprint, has_views

blueprint = SignedInBlueprint("releasing", __name__, url_prefix="/tasks/<slug>/organize")


@blueprint.get("/boards/<phase>")
@has_views
def preview(slug: str, phase: str) -> str:
    """Show the current leaderboard with its baselines, its releases and schedule, and actions on them."""
    request_tasks.get_observed_task(slug)
    return _render_board_page(slug, phase, ReleaseForm(formdata=None))


def _render_board_page(slug: str, phase: str, form: ReleaseForm) -> str:
    """Render the current leaderboard with its baselines, its releases, and the actions on them."""
    session, task, now = context.session(), request_tasks.get_task(slug), context.arrival_time()
    target = request_tasks.get_phase(task, phase)
    states, newest = releases.list_manual_releases(session, target), releases.find_newest(session, target)
    last = windows.find_last_deadline(session, target, grace=True)
    file, sha256 = boards.board_and_hash(session, target)
    draft = inferences.find_draft(session, target, sha256)
    marked = mark_board(file, draft.shown)
    return render_template(
        "releases/draft.html",
        task=task,
        phase=target,
        state=newest,
        states=states,
        board=marked,
        view=requested_view(marked, url_for("releasing.preview", slug=slug, phase=phase)),
        found=draft,
        window_state=target.window.state(now),
        held_until=windows.baselines_hidden_until(session, target, now),
        endless=[
            other
            for other in windows.list_phases_on_items(session, task.id, target.split)
            if other.closes is None
        ],
        taken_until=last if last is not None and now <= last else None,
        gold_open=release_gold.is_open(target),
        plan=release_scheduling.find_plan(session, target),
        failed=release_scheduling.list_failed(session, [target], now).get(target.id),
        goes_on=phase_editing.find_post_evaluation_phase(session, target),
        release_form=form,
        withdrawable=_list_withdrawable_releases(newest, states),
    )


def _list_withdrawable_releases(
    newest: releases.ReleaseState | None, states: list[releases.ReleaseState]
) -> list[tuple[int, str]]:
    """List the releases that can be withdrawn: manual ones, and a live one that is the newest."""
    live = [newest] if newest is not None and newest.release.feedback is not None else []
    numbers = [state.release.number for state in (*live, *states) if state.withdrawal is None]
    return [(number, _("Release %(number)d", number=number)) for number in numbers]


@blueprint.get("/boards/<phase>.json")
def preview_json(slug: str, phase: str) -> Response:
    """Send the current leaderboard with its baselines, as JSON."""
    return send_draft_board(request_tasks.get_observed_task(slug), phase)


@blueprint.get("/boards/<phase>/inference.json")
def inference_json(slug: str, phase: str) -> Response:
    """Send the newest inference of the leaderboard that is not released yet."""
    return send_draft_inference(request_tasks.get_observed_task(slug), phase)


@blueprint.post("/boards/<phase>/release")
def release(slug: str, phase: str) -> ResponseReturnValue:
    """Release the leaderboard, now or at a set time."""
    request_tasks.get_organized_task(slug)
    form, board_url = ReleaseForm(), url_for("releasing.preview", slug=slug, phase=phase)
    manner = ReleaseOptions(form.names.data == "anonymous", form.opens_gold.data, form.note.data)
    try:
        if form.when.data == "at":  # scheduled in another tab: then the form does not ask for a time
            target = request_tasks.get_phase(request_tasks.get_task(slug), phase)
            release_scheduling.require_no_plan(context.session(), target)
        if wants_edit():
            return _render_board_page(slug, phase, form)
        if not form.validate_on_submit():
            return _render_board_page(slug, phase, form), 422
        due_at = form.at.data if form.when.data == "at" else None
        with context.writing() as session:
            target = request_tasks.get_phase(request_tasks.get_task(slug), phase)
            organizer, now = context.actor(), context.arrival_time()
            confirmations.require_release_confirmation(
                session, target, manner, due_at, now, sure=form.sure.data
            )
            if due_at is None:
                number = release_creation.release_board(session, organizer, target, now, manner).number
            else:
                release_scheduling.schedule_release(session, organizer, target, due_at, now, manner)
    except ConfirmationRequired as error:
        return _ask_to_release(slug, phase, form, error.message)
    except InvalidDates as error:
        form.at.errors = [*form.at.errors, error.message]
        return _render_board_page(slug, phase, form), 422
    except Conflict as error:
        flash(error.message, "error")
    else:
        planned = _("The release is scheduled.")
        flash(_("Release %(number)d is now public.", number=number) if due_at is None else planned, "success")
    return redirect(board_url)


def _ask_to_release(slug: str, phase: str, form: ReleaseForm, consequences: str) -> str:
    task = request_tasks.get_task(slug)
    title = request_tasks.get_phase(task, phase).title
    if form.when.data == "at":
        question, button = _("Schedule the release of %(title)s?", title=title), _("Schedule the release")
    else:
        question, button = _("Release the results of %(title)s?", title=title), _("Release results")
    return render_confirmation(task, question, consequences, button)


@blueprint.post("/boards/<phase>/cancel")
def cancel_plan(slug: str, phase: str) -> ResponseReturnValue:
    """Give up the release that is planned."""
    return _act_on_releases(
        slug, phase, release_scheduling.cancel_plan, _("The scheduled release was cancelled.")
    )


@blueprint.route("/boards/<phase>/name", methods=["GET", "POST"])
def name_releases(slug: str, phase: str) -> ResponseReturnValue:
    """Reveal the team names in the anonymous releases, after a confirmation."""
    task, form = request_tasks.get_organized_task(slug), ConfirmForm()
    if form.validate_on_submit():
        return _act_on_releases(slug, phase, pseudonyms.reveal_names, _("The team names are now public."))
    target = request_tasks.get_phase(task, phase)
    anonymous = pseudonyms.list_anonymous(context.session(), target)
    if not anonymous:
        return redirect(url_for("releasing.preview", slug=slug, phase=phase))
    return render_template(
        "releases/reveal_names.html",
        task=task,
        phase=target,
        form=form,
        anonymous=anonymous,
        open=confirmations.accepts_files(context.session(), target, context.arrival_time()),
    )


def _act_on_releases(
    slug: str, phase: str, act: Callable[[Session, Actor, Phase, datetime], object], words: str
) -> ResponseReturnValue:
    """Carry out one action on a phase's releases, and flash its result."""
    request_tasks.get_organized_task(slug)
    with flash_error():
        with context.writing() as session:
            target = request_tasks.get_phase(request_tasks.get_task(slug), phase)
            act(session, context.actor(), target, context.arrival_time())
        flash(words, "success")
    return redirect(url_for("releasing.preview", slug=slug, phase=phase))


@blueprint.post("/boards/<phase>/live")
def make_live(slug: str, phase: str) -> ResponseReturnValue:
    """Resume a live leaderboard that a manual release or withdrawal has paused."""
    return _act_on_releases(slug, phase, live_boards.resume_live_board, _("The leaderboard is live again."))


@blueprint.route("/boards/<phase>/withdraw", methods=["GET", "POST"])
def withdraw_release(slug: str, phase: str) -> ResponseReturnValue:
    """Say what withdrawing a release does, and withdraw it with a public reason."""
    request_tasks.get_organized_task(slug)
    form = WithdrawReleaseForm()
    if not form.validate_on_submit():
        return _withdrawal_page(slug, phase, form)
    reason, number, now = form.reason.data or "", form.number.data, context.arrival_time()
    with flash_error():
        with context.writing() as session:
            target = request_tasks.get_phase(request_tasks.get_task(slug), phase)
            releases.withdraw_release(session, context.actor(), target, reason, now, number)
            plan = release_scheduling.find_plan(session, target)
        flash(_("The release was withdrawn. Readers see the reason."), "success")
        if plan is not None:
            notice = _(
                "The release scheduled for %(at)s will still be made and replace your reason. Cancel "
                "it on this page if you do not want that.",
                at=format_utc(plan.due_at),
            )
            flash(notice)
    return redirect(url_for("releasing.preview", slug=slug, phase=phase))


def _withdrawal_page(slug: str, phase: str, form: WithdrawReleaseForm) -> ResponseReturnValue:
    session, task = context.session(), request_tasks.get_task(slug)
    target = request_tasks.get_phase(task, phase)
    states, newest = releases.list_manual_releases(session, target), releases.find_newest(session, target)
    form.number.choices = _list_withdrawable_releases(newest, states)
    if not form.number.choices:
        flash(_("There is no release to withdraw."), "error")
        return redirect(url_for("releasing.preview", slug=slug, phase=phase))
    return render_form(
        "releases/withdraw_release.html",
        form,
        task=task,
        phase=target,
        live=target.board == "live" and not live_boards.is_paused(session, target),
        plan=release_scheduling.find_plan(session, target),
        opened=any(state.release.opens_gold for state in states),
    )
