"""The table of systems as a file, for its page and the API."""

from flask import Response, request

from server.access import tasks
from server.core.actors import Actor
from server.core.table_formats import FILE_EXTENSIONS, TABLE_FORMATS, TableFormat, write_table
from server.runs import system_table
from server.tasks.models import Task
from server.web import context

_CONTENT_TYPES: dict[TableFormat, str] = {
    "csv": "text/csv",
    "tsv": "text/tab-separated-values",
    "markdown": "text/markdown",
    "latex": "application/x-tex",
}
FORMAT_BY_ENDING: dict[str, TableFormat] = {FILE_EXTENSIONS[format_]: format_ for format_ in TABLE_FORMATS}
"""The formats of the table, by how the names of their files end."""


def send_systems_table(task: Task, phase: str, actor: Actor, ending: str) -> Response:
    """The table of a phase as a file, for those who see all of the task."""
    target = tasks.get_phase(context.session(), task, phase)
    format_ = FORMAT_BY_ENDING[ending]
    systems = system_table.list_systems(context.session(), actor, target)
    head, rows = system_table.make_system_table(systems, with_members="members" in request.args)
    text = write_table(format_, head, rows, system_table.WIDE_COLUMNS)
    name = f"{task.slug}.{target.slug}.systems.{ending}"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(text.encode(), content_type=f"{_CONTENT_TYPES[format_]}; charset=utf-8", headers=headers)
