"""What a gold version would change, for those who see all of the task; nothing is written."""

import json
from dataclasses import dataclass

from sqlalchemy import case, func, select
from sqlalchemy.orm import Session, aliased

from server.access import service as access
from server.boards import service as boards
from server.boards.service import Changes
from server.boards.verdicts import ChangedVerdict, list_changed
from server.core.actors import Actor
from server.core.storage import Storage
from server.corrections import rescoring as gold_scoring
from server.corrections import service as gold
from server.corrections import warnings as gold_warnings
from server.gold import versions as gold_versions
from server.gold.models import GoldEvent, GoldVersion
from server.gold.versions import State
from server.phases.models import Phase
from server.releases import inferences
from server.releases import service as releases
from server.releases.service import ReleaseState
from server.runs.models import Run
from server.scoring import service as scoring
from server.scoring.models import Score
from server.submissions import rescoring
from server.submissions.models import Submission
from server.submissions.rescoring import ScoringProgress
from server.tasks.models import Task

SHORT = 80
"""How many characters of an item's texts are shown."""


@dataclass(frozen=True, slots=True)
class VersionView:
    """A gold version, what it is now, and how many of its split's files have a score against it."""

    version: GoldVersion
    state: State
    progress: ScoringProgress
    reason: str
    """The newest word on it: why it was brought, dropped or put back."""


@dataclass(frozen=True, slots=True)
class ChangedLabel:
    """An item whose gold differs; None: it is not scored."""

    item: str
    left: str
    right: str
    old: float | None
    new: float | None


@dataclass(frozen=True, slots=True)
class PhasePreview:
    """What would change in one phase on the items."""

    phase: Phase
    changes: Changes
    """Of the board as organizers see it."""
    files: int
    of: int
    """How many of its scored files, counting or not, would have another value."""
    release: ReleaseState | None
    """The newest release, if it is public."""
    live: bool
    """Whether the public sees a board that follows by itself."""
    verdicts: list[ChangedVerdict] | None
    """Neighbours that the data tell apart now and not then, or otherwise; None: it is not computed yet."""
    fault: str | None
    """Why that could not be computed."""


@dataclass(frozen=True, slots=True)
class GoldPreview:
    """A gold version beside the one in force."""

    version: GoldVersion
    state: State
    progress: ScoringProgress
    events: tuple[GoldEvent, ...]
    in_force: GoldVersion | None
    labels: tuple[ChangedLabel, ...]
    phases: tuple[PhasePreview, ...] | None
    """None: files lack a score, or it is the version in force."""
    warnings: tuple[str, ...]
    """What it would take away, in sentences; values once every file is scored."""
    errors: tuple[str, ...]
    """What went wrong while files were scored."""
    worked_on: bool
    """Whether a job is to score more of them."""
    installed: str
    """The scorer that is installed now."""


def list_views(session: Session, actor: Actor, task: Task) -> list[VersionView]:
    """All gold versions of a task with their states, by level, split and number.

    Raises:
        Forbidden, NotFound: `actor` does not see all of the task.
    """
    versions = gold.list_versions(session, actor, task)
    states = gold_versions.states_of(session, versions)
    events = gold_versions.list_events(session, versions)
    waiting = [version.id for version in versions if states[version.id] == "candidate"]
    scored = rescoring.count_scored(session, waiting) if waiting else {}
    return [
        VersionView(
            version,
            states[version.id],
            scored.get(version.id, ScoringProgress()),
            events[version.id][-1].reason if events[version.id] else version.reason,
        )
        for version in versions
    ]


def installed_scorer() -> str:
    """The version of the scorer that scores files now."""
    return scoring.VERSION


def list_outdated(views: list[VersionView]) -> list[GoldVersion]:
    """The versions in force that an older scorer scored, or a newer one; those with a candidate aside."""
    waiting = {view.version.split_id for view in views if view.state == "candidate"}
    return [
        view.version
        for view in views
        if view.state == "in force"
        and view.version.scorer != scoring.VERSION
        and view.version.split_id not in waiting
    ]


