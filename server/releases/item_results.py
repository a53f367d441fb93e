"""Results by item: what a reader may see, gold and predicted scores, where two runs differ most.

A run file is public if it is published with the release; otherwise its team and those who see all of the
task can read it. Gold labels are public while the gold of the items is; otherwise only people who see all of
the task can read them. The terms of the task have to be accepted before either. Callers of `find_results` and
`compare_files` first check with `find_readable_items` what the reader may see.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from math import fsum, sqrt
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session, undefer

from scorer.boards.board import Kind, SystemKey
from scorer.errors import UndefinedError
from scorer.metrics import pearson, spearman
from scorer.metrics.validation import deviations
from scorer.scoring.residuals import GenreResiduals, fit_line, residuals_by_genre
from server.access import service as access, tasks, terms
from server.core.actors import Actor
from server.core.errors import InvalidFile
from server.core.storage import storage_of
from server.gold import versions as gold_versions
from server.gold.models import GoldVersion
from server.phases.models import Phase
from server.releases import release_gold
from server.releases.models import Inference
from server.releases.rules import named_gold_versions
from server.releases.service import ReleaseState
from server.runs.models import Run
from server.runs.service import RunState
from server.scoring import service as scoring
from server.submissions.models import Submission
from server.tasks.models import Split


@dataclass(frozen=True, slots=True)
class ReadableFile:
    """A run file that the reader may read."""

    sha256: str
    baseline: bool


@dataclass(frozen=True, slots=True)
class ReadableItems:
    """The files and gold versions that one reader may read, by level."""

    splits: Mapping[str, Split] = field(default_factory=dict)
    golds: Mapping[str, GoldVersion] = field(default_factory=dict)
    files: Mapping[SystemKey, Mapping[str, ReadableFile]] = field(default_factory=dict)
    runs: Mapping[SystemKey, int] = field(default_factory=dict)
    """The ids of runs whose own pages the reader may open."""
    pending: bool = False
    """Whether the terms have still to be accepted: until then nothing else is set."""

    def entered(self, key: SystemKey) -> list[str]:
        """List the levels at which the reader may read a system's file."""
        return [slug for slug in self.splits if slug in self.files.get(key, {})]


def find_readable_items(
    session: Session, actor: Actor, phase: Phase, state: ReleaseState, now: datetime
) -> ReadableItems:
    """Find what `actor` may read item by item of a release that was not withdrawn."""
    sees_all = access.sees_all(session, actor, phase.task)
    runs = _own_systems(session, actor, phase, state, sees_all=sees_all)
    run_ids = {key: system["run_id"] for key, system in runs.items() if system["run_id"] is not None}
    if phase.window.state(now) == "early" and not sees_all:
        return ReadableItems(runs=run_ids)
    if terms.find_pending(session, actor, phase.task) is not None:
        return ReadableItems(runs=run_ids, pending=True)
    splits = {level.slug: split for level, split in tasks.splits_of(phase)}
    files = _public_files(state)
    for key, own in _own_files(session, runs).items():
        files[key] = {**own, **files.get(key, {})}
    golds = _golds(session, phase, state, splits, now, sees_all=sees_all)
    return ReadableItems(splits, golds, files, run_ids)


@dataclass(frozen=True, slots=True)
class ReadableRunFile:
    """A submission that counts, for a reader of it and its items; the gold in force, if they may read it."""

    split: Split
    gold: GoldVersion | None
    file: ReadableFile


def find_readable_run_files(
    session: Session, actor: Actor, filed: RunState, now: datetime
) -> dict[str, ReadableRunFile]:
    """Return by level the submissions of a run that its reader may read beside the items.

    Empty until the phase opens and the terms are accepted; the caller checks whose run it is.
    """
    phase = filed.run.phase
    sees_all = access.sees_all(session, actor, phase.task)
    is_early = phase.window.state(now) == "early" and not sees_all
    if is_early or terms.find_pending(session, actor, phase.task) is not None:
        return {}
    counting = {at.level.slug: at.on_time or at.late for at in filed.levels}
    splits = [split for _level, split in tasks.splits_of(phase)]
    golds = gold_versions.list_golds(session, [split for split in splits if split.public_gold or sees_all])
    baseline = filed.run.baseline is not None
    return {
        split.level.slug: ReadableRunFile(split, golds.get(split.id), ReadableFile(file.sha256, baseline))
        for split in splits
        if (file := counting[split.level.slug]) is not None
    }


