"""The gold that a release was made with, while the gold of its items is public."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, get_args

from sqlalchemy import select, tuple_
from sqlalchemy.orm import Session

from server.access import tasks
from server.core.errors import NotFound
from server.core.i18n import _
from server.core.storage import Storage
from server.gold.models import GoldEvent, GoldVersion
from server.phases.models import Phase
from server.releases.service import ReleaseState
from server.tasks.models import Level

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
    rules = state.release.rules
    named = {level["slug"]: level["gold"]["version"] for level in rules.get("levels", ()) if level["gold"]}
    versions = list_versions(session, phase, state, now, list(named.items()))
    return [
        ReleasedGold(level, found.number, found.sha256)
        for level in tasks.levels_of(phase)
        if (found := versions.get((level.slug, named.get(level.slug, 0)))) is not None
    ]


def list_versions(
    session: Session, phase: Phase, state: ReleaseState, now: datetime, wanted: Collection[tuple[str, int]]
) -> dict[tuple[str, int], GoldVersion]:
    """Of gold versions that are wanted, by level and number, those that anybody may have with a release."""
    kept = state.withdrawal is None and state.release.feedback is None and state.release.rules
    if not kept or phase.window.state(now) == "early":
        return {}
    found = {level.slug: tasks.find_split(level, phase.split) for level in tasks.levels_of(phase)}
    keys = {
        (split.id, number): (slug, number)
        for slug, number in wanted
        if (split := found.get(slug)) is not None and split.public_gold
    }
    if not keys:
        return {}
    ruled = select(GoldEvent.gold_version_id).where(GoldEvent.event == "published")
    query = select(GoldVersion).where(
        tuple_(GoldVersion.split_id, GoldVersion.number).in_(list(keys)), GoldVersion.id.in_(ruled)
    )
    return {keys[version.split_id, version.number]: version for version in session.scalars(query)}


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
    raise NotFound(_("There is no such gold with this release, or it is not public."))
