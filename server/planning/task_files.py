"""A task's own files: pictures that its texts show, one of them its logo, and its starter kit."""

import json
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path, PurePath
from tempfile import TemporaryDirectory

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session

from server.access import service as access
from server.audit import service as audit
from server.core import child_processes
from server.core.actors import Actor
from server.core.errors import Conflict, InvalidFile, NotFound
from server.core.i18n import N_, _
from server.core.storage import Storage
from server.core.zips import MEGABYTE, safe_filename
from server.scoring import kit_gold
from server.tasks import kit_files
from server.tasks.models import Task, TaskFile
from server.tasks.picture_process import MAX_SIDE, PictureFacts
from server.tasks.rules import suggest_slug

SIZE_LIMIT = 2 * MEGABYTE
"""The maximum size of an uploaded file."""
MAX_PICTURES, MAX_KIT_FILES = 50, 10
"""The maximum numbers of pictures and of files of the starter kit of a task."""
COMMAND = (sys.executable, "-m", "server.tasks.picture_process")
ENDINGS = {"image/png": ".png", "image/jpeg": ".jpg", "image/webp": ".webp"}
_PICTURE_NAME = re.compile(r"(?i).*\.(png|jpe?g|webp|gif|svg|bmp|tiff?|heic|avif)")
_FAULTS = {
    "unreadable": N_("This file cannot be read as a PNG, JPEG or WebP picture. Choose another file."),
    "pixels": N_(
        "The picture is more than %(side)d pixels wide or high. Make it smaller and upload it again."
    ),
}
TOO_LARGE = N_("A file can have at most 2 MB. Make it smaller and upload it again.")
_FILES = select(TaskFile).where(TaskFile.task_id == bindparam("task_id")).order_by(TaskFile.name)


@dataclass(frozen=True, slots=True)
class CleanFile:
    """A picture without metadata, or a file of a starter kit, in the store under its SHA-256."""

    name: str
    sha256: str
    content_type: str
    size: tuple[int, int] | None = None
    """The width and the height of a picture."""


def clean_file(storage: Storage, filename: str, data: bytes) -> CleanFile:
    """Store an uploaded file: pictures as `clean_picture` does, others, for the starter kit, as they are.

    Raises:
        InvalidFile: it is too large, or neither a picture nor text nor a zip of texts.
    """
    if len(data) > SIZE_LIMIT:
        raise InvalidFile(_(TOO_LARGE), (), 0)
    name = safe_filename(PurePath(filename).name)
    if _PICTURE_NAME.fullmatch(filename) or _PICTURE_NAME.fullmatch(name):
        return clean_picture(storage, filename, data)
    content_type = kit_files.find_content_type(data)
    return CleanFile(name, storage.put(data), content_type)


def clean_picture(storage: Storage, filename: str, data: bytes) -> CleanFile:
    """Decode a picture in a process with limits, and store it without metadata.

    Raises:
        InvalidFile: it has too many pixels, or cannot be read.
    """
    with TemporaryDirectory() as folder:
        source, target = Path(folder, "source"), Path(folder, "target")
        source.write_bytes(data)
        try:
            printed = child_processes.run_limited(
                (*COMMAND, str(source), str(target)), timeout=child_processes.TIME_LIMIT
            )
            result = json.loads(printed)
        except (child_processes.LimitsExceeded, child_processes.ProcessFailed):
            result = "unreadable"
        if isinstance(result, str):
            raise InvalidFile(_(_FAULTS[result], side=MAX_SIDE), (), 0)
        facts, stem = PictureFacts(*result), suggest_slug(PurePath(filename).stem)
        name = (stem or "picture") + ENDINGS[facts.content_type]
        size = facts.width, facts.height
        return CleanFile(name, storage.put(target.read_bytes()), facts.content_type, size)


