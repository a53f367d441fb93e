"""Editing a task's texts."""

from flask import Blueprint, flash, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from flask_security import auth_required

from server.access import request_tasks
from server.access import service as access
from server.core.errors import ChangedMeanwhile
from server.core.i18n import N_, _, translate
from server.planning import task_editing
from server.tasks.forms import TEXT_LIMIT, TaskForm
from server.tasks.models import Task
from server.web import context
from server.web.form_errors import show_error_at
from server.web.page_rules import takes_texts

blueprint = Blueprint("task_editing", __name__, url_prefix="/tasks/<slug>/organize")

FIELD_NAMES = {
    "title": N_("title"),
    "description": N_("description"),
    "licence": N_("licence"),
    "organizers": N_("organizers"),
    "contact": N_("contact"),
    "mailing_list": N_("mailing list"),
    "terms": N_("terms"),
}
"""The names of the texts for people."""


def limit_body() -> int | None:
    """The maximum size of the texts; None: that of other forms."""
    task = request_tasks.get_task((request.view_args or {})["slug"])
    return TEXT_LIMIT if access.is_organizer(context.session(), context.actor(), task) else None


@blueprint.route("/edit", methods=["GET", "POST"])
@auth_required("session")
@takes_texts(limit_body)
def edit_task(slug: str) -> ResponseReturnValue:
    """Change the title, description, licence, contact and terms."""
    task = request_tasks.get_organized_task(slug)
    form = TaskForm(shown=_read_texts(task))
    if form.validate_on_submit():
        with show_error_at({ChangedMeanwhile: form.made_from}):
            with context.writing() as session:
                task = request_tasks.get_task(slug)
                form.require_same(_read_texts(task))
                edit = task_editing.edit_of(task, **{name: form[name].data or "" for name in FIELD_NAMES})
                changed = task_editing.edit_task(session, context.actor(), task, edit, context.arrival_time())
            fields = ", ".join(translate(FIELD_NAMES[name]) for name in changed)
            words = _("Saved: %(fields)s.", fields=fields) if changed else _("Nothing was changed.")
            flash(words, "success" if changed else "info")
            return redirect(url_for("task_editing.edit_task", slug=slug))
    page = render_template("tasks/edit_task.html", task=task, form=form)
    return page, 422 if form.errors else 200


def _read_texts(task: Task) -> dict[str, str]:
    return {name: getattr(task, name) or "" for name in FIELD_NAMES}
