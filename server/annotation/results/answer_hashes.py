"""A hash over a campaign's answers, which the audit log records daily and `assay audit verify` recomputes.

An audit entry for each answer would make the log as long as the answers. The hash shows that none was changed
or removed since. It covers the hash of the free texts in their place, so that these can be erased.
"""

import hashlib
import json
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from server.annotation import campaign_log
from server.annotation.models import Annotator, Campaign, Step, UnitAnswer
from server.audit.models import AuditEntry
from server.core import db
from server.core.actors import WORKER
from server.core.site_resources import Site

HASH_ACTION = "campaign.answers"
HASH_PERIOD = timedelta(hours=24)
BATCH = 1000


@dataclass(frozen=True, slots=True)
class AnswersHash:
    """The number of answers up to one of them, and their hash."""

    upto: int
    count: int
    sha256: str


def hash_answers(session: Session, campaign_id: int, uptos: Collection[int]) -> dict[int, AnswersHash]:
    """Hash the answers of a campaign up to each of some ids: a line of JSON for each answer, by id."""
    query = (
        select(
            UnitAnswer.id,
            UnitAnswer.step_id,
            Annotator.name,
            UnitAnswer.nonce,
            UnitAnswer.value,
            UnitAnswer.standing,
            UnitAnswer.supersedes_id,
            UnitAnswer.shown_at,
            UnitAnswer.arrived_at,
            UnitAnswer.visible_ms,
            UnitAnswer.input,
            UnitAnswer.texts_sha256,
            UnitAnswer.picks,
        )
        .join(Step, Step.id == UnitAnswer.step_id)
        .join(Annotator, Annotator.id == Step.annotator_id)
        .where(Annotator.campaign_id == campaign_id, UnitAnswer.id <= max(uptos, default=0))
        .order_by(UnitAnswer.id)
        .execution_options(yield_per=BATCH)
    )
    hashes, waiting, sha256, count = {}, sorted(uptos), hashlib.sha256(), 0
    for row in session.execute(query):
        while waiting and waiting[0] < row.id:
            upto = waiting.pop(0)
            hashes[upto] = AnswersHash(upto, count, sha256.hexdigest())
        line = [*row[:-1], *filter(None, row[-1:])]  # a rating has no picks
        sha256.update(json.dumps(line, default=datetime.isoformat).encode() + b"\n")
        count += 1
    return hashes | {upto: AnswersHash(upto, count, sha256.hexdigest()) for upto in waiting}


def record_due_hashes(site: Site, now: datetime) -> None:
    """Record the hash of each campaign with new answers whose last hash is a day old."""
    with site.reading() as session:
        due = [
            campaign.id for campaign in session.scalars(select(Campaign)) if _is_due(session, campaign, now)
        ]
    for campaign_id in due:
        record_hash(site, {"campaign": campaign_id}, now)


def record_hash(site: Site, payload: Mapping[str, Any], now: datetime) -> None:
    """Record the hash over all answers of a campaign, unless the newest one has them."""
    session, campaign_id = site.session(), payload["campaign"]
    with db.reading(session):
        newest = _find_newest(session, campaign_id)
        computed = hash_answers(session, campaign_id, [newest])[newest]
    with db.writing(session):
        campaign = session.get_one(Campaign, campaign_id)
        if _upto(_find_last_entry(session, campaign)) < computed.upto:
            campaign_log.record(session, WORKER, now, "campaign.answers", campaign, **asdict(computed))


def _is_due(session: Session, campaign: Campaign, now: datetime) -> bool:
    """Whether there are new answers, and the last hash is a day old."""
    last = _find_last_entry(session, campaign)
    if last is not None and last.at > now - HASH_PERIOD:
        return False
    return _find_newest(session, campaign.id) > _upto(last)


def _find_newest(session: Session, campaign_id: int) -> int:
    query = (
        select(func.max(UnitAnswer.id))
        .join(Step, Step.id == UnitAnswer.step_id)
        .join(Annotator, Annotator.id == Step.annotator_id)
        .where(Annotator.campaign_id == campaign_id)
    )
    return session.scalar(query) or 0


def _upto(last: AuditEntry | None) -> int:
    return 0 if last is None else int(last.details["upto"])


def _find_last_entry(session: Session, campaign: Campaign) -> AuditEntry | None:
    query = (
        select(AuditEntry)
        .where(AuditEntry.task_id == campaign.task_id, AuditEntry.action == HASH_ACTION)
        .order_by(AuditEntry.number.desc())
    )
    entries = session.scalars(query)
    return next((entry for entry in entries if entry.details.get("campaign") == campaign.slug), None)
