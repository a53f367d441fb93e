"""Adding, editing and removing a level."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy.orm import Session

from scorer.files.reading import ItemsLayout
from server.access import service as access
from server.audit import service as audit
from server.core.actors import Actor
from server.core.belonging import delete_with_rows
from server.core.errors import Conflict, NameTaken, NotFound
from server.core.i18n import _
from server.core.storage import text_sha256
from server.levels import baseline_files, changes
from server.scoring import service as scoring
from server.tasks.models import Level, Task

MAX_LEVELS = 200


@dataclass(frozen=True, slots=True)
class LevelEdit:
    """The names of a level, whether it counts in the total, and its own metrics; none: those of the task."""

    slug: str
    title: str
    sides: tuple[str, str]
    counts: bool = True
    metrics: tuple[str, ...] = ()


def get_level(task: Task, slug: str) -> Level:
    """Return a level of a task.

    Raises:
        NotFound: there is none with this short name.
    """
    for level in task.levels:
        if level.slug == slug:
            return level
    raise NotFound.of("There is no such level.")


def add_level(session: Session, actor: Actor, task: Task, edit: LevelEdit, now: datetime) -> Level:
    """Add a level without items after the others.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task.
        NameTaken: another level has this short name.
        Conflict: the levels can no longer be changed, or there are too many.
    """
    changes.require_changeable_task(session, actor, task)
    if len(task.levels) >= MAX_LEVELS:
        raise Conflict.of("A task can have at most %(most)d levels.", most=MAX_LEVELS)
    _require_free_slug(task.levels, edit.slug)
    level = Level(
        task=task,
        position=max((level.position for level in task.levels), default=-1) + 1,
        slug=edit.slug,
        title=edit.title,
        sides=list(edit.sides),
        layout=scoring.layout_values(ItemsLayout()),
        metrics=list(edit.metrics or task.metrics),
        counts=edit.counts,
    )
    session.add(level)
    session.flush()
    audit.record(session, actor, now, "level.add", task.id, level=level.slug)
    return level


def edit_level(session: Session, actor: Actor, level: Level, edit: LevelEdit, now: datetime) -> list[str]:
    """Change the names of a level, and return which; its titles at any time, the rest until it was used.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task.
        NameTaken: another level has this short name.
        Conflict: the short name is fixed since the task was published, the metrics can no longer change, or
            the gold standard lacks what a new metric needs.
    """
    task = level.task
    access.require_organizer(session, actor, task)
    access.require_not_archived(task)
    values: dict[str, Any] = {
        "slug": edit.slug,
        "title": edit.title,
        "sides": list(edit.sides),
        "counts": edit.counts,
        "metrics": list(edit.metrics or task.metrics),
    }
    before = {name: getattr(level, name) for name in values}
    changed = {name: [before[name], value] for name, value in values.items() if before[name] != value}
    if "slug" in changed:
        _require_renamable(session, level)
        _require_free_slug([other for other in task.levels if other is not level], edit.slug)
    if {"counts", "metrics"} & changed.keys():
        changes.require_changeable_task(session, actor, task)
    if not changed:
        return []
    for name in changed:
        setattr(level, name, values[name])
    session.flush()
    removed = []
    if "metrics" in changed:
        changes.require_fitting_gold(session, [level])
        removed = baseline_files.compute_again(session, actor, task, [level], now)
    audited = {
        name: [text_sha256(str(value)) for value in pair] if name in ("title", "sides") else pair
        for name, pair in changed.items()
    }
    details = {"level": before["slug"], "changed": audited, "baselines": removed}
    audit.record(session, actor, now, "level.edit", task.id, **details)
    return list(changed)


def remove_level(session: Session, actor: Actor, level: Level, now: datetime) -> None:
    """Remove a level of a draft that was never published, with its files.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task.
        Conflict: the task was published, a submission was scored, or a campaign is for the level.
    """
    task = level.task
    changes.require_changeable_task(session, actor, task)
    _require_renamable(session, level)
    removed, slug, task_id = baseline_files.delete_files(session, level), level.slug, task.id
    delete_with_rows(session, Level.__table__, level.id)
    audit.record(session, actor, now, "level.remove", task_id, level=slug, baselines=removed)
    session.flush()
    session.expire_all()


def find_name_obstacle(session: Session, level: Level) -> str | None:
    """Return why others know the level by its short name, so that it stays; None: they do not."""
    if level.task.published_at is not None:
        return _("The task was published, so %(title)s keeps its short name and stays.", title=level.title)
    if (campaign := changes.find_campaign(session, level)) is None:
        return None
    return _(
        "The campaign %(campaign)s is for %(title)s, so this level keeps its short name and stays. You can "
        "delete a campaign until an annotator begins, or close it without making its gold standard.",
        campaign=campaign.title,
        title=level.title,
    )


def _require_renamable(session: Session, level: Level) -> None:
    if (obstacle := find_name_obstacle(session, level)) is not None:
        raise Conflict(obstacle)


def _require_free_slug(others: Sequence[Level], slug: str) -> None:
    """Raise if a level has this short name, in upper or lower case: files are named for it."""
    if slug.casefold() in {level.slug.casefold() for level in others}:
        raise NameTaken.of('The task already has a level "%(slug)s". Choose another short name.', slug=slug)
