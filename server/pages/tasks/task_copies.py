"""Copying a task for another year."""

from flask import flash, redirect, url_for
from flask.typing import ResponseReturnValue

from server.access import request_tasks
from server.core.errors import Conflict
from server.core.i18n import _
from server.planning.responses import copy_task
from server.tasks.forms import CopyForm
from server.web import context
from server.web.form_errors import render_form, show_error_at
from server.web.page_rules import SignedInBlueprint

blueprint = SignedInBlueprint("task_copies", __name__, url_prefix="/tasks/<slug>/organize")


@blueprint.route("/copy", methods=["GET", "POST"])
def copy(slug: str) -> ResponseReturnValue:
    """Copy the task for another year, as a draft."""
    task, form = request_tasks.get_organized_task(slug), CopyForm()
    if form.validate_on_submit():
        with show_error_at({Conflict: form.slug}):
            copy_slug = copy_task(slug, context.actor(), form.slug.data or "", form.days.data or 0)
            flash(_("The task was copied as a draft. Check its dates and items, then publish it."), "success")
            return redirect(url_for("dashboard.show", slug=copy_slug))
    return render_form("tasks/copy_task.html", form, task=task)