def _public_files(state: ReleaseState) -> dict[SystemKey, dict[str, ReadableFile]]:
    """Return the files that are published with the release, under the names that it shows."""
    files: dict[SystemKey, dict[str, ReadableFile]] = {}
    for file in state.files or ():
        kind: Kind = "baseline" if file.baseline else "late" if file.late else "official"
        own = files.setdefault((kind, file.team, file.run), {})
        own[file.level] = ReadableFile(file.sha256, file.baseline)
    return files


def _own_systems(
    session: Session, actor: Actor, phase: Phase, state: ReleaseState, *, sees_all: bool
) -> dict[SystemKey, Mapping[str, Any]]:
    """Return the systems of a release that the reader may see: of their own team, or all."""
    team = access.find_team(session, actor, phase.task)
    if team is None and not sees_all:
        return {}
    row = Inference.release_id == state.release.id, Inference.board_sha256 == state.sha256
    inference = session.scalar(select(Inference).where(*row).options(undefer(Inference.inputs)))
    systems = [] if inference is None or inference.inputs is None else inference.inputs["systems"]
    if not sees_all and team is not None:
        own = set(session.scalars(select(Run.id).where(Run.team_id == team.id, Run.phase_id == phase.id)))
        systems = [system for system in systems if system["run_id"] in own]
    return {(system["kind"], system["team"], system["run"]): system for system in systems}


def _own_files(
    session: Session, systems: Mapping[SystemKey, Mapping[str, Any]]
) -> dict[SystemKey, dict[str, ReadableFile]]:
    """Return the files of the reader's own systems as of the release."""
    ids = [number for system in systems.values() for number in system["files"].values()]
    query = select(Submission.id, Submission.sha256).where(Submission.id.in_(ids))
    hashes = {row.id: row.sha256 for row in session.execute(query)}
    return {
        key: {
            slug: ReadableFile(hashes[number], key[0] == "baseline")
            for slug, number in system["files"].items()
        }
        for key, system in systems.items()
    }


def _golds(
    session: Session,
    phase: Phase,
    state: ReleaseState,
    splits: Mapping[str, Split],
    now: datetime,
    *,
    sees_all: bool,
) -> dict[str, GoldVersion]:
    """Return the release's gold versions that are public, or all if the reader may see all of the task."""
    named = named_gold_versions(state.release.rules)
    if not sees_all:
        public = release_gold.list_public_versions(session, phase, state, now, list(named.items()))
        return {slug: version for (slug, _), version in public.items()}
    keys_by_split = {splits[slug].id: (slug, number) for slug, number in named.items() if slug in splits}
    query = select(GoldVersion).where(GoldVersion.split_id.in_(keys_by_split))
    return {
        keys_by_split[version.split_id][0]: version
        for version in session.scalars(query)
        if version.number == keys_by_split[version.split_id][1]
    }


LISTED_ITEMS = 10
"""How many items are listed with their texts."""


@dataclass(frozen=True, slots=True)
class ItemResult:
    """A scored item: its texts, gold and predicted scores, and the residual."""

    id: str
    genre: str
    sides: tuple[str, str]
    gold: float
    pred: float
    residual: float | None


@dataclass(frozen=True, slots=True)
class LevelResults:
    """A file compared with the gold item by item; without a fit, the reason and no residuals."""

    items: tuple[ItemResult, ...]
    slope: float | None
    intercept: float | None
    by_genre: tuple[GenreResiduals, ...]
    undefined: str | None

    @property
    def worst(self) -> list[ItemResult]:
        """The items with the largest residuals."""
        items = [item for item in self.items if item.residual is not None]
        return sorted(items, key=lambda item: -abs(item.residual or 0))[:LISTED_ITEMS]


@dataclass(frozen=True, slots=True)
class ItemDifference:
    """One item as two runs scored it; `distance`: between their standardized scores."""

    id: str
    genre: str
    sides: tuple[str, str]
    preds: tuple[float, float]
    gold: float | None
    distance: float


