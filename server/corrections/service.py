"""Gold versions: a new one is a candidate that stands beside the one in force until it is published."""

import hashlib
import secrets
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session, joinedload

from server.access import service as access
from server.audit import service as audit
from server.core.actors import Actor
from server.core.errors import Conflict, NotFound
from server.core.i18n import _
from server.core.storage import Storage
from server.corrections import scoring_jobs
from server.gold import versions as gold_versions
from server.gold.models import GoldEvent, GoldEventName, GoldVersion
from server.phases import windows
from server.releases import inferences
from server.scoring import service as scoring
from server.submissions import follow_up_jobs, rescoring
from server.tasks.models import Level, Split, Task


@dataclass(frozen=True, slots=True)
class PreparedGold:
    """A gold file that was read without a problem."""

    split_id: int
    data: bytes
    reason: str


def list_versions(session: Session, actor: Actor, task: Task) -> list[GoldVersion]:
    """All gold versions of a task, by level, split and number; for those who see all of it."""
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
    """A gold version of a task, for those who see all of it.

    Raises:
        NotFound: the task has none of this id.
    """
    for version in list_versions(session, actor, task):
        if version.id == version_id:
            return version
    raise NotFound(_("There is no such gold version."))


def prepare_gold(
    session: Session, storage: Storage, actor: Actor, split: Split, data: bytes, filename: str, reason: str
) -> PreparedGold:
    """Read a gold file; writes nothing.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task.
        Conflict: a candidate waits, or this file is in force.
        InvalidFile: the file is invalid, with every problem.
    """
    access.require_organizer(session, actor, split.level.task)
    _require_change(session, split, hashlib.sha256(data).hexdigest())
    scoring.parse_gold(storage, split, data, filename)
    return PreparedGold(split.id, data, reason.strip())


def prepare_rescoring(session: Session, storage: Storage, actor: Actor, version: GoldVersion) -> PreparedGold:
    """The file in force once more, to be scored by the scorer that is installed now.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task.
        Conflict: a candidate waits, or this scorer's scores are in force.
        InvalidFile: this scorer does not take the file.
    """
    data = storage.get(version.sha256)
    return prepare_gold(
        session, storage, actor, version.split, data, f"gold {version.number}", version.reason
    )


def add_gold(
    session: Session, storage: Storage, actor: Actor, prepared: PreparedGold, now: datetime
) -> GoldVersion:
    """Make a gold file a version: the first of a split is in force at once, a later one is a candidate.

    Raises:
        Conflict: a candidate waits, or this file is in force, now that the lock is held.
    """
    split = session.get_one(Split, prepared.split_id)
    access.require_organizer(session, actor, split.level.task)
    _require_change(session, split, hashlib.sha256(prepared.data).hexdigest())
    is_first = gold_versions.find_gold(session, split) is None
    version = add_version(session, storage, actor, split, prepared.data, prepared.reason, now)
    if is_first:
        _score_baselines(session, storage, version, now)
        put_in_force(session, actor, version, prepared.reason, now)
    else:
        make_candidate(session, actor, version, prepared.reason, now)
        scoring_jobs.add_jobs(session, version, now)
    return version


def _score_baselines(session: Session, storage: Storage, version: GoldVersion, now: datetime) -> None:
    """Score what was there before its gold: baselines alone, for files of teams need gold."""
    split = version.split
    gold, parts = scoring.gold_of(storage, split, version), scoring.parts_of(storage, split)
    files = session.scalars(scoring_jobs.select_unscored(version)).all()
    results = {file.id: rescoring.score_stored_file(storage, split, gold, parts, file) for file in files}
    scoring.add_scores(session, version, results, now)


def add_version(
    session: Session,
    storage: Storage,
    actor: Actor,
    split: Split,
    data: bytes,
    reason: str,
    now: datetime,
) -> GoldVersion:
    """The next gold version of a split; the caller says what becomes of it, and sees to the scores."""
    newest = session.scalar(select(func.max(GoldVersion.number)).where(GoldVersion.split_id == split.id))
    version = GoldVersion(
        split_id=split.id,
        number=1 if newest is None else newest + 1,
        sha256=storage.put(data),
        salt=draw_salt(),
        scorer=scoring.VERSION,
        reason=reason,
        made_by=actor.user_id,
        made_at=now,
    )
    session.add(version)
    session.flush()
    record(session, actor, version, "gold.add", now)
    return version


def draw_salt() -> str:
    """The salt of a commitment: 32 bytes, which nobody can guess."""
    return secrets.token_hex(32)


def add_event(
    session: Session, actor: Actor, version: GoldVersion, event: GoldEventName, reason: str, now: datetime
) -> None:
    """Say what became of a gold version; the caller has the right to."""
    session.add(
        GoldEvent(gold_version_id=version.id, event=event, reason=reason, made_by=actor.user_id, made_at=now)
    )
    session.flush()


def make_candidate(session: Session, actor: Actor, version: GoldVersion, reason: str, now: datetime) -> None:
    """Let a gold version be published once files are scored; the caller has the right to."""
    add_event(session, actor, version, "candidate", reason, now)
    record(session, actor, version, "gold.candidate", now)
    split = version.split
    for phase in windows.list_phases_on_items(session, split.level.task_id, split.name):
        inferences.queue_candidate(session, phase, version, now)


def put_in_force(session: Session, actor: Actor, version: GoldVersion, reason: str, now: datetime) -> None:
    """Let a gold version rule its split, and live boards follow it; the caller has the right to."""
    add_event(session, actor, version, "published", reason, now)
    record(session, actor, version, "gold.publish", now)
    split = version.split
    for phase in windows.list_phases_on_items(session, split.level.task_id, split.name):
        follow_up_jobs.add_follow_up_jobs(session, phase, now)


def record(session: Session, actor: Actor, version: GoldVersion, action: str, now: datetime) -> None:
    """Note in the audit log what became of a gold version: no value of it, no hash."""
    level, split = version.split.level, version.split.name
    audit.record(
        session, actor, now, action, level.task_id, level=level.slug, split=split, version=version.number
    )


def require_no_candidate(session: Session, split: Split) -> None:
    """Refuse a second candidate of a split.

    Raises:
        Conflict: there is one.
    """
    candidate = gold_versions.find_candidate(session, split)
    if candidate is not None:
        raise Conflict(
            _(
                "Version %(number)d of %(level)s, %(split)s, is already a candidate. Put it in force "
                "or discard it first.",
                number=candidate.number,
                level=split.level.title,
                split=split.name,
            )
        )


def _require_change(session: Session, split: Split, sha256: str) -> None:
    """Refuse what would change nothing, and a second candidate."""
    require_no_candidate(session, split)
    gold = gold_versions.find_gold(session, split)
    if gold is not None and (gold.sha256, gold.scorer) == (sha256, scoring.VERSION):
        raise Conflict(
            _(
                "This file is identical to version %(number)d, which is in force. Nothing was changed.",
                number=gold.number,
            )
        )
