"""Excludes an annotator's answers from all figures and the gold, with a reason, and includes them again."""

from datetime import datetime

from sqlalchemy.orm import Session

from server.access import service as access
from server.annotation.campaigns import standing
from server.annotation.models import Annotator, Exclusion
from server.audit import service as audit
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
    if (annotator.name in standing.list_exclusions(session, annotator.campaign)) == excluded:
        raise Conflict(
            _("%(name)s is excluded already.", name=annotator.name)
            if excluded
            else _("%(name)s is not excluded.", name=annotator.name)
        )
    session.add(
        Exclusion(
            annotator_id=annotator.id, excluded=excluded, reason=reason, made_by=actor.user_id, made_at=now
        )
    )
    session.flush()
    action = "annotator.exclude" if excluded else "annotator.include"
    audit.record(
        session, actor, now, action, task.id, campaign=annotator.campaign.slug, annotator=annotator.name
    )
