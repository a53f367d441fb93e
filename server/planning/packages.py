"""Drafts from the files of a package without a task.toml, which do not make a task as they are."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from sqlalchemy.orm import Session

from scorer.bundles.drafts.draft import Draft, DraftLevel
from scorer.bundles.drafts.guess import draft_task
from scorer.errors import DataError
from scorer.files.reading import ItemsLayout
from server.access import tasks
from server.core import db
from server.core.actors import Actor
from server.core.i18n import _
from server.core.storage import Storage
from server.levels import contents, files, service
from server.levels.contents import SplitFile
from server.levels.files import SplitChange
from server.levels.models import FileKind
from server.levels.service import LevelEdit
from server.planning import drafts, scoring_rules
from server.planning.scoring_rules import ScoringEdit
from server.scoring import service as scoring


@dataclass(frozen=True, slots=True)
class DraftedFiles:
    """The uploads and the layout of a level."""

    changes: Mapping[str, SplitChange]
    layout: ItemsLayout


def draft_package(
    session: Session, storage: Storage, actor: Actor, folder: Path, name: str, now: datetime
) -> str:
    """Begin a draft with what the files of a package seem to be, and return its slug.

    Files that do not fit each other wait at their level. Runs are left out.

    Raises:
        InvalidFile: no file has items; with every file, and why it is not used.
        Conflict: the person has too many drafts.
    """
    try:
        draft = draft_task(folder)
    except DataError as error:
        raise scoring.rejection_of(error, _("The package")) from error
    found = {level.slug: _read_files(storage, folder, level) for level in draft.levels}
    with db.writing(session):
        task = drafts.begin_draft(session, actor, draft.title or name, name, now)
        if draft.scale_is_known:
            scoring_rules.edit_scoring(session, storage, actor, task, _scoring_of(draft), now)
        for level in draft.levels:
            left, right = level.sides or ("left", "right")
            service.add_level(session, actor, task, LevelEdit(level.slug, level.title, (left, right)), now)
        slug = task.slug
    for level_slug, level_files in found.items():
        with db.reading(session):
            row = service.get_level(tasks.get_task(session, slug), level_slug)
            state = contents.read_level(session, storage, row)
        prepared = files.prepare_level(state, storage, level_files.changes, level_files.layout)
        with db.writing(session):
            row = service.get_level(tasks.get_task(session, slug), level_slug)
            files.put_level(session, storage, actor, row, prepared, now)
    return slug


def _read_files(storage: Storage, folder: Path, level: DraftLevel) -> DraftedFiles:
    changes = {}
    for name, split in level.splits.items():
        paths: dict[FileKind, str | None] = {"items": split.items, "gold": split.gold}
        uploads = {}
        for kind, path in paths.items():
            if path is not None:
                data = (folder / path).read_bytes()
                uploads[kind] = SplitFile(storage.put(data), len(data), Path(path).name)
        changes[name] = SplitChange(uploads, split.public_gold)
    columns = level.columns if isinstance(level.columns, tuple) else tuple(level.columns.items())
    layout = ItemsLayout(columns, False, level.genre or "id-prefix", level.delimiter)
    return DraftedFiles(changes, layout)


def _scoring_of(draft: Draft) -> ScoringEdit:
    keyed = draft.keyed
    return ScoringEdit(
        scale_min=draft.scale[0],
        scale_max=draft.scale[1],
        scale_step=draft.step,
        labels=(),
        metrics=draft.metrics,
        keyed=None
        if keyed is None
        else {"id": keyed.id, "score": keyed.score, "gold": keyed.gold, "confidence": keyed.confidence},
        confidence_max=draft.confidence,
        total=draft.total,
        total_needs="entered",
        enter_at_least=1,
    )
