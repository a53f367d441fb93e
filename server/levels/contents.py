"""What a split has, and a bundle of it alone, with which its files are checked as at an import."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

import tomli_w
from sqlalchemy import select
from sqlalchemy.orm import Session

from scorer.bundles.drafts.items_preview import preview_items
from scorer.bundles.overview import OffStep, SplitOverview, list_off_step, list_splits
from scorer.files.numbers import read_number
from server import bundles
from server.bundles.task_toml import drop_none, task_values
from server.core.cache import CacheByHash
from server.core.errors import FileProblem, InvalidFile
from server.core.i18n import _
from server.core.storage import Storage, storage_of
from server.core.zips import MEGABYTE
from server.gold import versions as gold_versions
from server.gold.models import GoldVersion
from server.levels.models import FileKind, WaitingFile
from server.tasks.models import Level
from server.tasks.split_names import SPLITS

IN_PROCESS_LIMIT = MEGABYTE
"""The maximum size of a split's files that are read without a process that has limits of memory and time."""
ANY_SCALE = {"min": -1e300, "max": 1e300}
"""The scale against which gold is checked before the task has one."""
TASK_KEYS = ("slug", "title", "scale", "run_format", "keyed", "confidence")
Mistake = Literal["swapped", "gold as items", "items as gold", "keyed gold"]
"""Files in each other's field; or gold with ids before the task has that format."""


@dataclass(frozen=True, slots=True)
class SplitFile:
    """A file of a split, which is in the store; `name`: what the person called it, if that is known."""

    sha256: str
    size: int
    name: str = ""


@dataclass(frozen=True, slots=True)
class SplitState:
    """The files of a split, and whether everyone can download its gold."""

    items: SplitFile | None = None
    gold: SplitFile | None = None
    public_gold: bool = False

    @property
    def files(self) -> Mapping[FileKind, SplitFile]:
        """Its files by their kinds."""
        files: dict[FileKind, SplitFile | None] = {"items": self.items, "gold": self.gold}
        return {kind: file for kind, file in files.items() if file is not None}

    def with_files(self, files: Mapping[FileKind, SplitFile]) -> "SplitState":
        """Return the split with these files in the place of its own."""
        return replace(self, items=files.get("items", self.items), gold=files.get("gold", self.gold))


@dataclass(frozen=True, slots=True)
class LevelFiles:
    """A level as it is at one moment, with all that its files are checked with."""

    task: Mapping[str, Any]
    level: Mapping[str, Any]
    in_use: Mapping[str, SplitState]
    waiting: Mapping[str, SplitState]
    """Files that cannot be used yet, and the splits that have no others."""

    @property
    def has_scale(self) -> bool:
        """Whether gold can be checked against the scale of the task."""
        return "scale" in self.task

    @property
    def splits(self) -> dict[str, SplitState]:
        """The splits with their waiting files in the place of those that they would replace."""
        states = {}
        for name in SPLITS:
            if (waiting := self.waiting.get(name)) is not None:
                in_use = self.in_use.get(name)
                states[name] = waiting if in_use is None else in_use.with_files(waiting.files)
            elif name in self.in_use:
                states[name] = self.in_use[name]
        return states


def read_level(session: Session, level: Level) -> LevelFiles:
    """Return a level as it is now."""
    return read_levels(session, [level])[level.slug]


def read_levels(session: Session, levels: Sequence[Level]) -> dict[str, LevelFiles]:
    """Return levels of a task as they are now, by their short names."""
    golds = gold_versions.list_golds(session, [split for level in levels for split in level.splits])
    rows: dict[int, list[WaitingFile]] = {level.id: [] for level in levels}
    query = select(WaitingFile).where(WaitingFile.level_id.in_(rows))
    for row in session.scalars(query.order_by(WaitingFile.split, WaitingFile.kind)):
        rows[row.level_id].append(row)
    return {level.slug: _describe_level(session, level, golds, rows[level.id]) for level in levels}


