"""The gold standard of a release: publishing it, and the gold files that readers can download.

It can be published with a release once no deadline for these items is left.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, get_args

from sqlalchemy import bindparam, func, select, tuple_
from sqlalchemy.orm import Session

from server.access import tasks
from server.audit import service as audit
from server.core.actors import Actor
from server.core.dates import format_utc
from server.core.errors import Conflict, NotFound
from server.core.storage import storage_of
from server.gold.models import GoldEvent, GoldVersion
from server.phases import windows
from server.phases.models import Phase
from server.phases.rules import Window
from server.releases.models import Release
from server.releases.rules import named_gold_versions
from server.releases.service import ReleaseState
from server.tasks.models import Level, Task

_OPENING_DATES = (
    select(Phase.split, func.min(Release.made_at))
    .join(Release, Release.phase_id == Phase.id)
    .where(Phase.task_id == bindparam("task_id"), Release.opens_gold)
    .group_by(Phase.split)
)


def is_open(phase: Phase) -> bool:
    """Whether the gold standard of all items of the phase is public."""
    return all(split.public_gold for _level, split in tasks.splits_of(phase))


def list_opening_dates(session: Session, task: Task) -> dict[str, datetime]:
    """Return since when the gold standard of each split is public, if it was published with a release."""
    return {row[0]: row[1] for row in session.execute(_OPENING_DATES, {"task_id": task.id})}


def may_show_more(session: Session, phase: Phase, at: datetime) -> bool:
    """Whether a manual release may show what reveals more: values and ranks by genre, the human ceiling."""
    return is_open(phase) or not windows.files_may_come(session, phase, at)


def require_may_open(session: Session, phase: Phase, at: datetime) -> None:
    """Raise unless the gold standard may be published at an instant, since no more files can arrive then.

    Raises:
        Conflict: the gold is public already, or a phase on the items still accepts files then.
    """
    if is_open(phase):
        raise Conflict.of(
            "The gold standard of the %(split)s items is already public. Clear that option and "
            "release again.",
            split=phase.split,
        )
    last = windows.find_last_deadline(session, phase, grace=True)
    if last is not None and at <= last:
        raise Conflict.of(
            "Submissions on the %(split)s items are accepted until %(at)s, including grace "
            "periods and extensions. The gold standard can be made public after that.",
            split=phase.split,
            at=format_utc(last),
        )


def find_opening_after_end(session: Session, phase: Phase) -> datetime | None:
    """Return when the gold standard was published with a release, if the phase was over by then."""
    opened = list_opening_dates(session, phase.task).get(phase.split)
    ended = phase.window.grace_ends
    return None if opened is None or ended is None or ended >= opened else opened


def require_no_reopening(session: Session, phase: Phase, window: Window) -> None:
    """Raise if new times of a phase would accept files from people who could read the gold standard.

    Raises:
        Conflict: the gold was published after the phase had closed, and the phase would open again.
    """
    opened, ended = find_opening_after_end(session, phase), phase.window.grace_ends
    if opened is None or ended is None:
        return
    if window.grace_ends is None or window.grace_ends > ended:
        raise Conflict.of(
            "The gold standard of the %(split)s items has been public since %(at)s, so %(phase)s "
            "no longer accepts submissions. Add a phase for later submissions.",
            split=phase.split,
            at=format_utc(opened),
            phase=phase.title,
        )


def open_gold(session: Session, actor: Actor, phase: Phase, now: datetime) -> None:
    """Make the gold standard of all items of a phase public; the caller checks that it may be."""
    for _level, split in tasks.splits_of(phase):
        split.public_gold = True
    audit.record(session, actor, now, "gold.open", phase.task_id, phase=phase.slug, split=phase.split)


GoldFormat = Literal["tsv", "csv"]
GOLD_FORMATS: tuple[GoldFormat, ...] = get_args(GoldFormat)


@dataclass(frozen=True, slots=True)
class ReleasedGold:
    """The gold file of one level: of the version that the release's rules name."""

    level: Level
    version: int
    sha256: str

    @property
    def ending(self) -> GoldFormat:
        """The end of the names of such files."""
        return "csv" if (self.level.task.keyed or {}).get("delimiter") == "comma" else "tsv"


def list_gold(session: Session, phase: Phase, state: ReleaseState, now: datetime) -> list[ReleasedGold]:
    """List the public gold files of a manual release whose items are available; otherwise nothing.

    Only versions that were in force are listed, whatever the rules of an imported release say.
    """
    named = named_gold_versions(state.release.rules)
    versions = list_public_versions(session, phase, state, now, list(named.items()))
    return [
        ReleasedGold(level, version.number, version.sha256)
        for level in tasks.levels_of(phase)
        if (version := versions.get((level.slug, named.get(level.slug, 0)))) is not None
    ]


def list_public_versions(
    session: Session,
    phase: Phase,
    state: ReleaseState,
    now: datetime,
    named_versions: Collection[tuple[str, int]],
) -> dict[tuple[str, int], GoldVersion]:
    """Return those of the wanted gold versions, by level and number, that the public may have."""
    stands = state.withdrawal is None and state.release.feedback is None
    if not stands or phase.window.state(now) == "early":
        return {}
    splits = {level.slug: split for level, split in tasks.splits_of(phase)}
    keys = {
        (split.id, number): (slug, number)
        for slug, number in named_versions
        if (split := splits.get(slug)) is not None and split.public_gold
    }
    if not keys:
        return {}
    ruled = select(GoldEvent.gold_version_id).where(GoldEvent.event == "published")
    query = select(GoldVersion).where(
        tuple_(GoldVersion.split_id, GoldVersion.number).in_(list(keys)), GoldVersion.id.in_(ruled)
    )
    return {keys[version.split_id, version.number]: version for version in session.scalars(query)}


def read_gold(
    session: Session, phase: Phase, state: ReleaseState, level: str, now: datetime
) -> tuple[ReleasedGold, bytes]:
    """Return the gold file of one level, as it was uploaded.

    Raises:
        NotFound: the release has none, or it is not public.
    """
    for gold in list_gold(session, phase, state, now):
        if gold.level.slug == level:
            return gold, storage_of(session).get(gold.sha256)
    raise NotFound.of("This gold standard does not exist or is not public.")
