"""Which gold version is in force, and which is a candidate."""

from collections.abc import Iterable, Sequence
from typing import Literal

from sqlalchemy import ColumnElement, Select, bindparam, func, select
from sqlalchemy.orm import Session, aliased

from server.gold.models import GoldEvent, GoldEventName, GoldVersion
from server.tasks.models import Split

GoldState = Literal["in force", "candidate", "earlier", "dropped"]
"""The state of a version: "earlier" was in force once, "dropped" never was."""


def select_in_force(*where: ColumnElement[bool]) -> Select[int]:
    """Select the ids of the gold versions in force, one for each split: those that were published last."""
    newest = (
        select(func.max(GoldEvent.id))
        .join(GoldVersion, GoldVersion.id == GoldEvent.gold_version_id)
        .join(Split, Split.id == GoldVersion.split_id)
        .where(GoldEvent.event == "published", *where)
        .group_by(GoldVersion.split_id)
    )
    event = aliased(GoldEvent)
    return select(event.gold_version_id).where(event.id.in_(newest))


_IN_FORCE = select(GoldVersion).where(
    GoldVersion.id.in_(select_in_force(GoldVersion.split_id.in_(bindparam("split_ids", expanding=True))))
)


def find_gold(session: Session, split: Split) -> GoldVersion | None:
    """Return the gold version of a split that is in force."""
    return list_golds(session, [split]).get(split.id)


def list_golds(session: Session, splits: Sequence[Split]) -> dict[int, GoldVersion]:
    """Return the gold versions in force by the ids of their splits, which may lack one."""
    ids = [split.id for split in splits]
    found = session.scalars(_IN_FORCE, {"split_ids": ids}) if ids else ()
    return {version.split_id: version for version in found}


def find_candidate(session: Session, split: Split) -> GoldVersion | None:
    """Return the candidate of a split, which may be put in force: files are scored against it too."""
    return list_candidates(session, [split]).get(split.id)


def current_and_candidate(
    events: Iterable[tuple[GoldVersion, GoldEventName]],
) -> tuple[GoldVersion | None, GoldVersion | None]:
    """Return the version in force and the candidate, given all events of a split's versions, in order."""
    published, newest = None, {}
    for version, event in events:
        newest[version] = event
        published = version if event == "published" else published
    return published, next((version for version, event in newest.items() if event == "candidate"), None)


def list_candidates(session: Session, splits: Sequence[Split]) -> dict[int, GoldVersion]:
    """Return the candidates by the ids of their splits; a split has at most one."""
    newest = (
        select(func.max(GoldEvent.id))
        .join(GoldVersion, GoldVersion.id == GoldEvent.gold_version_id)
        .where(GoldVersion.split_id.in_([split.id for split in splits]))
        .group_by(GoldEvent.gold_version_id)
    )
    query = (
        select(GoldVersion)
        .join(GoldEvent, GoldEvent.gold_version_id == GoldVersion.id)
        .where(GoldEvent.id.in_(newest), GoldEvent.event == "candidate")
    )
    return {version.split_id: version for version in session.scalars(query)}


def list_events(session: Session, versions: Sequence[GoldVersion]) -> dict[int, list[GoldEvent]]:
    """List the events of each version, the oldest first, by the versions' ids."""
    found: dict[int, list[GoldEvent]] = {version.id: [] for version in versions}
    query = select(GoldEvent).where(GoldEvent.gold_version_id.in_(found)).order_by(GoldEvent.id)
    for event in session.scalars(query):
        found[event.gold_version_id].append(event)
    return found


def states_of(session: Session, versions: Sequence[GoldVersion]) -> dict[int, GoldState]:
    """Return the current state of each version, by its id."""
    splits = {version.split_id for version in versions}
    ruling = set(session.scalars(select_in_force(GoldVersion.split_id.in_(splits))))
    events = list_events(session, versions)
    return {version.id: _state(version.id in ruling, events[version.id]) for version in versions}


def _state(rules: bool, events: Sequence[GoldEvent]) -> GoldState:
    if rules:
        return "in force"
    if events and events[-1].event == "candidate":
        return "candidate"
    return "earlier" if any(event.event == "published" for event in events) else "dropped"
