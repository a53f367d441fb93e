"""Drafts from the files of a package without a task.toml, which do not make a task as they are."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from itertools import product
from pathlib import Path
from typing import Any

from sqlalchemy.orm import Session

from scorer.bundles.bundle import LevelSpec, TaskSpec
from scorer.bundles.reader import read_bundle
from scorer.errors import DataError
from server import bundles
from server.access import service as access, tasks
from server.accounts.models import User
from server.bundles import ImportPlan
from server.core import db
from server.core.actors import Actor
from server.core.i18n import _
from server.core.placeholders import is_placeholder
from server.core.storage import Storage, storage_of
from server.levels import contents, files, service
from server.levels.models import FileKind
from server.planning import baselines
from server.scoring import service as scoring


def draft_package(session: Session, actor: Actor, folder: Path, name: str, now: datetime) -> tuple[str, int]:
    """Host a draft by what the files of a package seem to be; return its slug and the number of other runs.

    Files that do not fit each other wait at their level. Runs are left out, but for baselines: once a run of
    a team was scored, the guesses could no longer be corrected.

    Raises:
        InvalidFile: no file has items, or reading them takes too much memory or time.
        Conflict: the person has too many drafts, or the files are too large together.
    """
    db.end_reading(session)  # reading a package takes a while, so no transaction stays open
    bundles.describe_upload(folder, name)
    try:
        bundle = read_bundle(folder)
    except DataError as error:
        raise scoring.rejection_of(error, _("The package")) from error
    changes = {level.slug: _read_changes(storage_of(session), folder, level) for level in bundle.levels}
    splits = [split for splits in changes.values() for split in splits.values()]
    files.require_size(file.size for split in splits for file in split.uploads.values())
    empty = replace(
        bundle,
        task=_without_placeholders(bundle.task),
        levels=tuple(replace(level, splits={}) for level in bundle.levels),
        runs=(),
    )
    with db.writing(session):
        access.require_room_for_draft(session, actor)
        organizers, plan = [session.get_one(User, actor.user_id)], ImportPlan(empty, (), is_guessed=True)
        task = bundles.import_task(session, actor, plan, organizers, now)
        names = [run.computed for run in bundle.runs if run.computed is not None]
        for spec, baseline in product(bundle.phases, names):
            phase = tasks.get_phase(session, task, spec.slug)
            baselines.add_baseline(session, actor, phase, baseline, now)
        slug = task.slug
    for level in bundle.levels:
        with db.reading(session):
            row = service.get_level(tasks.get_task(session, slug), level.slug)
            state = contents.read_level(session, row)
        prepared = files.prepare_level(state, storage_of(session), changes[level.slug], level.layout)
        with db.writing(session):
            row = service.get_level(tasks.get_task(session, slug), level.slug)
            files.put_level(session, actor, row, prepared, now)
    return slug, len(bundle.runs) - len(names)


def _without_placeholders(task: TaskSpec) -> TaskSpec:
    """Leave the texts empty that someone has to write; a phase without dates would open at once."""
    labels = tuple(label for label in task.scale.labels if not is_placeholder(label[1]))
    names = ("description", "licence", "organizers", "contact")
    empty: dict[str, Any] = dict.fromkeys((name for name in names if is_placeholder(getattr(task, name))), "")
    return replace(task, scale=replace(task.scale, labels=labels), **empty)


def _read_changes(storage: Storage, folder: Path, level: LevelSpec) -> Mapping[str, files.SplitChange]:
    changes = {}
    for name, split in level.splits.items():
        paths: dict[FileKind, str | None] = {"items": split.items, "gold": split.gold}
        uploads = {}
        for kind, path in paths.items():
            if path is not None:
                data = (folder / path).read_bytes()
                uploads[kind] = contents.SplitFile(storage.put(data), len(data), Path(path).name)
        changes[name] = files.SplitChange(uploads, split.public_gold)
    return changes
