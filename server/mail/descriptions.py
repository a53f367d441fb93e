"""Emails that ask teams to describe their systems for the overview paper, sent by an organizer."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy.orm import Session

from server.access import service as access
from server.audit import service as audit
from server.core.actors import Actor
from server.core.errors import Conflict
from server.core.site_resources import Site
from server.jobs import service as jobs
from server.mail import service as mails
from server.phases.models import Phase
from server.runs import completeness, system_table

DESCRIPTIONS_JOB = "mail.descriptions"
"""The kind of job that writes these emails."""


def remind_teams(session: Session, actor: Actor, phase: Phase, now: datetime) -> int:
    """Remind the members of teams with systems that lack a description; return the number of teams.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task.
        Conflict: every system has a description, or no such team has members; or the task is a draft.
    """
    access.require_organizer(session, actor, phase.task)
    access.require_published(phase.task)
    undescribed = system_table.list_undescribed(system_table.find_systems(session, phase))
    if not undescribed:
        raise Conflict.of("Every system of %(phase)s has a description.", phase=phase.title)
    people = completeness.list_members_by_team(session, [team for team, _runs in undescribed])
    teams = [members for members in people.values() if members]
    if not teams:
        raise Conflict.of("These teams have no members with an account on this site. Nothing was sent.")
    jobs.add_job(session, DESCRIPTIONS_JOB, {"phase": phase.id, "day": f"{now:%Y-%m-%d}"}, now)
    audit.record(session, actor, now, "mail.descriptions", phase.task_id, phase=phase.slug, teams=len(teams))
    return len(teams)


def write_description_mails(site: Site, payload: Mapping[str, Any], now: datetime) -> None:
    """Write the emails of one reminder, at most one a day to each person and phase."""
    with site.writing() as session:
        phase = session.get_one(Phase, payload["phase"])
        undescribed = system_table.list_undescribed(system_table.find_systems(session, phase))
        people = completeness.list_members_by_team(session, [team for team, _runs in undescribed])
        cause = f"descriptions {phase.id} {payload['day']}"
        for team, runs in undescribed:
            facts = {"letter": "descriptions", "phase": phase, "team": team, "runs": runs}
            mails.queue_mails(site, phase.task, people[team.id], "reminder", cause, now, **facts)