def _describe_level(
    session: Session, level: Level, golds: Mapping[int, GoldVersion], rows: Sequence[WaitingFile]
) -> LevelFiles:
    in_use = {}
    for split in level.splits:
        gold = golds.get(split.id)
        in_use[split.name] = SplitState(
            SplitFile(split.items_sha256, storage_of(session).size(split.items_sha256)),
            None if gold is None else SplitFile(gold.sha256, storage_of(session).size(gold.sha256)),
            split.public_gold,
        )
    waiting = dict[str, SplitState]()
    for row in rows:
        state = waiting.get(row.split, SplitState(public_gold=row.public_gold))
        waiting[row.split] = state.with_files({row.kind: SplitFile(row.sha256, row.size, row.name)})
    known = task_values(level.task, None)
    values = {
        "slug": level.slug,
        "title": level.title,
        "sides": list(level.sides),
        "metrics": list(level.metrics),
        "counts": level.counts,
        **level.layout,
    }
    of_task = {key: known[key] for key in TASK_KEYS if key in known}
    return LevelFiles(of_task, drop_none(values), in_use, waiting)


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The problems of a split's files, of which there are `count`; without any, what they have.

    `message` says what is wrong if that is no problem of one of its files.
    """

    problems: tuple[FileProblem, ...] = ()
    count: int = 0
    message: str = ""
    overview: SplitOverview | None = None
    off_step: OffStep | None = None
    """Gold values that are allowed, but not on a step of the scale."""
    mistake: Mistake | None = None
    """What seems to be the cause of the problems."""

    @property
    def is_good(self) -> bool:
        """Whether there is no problem."""
        return not self.problems and not self.message


_RESULTS: CacheByHash[tuple[str, bool], CheckResult] = CacheByHash(64)
"""The results of checks by a hash of everything that was checked; only organizers see them."""


def file_path(kind: FileKind, split: str, level: str) -> str:
    """Return the name of a file in problems."""
    return f"{kind}/{split}/{level}.tsv"


def check_split(state: LevelFiles, name: str, split: SplitState, storage: Storage) -> CheckResult:
    """Check the files of a split as an import does."""
    if split.items is None:
        mistake = _find_mistake(state, split, storage)
        return CheckResult(message=_("Upload the items of the split, too."), mistake=mistake)
    toml = _write_toml(state, name, split)
    hashes = "".join(f"\n{kind} {file.sha256}" for kind, file in split.files.items())
    is_small = sum(file.size for file in split.files.values()) <= IN_PROCESS_LIMIT
    plan = bundles.plan_import if is_small else bundles.plan_upload

    def compute() -> CheckResult:
        with TemporaryDirectory(prefix="assay-level-") as folder:
            (Path(folder) / "task.toml").write_bytes(toml)
            for kind, file in split.files.items():
                path = Path(folder) / file_path(kind, name, state.level["slug"])
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(storage.get(file.sha256))
            result = _plan(Path(folder), plan)
        return result if result.is_good else replace(result, mistake=_find_mistake(state, split, storage))

    try:
        return _RESULTS.get((hashlib.sha256(toml + hashes.encode()).hexdigest(), is_small), compute)
    except InvalidFile as error:
        return CheckResult(message=error.message)


def _plan(folder: Path, plan: Callable[[Path], bundles.ImportPlan]) -> CheckResult:
    try:
        bundle = plan(folder).bundle
    except InvalidFile as error:
        if not error.problems:
            raise  # it took too long, which it may not do the next time: that is not cached
        return CheckResult(tuple(error.problems), error.count)
    return CheckResult(overview=list_splits(bundle)[0], off_step=next(iter(list_off_step(bundle)), None))


def _find_mistake(state: LevelFiles, split: SplitState, storage: Storage) -> Mistake | None:
    """Return what seems to be wrong with the choice of files that have problems."""
    sides, is_keyed = state.level["sides"], state.task["run_format"] == "keyed"
    kinds = {kind: _recognize(storage.get(file.sha256), sides) for kind, file in split.files.items()}
    items, gold = kinds.get("items"), kinds.get("gold")
    if items in ("gold", "keyed gold"):
        return "swapped" if gold == "items" else "gold as items"
    if is_keyed or gold not in ("items", "keyed gold"):
        return None
    return "keyed gold" if gold == "keyed gold" else "items as gold"


def _recognize(data: bytes, sides: Sequence[str]) -> Literal["items", "gold", "keyed gold"] | None:
    """Return what the first rows of a file look like."""
    preview = preview_items(data, sides=sides)
    if "pair" in preview.roles or {"left", "right"} <= {*preview.roles}:
        return "items"
    values = [row[-1].strip() for row in preview.rows[1:] if row]  # the first row may be a header
    if not values or any(value and read_number(value) is None for value in values):
        return None
    return "gold" if len(preview.roles) == 1 else "keyed gold"


def _write_toml(state: LevelFiles, name: str, split: SplitState) -> bytes:
    """Write the task.toml of a bundle that has this split alone."""
    files = {kind: file_path(kind, name, state.level["slug"]) for kind in split.files}
    tables = {
        "task": {"scale": ANY_SCALE, **state.task},
        "level": [{**state.level, name: {**files, "public_gold": split.public_gold}}],
        "phase": [{"slug": "check", "split": name}],
    }
    return tomli_w.dumps(tables).encode()
