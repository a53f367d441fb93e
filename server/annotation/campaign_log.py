"""Entries of the activity log about a campaign."""

from datetime import datetime
from typing import Any

from sqlalchemy.orm import Session

from server.annotation.models import Campaign
from server.audit import service as audit
from server.core.actors import Actor


def record(
    session: Session, actor: Actor, now: datetime, action: str, campaign: Campaign, **details: Any
) -> None:
    """Record an action on a campaign, with the campaign's short name."""
    audit.record(session, actor, now, action, campaign.task_id, campaign=campaign.slug, **details)
