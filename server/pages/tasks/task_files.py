"""The pictures of a task: the page on which organizers manage them, and each picture itself."""

from flask import Response, flash, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from markupsafe import Markup

from server.access import request_tasks
from server.bundles.forms import FORM_OVERHEAD
from server.core import db
from server.core.errors import Conflict, InvalidFile
from server.core.i18n import N_, _
from server.planning import pictures
from server.tasks.forms import PictureForm
from server.tasks.models import Task
from server.tasks.rules import VISIBLE_STATES
from server.web import context
from server.web.caching import require_revalidation
from server.web.fields import ConfirmForm
from server.web.form_errors import render_form, show_error_at
from server.web.markdown import MarkdownPicture, render_markdown
from server.web.page_rules import SignedInBlueprint, open_to_all, takes_files

blueprint = SignedInBlueprint("pictures", __name__, url_prefix="/tasks/<slug>")


def render_text(text: str, task: Task | None = None) -> Markup:
    """Render Markdown with the pictures of a task, which are looked up only if the text has any."""
    if task is None or "![" not in text:
        return render_markdown(text)
    shown = [
        MarkdownPicture(
            row.name, url_for("pictures.show", slug=task.slug, name=row.name), row.width, row.height
        )
        for row in pictures.list_pictures(context.session(), task)
    ]
    return render_markdown(text, tuple(shown))


@blueprint.get("/pictures/<name>")
@open_to_all
def show(slug: str, name: str) -> Response:
    """Send a picture to everyone who can see the task."""
    task = request_tasks.get_task(slug)
    picture = pictures.get_picture(context.session(), task, name)
    response = Response(context.storage().get(picture.sha256), content_type=picture.content_type)
    return require_revalidation(response, public=task.state in VISIBLE_STATES)


@blueprint.route("/organize/pictures", methods=["GET", "POST"])
@takes_files(
    request_tasks.limit_for_organizers(pictures.SIZE_LIMIT + FORM_OVERHEAD),
    describe_limit=lambda _limit: _(pictures.TOO_LARGE),
)
def manage(slug: str) -> ResponseReturnValue:
    """List the pictures with what to write in a text, and add one."""
    task, form = request_tasks.get_organized_task(slug), PictureForm()
    if form.validate_on_submit():
        db.end_reading(context.session())  # decoding takes a while, so no transaction stays open
        with show_error_at({InvalidFile: form.file, Conflict: form.file}):
            file = form.file.data
            clean = pictures.clean_picture(context.storage(), file.filename or "", file.stream.read())
            with context.writing() as session:
                task, now = request_tasks.get_task(slug), context.arrival_time()
                replaced = pictures.save_picture(session, context.actor(), task, clean, now)
            words = N_("%(name)s was replaced.") if replaced else N_("%(name)s was added.")
            flash(_(words, name=clean.name), "success")
            return redirect(url_for("pictures.manage", slug=slug))
    task = request_tasks.get_task(slug)
    listed = pictures.list_pictures(context.session(), task)
    return render_form("tasks/pictures.html", form, task=task, pictures=listed)


@blueprint.post("/organize/pictures/logo")
def choose_logo(slug: str) -> ResponseReturnValue:
    """Make a picture the logo of the task, or none."""
    with context.writing() as session:
        task, name = request_tasks.get_task(slug), request.form.get("picture", "")
        pictures.choose_logo(session, context.actor(), task, name, context.arrival_time())
    flash(_("%(name)s is the logo now.", name=name) if name else _("The task has no logo now."), "success")
    return redirect(url_for("pictures.manage", slug=slug))


@blueprint.route("/organize/pictures/<name>/delete", methods=["GET", "POST"])
def delete(slug: str, name: str) -> ResponseReturnValue:
    """Delete a picture, after a confirmation."""
    task, form = request_tasks.get_organized_task(slug), ConfirmForm()
    picture = pictures.get_picture(context.session(), task, name)
    if not form.validate_on_submit():
        return render_template("tasks/delete_picture.html", task=task, picture=picture, form=form)
    with context.writing() as session:
        task = request_tasks.get_task(slug)
        pictures.delete_picture(session, context.actor(), task, name, context.arrival_time())
    flash(_("%(name)s was deleted.", name=name), "success")
    return redirect(url_for("pictures.manage", slug=slug))
