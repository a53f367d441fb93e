"""Annotators whose answers do not count: an organizer excluded them, or they withdrew their consent."""

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from server.annotation.models import Annotator, Campaign, Consent, Exclusion


def list_excluded(session: Session, campaign: Campaign) -> set[int]:
    """Return the ids of annotators whom an organizer excluded."""
    newest = (
        select(func.max(Exclusion.id))
        .join(Annotator, Annotator.id == Exclusion.annotator_id)
        .where(Annotator.campaign_id == campaign.id)
        .group_by(Exclusion.annotator_id)
    )
    query = select(Exclusion.annotator_id).where(Exclusion.id.in_(newest), Exclusion.excluded.is_(True))
    return set(session.scalars(query))


def list_withdrawn(session: Session, campaign: Campaign) -> set[int]:
    """Return the ids of annotators who withdrew their consent."""
    newest = (
        select(func.max(Consent.id))
        .join(Annotator, Annotator.id == Consent.annotator_id)
        .where(Annotator.campaign_id == campaign.id)
        .group_by(Consent.annotator_id)
    )
    query = select(Consent.annotator_id).where(Consent.id.in_(newest), Consent.given.is_(False))
    return set(session.scalars(query))
