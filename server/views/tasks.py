"""The list of tasks, a task's page and its data."""

from flask import Blueprint, flash, redirect, render_template, url_for
from flask.typing import ResponseReturnValue

from server.services import access, releases, tasks, terms
from server.views import context
from server.views.downloads import send_tsv

blueprint = Blueprint("tasks", __name__)


@blueprint.app_context_processor
def _roles() -> dict[str, object]:
    """What the head of a task's pages asks: does the reader organize it?"""
    return {"organizes": lambda task: access.is_organizer(context.session(), context.actor(), task)}


@blueprint.get("/")
def index() -> str:
    """All tasks."""
    session = context.session()
    listed = tasks.list_tasks(session)
    phases = tasks.list_phases_of(session, listed, context.arrived())
    return render_template("tasks/index.html", tasks=listed, phases=phases)


@blueprint.get("/tasks/<slug>/")
def show(slug: str) -> str:
    """What a task is about, its dates, levels, scale, data, and how to take part."""
    session, actor, now = context.session(), context.actor(), context.arrived()
    task = context.task(slug)
    phases = tasks.list_phases(session, task, now)
    newest = releases.list_newest(session, [view.phase for view in phases])
    return render_template(
        "tasks/show.html",
        task=task,
        phases=phases,
        files=tasks.list_files(session, actor, task, now),
        boards={view.phase.id: newest.get(view.phase.id) for view in phases},
        team=access.find_team(session, actor, task),
        organizer=access.is_organizer(session, actor, task),
        pending=terms.find_pending(session, actor, task),
    )


@blueprint.get("/tasks/<slug>/data/<level>.<split>.<kind>.tsv")
def data(slug: str, level: str, split: str, kind: str) -> ResponseReturnValue:
    """One data file, if it is out; the terms come first, where there are any."""
    session, actor, now = context.session(), context.actor(), context.arrived()
    task = context.task(slug)
    file, content = tasks.read_file(session, context.storage(), actor, task, level, split, kind, now)
    if terms.find_pending(session, actor, task) is not None:
        flash("Read and accept the terms first; then the data is yours.", "info")
        return redirect(url_for("terms.show", slug=slug))
    return send_tsv(content, file.filename)
