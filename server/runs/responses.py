"""All runs of a phase as one zip, for its page and the API."""

from flask import Response

from server.access import request_tasks, tasks
from server.core import db
from server.core.actors import Actor
from server.runs import archives as run_archives
from server.web import context
from server.web.downloads import send_zip


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
