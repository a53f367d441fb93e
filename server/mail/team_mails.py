"""Emails about teams: to organizers while teams wait, to a team after a decision or a removal."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import select

from server.accounts.models import User
from server.core.site_resources import Site
from server.mail import recipients, service as mails
from server.tasks.models import Task
from server.teams.models import Team


def write_waiting_mails(site: Site, payload: Mapping[str, Any], now: datetime) -> None:
    """Write one email about all teams that wait now; none if all were decided."""
    with site.writing() as session:
        task = session.get_one(Task, payload["task"])
        waiting = (Team.task_id == task.id, Team.state == "waiting")
        teams = session.scalars(select(Team).where(*waiting).order_by(Team.id)).all()
        if teams:
            people = recipients.list_organizers(session, task.id)
            cause = f"waiting {task.id} {payload['since']}"
            mails.queue_mails(site, task, people, "membership", cause, now, letter="waiting", teams=teams)


def write_decision_mails(site: Site, payload: Mapping[str, Any], now: datetime) -> None:
    """Write the emails to the members of a team that was approved or declined."""
    with site.writing() as session:
        team = session.get_one(Team, payload["team"])
        if team.state in ("approved", "declined"):
            people = recipients.list_members(session, team.id)
            cause = f"decision {team.id} {team.state} {payload['at']}"
            mails.queue_mails(site, team.task, people, "membership", cause, now, letter="decision", team=team)


def write_removal_mails(site: Site, payload: Mapping[str, Any], now: datetime) -> None:
    """Write the emails to a removed member and to the captain; running it again writes none."""
    with site.writing() as session:
        team = session.get_one(Team, payload["team"])
        member = session.get_one(User, payload["user"])
        people = User.id.in_([member.id, payload["captain"]])
        how = {"by_captain": payload["by_captain"], "succeeds": payload["succeeds"]}
        for user in session.scalars(select(User).where(people).order_by(User.id)):
            cause = f"removal {team.id} {member.id} {payload['at']}"
            facts = {"team": team, "member": member, "is_member": user is member, **how}
            mails.queue_mail(site, team.task, user, "membership", cause, now, **facts)
