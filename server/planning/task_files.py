"""The pictures of a task: texts in Markdown show them by their names, and one can be the task's logo."""

import json
import sys
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path, PurePath
from tempfile import TemporaryDirectory

from sqlalchemy import select
from sqlalchemy.orm import Session

from server.access import service as access
from server.audit import service as audit
from server.core import child_processes
from server.core.actors import Actor
from server.core.child_processes import LimitsExceeded, ProcessFailed
from server.core.errors import Conflict, InvalidFile, require_found
from server.core.i18n import N_, _
from server.core.storage import Storage
from server.core.zips import MEGABYTE
from server.tasks.models import Task, TaskPicture
from server.tasks.picture_process import MAX_SIDE, PictureFacts
from server.tasks.rules import suggest_slug

SIZE_LIMIT = 2 * MEGABYTE
"""The maximum size of an uploaded file."""
MAX_PICTURES = 50
"""The maximum number of pictures of a task."""
COMMAND = (sys.executable, "-m", "server.tasks.picture_process")
ENDINGS = {"image/png": ".png", "image/jpeg": ".jpg", "image/webp": ".webp"}
_FAULTS = {
    "unreadable": N_("This file cannot be read as a PNG, JPEG or WebP picture. Choose another file."),
    "pixels": N_(
        "The picture is more than %(side)d pixels wide or high. Make it smaller and upload it again."
    ),
}
TOO_LARGE = N_("A picture can have at most 2 MB. Make it smaller and upload it again.")


@dataclass(frozen=True, slots=True)
class CleanPicture:
    """A picture without metadata, in the store under its SHA-256."""

    name: str
    sha256: str
    facts: PictureFacts


def clean_picture(storage: Storage, filename: str, data: bytes) -> CleanPicture:
    """Decode an uploaded picture in a process with limits, and store it without metadata.

    Raises:
        InvalidFile: it is too large, has too many pixels, or cannot be read.
    """
    if len(data) > SIZE_LIMIT:
        raise InvalidFile(_(TOO_LARGE), (), 0)
    with TemporaryDirectory() as folder:
        source, target = Path(folder, "source"), Path(folder, "target")
        source.write_bytes(data)
        try:
            printed = child_processes.run_limited(
                (*COMMAND, str(source), str(target)), timeout=child_processes.TIME_LIMIT
            )
            result = json.loads(printed)
        except (LimitsExceeded, ProcessFailed):
            result = "unreadable"
        if isinstance(result, str):
            raise InvalidFile(_(_FAULTS[result], side=MAX_SIDE), (), 0)
        facts, stem = PictureFacts(*result), suggest_slug(PurePath(filename).stem)
        name = (stem or "picture") + ENDINGS[facts.content_type]
        return CleanPicture(name, storage.put(target.read_bytes()), facts)


def save_picture(session: Session, actor: Actor, task: Task, clean: CleanPicture, now: datetime) -> bool:
    """Add a picture to a task, or replace the one with the same name; return whether it was replaced.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task.
        Conflict: the task has as many pictures as it can have.
    """
    access.require_organizer(session, actor, task)
    present = list_pictures(session, task)
    picture = next((picture for picture in present if picture.name == clean.name), None)
    replaced = picture is not None
    if picture is None:
        if len(present) >= MAX_PICTURES:
            raise Conflict.of(
                "A task can have at most %(most)d pictures. Delete one of them first.", most=MAX_PICTURES
            )
        picture = TaskPicture(task_id=task.id, name=clean.name)
        session.add(picture)
    picture.sha256 = clean.sha256
    picture.content_type, picture.width, picture.height, _is_clean = clean.facts
    session.flush()
    audit.record(session, actor, now, "picture.save", task.id, picture=clean.name, sha256=clean.sha256)
    return replaced


def choose_logo(session: Session, actor: Actor, task: Task, name: str, now: datetime) -> None:
    """Make a picture the logo of its task; with an empty name, the task has no logo any more.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task, or it has no such picture.
    """
    access.require_organizer(session, actor, task)
    chosen = get_picture(session, task, name) if name else None
    for picture in list_pictures(session, task):
        picture.is_logo = picture is chosen
    session.flush()
    session.expire(task, ["logo"])
    audit.record(session, actor, now, "picture.logo", task.id, picture=name or None)


def delete_picture(session: Session, actor: Actor, task: Task, name: str, now: datetime) -> None:
    """Delete a picture; texts that have it show a link in its place.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task, or it has no such picture.
    """
    access.require_organizer(session, actor, task)
    session.delete(get_picture(session, task, name))
    session.flush()
    session.expire(task, ["logo"])
    audit.record(session, actor, now, "picture.delete", task.id, picture=name)


def list_pictures(session: Session, task: Task) -> list[TaskPicture]:
    """List the pictures of a task by name."""
    query = select(TaskPicture).where(TaskPicture.task_id == task.id)
    return list(session.scalars(query.order_by(TaskPicture.name)))


def get_picture(session: Session, task: Task, name: str) -> TaskPicture:
    """Return the picture of a task with this name.

    Raises:
        NotFound: there is none.
    """
    query = select(TaskPicture).where(TaskPicture.task_id == task.id, TaskPicture.name == name)
    return require_found(session.scalar(query), _("There is no such picture."))
