"""What of a release somebody may read item by item: files of systems, and gold, each by its own rule.

A file is for everybody if it is published with the release; else for its team and for those who see all of
the task. Gold is for everybody while that of the items is public; else for those who see all. The terms of
the task come before both, as they come before its data.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session, undefer

from server.access import service as access
from server.access import tasks, terms
from server.boards.systems import Key
from server.core.actors import Actor
from server.gold import versions as gold_versions
from server.gold.models import GoldVersion
from server.phases.models import Phase
from server.releases import published_gold
from server.releases.models import Inference
from server.releases.service import ReleaseState
from server.runs.models import Run
from server.runs.service import RunState
from server.submissions.models import Submission
from server.tasks.models import Split


@dataclass(frozen=True, slots=True)
class ReadableFile:
    """A run file that somebody may read."""

    sha256: str
    baseline: bool


@dataclass(frozen=True, slots=True)
class ReadableItems:
    """What is there for one reader; by level."""

    splits: Mapping[str, Split] = field(default_factory=dict)
    golds: Mapping[str, GoldVersion] = field(default_factory=dict)
    files: Mapping[Key, Mapping[str, ReadableFile]] = field(default_factory=dict)
    runs: Mapping[Key, int] = field(default_factory=dict)
    """The ids of runs whose own pages the reader has."""
    pending: bool = False
    """Whether the terms are still to be accepted: until then nothing else is here."""

    def entered(self, key: Key) -> list[str]:
        """The levels at which the reader may read a system's file."""
        return [slug for slug in self.splits if slug in self.files.get(key, {})]


def find_disclosed(
    session: Session, actor: Actor, phase: Phase, state: ReleaseState, now: datetime
) -> ReadableItems:
    """What of a release that stands `actor` may read item by item."""
    sees_all = access.sees_all(session, actor, phase.task)
    runs = _own_systems(session, actor, phase, state, sees_all=sees_all)
    run_ids = {key: one["run_id"] for key, one in runs.items() if one["run_id"] is not None}
    if phase.window.state(now) == "early" and not sees_all:
        return ReadableItems(runs=run_ids)
    if terms.find_pending(session, actor, phase.task) is not None:
        return ReadableItems(runs=run_ids, pending=True)
    found = {level.slug: tasks.find_split(level, phase.split) for level in tasks.levels_of(phase)}
    splits = {slug: split for slug, split in found.items() if split is not None}
    files = _public_files(state)
    for key, own in _stored(session, runs).items():
        files[key] = {**own, **files.get(key, {})}
    golds = _golds(session, phase, state, splits, now, sees_all=sees_all)
    return ReadableItems(splits, golds, files, run_ids)


@dataclass(frozen=True, slots=True)
class ReadableRunFile:
    """A file that counts, and the gold in force, for one who may read both."""

    split: Split
    gold: GoldVersion
    file: ReadableFile


def find_readable(session: Session, actor: Actor, filed: RunState) -> dict[str, ReadableRunFile]:
    """By level, what counts of a run and has gold that its reader may read: public, or by role.

    Nothing while the terms are to be accepted; the caller has asked whose run it is.
    """
    phase = filed.run.phase
    if terms.find_pending(session, actor, phase.task) is not None:
        return {}
    sees_all = access.sees_all(session, actor, phase.task)
    counting = {at.level.slug: at.on_time or at.late for at in filed.levels}
    splits = {level.slug: tasks.find_split(level, phase.split) for level in tasks.levels_of(phase)}
    shown = {slug: split for slug, split in splits.items() if split and (split.public_gold or sees_all)}
    golds = gold_versions.list_golds(session, list(shown.values()))
    baseline = filed.run.baseline is not None
    return {
        slug: ReadableRunFile(split, golds[split.id], ReadableFile(file.sha256, baseline))
        for slug, split in shown.items()
        if split.id in golds and (file := counting[slug]) is not None
    }


def _public_files(state: ReleaseState) -> dict[Key, dict[str, ReadableFile]]:
    """Those that are published with the release, under the names that it shows."""
    files: dict[Key, dict[str, ReadableFile]] = {}
    for file in state.files or ():
        kind = "baseline" if file.baseline else "late" if file.late else "official"
        own = files.setdefault((kind, file.team, file.run), {})
        own[file.level] = ReadableFile(file.sha256, file.baseline)
    return files


def _own_systems(
    session: Session, actor: Actor, phase: Phase, state: ReleaseState, *, sees_all: bool
) -> dict[Key, Mapping[str, Any]]:
    """The systems of a release whose runs the reader knows: of the own team, or all; nobody else is told."""
    team = access.find_team(session, actor, phase.task)
    if team is None and not sees_all:
        return {}
    row = Inference.release_id == state.release.id, Inference.board_sha256 == state.sha256
    kept = session.scalar(select(Inference).where(*row).options(undefer(Inference.inputs)))
    systems = [] if kept is None or kept.inputs is None else kept.inputs["systems"]
    if not sees_all and team is not None:
        own = set(session.scalars(select(Run.id).where(Run.team_id == team.id, Run.phase_id == phase.id)))
        systems = [one for one in systems if one["run_id"] in own]
    return {(one["kind"], one["team"], one["run"]): one for one in systems}


def _stored(session: Session, systems: Mapping[Key, Mapping[str, Any]]) -> dict[Key, dict[str, ReadableFile]]:
    """The files of the reader's own systems as they were at the release's instant."""
    ids = [number for one in systems.values() for number in one["files"].values()]
    query = select(Submission.id, Submission.sha256).where(Submission.id.in_(ids))
    hashes = {row.id: row.sha256 for row in session.execute(query)}
    return {
        key: {
            slug: ReadableFile(hashes[number], key[0] == "baseline") for slug, number in one["files"].items()
        }
        for key, one in systems.items()
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
    """The gold that the release was made with: where it is public, or for those who see all."""
    rules = state.release.rules
    named = {one["slug"]: one["gold"]["version"] for one in rules.get("levels", ()) if one["gold"]}
    if not sees_all:
        public = published_gold.list_versions(session, phase, state, now, list(named.items()))
        return {slug: version for (slug, _), version in public.items()}
    wanted = {splits[slug].id: (slug, number) for slug, number in named.items() if slug in splits}
    query = select(GoldVersion).where(GoldVersion.split_id.in_(wanted))
    return {
        wanted[one.split_id][0]: one
        for one in session.scalars(query)
        if one.number == wanted[one.split_id][1]
    }
