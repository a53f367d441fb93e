"""The organizer's pages: the desk, board preview, release."""

from flask import Blueprint, Response, flash, redirect, render_template, url_for
from flask.typing import ResponseReturnValue
from flask_security import auth_required

from server.errors import Conflict
from server.forms.fields import ConfirmForm
from server.forms.releases import WithdrawReleaseForm
from server.services import boards, live_boards, release_making, releases, tasks, windows
from server.views import context
from server.views.desk import desk_page

blueprint = Blueprint("organize", __name__, url_prefix="/tasks/<slug>/organize")


@blueprint.get("/")
@auth_required("session")
def show(slug: str) -> str:
    """The desk: what needs doing, the teams, files over time; what is released, which gold is in force."""
    return desk_page(context.observed(slug))


@blueprint.get("/boards/<phase>")
@auth_required("session")
def preview(slug: str, phase: str) -> str:
    """The board as it would be released now."""
    task, session = context.observed(slug), context.session()
    target = tasks.get_phase(session, task, phase)
    return render_template(
        "organize/board.html",
        task=task,
        phases=context.phases(task),
        phase=target,
        state=releases.find_newest(session, target),
        board=boards.board_values(session, target),
        window_state=target.window.state(context.arrived()),
        held_until=windows.baselines_held_until(session, target, context.arrived()),
        release_form=ConfirmForm(formdata=None),
        withdraw_form=WithdrawReleaseForm(formdata=None),
    )


@blueprint.get("/boards/<phase>.json")
@auth_required("session")
def preview_json(slug: str, phase: str) -> Response:
    """The board as it would be released now, as JSON."""
    task = context.observed(slug)
    target = tasks.get_phase(context.session(), task, phase)
    return Response(boards.board_text(context.session(), target), content_type="application/json")


@blueprint.post("/boards/<phase>/release")
@auth_required("session")
def release(slug: str, phase: str) -> ResponseReturnValue:
    """Publish the board."""
    context.organized(slug)
    try:
        with context.writing() as session:
            target = tasks.get_phase(session, context.task(slug), phase)
            number = release_making.release_board(session, context.actor(), target, context.arrived()).number
    except Conflict as error:
        flash(error.message, "error")
    else:
        flash(f"Release {number} is public now.", "success")
    return redirect(url_for("organize.preview", slug=slug, phase=phase))


@blueprint.post("/boards/<phase>/live")
@auth_required("session")
def make_live(slug: str, phase: str) -> ResponseReturnValue:
    """Let a board that rests since an act by hand follow its files again."""
    context.organized(slug)
    try:
        with context.writing() as session:
            target = tasks.get_phase(session, context.task(slug), phase)
            live_boards.make_live_again(session, context.actor(), target, context.arrived())
    except Conflict as error:
        flash(error.message, "error")
    else:
        flash("The board is live again.", "success")
    return redirect(url_for("organize.preview", slug=slug, phase=phase))


@blueprint.post("/boards/<phase>/withdraw")
@auth_required("session")
def withdraw_release(slug: str, phase: str) -> ResponseReturnValue:
    """Take the newest release back, with a public reason."""
    context.organized(slug)
    form = WithdrawReleaseForm()
    if not form.validate_on_submit():
        flash("Give a reason; the public reads it in place of the board.", "error")
        return redirect(url_for("organize.preview", slug=slug, phase=phase))
    try:
        with context.writing() as session:
            target = tasks.get_phase(session, context.task(slug), phase)
            releases.withdraw_release(
                session, context.actor(), target, form.reason.data or "", context.arrived()
            )
    except Conflict as error:
        flash(error.message, "error")
    else:
        flash("The release is withdrawn; the public sees the reason.", "success")
    return redirect(url_for("organize.preview", slug=slug, phase=phase))
