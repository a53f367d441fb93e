"""Emails about changed dates and released results: each is written ten minutes after the first change.

The job reads the state at that time, so that several changes make one email, and a change that was taken back
makes none. An email about results has a link and no figures.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from server.core import db
from server.core.site_resources import Site
from server.jobs import service as jobs
from server.mail import service as mails
from server.phases import windows
from server.phases.models import Extension, Phase
from server.phases.rules import Window
from server.runs import completeness
from server.teams.models import Team

DATES_JOB = "mail.dates"
"""The kind of job that writes the emails about changed dates of a phase."""
RELEASE_JOB = "mail.release"
"""The kind of job that writes the emails about released results of a phase."""
DELAY = timedelta(minutes=10)
"""Changes within this time make one email."""
BATCH = 20
"""The number of teams whose emails are written in one transaction."""


def read_dates(session: Session, phase: Phase) -> dict[str, Any]:
    """Return the dates of a phase and the deadlines of teams with more time, as the payload of a job."""
    query = select(Extension).where(Extension.phase_id == phase.id, Extension.team_id.is_not(None))
    extensions = session.scalars(query.order_by(Extension.id))
    return {
        "opens": None if phase.opens is None else phase.opens.isoformat(),
        "closes": None if phase.closes is None else phase.closes.isoformat(),
        "grace_hours": phase.grace_hours,
        "extensions": {str(extension.team_id): extension.closes.isoformat() for extension in extensions},
    }


def queue_date_notice(session: Session, phase: Phase, before: Mapping[str, Any], now: datetime) -> None:
    """Add the job that emails changed dates to the teams; `before`: what `read_dates` returned."""
    if read_dates(session, phase) != before:
        payload = {"phase": phase.id, "since": now.isoformat(), "before": before}
        jobs.add_job(session, DATES_JOB, payload, now, due_at=now + DELAY, key=f"{DATES_JOB}:{phase.id}")


def queue_release_notice(session: Session, phase: Phase, now: datetime) -> None:
    """Add the job that emails a release, or revealed names, to the teams with submissions."""
    payload = {"phase": phase.id, "since": now.isoformat()}
    jobs.add_job(session, RELEASE_JOB, payload, now, due_at=now + DELAY, key=f"{RELEASE_JOB}:{phase.id}")


def write_date_mails(site: Site, payload: Mapping[str, Any], now: datetime) -> None:
    """Write the emails to the teams whose dates differ from those before the first change."""
    session = site.session()
    with db.reading(session):
        phase = session.get(Phase, payload["phase"])
        if phase is None:
            return
        teams = completeness.list_teams(session, phase.task_id, ("approved", "waiting"))
        team_ids = [team.id for team in teams]
    for first in range(0, len(team_ids), BATCH):
        with db.writing(session):
            _write_date_batch(site, payload, team_ids[first : first + BATCH], now)


def _write_date_batch(site: Site, payload: Mapping[str, Any], team_ids: Sequence[int], now: datetime) -> None:
    session = site.session()
    phase = session.get_one(Phase, payload["phase"])
    teams = list(session.scalars(select(Team).where(Team.id.in_(team_ids)).order_by(Team.id)))
    window_by_team = windows.windows_by_team(session, phase, teams)
    people = completeness.list_members_by_team(session, teams)
    for team in teams:
        before, window = _window_before(payload["before"], team), window_by_team[team.id]
        if window == before:
            continue
        for user in people[team.id]:
            mails.queue_mail(
                session,
                site.config,
                phase.task,
                user,
                "date",
                f"dates {phase.id} {payload['since']}",
                now,
                phase=phase,
                team=team,
                window=window,
                before=before,
            )


def _window_before(before: Mapping[str, Any], team: Team) -> Window:
    opens, closes, extended = (
        None if text is None else datetime.fromisoformat(text)
        for text in (before["opens"], before["closes"], before["extensions"].get(str(team.id)))
    )
    return windows.extend_window(Window(opens, closes, before["grace_hours"]), extended)
