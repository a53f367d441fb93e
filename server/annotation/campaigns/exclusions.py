"""Excludes an annotator's answers from all figures and the gold, with a reason, and includes them again."""

from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from server.access import service as access
from server.annotation import campaign_log
from server.annotation.models import Annotator, Campaign, Exclusion
from server.core.actors import Actor
from server.core.errors import Conflict
from server.core.i18n import _


def exclude_annotator(
    session: Session, actor: Actor, annotator: Annotator, *, excluded: bool, reason: str, now: datetime
) -> None:
    """Exclude an annotator, or end the exclusion; the answers stay as they are.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task.
        Conflict: that is the case already.
    """
    task = annotator.campaign.task
    access.require_organizer(session, actor, task)
    if is_excluded(session, annotator) == excluded:
        raise Conflict(
            _("%(name)s is excluded already.", name=annotator.name)
            if excluded
            else _("%(name)s is not excluded.", name=annotator.name)
        )
    session.add(Exclusion(annotator_id=annotator.id, excluded=excluded, reason=reason, **actor.made(now)))
    action = "annotator.exclude" if excluded else "annotator.include"
    campaign_log.record_annotator(session, actor, now, action, annotator)


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
