"""Erases who an annotator is, and what they wrote; their ratings stay under the pseudonym."""

from datetime import datetime

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from server.access import service as access
from server.annotation import campaign_log
from server.annotation.campaigns import personal_links
from server.annotation.models import (
    AnnotationBar,
    AnnotationRound,
    Annotator,
    AnnotatorIdentity,
    AnswerText,
    Consent,
    RoundExport,
    Step,
    UnitAnswer,
)
from server.core.actors import Actor


def erase_annotator(session: Session, actor: Actor, annotator: Annotator, now: datetime) -> None:
    """Erase an annotator's name, address and account, end their link, and erase their free texts.

    If they agreed to annotate, a keyed hash stays, without the pseudonym, so that they still cannot compete.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task.
    """
    task = annotator.campaign.task
    access.require_organizer(session, actor, task)
    _keep_bar(session, annotator)
    session.execute(
        update(AnnotatorIdentity)
        .where(AnnotatorIdentity.annotator_id == annotator.id)
        .values(label=None, email=None, user_id=None, person_hash=None, erased_at=now)
    )
    personal_links.end_keys(session, annotator, now)
    erase_texts(session, annotator)
    campaign_log.record_annotator(session, actor, now, "annotator.forget", annotator)


def _keep_bar(session: Session, annotator: Annotator) -> None:
    """Store the hashes of an annotator's account, address and platform's id, if they ever consented."""
    query = select(Consent.id).where(Consent.annotator_id == annotator.id, Consent.given.is_(True))
    if annotator.trial or session.scalar(query.limit(1)) is None:
        return
    identity = session.get_one(AnnotatorIdentity, annotator.id)
    hashes = access.hash_person(session, identity.user_id, identity.email)
    for person_hash in filter(None, [*hashes, identity.person_hash]):
        session.merge(AnnotationBar(campaign_id=annotator.campaign_id, person_hash=person_hash))
    session.flush()


def erase_texts(session: Session, annotator: Annotator) -> None:
    """Erase the free texts of an annotator, also in stored exports; the hashes in their answers stay."""
    own = (
        select(UnitAnswer.id)
        .join(Step, Step.id == UnitAnswer.step_id)
        .where(Step.annotator_id == annotator.id)
    )
    session.execute(
        update(AnswerText)
        .where(AnswerText.answer_id.in_(own))
        .values(comment=None, reason=None, written=None, salt=None)
    )
    rounds = select(AnnotationRound.id).where(AnnotationRound.campaign_id == annotator.campaign_id)
    session.execute(delete(RoundExport).where(RoundExport.round_id.in_(rounds)))
