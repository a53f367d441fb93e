"""An organizer looks at the screen of an annotator: the steps with their texts, and the answers in force."""

from datetime import datetime

from sqlalchemy.orm import Session

from server.access import service as access
from server.annotation import campaign_log
from server.annotation.answers import answered_steps
from server.annotation.answers.answered_steps import AnsweredStep
from server.annotation.campaigns import consents
from server.annotation.models import Annotator, Step
from server.core.actors import Actor
from server.core.errors import Conflict
from server.core.i18n import _


def record_view(session: Session, actor: Actor, annotator: Annotator, now: datetime) -> None:
    """Record that an organizer looks at an annotator's answers, which `list_steps` returns.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task.
        Conflict: the annotator withdrew their consent.
    """
    task = annotator.campaign.task
    access.require_organizer(session, actor, task)
    if consents.has_withdrawn(session, annotator):
        raise Conflict(
            _("%(name)s withdrew their consent, so their answers are not shown.", name=annotator.name)
        )
    campaign_log.record(session, actor, now, "annotator.view", annotator.campaign, annotator=annotator.name)


def list_steps(session: Session, actor: Actor, annotator: Annotator) -> list[AnsweredStep]:
    """List the steps of an annotator with the answers in force.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task.
    """
    access.require_organizer(session, actor, annotator.campaign.task)
    return answered_steps.list_steps(session, Step.annotator_id == annotator.id)
