"""The organizer's pages: the desk, board preview, release, gold."""

from flask import Blueprint, Response, flash, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from flask_security import auth_required

from server.errors import Conflict, Refused
from server.forms.fields import ConfirmForm
from server.forms.gold import GoldForm
from server.forms.releases import WithdrawReleaseForm
from server.forms.submissions import clean_filename
from server.services import access, boards, gold, live_boards, release_making, releases, tasks, windows
from server.views import context
from server.views.desk import desk_page
from server.views.downloads import send_tsv

blueprint = Blueprint("organize", __name__, url_prefix="/tasks/<slug>/organize")

GOLD_LIMIT = 8 * 1024 * 1024
"""The most bytes that a gold file's request may have."""


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


@blueprint.route("/gold", methods=["GET", "POST"])
@auth_required("session")
def upload_gold(slug: str) -> ResponseReturnValue:
    """Bring a new gold version; every submission of its split is scored against it."""
    task, form, refused = context.organized(slug), GoldForm(), None
    splits = {f"{level.slug}.{split.name}": split for level in task.levels for split in level.splits}
    form.target.choices = [(key, f"{split.level.title}, {split.name}") for key, split in splits.items()]
    if form.validate_on_submit():
        session, actor = context.session(), context.actor()
        data, filename = form.file.data.stream.read(), clean_filename(form.file.data.filename)
        try:
            prepared = gold.prepare(
                session,
                context.storage(),
                actor,
                splits[form.target.data],
                data,
                filename,
                form.reason.data or "",
            )
        except Refused as error:
            refused = error
        else:
            with context.writing() as session:
                number = gold.publish(session, context.storage(), actor, prepared, context.arrived()).number
            count = len(prepared.results)
            flash(
                f"Gold version {number} is in force; {count} submissions were scored against it.", "success"
            )
            return redirect(url_for("organize.show", slug=slug) + "#gold")
    status = 422 if form.errors or refused is not None else 200
    phases = context.phases(task)
    page = render_template("organize/gold.html", task=task, phases=phases, form=form, refused=refused)
    return page, status


def limit_upload() -> int | None:
    """The most bytes that the body of this upload may have; None: no more than of other forms."""
    task = context.task((request.view_args or {})["slug"])
    return GOLD_LIMIT if access.is_organizer(context.session(), context.actor(), task) else None


@blueprint.get("/gold/<int:version_id>.tsv")
@auth_required("session")
def gold_file(slug: str, version_id: int) -> Response:
    """A gold version's file."""
    task = context.observed(slug)
    version = gold.get_version(context.session(), context.actor(), task, version_id)
    name = f"{version.split.level.slug}.{version.split.name}.gold.{version.number}.tsv"
    return send_tsv(context.storage().get(version.sha256), name)
