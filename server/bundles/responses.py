"""Importing and exporting a whole task, for its page and the API."""

from pathlib import Path
from typing import IO

from flask import Response, current_app

from server import bundles
from server.access import request_tasks, service as access
from server.accounts.models import User
from server.bundles.exporting import People
from server.core import db
from server.core.actors import Actor
from server.core.zips import WEB_LIMITS, unpacked
from server.web import context
from server.web.downloads import send_zip


def host_task(stream: IO[bytes], actor: Actor) -> str:
    """Host the task of a zip with the actor as organizer, and return its slug."""
    with unpacked(stream, WEB_LIMITS) as folder:
        return host_folder(folder, actor)


def host_folder(folder: Path, actor: Actor) -> str:
    """Host the task of a folder, and return its slug.

    Raises:
        InvalidFile: with every problem.
        Conflict: the person has too many drafts, or another task has its short name.
    """
    storage = context.storage()
    db.end_reading(context.session())  # reading a bundle takes a while, so no transaction stays open
    plan = bundles.plan_upload(folder)
    bundles.keep_files(storage, plan)
    with context.writing() as session:
        access.require_import(session, actor, everybody=is_import_open())
        access.require_room_for_draft(session, actor)
        organizer = session.get_one(User, actor.user_id)
        return bundles.import_task(
            session, actor, plan, [organizer], context.arrival_time(), published=False
        ).slug


def is_import_open() -> bool:
    """Whether the site lets every account host a task."""
    return context.site_of(current_app).config.open_import


def send_export(slug: str, actor: Actor, people: People) -> Response:
    """Send a task as a zip to one of its organizers, and record the download."""
    session = context.session()
    with db.reading(session):
        export = bundles.collect_export(session, actor, request_tasks.get_task(slug), people)
    with context.writing() as session:
        bundles.record_export(session, actor, request_tasks.get_task(slug), export, context.arrival_time())
    return send_zip(export.slug, export.readers(context.storage()))
