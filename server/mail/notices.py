"""Emails about changed dates and items, and released results, ten minutes after the first change.

The job reads the state at that time, so that several changes make one email, and a change that was taken back
makes none. An email about results has a link and no figures.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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
from server.tasks.models import Split, Task
from server.teams.models import Team

DATES_JOB = "mail.dates"
"""The kind of job that writes the emails about changed dates of a task's phases."""
RELEASE_JOB = "mail.release"
"""The kind of job that writes the emails about released results of a task's phases."""
ITEMS_JOB = "mail.items"
"""The kind of job that writes the emails about replaced items."""
DELAY = timedelta(minutes=10)
"""Changes within this time make one email."""
BATCH = 20
"""The number of teams whose emails are written in one transaction."""


@dataclass(frozen=True, slots=True)
class DateChange:
    """The times of a phase for a team, before and now; `alone`: the new deadline is of this team only."""

    phase: Phase
    before: Window
    window: Window
    reason: str
    alone: bool


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
    if read_dates(session, phase) == before:
        return
    others = session.scalars(select(Phase).where(Phase.task_id == phase.task_id, Phase.id != phase.id))
    dates = {str(other.id): read_dates(session, other) for other in others} | {str(phase.id): dict(before)}
    payload = {"task": phase.task_id, "since": now.isoformat(), "before": dates}
    due_at = now if _is_over(before, now) != _is_over(read_dates(session, phase), now) else now + DELAY
    jobs.add_job(session, DATES_JOB, payload, now, due_at=due_at, key=f"{DATES_JOB}:{phase.task_id}")


def _is_over(dates: Mapping[str, Any], now: datetime) -> bool:
    """Whether a phase with these dates is closed: teams hear at once of an early close, or of a reopening."""
    return dates["closes"] is not None and datetime.fromisoformat(dates["closes"]) <= now


def queue_release_notice(session: Session, phase: Phase, now: datetime) -> None:
    """Add the job that emails a release, or revealed names, to the teams with submissions."""
    payload = {"task": phase.task_id, "since": now.isoformat()}
    jobs.add_job(session, RELEASE_JOB, payload, now, due_at=now + DELAY, key=f"{RELEASE_JOB}:{phase.task_id}")


def queue_items_notice(session: Session, split: Split, now: datetime) -> bool:
    """Add the job that tells teams that items were replaced, if they may have downloaded them; whether so."""
    task = split.level.task
    phases = windows.list_phases_on_items(session, task.id, split.name)
    if task.published_at is None or all(phase.window.state(now) == "early" for phase in phases):
        return False
    key = f"{ITEMS_JOB}:{task.id}"
    waiting = jobs.find_waiting(session, key)
    if waiting is None:
        payload = {"task": task.id, "since": now.isoformat(), "splits": [split.id]}
        jobs.add_job(session, ITEMS_JOB, payload, now, due_at=now + DELAY, key=key)
    else:
        splits = sorted({*waiting.payload["splits"], split.id})
        jobs.renew_job(session, waiting, waiting.due_at, {**waiting.payload, "splits": splits})
    return True


def write_items_mails(site: Site, payload: Mapping[str, Any], now: datetime) -> None:
    """Write the emails about replaced items to the teams of the task."""
    with site.reading() as session:
        teams = completeness.list_teams(session, payload["task"], ("approved", "waiting"))
        team_ids = [team.id for team in teams]
    for first in range(0, len(team_ids), BATCH):
        with db.writing(session):
            task = session.get_one(Task, payload["task"])
            query = select(Split).where(Split.id.in_(payload["splits"])).order_by(Split.id)
            splits = session.scalars(query).all()
            named = Team.id.in_(team_ids[first : first + BATCH])
            batch = list(session.scalars(select(Team).where(named).order_by(Team.id)))
            people = completeness.list_members_by_team(session, batch)
            cause = f"items {task.id} {payload['since']}"
            for team in batch:
                facts = {"letter": "items", "team": team, "splits": splits}
                mails.queue_mails(site, task, people[team.id], "announcement", cause, now, **facts)


def write_date_mails(site: Site, payload: Mapping[str, Any], now: datetime) -> None:
    """Write the emails to the teams whose dates differ from those before the first change."""
    with site.reading() as session:
        teams = completeness.list_teams(session, payload["task"], ("approved", "waiting"))
        team_ids = [team.id for team in teams]
    for first in range(0, len(team_ids), BATCH):
        with db.writing(session):
            _write_date_batch(site, payload, team_ids[first : first + BATCH], now)


def _write_date_batch(site: Site, payload: Mapping[str, Any], team_ids: Sequence[int], now: datetime) -> None:
    session, since = site.session(), datetime.fromisoformat(payload["since"])
    task = session.get_one(Task, payload["task"])
    teams = list(session.scalars(select(Team).where(Team.id.in_(team_ids)).order_by(Team.id)))
    people = completeness.list_members_by_team(session, teams)
    changes = _list_changes(session, task, teams, payload["before"], since)
    cause = f"dates {task.id} {payload['since']}"
    for team in teams:
        if changes[team.id]:
            facts = {"team": team, "changes": changes[team.id]}
            mails.queue_mails(site, task, people[team.id], "date", cause, now, **facts)


def _list_changes(
    session: Session, task: Task, teams: Sequence[Team], before: Mapping[str, Any], since: datetime
) -> dict[int, list[DateChange]]:
    """List the changes of dates that each team sees, by the teams' ids."""
    changes: dict[int, list[DateChange]] = {team.id: [] for team in teams}
    for phase in session.scalars(select(Phase).where(Phase.task_id == task.id).order_by(Phase.position)):
        if str(phase.id) not in before:
            continue  # it was added since then
        window_by_team = windows.windows_by_team(session, phase, teams)
        query = select(Extension).where(Extension.phase_id == phase.id, Extension.made_at >= since)
        extensions = session.scalars(query.order_by(Extension.id)).all()
        for team in teams:
            old, new = _window_before(before[str(phase.id)], team), window_by_team[team.id]
            if _to_the_second(old) != _to_the_second(new):
                own = [one for one in extensions if one.team_id in (None, team.id)]
                reason = own[-1].reason if own and own[-1].closes == new.closes else ""
                alone = bool(own) and own[-1].team_id == team.id
                changes[team.id].append(DateChange(phase, old, new, reason, alone))
    return changes


def _to_the_second(window: Window) -> tuple[datetime | None, datetime | None, float]:
    """Return the times of a window as forms show them: a time that was put back is no change."""
    opens, closes = (
        None if at is None else at.replace(microsecond=0) for at in (window.opens, window.closes)
    )
    return opens, closes, window.grace_hours


def _window_before(before: Mapping[str, Any], team: Team) -> Window:
    opens, closes, extended = (
        None if text is None else datetime.fromisoformat(text)
        for text in (before["opens"], before["closes"], before["extensions"].get(str(team.id)))
    )
    return windows.extend_window(Window(opens, closes, before["grace_hours"]), extended)
