"""All runs of a phase as one zip, for its page and the API."""

from tempfile import SpooledTemporaryFile

from flask import Response

from server.access import request_tasks, tasks
from server.core import db
from server.core.actors import Actor
from server.core.zips import MEGABYTE, write_zip
from server.runs import archives as run_archives
from server.runs.archives import RunArchive
from server.web import context
from server.web.downloads import send_zip


def send_run_archive(slug: str, phase: str, actor: Actor) -> Response:
    """The runs of a phase as a zip, for somebody who sees all of the task; that they took it is noted."""
    session = context.session()
    with db.reading(session):
        target = tasks.get_phase(session, request_tasks.get_task(slug), phase)
        archive = run_archives.collect_runs(session, actor, target)
    with context.writing() as session:
        target = tasks.get_phase(session, request_tasks.get_task(slug), phase)
        run_archives.record_archive(session, actor, target, archive, context.arrival_time())
    return send_archive(archive)


def send_archive(archive: RunArchive) -> Response:
    """Files as one zip."""
    file = SpooledTemporaryFile(max_size=8 * MEGABYTE)  # noqa: SIM115  (the server closes it when it is sent)
    write_zip(file, archive.name, archive.readers(context.storage()))
    return send_zip(file, f"{archive.name}.zip")
