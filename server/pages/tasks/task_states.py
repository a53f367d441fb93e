"""Publishing, hiding, archiving, renaming and deleting a task, each on a page of its own."""

from collections.abc import Mapping

from flask import flash, redirect, render_template, url_for
from flask.typing import ResponseReturnValue

from server.access import request_tasks, tasks
from server.core.errors import ChangedMeanwhile, ConfirmationRequired, Conflict
from server.core.i18n import N_, _, translate
from server.organize import to_do
from server.planning import drafts, task_deletion, task_states
from server.submissions import listings
from server.tasks.forms import RenameForm, StateForm
from server.tasks.models import Task
from server.tasks.rules import TaskState
from server.web import context
from server.web.fields import ConfirmForm
from server.web.form_errors import flash_error, render_form, show_error_at
from server.web.page_rules import SignedInBlueprint

blueprint = SignedInBlueprint("task_states", __name__, url_prefix="/tasks/<slug>/organize")
DONE_MESSAGES: Mapping[task_states.StateChange, str] = {
    "publish": N_("The task is published."),
    "hide": N_("The task is hidden: it is a draft again."),
    "archive": N_("The task is archived."),
    "unarchive": N_("The task is no longer archived."),
}


@blueprint.route("/state/<any(published,draft,archived):to>", methods=["GET", "POST"])
def change(slug: str, to: TaskState) -> ResponseReturnValue:
    """Say what a change of the task's state does and whether it can be undone, and change it."""
    task, form = request_tasks.get_organized_task(slug), StateForm()
    if form.validate_on_submit():
        with flash_error(), show_error_at({ConfirmationRequired: form.sure}):
            with context.writing() as session:
                task, now = request_tasks.get_task(slug), context.arrival_time()
                made = task_states.change_state(session, context.actor(), task, to, now, sure=form.sure.data)
                slug = task.slug
            flash(translate(DONE_MESSAGES[made]), "success")
        if not form.errors:
            return redirect(url_for("dashboard.show", slug=slug))
    asked_change = task_states.CHANGES.get((task.state, to))
    if asked_change is None:
        return redirect(url_for("dashboard.show", slug=slug))
    views = tasks.list_phases(context.session(), task, context.arrival_time())
    return render_form(
        "tasks/change_state.html",
        form,
        task=task,
        change=asked_change,
        placeholders=task_states.list_placeholders(task, [view.phase for view in views]),
        to=to,
        missing=drafts.list_missing(context.session(), task, views) if asked_change == "publish" else (),
        gaps=list_gaps(task) if asked_change == "publish" else (),
        fixed=to == "draft" and listings.has_team_file(context.session(), task),
    )


@blueprint.route("/rename", methods=["GET", "POST"])
def rename(slug: str) -> ResponseReturnValue:
    """Change the slug and the title of a draft."""
    task = request_tasks.get_organized_task(slug)
    form = RenameForm(shown={"slug": task.short_name, "title": task.title})
    if form.validate_on_submit():
        with show_error_at({ChangedMeanwhile: form.made_from, Conflict: form.slug}):
            with context.writing() as session:
                task, now = request_tasks.get_task(slug), context.arrival_time()
                form.merge_saved({"slug": task.short_name, "title": task.title})
                new_slug, title = form.slug.data or "", form.title.data or ""
                task_deletion.rename_task(session, context.actor(), task, new_slug, title, now)
                new_slug = task.slug
            flash(_("The task was renamed."), "success")
            return redirect(url_for("dashboard.show", slug=new_slug))
    fixed = task.state == "draft" and task_deletion.has_fixed_name(context.session(), task)
    words = translate(task_deletion.FIXED_NAME) if fixed else ""
    return render_form("tasks/rename_task.html", form, task=task, fixed=words)


@blueprint.route("/delete", methods=["GET", "POST"])
def delete(slug: str) -> ResponseReturnValue:
    """Delete a draft that was never published, after a confirmation."""
    task, form = request_tasks.get_organized_task(slug), ConfirmForm()
    if form.validate_on_submit():
        with flash_error():
            with context.writing() as session:
                task = request_tasks.get_task(slug)
                title = task.title
                task_deletion.delete_task(session, context.actor(), task, context.arrival_time())
            flash(_("The draft “%(title)s” was deleted.", title=title), "success")
            return redirect(url_for("tasks.index"))
        return redirect(url_for("dashboard.show", slug=slug))
    obstacle = task_deletion.find_deletion_obstacle(context.session(), task)
    return render_template("tasks/delete_task.html", task=task, form=form, obstacle=obstacle)


def list_gaps(task: Task) -> list[str]:
    """List what a task may lack before it is published."""
    session, actor, now = context.session(), context.actor(), context.arrival_time()
    views = tasks.list_phases(session, task, now)
    overview = to_do.read_task_overview(session, actor, task, views, now)
    return task_states.list_gaps(task, views, to_do.list_levels_without_gold(overview))