def preview(session: Session, storage: Storage, actor: Actor, task: Task, version_id: int) -> GoldPreview:
    """A gold version beside the one in force.

    Raises:
        Forbidden, NotFound: `actor` does not see all of the task, or it has no such version.
    """
    access.require_observer(session, actor, task)
    version = gold.get_version(session, actor, task, version_id)
    in_force = gold_versions.find_gold(session, version.split)
    progress = rescoring.count_scored(session, [version.id])[version.id]
    compared = in_force is not None and in_force.id != version.id and not progress.lacking
    labels = _labels(storage, in_force, version)
    warnings = gold_warnings.warn_of_items([(label.old, label.new) for label in labels])
    if in_force and compared:
        warnings += gold_warnings.warn_of_values(session, in_force, version)
    return GoldPreview(
        version=version,
        state=gold_versions.states_of(session, [version])[version.id],
        progress=progress,
        events=tuple(gold_versions.list_events(session, [version])[version.id]),
        in_force=in_force,
        labels=tuple(labels),
        phases=tuple(_phases(session, in_force, version)) if in_force and compared else None,
        warnings=tuple(warnings),
        errors=tuple(gold_scoring.list_errors(session, version)),
        worked_on=gold_scoring.is_worked_on(session, version),
        installed=scoring.VERSION,
    )


def _labels(storage: Storage, old: GoldVersion | None, new: GoldVersion) -> list[ChangedLabel]:
    """The items whose gold differs, in their order."""
    if old is None or old.sha256 == new.sha256:
        return []
    split = new.split
    before, after = (scoring.gold_of(storage, split, version).values for version in (old, new))
    items = scoring.items_of(storage, split).items
    return [
        ChangedLabel(item.id, _short(item.left), _short(item.right), was, now)
        for item, was, now in zip(items, before, after, strict=True)
        if was != now
    ]


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= SHORT else line[: SHORT - 1].rstrip() + "…"


def _phases(session: Session, old: GoldVersion, new: GoldVersion) -> list[PhasePreview]:
    """Each phase on the split with what would change in it."""
    task = new.split.level.task
    on_split = select(Phase).where(Phase.task_id == task.id, Phase.split == new.split.name)
    phases = list(session.scalars(on_split.order_by(Phase.position)))
    files, public = _count_files(session, old, new), releases.list_newest(session, phases)
    return [
        _phase(session, phase, new, files.get(phase.id, (0, 0)), public.get(phase.id)) for phase in phases
    ]


def _phase(
    session: Session, phase: Phase, new: GoldVersion, files: tuple[int, int], newest: ReleaseState | None
) -> PhasePreview:
    compared = boards.compare_with(session, phase, new)
    texts = inferences.find_beside(session, phase, new, compared.hashes)
    return PhasePreview(
        phase,
        compared.changes,
        *files,
        _unless_withdrawn(newest),
        _is_live(phase, newest),
        None if texts is None else list_changed(*map(json.loads, texts)),
        None if texts is not None else inferences.find_error_of(session, phase, new),
    )


def _count_files(session: Session, old: GoldVersion, new: GoldVersion) -> dict[int, tuple[int, int]]:
    """By phase: files with another value of any metric, and all files that were scored against both."""
    before, after = aliased(Score), aliased(Score)
    both = (before.submission_id == after.submission_id) & (before.metric == after.metric)
    differs = case((before.value.is_distinct_from(after.value), Submission.id))
    query = (
        select(Run.phase_id, func.count(differs.distinct()), func.count(Submission.id.distinct()))
        .join(before, before.submission_id == Submission.id)
        .join(after, both)
        .join(Run, Run.id == Submission.run_id)
        .where(before.gold_version_id == old.id, after.gold_version_id == new.id)
        .group_by(Run.phase_id)
    )
    return {row[0]: (row[1], row[2]) for row in session.execute(query)}


def _unless_withdrawn(release: ReleaseState | None) -> ReleaseState | None:
    return None if release is None or release.withdrawal is not None else release


def _is_live(phase: Phase, newest: ReleaseState | None) -> bool:
    rests = newest is not None and newest.by_hand
    return phase.board == "live" and phase.feedback != "hidden" and not rests
