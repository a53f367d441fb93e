"""Whether the starter kit of a task contains hidden gold, which everyone could download then."""

from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from server.core.cache import CacheByHash
from server.core.errors import Conflict, InvalidFile
from server.core.storage import storage_of
from server.gold.models import GoldVersion
from server.gold.rules import GoldLabels
from server.scoring import service as scoring
from server.tasks import kit_files
from server.tasks.models import Level, Split, Task, TaskFile
from server.tasks.split_names import split_words

_RESULTS: CacheByHash[tuple[str, str, str, str], bool] = CacheByHash(4096)
"""Whether files contain gold, by their hash and by all that the gold is read from."""


def require_no_hidden_gold(
    session: Session,
    task: Task,
    golds: Sequence[tuple[Split, str]] | None = None,
    kit: Sequence[tuple[str, str]] | None = None,
) -> None:
    """Raise if a file of the starter kit contains a gold version that is not public.

    By default all of them are compared with all of its files. Comparing takes a while, and results are
    cached, so `golds` (with the hashes of their files) or files of the `kit` (with theirs) that are about to
    be added are compared before the lock is taken, and again under it.

    Raises:
        Conflict: one does.
    """
    for name, sha256 in _list_kit(session, task) if kit is None else kit:
        for split, gold in _list_hidden_golds(session, task) if golds is None else golds:
            if not split.public_gold and _contains(session, sha256, split, gold):
                found = {"name": name, "level": split.level.title, "split": split_words(split.name)}
                if kit is not None:
                    raise Conflict.of(
                        "%(name)s contains hidden gold labels of %(level)s (%(split)s), and everyone can "
                        "download the starter kit. It was not added. Remove the labels from the file.",
                        **found,
                    )
                raise Conflict.of(
                    "%(name)s contains hidden gold labels of %(level)s (%(split)s), and everyone can "
                    "download the starter kit. Remove them from the file, or delete it from the starter "
                    "kit.",
                    **found,
                )


def _list_kit(session: Session, task: Task) -> list[tuple[str, str]]:
    query = select(TaskFile.name, TaskFile.sha256).where(
        TaskFile.task_id == task.id, TaskFile.width.is_(None)
    )
    return [(row.name, row.sha256) for row in session.execute(query.order_by(TaskFile.name))]


def _list_hidden_golds(session: Session, task: Task) -> list[tuple[Split, str]]:
    """List all versions of hidden gold: those that were never in force have labels too."""
    query = select(Split, GoldVersion.sha256).join(GoldVersion, GoldVersion.split_id == Split.id).join(Level)
    query = query.where(Level.task_id == task.id, Split.public_gold.is_(False))
    return [(row[0], row[1]) for row in session.execute(query)]


def _contains(session: Session, sha256: str, split: Split, gold: str) -> bool:
    task = split.level.task
    how = repr((split.level.layout, task.keyed, task.scale))

    def compute() -> bool:
        data = storage_of(session).get(gold)
        words = data.decode("utf-8-sig", "replace").split()
        labels = _read_labels(session, split, data)
        texts = kit_files.list_texts(storage_of(session).get(sha256))
        return any(text.split() == words or labels.are_in(text) for text in texts)

    return _RESULTS.get((sha256, gold, split.items_sha256, how), compute)


def _read_labels(session: Session, split: Split, data: bytes) -> GoldLabels:
    """Read labels with the ids of their items; none, if the items were replaced since."""
    try:
        values = scoring.parse_gold(session, split, data, "gold").values
    except InvalidFile:
        return GoldLabels(())
    return GoldLabels(values, scoring.items_of(session, split).ids)
