"""For pages and the API: the leaderboard before its release, its inference, systems, copies, baselines."""

from datetime import timedelta

from flask import Response, request

from server import bundles
from server.access import tasks
from server.boards import service as boards
from server.core.actors import Actor
from server.core.table_formats import FILE_EXTENSIONS, TABLE_FORMATS, TableFormat, write_table
from server.organize import baselines
from server.releases import inferences
from server.runs import system_table
from server.scoring.baselines import BaselineName
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


def send_draft_board(task: Task, phase: str) -> Response:
    """Send the current leaderboard, always with the baselines, which a release may not show yet."""
    session = context.session()
    text = boards.board_text(session, tasks.get_phase(session, task, phase))
    return Response(text, content_type="application/json")


def send_draft_inference(task: Task, phase: str) -> Response:
    """Send the newest inference of the leaderboard that is not released yet."""
    session = context.session()
    text = inferences.get_draft_text(session, tasks.get_phase(session, task, phase))
    return Response(text, content_type="application/json")


def copy_task(slug: str, actor: Actor, copy_slug: str, days: int) -> str:
    """Copy a task as a draft with its dates moved, and return the slug of the copy."""
    session, storage = context.session(), context.storage()
    task = tasks.get_task(session, slug)
    shift = timedelta(days=days)
    with bundles.plan_copy(session, storage, actor, task, copy_slug, shift) as plan, context.writing():
        task = tasks.get_task(session, slug)
        return bundles.add_copy(session, storage, actor, task, plan, context.arrival_time()).slug


def add_baseline(slug: str, phase: str, actor: Actor, name: BaselineName) -> None:
    """Compute a baseline outside the write lock, and add it to a phase."""
    session, storage = context.session(), context.storage()
    target = tasks.get_phase(session, tasks.get_task(session, slug), phase)
    files = baselines.prepare_baseline(session, storage, actor, target, name)
    with context.writing() as session:
        target = tasks.get_phase(session, tasks.get_task(session, slug), phase)
        baselines.add_baseline(session, storage, actor, target, name, files, context.arrival_time())


def remove_baseline(slug: str, phase: str, actor: Actor, name: BaselineName) -> None:
    """Remove a baseline from a phase."""
    with context.writing() as session:
        target = tasks.get_phase(session, tasks.get_task(session, slug), phase)
        baselines.remove_baseline(session, actor, target, name, context.arrival_time())
