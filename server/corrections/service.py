"""Gold versions: a new one is a candidate beside the one in force, until it is put in force itself."""

import hashlib
import secrets
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session, joinedload

from server.access import service as access
from server.audit import service as audit
from server.core.actors import Actor
from server.core.errors import Conflict, require_found
from server.core.i18n import _
from server.core.storage import storage_of
from server.corrections import scoring_jobs
from server.gold import versions as gold_versions
from server.gold.models import GoldEvent, GoldEventName, GoldVersion
from server.phases import windows
from server.releases import inferences
from server.scoring import kit_gold, service as scoring
from server.submissions import follow_up_jobs, rescoring
from server.tasks.models import Level, Split, Task


@dataclass(frozen=True, slots=True)
class PreparedGold:
    """A gold file that was parsed without a problem."""

    split_id: int
    data: bytes
    reason: str
    human_ceiling: list[dict[str, Any]] | None = None
    """How well annotators would do, if it was made from their ratings."""


def list_versions(session: Session, actor: Actor, task: Task) -> list[GoldVersion]:
    """List all gold versions of a task, by level, split and number, for people who may see all of it."""
    access.require_observer(session, actor, task)
    query = (
        select(GoldVersion)
        .join(Split)
        .join(Level)
        .where(Level.task_id == task.id)
        .options(joinedload(GoldVersion.split).joinedload(Split.level))
        .order_by(Level.position, Split.id, GoldVersion.number)
    )
    return list(session.scalars(query))


def get_version(session: Session, actor: Actor, task: Task, version_id: int) -> GoldVersion:
    """Return a gold version of a task, for people who may see all of it.

    Raises:
        NotFound: the task has no version with this id.
    """
    versions = list_versions(session, actor, task)
    found = next((version for version in versions if version.id == version_id), None)
    return require_found(found, _("There is no such gold version."))


def prepare_gold(
    session: Session, actor: Actor, split: Split, data: bytes, filename: str, reason: str
) -> PreparedGold:
    """Parse a gold file, and store it; writes nothing to the database.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task.
        Conflict: there is a candidate, this file is in force, or the starter kit contains its labels.
        InvalidFile: the file is invalid, with every problem.
    """
    task = split.level.task
    access.require_organizer(session, actor, task)
    _require_change(session, split, hashlib.sha256(data).hexdigest())
    scoring.parse_gold(session, split, data, filename)
    kit_gold.require_no_hidden_gold(session, task, golds=[(split, storage_of(session).put(data))])
    return PreparedGold(split.id, data, reason.strip())


def prepare_rescoring(session: Session, actor: Actor, version: GoldVersion) -> PreparedGold:
    """Prepare the gold file in force for a new version with the scores of the installed scorer.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task.
        Conflict: there is a candidate, or this scorer's scores are in force.
        InvalidFile: this scorer does not accept the file.
    """
    data = storage_of(session).get(version.sha256)
    name = f"gold {version.number}"
    prepared = prepare_gold(session, actor, version.split, data, name, version.reason)
    return replace(prepared, human_ceiling=version.human_ceiling)


def add_gold(session: Session, actor: Actor, prepared: PreparedGold, now: datetime) -> GoldVersion:
    """Add a gold version: the first of a split is in force at once, a later one is a candidate.

    Raises:
        Conflict: there is a candidate, this file is in force, or the starter kit contains its labels, when
            it is checked under the lock.
    """
    split = session.get_one(Split, prepared.split_id)
    access.require_organizer(session, actor, split.level.task)
    _require_change(session, split, hashlib.sha256(prepared.data).hexdigest())
    is_first = gold_versions.find_gold(session, split) is None
    version = add_version(session, actor, split, prepared.data, prepared.reason, now)
    version.human_ceiling = prepared.human_ceiling
    kit_gold.require_no_hidden_gold(session, split.level.task)
    if is_first:
        score_baselines(session, version, now)
        put_in_force(session, actor, version, prepared.reason, now)
    else:
        make_candidate(session, actor, version, prepared.reason, now)
        scoring_jobs.add_jobs(session, version, now)
    return version


def score_baselines(session: Session, version: GoldVersion, now: datetime) -> None:
    """Score the submissions from before the first gold version: these are baselines only."""
    split = version.split
    gold, parts = scoring.gold_of(session, split, version), scoring.parts_of(session, split)
    files = session.scalars(scoring_jobs.select_unscored(version)).all()
    results = {file.id: rescoring.score_stored_file(session, split, gold, parts, file) for file in files}
    scoring.add_scores(session, version, results, now)


def add_version(
    session: Session, actor: Actor, split: Split, data: bytes, reason: str, now: datetime
) -> GoldVersion:
    """Add the next gold version of a split; the caller adds its events and scores."""
    newest = session.scalar(select(func.max(GoldVersion.number)).where(GoldVersion.split_id == split.id))
    version = GoldVersion(
        split_id=split.id,
        number=1 if newest is None else newest + 1,
        sha256=storage_of(session).put(data),
        salt=secrets.token_hex(32),
        scorer=scoring.VERSION,
        reason=reason,
        **actor.made(now),
    )
    session.add(version)
    session.flush()
    record(session, actor, version, "gold.add", now)
    return version


def add_event(
    session: Session, actor: Actor, version: GoldVersion, event: GoldEventName, reason: str, now: datetime
) -> None:
    """Record an event of a gold version; the caller checks the permission."""
    session.add(GoldEvent(gold_version_id=version.id, event=event, reason=reason, **actor.made(now)))
    session.flush()


def make_candidate(session: Session, actor: Actor, version: GoldVersion, reason: str, now: datetime) -> None:
    """Make a gold version the candidate, whose files are scored; the caller checks the permission."""
    add_event(session, actor, version, "candidate", reason, now)
    record(session, actor, version, "gold.candidate", now)
    split = version.split
    for phase in windows.list_phases_on_items(session, split.level.task_id, split.name):
        inferences.queue_candidate(session, phase, version, now)


def put_in_force(session: Session, actor: Actor, version: GoldVersion, reason: str, now: datetime) -> None:
    """Put a gold version in force and update live leaderboards; the caller checks the permission."""
    add_event(session, actor, version, "published", reason, now)
    record(session, actor, version, "gold.publish", now)
    split = version.split
    for phase in windows.list_phases_on_items(session, split.level.task_id, split.name):
        follow_up_jobs.add_follow_up_jobs(session, phase, now)


def record(session: Session, actor: Actor, version: GoldVersion, action: str, now: datetime) -> None:
    """Record an event of a gold version in the audit log, without its values and its hash."""
    level, split = version.split.level, version.split.name
    audit.record(
        session, actor, now, action, level.task_id, level=level.slug, split=split, version=version.number
    )


def require_no_candidate(session: Session, split: Split) -> None:
    """Raise if a split has a candidate.

    Raises:
        Conflict: there is one.
    """
    candidate = gold_versions.find_candidate(session, split)
    if candidate is not None:
        raise Conflict.of(
            "Version %(number)d of %(level)s, %(split)s, is already a candidate. Put it in force "
            "or discard it first.",
            number=candidate.number,
            level=split.level.title,
            split=split.name,
        )


def _require_change(session: Session, split: Split, sha256: str) -> None:
    """Raise if a file would change nothing, or there is a candidate."""
    require_no_candidate(session, split)
    gold = gold_versions.find_gold(session, split)
    if gold is not None and (gold.sha256, gold.scorer) == (sha256, scoring.VERSION):
        raise Conflict.of(
            "This file is identical to version %(number)d, which is in force. Nothing was changed.",
            number=gold.number,
        )
