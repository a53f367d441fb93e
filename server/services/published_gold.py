"""The gold that a release was made with, while the gold of its items is public."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, get_args

from sqlalchemy import select, tuple_
from sqlalchemy.orm import Session

from server.errors import NotFound
from server.models import GoldEvent, GoldVersion, Level, Phase
from server.services import tasks
from server.services.releases import ReleaseState
from server.storage import Storage

Ending = Literal["tsv", "csv"]
ENDINGS: tuple[Ending, ...] = get_args(Ending)


@dataclass(frozen=True, slots=True)
class ReleasedGold:
    """The gold of one level: the version that the release's rules name."""

    level: Level
    version: int
    sha256: str

    @property
    def ending(self) -> Ending:
        """How names of such files end."""
        return "csv" if (self.level.task.keyed or {}).get("delimiter") == "comma" else "tsv"


def list_gold(session: Session, phase: Phase, state: ReleaseState, now: datetime) -> list[ReleasedGold]:
    """The public gold of a release by hand that stands; its items are out, or nothing of it is.

    Only what was in force once is ever listed, whatever the rules of a release say that was brought along.
    """
    kept = state.withdrawal is None and state.release.feedback is None and state.release.rules
    if not kept or phase.window.state(now) == "early":
        return []
    named = {level["slug"]: level["gold"]["version"] for level in kept["levels"] if level["gold"]}
    found = [(level, tasks.find_split(level, phase.split)) for level in tasks.levels_of(phase)]
    public = [(level, split) for level, split in found if split is not None and split.public_gold]
    keys = {(split.id, named[level.slug]): level for level, split in public if level.slug in named}
    if not keys:
        return []
    ruled = select(GoldEvent.gold_version_id).where(GoldEvent.event == "published")
    query = select(GoldVersion).where(
        tuple_(GoldVersion.split_id, GoldVersion.number).in_(list(keys)), GoldVersion.id.in_(ruled)
    )
    versions = {(version.split_id, version.number): version for version in session.scalars(query)}
    return [
        ReleasedGold(level, versions[key].number, versions[key].sha256)
        for key, level in keys.items()
        if key in versions
    ]


def read_gold(
    session: Session, storage: Storage, phase: Phase, state: ReleaseState, level: str, now: datetime
) -> tuple[ReleasedGold, bytes]:
    """The gold of one level, as it was brought.

    Raises:
        NotFound: there is none with this release, or it is not public.
    """
    for gold in list_gold(session, phase, state, now):
        if gold.level.slug == level:
            return gold, storage.get(gold.sha256)
    raise NotFound("There is no such gold with this release, or it is not public.")
