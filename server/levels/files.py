"""The files of a level's splits: checked before the write lock is taken, and put into use together.

Items come with their gold. Files that do not fit each other, the columns or the scale wait, and what was
there before stays in use until they do.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy import delete
from sqlalchemy.orm import Session

from scorer.files.reading import ItemsLayout
from server.access import service as access, tasks
from server.audit import service as audit
from server.bundles.task_toml import drop_none
from server.core.actors import Actor
from server.core.belonging import delete_with_rows
from server.core.errors import ChangedMeanwhile, Conflict
from server.core.i18n import _
from server.core.storage import Storage, storage_of
from server.core.zips import MEGABYTE
from server.corrections import service as gold
from server.gold import versions as gold_versions
from server.levels import baseline_files, changes, contents
from server.levels.contents import CheckResult, LevelFiles, SplitFile, SplitState
from server.levels.models import FileKind, WaitingFile
from server.levels.preview import guess_layout
from server.mail import notices
from server.phases import windows
from server.scoring import kit_gold, service as scoring
from server.tasks.models import Level, Split, Task
from server.tasks.split_names import SPLITS, split_words

SIZE_LIMIT = 64 * MEGABYTE
"""The maximum size of all items and gold files of a task together."""
GOLD_REASON = "came with the items"


@dataclass(frozen=True, slots=True)
class SplitChange:
    """Uploads for a split, who can download its gold, and whether its present files are removed first.

    If any of these wait, only those that wait are removed.
    """

    uploads: Mapping[FileKind, SplitFile]
    public_gold: bool = False
    removed: bool = False


@dataclass(frozen=True, slots=True)
class PreparedSplit:
    """The files that a split is to have, and what a check found."""

    state: SplitState
    check: CheckResult
    removed: bool = False
    """Whether what is in use is removed first."""
    in_use_check: CheckResult | None = None
    """What a check of the files in use found; None: they do not stay in use with other columns."""


@dataclass(frozen=True, slots=True)
class PreparedLevel:
    """New files and columns of a level, checked, and the state that it has to have until they are stored."""

    before: LevelFiles
    layout: ItemsLayout | None
    """The new layout; None: it does not change."""
    splits: Mapping[str, PreparedSplit]
    """The splits that change."""


def prepare_level(
    before: LevelFiles,
    storage: Storage,
    edits: Mapping[str, SplitChange],
    layout: ItemsLayout | None = None,
    *,
    again: bool = False,
) -> PreparedLevel:
    """Check a level with new files and columns, or (`again`) its waiting files; reads no database.

    The columns of the first items of a level are guessed.
    """
    splits = {name: _edit_split(before, name, edits.get(name)) for name in SPLITS}
    new = [name for name in reversed(SPLITS) if name in edits and "items" in edits[name].uploads]
    if layout is None and new:
        layout = _guess_columns(before, storage, splits, new)
    after = before if layout is None else replace(before, level=_with_layout(before, layout))
    has_new_layout = after.level != before.level
    prepared = {}
    for name, split in splits.items():
        removed = name in edits and edits[name].removed and name not in before.waiting
        waits = again and name in before.waiting
        if split == before.splits.get(name, SplitState()) and not (has_new_layout or removed or waits):
            continue
        check = contents.check_split(after, name, split, storage) if split.files else CheckResult()
        stays = None if removed or check.is_good else before.in_use.get(name)
        in_use_check = contents.check_split(after, name, stays, storage) if stays and has_new_layout else None
        prepared[name] = PreparedSplit(split, check, removed, in_use_check)
    return PreparedLevel(before, layout if has_new_layout else None, prepared)


def _guess_columns(
    before: LevelFiles, storage: Storage, splits: Mapping[str, SplitState], new: Sequence[str]
) -> ItemsLayout | None:
    """Guess the columns of new items; None: the level's stay, as other items have them, or these fit them."""
    split = replace(splits[new[0]], gold=None)
    others = any(splits[name].items is not None for name in SPLITS if name not in new)
    has_columns = bool(before.in_use) or "columns" in before.level
    if has_columns and (others or contents.check_split(before, new[0], split, storage).is_good):
        return None
    data = b"" if split.items is None else storage.get(split.items.sha256)
    return guess_layout(before, data, may_stay="columns" in before.level)


