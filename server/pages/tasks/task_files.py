"""The pictures and the starter kit of a task: the page on which organizers manage them, and each file."""

from flask import Response, flash, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from markupsafe import Markup

from server.access import request_tasks, terms
from server.bundles.forms import FORM_OVERHEAD
from server.core import db
from server.core.errors import Conflict, InvalidFile
from server.core.i18n import N_, _
from server.planning import task_files
from server.tasks.forms import TaskFileForm
from server.tasks.models import Task
from server.tasks.rules import VISIBLE_STATES
from server.web import context
from server.web.caching import require_revalidation
from server.web.downloads import send_content
from server.web.fields import ConfirmForm
from server.web.form_errors import render_form, show_error_at
from server.web.markdown import MarkdownPicture, render_markdown
from server.web.page_rules import SignedInBlueprint, open_to_all, takes_files

blueprint = SignedInBlueprint("task_files", __name__, url_prefix="/tasks/<slug>")


def render_text(text: str, task: Task | None = None) -> Markup:
    """Render Markdown with the pictures of a task, which are looked up only if the text has any.

    Relative links start from the page of the task.
    """
    if task is None:
        return render_markdown(text)
    page = url_for("tasks.show", slug=task.slug)
    if "![" not in text:
        return render_markdown(text, page=page)
    shown = [
        MarkdownPicture(
            row.name,
            url_for("task_files.show", slug=task.slug, name=row.name),
            row.width or 0,
            row.height or 0,
        )
        for row in task_files.list_pictures(context.session(), task)
    ]
    return render_markdown(text, tuple(shown), page)


@blueprint.get("/pictures/<name>")
@open_to_all
def show(slug: str, name: str) -> Response:
    """Send a picture to everyone who can see the task."""
    task = request_tasks.get_task(slug)
    picture = task_files.get_file(context.session(), task, name, is_picture=True)
    response = Response(context.storage().get(picture.sha256), content_type=picture.content_type)
    return require_revalidation(response, public=task.state in VISIBLE_STATES)


@blueprint.get("/starter-kit/<name>")
@open_to_all
def download(slug: str, name: str) -> ResponseReturnValue:
    """Send a file of the starter kit; the terms have to be accepted first."""
    session, task = context.session(), request_tasks.get_task(slug)
    file = task_files.get_file(session, task, name, is_picture=False)
    if terms.find_pending(session, context.actor(), task) is not None:
        flash(_("Read and accept the terms before you download the starter kit."), "info")
        return redirect(url_for("terms.show", slug=slug))
    return send_content(context.storage().get(file.sha256), file.name, file.content_type)


@blueprint.route("/organize/task-files", methods=["GET", "POST"])
@takes_files(
    request_tasks.limit_for_organizers(task_files.SIZE_LIMIT + FORM_OVERHEAD),
    describe_limit=lambda _limit: _(task_files.TOO_LARGE),
)
def manage(slug: str) -> ResponseReturnValue:
    """List the pictures, with what to write in a text, and the starter kit; and add a file."""
    task, form = request_tasks.get_organized_task(slug), TaskFileForm()
    if form.validate_on_submit():
        db.end_reading(context.session())  # decoding takes a while, so no transaction stays open
        with show_error_at({InvalidFile: form.file, Conflict: form.file}):
            clean, replaced = _receive_file(slug, form)
            words = N_("%(name)s was replaced.") if replaced else N_("%(name)s was added.")
            flash(_(words, name=clean.name), "success")
            return redirect(url_for("task_files.manage", slug=slug))
    task = request_tasks.get_task(slug)
    files = task_files.list_files(context.session(), task)
    return render_form("tasks/files.html", form, task=task, files=files)


def _receive_file(slug: str, form: TaskFileForm) -> tuple[task_files.CleanFile, bool]:
    """Store the uploaded file; return it and whether it replaced another."""
    storage, file = context.storage(), form.file.data
    clean = task_files.clean_file(storage, file.filename or "", file.stream.read())
    task_files.check_kit(context.session(), request_tasks.get_task(slug), clean)
    with context.writing() as session:
        task, now = request_tasks.get_task(slug), context.arrival_time()
        return clean, task_files.save_file(session, context.actor(), task, clean, now)


@blueprint.post("/organize/task-files/logo")
def choose_logo(slug: str) -> ResponseReturnValue:
    """Make a picture the logo of the task, or none."""
    with context.writing() as session:
        task, name = request_tasks.get_task(slug), request.form.get("picture", "")
        task_files.choose_logo(session, context.actor(), task, name, context.arrival_time())
    flash(_("%(name)s is the logo now.", name=name) if name else _("The task has no logo now."), "success")
    return redirect(url_for("task_files.manage", slug=slug))


@blueprint.route("/organize/task-files/<name>/delete", methods=["GET", "POST"])
def delete(slug: str, name: str) -> ResponseReturnValue:
    """Delete a file, after a confirmation."""
    task, form = request_tasks.get_organized_task(slug), ConfirmForm()
    file = task_files.get_file(context.session(), task, name)
    if not form.validate_on_submit():
        return render_template("tasks/delete_file.html", task=task, file=file, form=form)
    with context.writing() as session:
        task = request_tasks.get_task(slug)
        task_files.delete_file(session, context.actor(), task, name, context.arrival_time())
    flash(_("%(name)s was deleted.", name=name), "success")
    return redirect(url_for("task_files.manage", slug=slug))
