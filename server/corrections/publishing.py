"""Putting a gold version in force, discarding it, and restoring an earlier one."""

from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from server.access import service as access
from server.core.actors import Actor
from server.core.errors import Conflict
from server.corrections import scoring_jobs, service as gold
from server.gold import versions as gold_versions
from server.gold.models import GoldEvent, GoldVersion
from server.scoring import service as scoring
from server.submissions import rescoring


def publish_version(session: Session, actor: Actor, version: GoldVersion, now: datetime) -> None:
    """Put the candidate of a split in force.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task.
        Conflict: it is not a candidate, a file has no score, or another scorer is installed now.
    """
    _require_candidate(session, actor, version)
    if version.scorer != scoring.VERSION:
        raise Conflict.of(
            "Submissions were scored against version %(number)d by scorer %(scorer)s, but %(installed)s "
            "is installed now. Discard the version and upload it again.",
            number=version.number,
            scorer=version.scorer,
            installed=scoring.VERSION,
        )
    if lacking := _count_unscored(session, version):
        raise Conflict.of_count(
            "%(num)d submission has no score against version %(number)d yet. Nothing was changed.",
            "%(num)d submissions have no score against version %(number)d yet. Nothing was changed.",
            lacking,
            number=version.number,
        )
    gold.put_in_force(session, actor, version, _newest_reason(session, version), now)


def drop_version(session: Session, actor: Actor, version: GoldVersion, reason: str, now: datetime) -> None:
    """Discard a candidate; its scores stay in the database, but are not shown.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task.
        Conflict: it is not a candidate.
    """
    _require_candidate(session, actor, version)
    gold.add_event(session, actor, version, "dropped", reason.strip(), now)
    gold.record(session, actor, version, "gold.drop", now)


def restore_version(session: Session, actor: Actor, version: GoldVersion, reason: str, now: datetime) -> bool:
    """Put an earlier version in force; False: it is a candidate until newer files are scored.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task.
        Conflict: it is in force, or never was, a candidate waits, or another scorer would have to add scores.
    """
    access.require_organizer(session, actor, version.split.level.task)
    if gold_versions.states_of(session, [version])[version.id] != "earlier":
        raise Conflict.of("Version %(number)d was never in force.", number=version.number)
    gold.require_no_candidate(session, version.split)
    lacking = _count_unscored(session, version)
    if lacking and version.scorer != scoring.VERSION:
        raise Conflict.of_count(
            "%(num)d submission arrived after version %(number)d was in force. The version was scored by "
            "scorer %(scorer)s, but %(installed)s is installed now, so the scores would not be "
            "comparable. Upload the gold file as a new version.",
            "%(num)d submissions arrived after version %(number)d was in force. The version was scored "
            "by scorer %(scorer)s, but %(installed)s is installed now, so the scores would not be "
            "comparable. Upload the gold file as a new version.",
            lacking,
            number=version.number,
            scorer=version.scorer,
            installed=scoring.VERSION,
        )
    if lacking:
        gold.make_candidate(session, actor, version, reason.strip(), now)
        scoring_jobs.add_jobs(session, version, now)
    else:
        gold.put_in_force(session, actor, version, reason.strip(), now)
    return not lacking


def score_missing_files(session: Session, actor: Actor, version: GoldVersion, now: datetime) -> None:
    """Add jobs that score files without a score against a candidate; failed jobs are retried.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task.
        Conflict: it is not a candidate.
    """
    _require_candidate(session, actor, version)
    scoring_jobs.add_jobs(session, version, now)
    gold.record(session, actor, version, "gold.score", now)


def _newest_reason(session: Session, version: GoldVersion) -> str:
    query = select(GoldEvent.reason).where(GoldEvent.gold_version_id == version.id)
    return session.scalar(query.order_by(GoldEvent.id.desc()).limit(1)) or version.reason


def _count_unscored(session: Session, version: GoldVersion) -> int:
    return rescoring.count_scored(session, [version.id])[version.id].lacking


def _require_candidate(session: Session, actor: Actor, version: GoldVersion) -> None:
    access.require_organizer(session, actor, version.split.level.task)
    candidate = gold_versions.find_candidate(session, version.split)
    if candidate is None or candidate.id != version.id:
        raise Conflict.of("Version %(number)d is no longer a candidate.", number=version.number)
