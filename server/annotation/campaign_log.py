"""Entries of the activity log about a campaign."""

from datetime import datetime
from typing import Any

from sqlalchemy.orm import Session

from server.annotation.models import Annotator, Assignment, Campaign
from server.audit import service as audit
from server.core.actors import Actor


def record(
    session: Session, actor: Actor, now: datetime, action: str, campaign: Campaign, **details: Any
) -> None:
    """Record an action on a campaign, with the campaign's short name."""
    audit.record(session, actor, now, action, campaign.task_id, campaign=campaign.slug, **details)


def record_annotator(
    session: Session, actor: Actor, now: datetime, action: str, annotator: Annotator, **details: Any
) -> None:
    """Record an action of an annotator or on one, with the annotator's pseudonym."""
    record(session, actor, now, action, annotator.campaign, annotator=annotator.name, **details)


def record_assignment(
    session: Session, actor: Actor, now: datetime, action: str, assignment: Assignment, **details: Any
) -> None:
    """Record an action on an assignment, with what names it in its campaign."""
    plan = assignment.plan
    named = {"round": plan.round.slug, "plan": plan.number, "assignment": assignment.number}
    record_annotator(session, actor, now, action, assignment.annotator, **named, **details)
