"""Beginning a new task."""

from flask import flash, redirect, url_for
from flask.typing import ResponseReturnValue

from server.access import service as access
from server.bundles.forms import ImportForm
from server.bundles.responses import is_import_open
from server.core.errors import Conflict
from server.core.i18n import _
from server.planning import drafts
from server.tasks.forms import NewTaskForm
from server.web import context
from server.web.form_errors import render_form, show_error_at
from server.web.page_rules import SignedInBlueprint

blueprint = SignedInBlueprint("new_tasks", __name__)


@blueprint.route("/new-task", methods=["GET", "POST"])
def create() -> ResponseReturnValue:
    """Begin a task, as a draft whose first pages depend on what the person has."""
    session, actor = context.session(), context.actor()
    access.require_import(session, actor, everybody=is_import_open())
    form = NewTaskForm()
    if form.validate_on_submit():
        with show_error_at({Conflict: form.title}):
            with context.writing() as session:
                access.require_import(session, actor, everybody=is_import_open())
                title, short_name = form.title.data or "", form.slug.data or ""
                slug = drafts.begin_draft(session, actor, title, short_name, context.arrival_time()).slug
            if form.start.data == "ratings":
                words = _("First name the level that the ratings are for. Its page leads to the campaign.")
                flash(words, "info")
                return redirect(url_for("levels.add", slug=slug))
            return redirect(url_for("dashboard.show", slug=slug))
    return render_form("tasks/new_task.html", form, package=ImportForm(formdata=None))