def _edit_split(before: LevelFiles, name: str, edit: SplitChange | None) -> SplitState:
    present = before.splits.get(name, SplitState())
    if edit is None:
        return present
    kept = present
    if edit.removed:  # of files that wait, these alone
        kept = before.in_use.get(name, SplitState()) if name in before.waiting else SplitState()
    return replace(kept.with_files(edit.uploads), public_gold=edit.public_gold)


def _with_layout(state: LevelFiles, layout: ItemsLayout) -> dict[str, object]:
    values = scoring.layout_values(layout)
    known = {key: value for key, value in state.level.items() if key not in values}
    return known | drop_none(values)


def put_level(session: Session, actor: Actor, level: Level, prepared: PreparedLevel, now: datetime) -> bool:
    """Put the prepared files that fit into use; the others wait. Return whether teams get an email about it.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task.
        Conflict: the level was changed meanwhile, its items can no longer be changed, files that are in use
            would no longer fit, the files of the task would be too large together, or the starter kit
            contains gold that would be hidden.
    """
    access.require_organizer(session, actor, level.task)
    if contents.read_level(session, level) != prepared.before:
        words = _("%(level)s was changed meanwhile. Look at it, and try again.", level=level.title)
        raise ChangedMeanwhile(words)
    for name, split in prepared.splits.items():
        _require_changeable(session, level, name, split, prepared)
    if prepared.layout is not None:
        level.layout = scoring.layout_values(prepared.layout)
        session.flush()
    writer = _SplitWriter(session, actor, level, prepared, now)
    told = [writer.put(name, split) for name, split in prepared.splits.items()]
    session.flush()
    session.expire_all()
    _require_space(session, level.task)
    kit_gold.require_no_hidden_gold(session, level.task)
    return any(told)


def _require_changeable(
    session: Session, level: Level, name: str, prepared: PreparedSplit, level_plan: PreparedLevel
) -> None:
    """Raise if files that are in use would change although they may not, or would no longer fit."""
    task, present = level.task, tasks.find_split(level, name)
    in_use = level_plan.before.in_use.get(name, SplitState())
    keeps_files = (level_plan.layout, prepared.removed, prepared.state.files) == (None, False, in_use.files)
    if keeps_files and prepared.state.public_gold == in_use.public_gold:
        return  # only files that wait are removed
    find_obstacle = changes.find_public_gold_obstacle if keeps_files else changes.find_split_obstacle
    if (obstacle := find_obstacle(session, level, name)) is not None:
        raise Conflict.of("%(obstacle)s So these files can no longer be changed.", obstacle=obstacle)
    if present is None:
        return
    gold.require_no_candidate(session, present)
    if task.published_at is not None:
        if prepared.removed:
            raise Conflict.of("The task was published, so its items can be replaced, but not removed.")
        if prepared.state.public_gold != present.public_gold:
            raise Conflict.of(
                "Whether everyone can download the gold is chosen before the task is published."
            )
    if (check := prepared.in_use_check) is not None and not check.is_good:
        reason = next((str(problem) for problem in check.problems), check.message)
        raise Conflict.of(
            "The %(split)s items that are in use do not fit these columns: %(reason)s",
            split=split_words(name),
            reason=reason,
        )
    items = prepared.state.items
    if items is None or items.sha256 != present.items_sha256:
        _require_no_declared_items(session, task, name)


def _require_no_declared_items(session: Session, task: Task, split: str) -> None:
    """Raise if a phase shows scores on public items, which were declared for the items in use."""
    for phase in windows.list_phases_on_items(session, task.id, split):
        if phase.feedback == "public-part":
            raise Conflict.of(
                "%(phase)s shows scores on public items, which were declared for the present items. "
                "Choose other feedback for it first.",
                phase=phase.title,
            )


def _require_space(session: Session, task: Task) -> None:
    """Raise if the files of a task are too large together."""
    states = contents.read_levels(session, task.levels).values()
    splits = [split for state in states for of in (state.in_use, state.waiting) for split in of.values()]
    require_size(file.size for split in splits for file in split.files.values())


