"""The team and system table for the overview paper, as a page and for other programs."""

from flask import Blueprint, Response, abort, render_template, request
from flask_security import auth_required

from server.access import requests, tasks
from server.core.actors import Actor
from server.core.tables import ENDINGS, FORMATS, Format, write_table
from server.organize import dashboard as desk
from server.submissions import systems
from server.tasks.models import Task
from server.web import context

blueprint = Blueprint("systems", __name__, url_prefix="/tasks/<slug>/organize/systems")

_TYPES: dict[Format, str] = {
    "csv": "text/csv",
    "tsv": "text/tab-separated-values",
    "markdown": "text/markdown",
    "latex": "application/x-tex",
}
BY_ENDING: dict[str, Format] = {ENDINGS[format_]: format_ for format_ in FORMATS}
"""The formats of the table, by how the names of their files end."""


@blueprint.get("")
@auth_required("session")
def show(slug: str) -> str:
    """The systems of a phase with what their teams say of them; members' names if they are asked for."""
    task, session = requests.observed(slug), context.session()
    phases = tasks.list_phases(session, task, context.arrived())
    view = desk.choose_phase(phases, request.args.get("phase"))
    found = [] if view is None else systems.list_systems(session, context.actor(), view.phase)
    members = "members" in request.args
    head, rows = systems.table_of(found, with_members=members)
    return render_template(
        "organize/systems.html",
        task=task,
        phases=phases,
        view=view,
        members=members,
        head=head,
        rows=rows,
        wide=systems.WIDE,
        teams=len({system.run.team_id for system in found}),
        endings=BY_ENDING,
    )


@blueprint.get("/<phase>.<ending>")
@auth_required("session")
def download(slug: str, phase: str, ending: str) -> Response:
    """The same table as a file: csv, tsv, md or tex."""
    if ending not in BY_ENDING:
        abort(404)
    return send_table(requests.observed(slug), phase, context.actor(), ending)


def send_table(task: Task, phase: str, actor: Actor, ending: str) -> Response:
    """The table of a phase as a file, for those who see all of the task."""
    target = tasks.get_phase(context.session(), task, phase)
    format_ = BY_ENDING[ending]
    found = systems.list_systems(context.session(), actor, target)
    head, rows = systems.table_of(found, with_members="members" in request.args)
    text = write_table(format_, head, rows, systems.WIDE)
    name = f"{task.slug}.{target.slug}.systems.{ending}"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(text.encode(), content_type=f"{_TYPES[format_]}; charset=utf-8", headers=headers)