def check_kit(session: Session, task: Task, clean: CleanFile) -> None:
    """Compare a file with the hidden gold before the lock is taken, unless it is a picture.

    Raises:
        Conflict: it contains hidden gold.
    """
    if clean.size is None:
        kit_gold.require_no_hidden_gold(session, task, kit=[(clean.name, clean.sha256)])


def save_file(session: Session, actor: Actor, task: Task, clean: CleanFile, now: datetime) -> bool:
    """Add a file to a task, or replace the one with the same name; return whether it was replaced.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task.
        Conflict: the task has as many files as it can have, or the file contains hidden gold.
    """
    access.require_organizer(session, actor, task)
    present = list_files(session, task)
    file = next((file for file in present if file.name == clean.name), None)
    replaced = file is not None
    if file is None:
        _require_room(present, clean)
        file = TaskFile(task_id=task.id, name=clean.name)
        session.add(file)
    file.sha256, file.content_type = clean.sha256, clean.content_type
    file.width, file.height = clean.size or (None, None)
    session.flush()
    kit_gold.require_no_hidden_gold(session, task)
    if file.is_picture:
        audit.record(session, actor, now, "picture.save", task.id, picture=file.name, sha256=file.sha256)
    else:
        audit.record(session, actor, now, "kit.save", task.id, kit_file=file.name, sha256=file.sha256)
    return replaced


def _require_room(present: Sequence[TaskFile], clean: CleanFile) -> None:
    """Raise if a task has as many pictures, or files of its starter kit, as it can have."""
    most = MAX_KIT_FILES if clean.size is None else MAX_PICTURES
    if sum(file.is_picture == (clean.size is not None) for file in present) >= most:
        if clean.size is None:
            raise Conflict.of(
                "A starter kit can have at most %(most)d files. Delete one of them, or put several into a "
                "zip file.",
                most=most,
            )
        raise Conflict.of("A task can have at most %(most)d pictures. Delete one of them first.", most=most)


def choose_logo(session: Session, actor: Actor, task: Task, name: str, now: datetime) -> None:
    """Make a picture the logo of its task; with an empty name, the task has no logo any more.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task, or it has no such picture.
    """
    access.require_organizer(session, actor, task)
    chosen = get_file(session, task, name, is_picture=True) if name else None
    for file in list_pictures(session, task):
        file.is_logo = file is chosen
    session.flush()
    session.expire(task, ["logo"])
    audit.record(session, actor, now, "picture.logo", task.id, picture=name or None)


def delete_file(session: Session, actor: Actor, task: Task, name: str, now: datetime) -> None:
    """Delete a file; texts that have it as a picture show a link in its place.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task, or it has no such file.
    """
    access.require_organizer(session, actor, task)
    file = get_file(session, task, name)
    session.delete(file)
    session.flush()
    session.expire(task, ["logo"])
    if file.is_picture:
        audit.record(session, actor, now, "picture.delete", task.id, picture=name)
    else:
        audit.record(session, actor, now, "kit.delete", task.id, kit_file=name)


def list_pictures(session: Session, task: Task) -> list[TaskFile]:
    """List the pictures of a task by name."""
    return [file for file in list_files(session, task) if file.is_picture]


def list_kit(session: Session, task: Task) -> list[TaskFile]:
    """List the files of the starter kit by name."""
    return [file for file in list_files(session, task) if not file.is_picture]


def list_files(session: Session, task: Task) -> list[TaskFile]:
    """List the pictures and the starter kit of a task by name."""
    return list(session.scalars(_FILES, {"task_id": task.id}))


def get_file(session: Session, task: Task, name: str, *, is_picture: bool | None = None) -> TaskFile:
    """Return the file of a task with this name; `is_picture`: which of both it has to be.

    Raises:
        NotFound: there is none.
    """
    query = select(TaskFile).where(TaskFile.task_id == task.id, TaskFile.name == name)
    file = session.scalar(query)
    if file is None or is_picture not in (None, file.is_picture):
        raise NotFound.of("There is no such file.")
    return file
