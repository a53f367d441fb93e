"""What is not released, for the pages and the API: the board, its inference, the table of systems."""

from flask import Response, request

from server.access import tasks
from server.boards import service as boards
from server.core.actors import Actor
from server.core.table_formats import FILE_EXTENSIONS, TABLE_FORMATS, TableFormat, write_table
from server.releases import inferences
from server.runs import system_table
from server.tasks.models import Task
from server.web import context
from server.web.downloads import send_content

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
    return send_content(text, name, f"{_CONTENT_TYPES[format_]}; charset=utf-8")


def send_draft_board(task: Task, phase: str) -> Response:
    """The board as it would be released now."""
    session = context.session()
    text = boards.board_text(session, tasks.get_phase(session, task, phase))
    return Response(text, content_type="application/json")


def send_draft_inference(task: Task, phase: str) -> Response:
    """What was computed last of the board that is not released: intervals, tests, clusters, stability."""
    session = context.session()
    text = inferences.get_draft_text(session, tasks.get_phase(session, task, phase))
    return Response(text, content_type="application/json")