@dataclass(frozen=True, slots=True)
class RunComparison:
    """Two files of a level, and their agreement."""

    items: tuple[ItemDifference, ...]
    n: int
    pearson: float | None
    spearman: float | None

    @property
    def furthest(self) -> list[ItemDifference]:
        """The items on which the two differ most; none if one of them is constant."""
        items = [item for item in self.items if item.distance]
        return sorted(items, key=lambda item: -abs(item.distance))[:LISTED_ITEMS]


def find_results(
    session: Session, split: Split, version: GoldVersion, file: ReadableFile
) -> LevelResults | None:
    """Compare a file with the gold; None: the current scorer rejects the file."""
    preds = _preds(session, split, file)
    if preds is None:
        return None
    gold = scoring.gold_of(session, split, version).values
    items = scoring.items_of(session, split).items
    rows = zip(items, gold, preds, strict=True)
    scored = [(item, value, pred) for item, value, pred in rows if value is not None]
    undefined, slope, intercept = None, None, None
    residuals: Sequence[float | None] = [None] * len(scored)
    by_genre: tuple[GenreResiduals, ...] = ()
    try:
        fit = fit_line([value for _, value, _ in scored], [pred for _, _, pred in scored])
    except UndefinedError as error:
        undefined = error.reason
    else:
        slope, intercept, residuals = fit.slope, fit.intercept, fit.residuals
        by_genre = residuals_by_genre(fit.residuals, [item.genre for item, _, _ in scored])
    results = (
        ItemResult(item.id, item.genre, (item.left, item.right), value, pred, residual)
        for (item, value, pred), residual in zip(scored, residuals, strict=True)
    )
    return LevelResults(tuple(results), slope, intercept, by_genre, undefined)


def list_items(session: Session, shown: ReadableRunFile) -> list[list[str]] | None:
    """List each item with its texts and score, after a head; gold and residual if the reader may read them.

    None: the current scorer rejects the file.
    """
    preds = _preds(session, shown.split, shown.file)
    if preds is None:
        return None
    results = None if shown.gold is None else find_results(session, shown.split, shown.gold, shown.file)
    scored = {} if results is None else {item.id: item for item in results.items}
    table = [["id", "genre", "left", "right", "score", *([] if results is None else ["gold", "residual"])]]
    for item, pred in zip(scoring.items_of(session, shown.split).items, preds, strict=True):
        table.append([item.id, item.genre, item.left, item.right, repr(pred)])
        if results is not None:
            one = scored.get(item.id)
            values = (None, None) if one is None else (one.gold, one.residual)
            table[-1] += ["" if value is None else repr(value) for value in values]
    return table


def compare_files(
    session: Session, split: Split, files: tuple[ReadableFile, ReadableFile], version: GoldVersion | None
) -> RunComparison | None:
    """Compare two files of a level, over all its items; None: the current scorer rejects one of them."""
    first, second = (_preds(session, split, file) for file in files)
    if first is None or second is None:
        return None
    items = scoring.items_of(session, split).items
    none: Sequence[float | None] = [None] * len(items)
    gold = none if version is None else scoring.gold_of(session, split, version).values
    distances = [a - b for a, b in _standardize(first, second)]
    rows = zip(items, first, second, gold, distances, strict=True)
    differences = tuple(
        ItemDifference(item.id, item.genre, (item.left, item.right), (a, b), value, distance)
        for item, a, b, value, distance in rows
    )
    values = [_value_or_none(metric, first, second) for metric in (pearson, spearman)]
    return RunComparison(differences, len(items), *values)


def _preds(session: Session, split: Split, file: ReadableFile) -> tuple[float, ...] | None:
    try:
        data = storage_of(session).get(file.sha256)
        return scoring.parse_run(session, split, data, split.level.slug, baseline=file.baseline).scores
    except InvalidFile:
        return None


def _standardize(first: Sequence[float], second: Sequence[float]) -> list[tuple[float, float]]:
    """Standardize both to mean 0 and deviation 1; no differences if one of them is constant."""
    sides = []
    for values in (first, second):
        if min(values) == max(values):
            return [(0.0, 0.0)] * len(values)
        distances = deviations(values)
        spread = sqrt(fsum([distance * distance for distance in distances]) / len(values))
        sides.append([distance / spread for distance in distances])
    return list(zip(*sides, strict=True))


def _value_or_none(
    metric: Callable[..., float], first: Sequence[float], second: Sequence[float]
) -> float | None:
    try:
        return metric(first, second)
    except UndefinedError:
        return None
