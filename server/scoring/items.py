"""The items of a level and split, one by one."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy.orm import Session

from server.access import tasks
from server.core.actors import Actor
from server.core.storage import Storage
from server.scoring import service as scoring
from server.tasks.models import Task


def read_items(
    session: Session, storage: Storage, actor: Actor, task: Task, level: str, split: str, now: datetime
) -> Sequence[object]:
    """The items in the order of their file, for whoever may download it now.

    Raises:
        NotFound: there is no such file, or not yet, or not for this person.
    """
    file, content = tasks.read_file(session, storage, actor, task, level, split, "items", now)
    return scoring.parse_items(content, level, file.level.layout).items
