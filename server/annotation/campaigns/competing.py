"""Annotators of a hidden split cannot compete in its task, and members of its teams cannot annotate it.

People are compared by their account, and by the confirmed email address of an account.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, select
from sqlalchemy.orm import Session

from server.access import service as access, tasks
from server.accounts.models import User
from server.annotation.models import Annotator, AnnotatorIdentity, Campaign
from server.core.errors import Conflict
from server.teams import memberships
from server.teams.models import Membership, Team


@dataclass(frozen=True, slots=True)
class TeamMembership:
    """A team of the task that the annotator is a member of; `fixed`: it has a scored file."""

    team: Team
    user_id: int
    fixed: bool


def hides_gold(campaign: Campaign) -> bool:
    """Whether the campaign makes gold that participants must not know; a new split counts as hidden."""
    if campaign.level is None or campaign.split is None:
        return False
    for level in campaign.task.levels:
        if level.slug == campaign.level and (split := tasks.find_split(level, campaign.split)) is not None:
            return not split.public_gold
    return True


def find_memberships(session: Session, annotator: Annotator, user_id: int | None) -> list[TeamMembership]:
    """Return the teams that an annotator has to leave before they consent; for public gold there are none.

    `user_id`: the account that the annotator is signed in to.
    """
    if annotator.trial:
        return []
    identity = session.get_one(AnnotatorIdentity, annotator.id)
    known = (user_id, identity.user_id)
    return list_memberships(session, annotator.campaign, known, identity.email)


def list_memberships(
    session: Session, campaign: Campaign, user_ids: Sequence[int | None], email: str | None = None
) -> list[TeamMembership]:
    """Return the teams that a person with these accounts or this address has to leave before they consent."""
    if not hides_gold(campaign):
        return []
    people: ColumnElement[bool] = User.id.in_([known for known in user_ids if known is not None])
    if email is not None:
        people |= (User.email == email) & User.confirmed_at.is_not(None)
    query = (
        select(Membership)
        .join(User, User.id == Membership.user_id)
        .where(Membership.task_id == campaign.task_id, people)
    )
    return [
        TeamMembership(membership.team, membership.user_id, access.is_fixed(session, membership.team))
        for membership in session.scalars(query.order_by(Membership.user_id))
    ]


def require_no_scored_file(found: list[TeamMembership]) -> None:
    """Raise if a team of the annotator has a scored file.

    Raises:
        Conflict: it has one.
    """
    for membership in found:
        if membership.fixed:
            raise Conflict.of(
                "You are a member of %(team)s, which has a scored submission in this task. Its members "
                "cannot annotate the test data.",
                team=membership.team.name,
            )


def leave_teams(session: Session, annotator: Annotator, found: list[TeamMembership], now: datetime) -> None:
    """Remove an annotator from teams without a scored file."""
    for membership in found:
        memberships.remove_annotator(
            session, membership.team, membership.user_id, annotator.campaign.slug, now
        )
