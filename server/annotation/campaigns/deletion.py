"""Deleting a campaign in which nobody has begun; its entries in the audit log stay."""

from datetime import datetime

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from server.access import service as access
from server.annotation import campaign_log
from server.annotation.models import AnnotationRound, Annotator, Assignment, Campaign, RoundDataSet
from server.core.actors import Actor
from server.core.belonging import list_belonging_rows
from server.core.db import Base
from server.core.errors import Conflict
from server.core.i18n import _
from server.jobs import service as jobs


def is_deletable(session: Session, campaign: Campaign) -> bool:
    """Whether nobody has taken an assignment of the campaign; trials do not count."""
    taken = (
        select(Assignment.id)
        .join(Assignment.annotator)
        .where(Annotator.campaign_id == campaign.id, Annotator.trial.is_(False))
    )
    return session.scalar(taken.limit(1)) is None


def delete_campaign(session: Session, actor: Actor, campaign: Campaign, now: datetime) -> None:
    """Delete a campaign, its links and its trials.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task.
        Conflict: an annotator has begun.
    """
    access.require_organizer(session, actor, campaign.task)
    if not is_deletable(session, campaign):
        raise Conflict(_("An annotator has begun, so the campaign cannot be deleted. You can close it."))
    campaign_log.record(session, actor, now, "campaign.delete", campaign)
    rounds = select(AnnotationRound.id).where(AnnotationRound.campaign_id == campaign.id)
    annotators = select(Annotator.id).where(Annotator.campaign_id == campaign.id)
    about = {
        "campaign": select(Campaign.id).where(Campaign.id == campaign.id),
        "round": rounds,
        "data_set": select(RoundDataSet.id).where(RoundDataSet.round_id.in_(rounds)),
        "annotator": annotators,
        "assignment": select(Assignment.id).where(Assignment.annotator_id.in_(annotators)),
    }
    jobs.delete_jobs_about(session, about)
    owner = Base.metadata.tables[Campaign.__tablename__]
    for table, belongs in reversed(list_belonging_rows(owner, campaign.id, ()).items()):
        session.execute(table.delete().where(belongs))
    session.execute(delete(Campaign).where(Campaign.id == campaign.id))
    session.expire_all()