def require_size(sizes: Iterable[int]) -> None:
    """Raise if files of a task with these sizes are too large together."""
    if sum(sizes) > SIZE_LIMIT:
        raise Conflict.of(
            "The files of a task can have at most %(most)d MB together. The operator of the site can "
            "import a larger task.",
            most=SIZE_LIMIT // 1_000_000,
        )


@dataclass(frozen=True, slots=True)
class _SplitWriter:
    """Writes the splits of a level under the lock."""

    session: Session
    actor: Actor
    level: Level
    level_plan: PreparedLevel
    now: datetime

    def put(self, name: str, prepared: PreparedSplit) -> bool:
        """Put the files of a split into use if they fit; otherwise those that are not in use wait.

        Return whether teams get an email about replaced items.
        """
        of_split = WaitingFile.level_id == self.level.id, WaitingFile.split == name
        self.session.execute(delete(WaitingFile).where(*of_split))
        present = tasks.find_split(self.level, name)
        if prepared.removed and present is not None:
            self._remove(present)
            present = None
        if present is not None and present.public_gold != prepared.state.public_gold:
            present.public_gold = prepared.state.public_gold
        state, overview = prepared.state, prepared.check.overview
        if not prepared.check.is_good or overview is None:
            self._let_wait(name, state, state.files)
            return False
        has_gold = state.gold is not None and self.level_plan.before.has_scale
        if state.gold is not None and not has_gold:
            self._let_wait(name, state, {"gold": state.gold})
        return self._use(name, state, overview.n, present, has_gold=has_gold)

    def _let_wait(self, name: str, state: SplitState, files: Mapping[FileKind, SplitFile]) -> None:
        """Keep files that cannot be used yet, but for those that are in use."""
        in_use = self.level_plan.before.in_use.get(name, SplitState()).files
        for kind, file in files.items():
            if kind not in in_use or in_use[kind].sha256 != file.sha256:
                values = {"sha256": file.sha256, "name": file.name, "size": file.size}
                row = WaitingFile(level_id=self.level.id, split=name, kind=kind, **values)
                row.public_gold = state.public_gold
                self.session.add(row)
        self.session.flush()

    def _use(self, name: str, state: SplitState, n: int, present: Split | None, *, has_gold: bool) -> bool:
        """Put items and their gold into use, and have the baselines computed for them."""
        assert state.items is not None  # noqa: S101  (they were checked)
        sha256, session = state.items.sha256, self.session
        replaced = None if present is None else present.items_sha256
        gold_before = None if present is None else gold_versions.find_gold(session, present)
        split = present or Split(level=self.level, name=name, held_out_genres=[])
        if replaced != sha256:
            split.public_items_sha256 = split.n_public = None
        split.items_sha256, split.n_items, split.public_gold = sha256, n, state.public_gold
        session.add(split)
        session.flush()
        file = state.gold if has_gold else None
        is_new_gold = file is not None and (
            gold_before is None or gold_before.sha256 != file.sha256 or replaced != sha256
        )
        if replaced == sha256 and not is_new_gold and self.level_plan.layout is None:
            return False
        removed = baseline_files.compute_again(
            session, self.actor, self.level.task, [self.level], self.now, name, same_items=replaced == sha256
        )
        split = session.get_one(Split, split.id)
        audit.record(
            session, self.actor, self.now, "items.put", self.level.task_id, level=self.level.slug, split=name,
            items=[replaced, sha256], gold=is_new_gold, baselines=removed,
        )  # fmt: skip
        if file is not None and is_new_gold:
            data = storage_of(self.session).get(file.sha256)
            version = gold.add_version(session, self.actor, split, data, GOLD_REASON, self.now)
            gold.score_baselines(session, version, self.now)
            gold.put_in_force(session, self.actor, version, GOLD_REASON, self.now)
        return replaced not in (None, sha256) and notices.queue_items_notice(session, split, self.now)

    def _remove(self, split: Split) -> None:
        """Remove a split of a draft."""
        name, removed = split.name, baseline_files.delete_files(self.session, self.level, split.name)
        delete_with_rows(self.session, Split.__table__, split.id)
        self.session.expire_all()
        audit.record(
            self.session, self.actor, self.now, "items.remove", self.level.task_id, level=self.level.slug,
            split=name, baselines=removed,
        )  # fmt: skip
