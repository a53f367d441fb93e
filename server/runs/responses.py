"""All runs of a phase as one zip, for its page and the API."""

from flask import Response, request

from server.access import request_tasks, tasks
from server.core import db
from server.core.actors import Actor
from server.core.table_formats import FILE_EXTENSIONS, TABLE_FORMATS, TableFormat, write_table
from server.runs import archives as run_archives, system_table
from server.tasks.models import Task
from server.web import context
from server.web.downloads import send_content, send_zip


def send_run_archive(slug: str, phase: str, actor: Actor) -> Response:
    """Send the runs of a phase as a zip to a person who may see all of the task, and record the download."""
    session = context.session()
    with db.reading(session):
        target = tasks.get_phase(session, request_tasks.get_task(slug), phase)
        archive = run_archives.collect_runs(session, actor, target)
    with context.writing() as session:
        target = tasks.get_phase(session, request_tasks.get_task(slug), phase)
        run_archives.record_archive(session, actor, target, archive, context.arrival_time())
    return send_zip(archive.name, archive.readers(context.storage()))


_CONTENT_TYPES: dict[TableFormat, str] = {
    "csv": "text/csv",
    "tsv": "text/tab-separated-values",
    "markdown": "text/markdown",
    "latex": "application/x-tex",
}


FORMAT_BY_ENDING: dict[str, TableFormat] = {FILE_EXTENSIONS[format_]: format_ for format_ in TABLE_FORMATS}
"""The formats of the table, by file name extension."""


def send_systems_table(task: Task, phase: str, actor: Actor, ending: str) -> Response:
    """Send the system table of a phase to people who may see all of the task."""
    target = tasks.get_phase(context.session(), task, phase)
    format_ = FORMAT_BY_ENDING[ending]
    systems = system_table.list_systems(context.session(), actor, target)
    head, rows = system_table.make_system_table(systems, with_members="members" in request.args)
    text = write_table(format_, head, rows, system_table.WIDE_COLUMNS)
    name = f"{task.slug}.{target.slug}.systems.{ending}"
    return send_content(text, name, f"{_CONTENT_TYPES[format_]}; charset=utf-8")
