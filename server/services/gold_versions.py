"""Which gold version is in force, and which is looked at before it may be."""

from collections.abc import Sequence

from sqlalchemy import ColumnElement, Select, func, select
from sqlalchemy.orm import Session, aliased

from server.models import GoldEvent, GoldVersion, Split


def in_force(*where: ColumnElement[bool]) -> Select[int]:
    """The ids of the gold versions in force, one a split: those that were published last."""
    newest = (
        select(func.max(GoldEvent.id))
        .join(GoldVersion, GoldVersion.id == GoldEvent.gold_version_id)
        .join(Split, Split.id == GoldVersion.split_id)
        .where(GoldEvent.event == "published", *where)
        .group_by(GoldVersion.split_id)
    )
    event = aliased(GoldEvent)
    return select(event.gold_version_id).where(event.id.in_(newest))


def find_gold(session: Session, split: Split) -> GoldVersion | None:
    """The gold version of a split that is in force."""
    return list_golds(session, [split]).get(split.id)


def list_golds(session: Session, splits: Sequence[Split]) -> dict[int, GoldVersion]:
    """The gold versions in force, by the ids of their splits; none for a split without gold."""
    ids = in_force(GoldVersion.split_id.in_([split.id for split in splits]))
    query = select(GoldVersion).where(GoldVersion.id.in_(ids))
    return {version.split_id: version for version in session.scalars(query)}


def find_candidate(session: Session, split: Split) -> GoldVersion | None:
    """The gold version of a split that may be published: files are scored against it too."""
    return list_candidates(session, [split]).get(split.id)


def list_candidates(session: Session, splits: Sequence[Split]) -> dict[int, GoldVersion]:
    """The versions that may be published, by the ids of their splits; a split has one at most."""
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
