"""Editing a task's texts."""

from flask import redirect, url_for
from flask.typing import ResponseReturnValue

from server.access import request_tasks
from server.core.errors import ChangedMeanwhile
from server.planning import task_editing
from server.tasks.forms import TEXT_LIMIT, TaskForm
from server.tasks.models import Task
from server.web import context
from server.web.form_errors import render_form, show_error_at
from server.web.page_rules import SignedInBlueprint, takes_texts

blueprint = SignedInBlueprint("task_editing", __name__, url_prefix="/tasks/<slug>/organize")

FIELD_NAMES = (*task_editing.EDITED_COLUMNS, "terms")


@blueprint.route("/edit", methods=["GET", "POST"])
@takes_texts(request_tasks.limit_for_organizers(TEXT_LIMIT))
def edit_task(slug: str) -> ResponseReturnValue:
    """Change the title, description, licence, contact and terms."""
    task = request_tasks.get_organized_task(slug)
    form = TaskForm(shown=_read_texts(task))
    if form.validate_on_submit():
        with show_error_at({ChangedMeanwhile: form.made_from}):
            with context.writing() as session:
                task = request_tasks.get_task(slug)
                form.merge_saved(_read_texts(task))
                edit = task_editing.edit_of(task, **{name: form[name].data or "" for name in FIELD_NAMES})
                changed = task_editing.edit_task(session, context.actor(), task, edit, context.arrival_time())
            form.flash_saved(changed)
            return redirect(url_for("task_editing.edit_task", slug=slug))
    return render_form("tasks/edit_task.html", form, task=task)


def _read_texts(task: Task) -> dict[str, str]:
    return {name: getattr(task, name) or "" for name in FIELD_NAMES}
