"""The page with statistics of a task's items and uploads."""

from flask import Blueprint, render_template, request

from server.access import request_tasks
from server.organize import task_statistics
from server.web import context

blueprint = Blueprint("task_statistics", __name__, url_prefix="/tasks/<slug>/statistics")


@blueprint.get("")
def show(slug: str) -> str:
    """Show lengths, genres and gold distribution of public items, and uploads in closed phases."""
    session, task, now = context.session(), request_tasks.get_task(slug), context.arrival_time()
    phases = request_tasks.list_phases(task)
    listed = [view.phase for view in phases]
    names = task_statistics.list_open_splits(task, listed, now)
    requested_split = request.args.get("split")
    name = requested_split if requested_split in names else next(iter(names), None)
    facts = [] if name is None else task_statistics.describe_split(session, task, name)
    return render_template(
        "tasks/statistics.html",
        task=task,
        phases=phases,
        names=names,
        name=name,
        facts=facts,
        table=task_statistics.build_table(facts),
        over=task_statistics.list_closed_phase_uploads(session, listed, now),
    )
