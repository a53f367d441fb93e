"""Annotators whose answers do not count: an organizer excluded them, or they withdrew their consent."""

from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session, aliased

from server.annotation.models import Annotator, Campaign, Consent, Exclusion


def list_exclusions(session: Session, campaign: Campaign) -> dict[str, Exclusion]:
    """Return the exclusions in force, by the names of their annotators."""
    newest = (
        select(func.max(Exclusion.id))
        .join(Annotator, Annotator.id == Exclusion.annotator_id)
        .where(Annotator.campaign_id == campaign.id)
        .group_by(Exclusion.annotator_id)
    )
    query = (
        select(Annotator.name, Exclusion)
        .join(Annotator, Annotator.id == Exclusion.annotator_id)
        .where(Exclusion.id.in_(newest), Exclusion.excluded.is_(True))
        .order_by(Annotator.name)
    )
    return dict(session.execute(query).all())


def list_excluded(session: Session, campaign: Campaign) -> set[int]:
    """Return the ids of annotators whom an organizer excluded."""
    return {exclusion.annotator_id for exclusion in list_exclusions(session, campaign).values()}


def is_excluded(session: Session, annotator: Annotator) -> bool:
    """Whether an organizer excluded the annotator."""
    query = select(Exclusion.excluded).where(Exclusion.annotator_id == annotator.id)
    return bool(session.scalar(query.order_by(Exclusion.id.desc()).limit(1)))


def select_withdrawn(campaign_id: int | None = None) -> Select[int]:
    """Select the ids of annotators who withdrew their consent: that is what they decided last.

    None: of all campaigns.
    """
    newest = select(func.max(Consent.id)).group_by(Consent.annotator_id)
    if campaign_id is not None:
        newest = newest.join(Annotator, Annotator.id == Consent.annotator_id)
        newest = newest.where(Annotator.campaign_id == campaign_id)
    consent = aliased(Consent)
    return select(consent.annotator_id).where(consent.id.in_(newest), consent.given.is_(False))


def list_withdrawn(session: Session, campaign: Campaign) -> set[int]:
    """Return the ids of annotators who withdrew their consent."""
    return set(session.scalars(select_withdrawn(campaign.id)))
