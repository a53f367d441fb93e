"""Emails about a member who was removed from a team, to that person and to the captain."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import select

from server.accounts.models import User
from server.core.site_resources import Site
from server.mail import service as mails
from server.teams.models import Team


def write_removal_mails(site: Site, payload: Mapping[str, Any], now: datetime) -> None:
    """Write the emails about a removed member; running it again writes none."""
    with site.writing() as session:
        team = session.get_one(Team, payload["team"])
        member = session.get_one(User, payload["user"])
        people = User.id.in_([member.id, payload["captain"]])
        for user in session.scalars(select(User).where(people).order_by(User.id)):
            mails.queue_mail(
                site,
                team.task,
                user,
                "membership",
                f"removal {team.id} {member.id} {payload['at']}",
                now,
                team=team,
                member=member,
                is_member=user is member,
                by_captain=payload["by_captain"],
                succeeds=payload["succeeds"],
            )
