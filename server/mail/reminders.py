"""Reminders before a team's own deadline, while one of its runs lacks a file; each is sent once."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil

from sqlalchemy import select
from sqlalchemy.orm import Session

from server.core import db
from server.core.site_resources import Site
from server.mail import service as mails
from server.mail.models import Reminder
from server.phases import windows
from server.phases.models import Extension, Phase
from server.phases.rules import Window
from server.runs import completeness
from server.runs.completeness import TeamGaps
from server.tasks.models import Task

BATCH = 20
"""How many teams are reminded in one transaction."""


@dataclass(frozen=True, slots=True)
class DueReminder:
    """A team to remind now, and the reminders that this covers: several, if no worker ran for a long time."""

    lacking: TeamGaps
    window: Window
    hours: tuple[int, ...]


def write_due_reminders(site: Site, now: datetime) -> None:
    """Write the reminders that are due; the worker calls this regularly."""
    with site.reading() as session:
        due = [phase.id for phase in _list_phases(session) if list_due_reminders(session, phase, now)]
    for phase_id in due:
        while _write_batch(session, site, phase_id, now):
            pass


def _write_batch(session: Session, site: Site, phase_id: int, now: datetime) -> bool:
    """Remind some of the teams in one transaction, so that uploads wait less; False: no team was left."""
    with db.writing(session):
        phase = session.get_one(Phase, phase_id)
        due = list_due_reminders(session, phase, now)[:BATCH]
        _write_reminders(session, site, phase, due, now)
    return bool(due)


def list_due_reminders(session: Session, phase: Phase, now: datetime) -> list[DueReminder]:
    """List the teams of a phase to remind now, each by its own deadline."""
    if phase.closes is None or now < phase.closes - timedelta(hours=max(phase.reminders, default=0)):
        return []
    if now >= max([phase.closes, *_team_deadlines(session, phase)]):
        return []
    lacking = completeness.list_gaps(session, phase)
    window_by_team = windows.windows_by_team(session, phase, [entry.team for entry in lacking])
    done = _list_sent(session, phase)
    due = [
        DueReminder(
            entry, window_by_team[entry.team.id], _due_hours(phase, window_by_team[entry.team.id], entry, now)
        )
        for entry in lacking
    ]
    return [
        entry
        for entry in due
        if set(entry.hours) - done.get((entry.lacking.team.id, entry.window.closes), set())
    ]


def _due_hours(phase: Phase, window: Window, lacking: TeamGaps, now: datetime) -> tuple[int, ...]:
    """Return the due reminders, except those from before the team created its first run."""
    if window.closes is None or window.state(now) != "open":
        return ()
    began = min([run.created_at for run in lacking.runs], default=lacking.team.created_at)
    marks = {hours: window.closes - timedelta(hours=hours) for hours in phase.reminders}
    return tuple(hours for hours, mark in marks.items() if mark <= now and began <= mark)


def _write_reminders(
    session: Session, site: Site, phase: Phase, due: Sequence[DueReminder], now: datetime
) -> None:
    people = completeness.list_members_by_team(session, [due_reminder.lacking.team for due_reminder in due])
    done = _list_sent(session, phase)
    for due_reminder in due:
        closes, team = due_reminder.window.closes, due_reminder.lacking.team
        assert closes is not None  # noqa: S101  (such a phase has no reminders due)
        fresh = set(due_reminder.hours) - done.get((team.id, closes), set())
        session.add_all(
            Reminder(phase_id=phase.id, team_id=team.id, closes=closes, hours=hours, sent_at=now)
            for hours in sorted(fresh)
        )
        cause = f"reminder {phase.id} {team.id} {closes.isoformat()} {min(fresh)}"
        facts = {
            "phase": phase,
            "team": team,
            "window": due_reminder.window,
            "gaps": due_reminder.lacking.gaps,
        }
        facts |= {"hours": ceil((closes - now) / timedelta(hours=1)), "useful_until": closes}
        mails.queue_mails(site, phase.task, people[team.id], "reminder", cause, now, **facts)
    session.flush()


def _list_phases(session: Session) -> list[Phase]:
    """List the phases with reminders and a deadline; nobody is reminded of a draft or an archived task."""
    query = select(Phase).join(Phase.task).where(Phase.closes.is_not(None), Task.state == "published")
    return [phase for phase in session.scalars(query) if phase.reminders]


def _team_deadlines(session: Session, phase: Phase) -> list[datetime]:
    query = select(Extension.closes).where(Extension.phase_id == phase.id, Extension.team_id.is_not(None))
    return list(session.scalars(query))


def _list_sent(session: Session, phase: Phase) -> dict[tuple[int, datetime | None], set[int]]:
    """List the hours of the reminders that were sent, by team and deadline."""
    done: dict[tuple[int, datetime | None], set[int]] = {}
    for reminder in session.scalars(select(Reminder).where(Reminder.phase_id == phase.id)):
        done.setdefault((reminder.team_id, reminder.closes), set()).add(reminder.hours)
    return done
