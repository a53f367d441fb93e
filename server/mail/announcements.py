"""Announcements: written by an organizer, shown on the task's page, and emailed once to each person.

An edit changes what the page shows; it sends no emails.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session, joinedload, selectinload

from server.access import service as access
from server.accounts.models import User
from server.audit import service as audit
from server.core import db
from server.core.actors import Actor
from server.core.errors import Conflict, NotFound
from server.core.site_resources import Site
from server.jobs import service as jobs
from server.mail import opt_outs, service as mails
from server.mail.models import Announcement, AnnouncementTeam, Audience
from server.phases.models import Phase
from server.runs import completeness
from server.tasks.models import Task
from server.teams.models import Team

ANNOUNCE_JOB = "mail.announce"
"""The kind of job that writes the emails of one announcement."""
BATCH = 50
"""How many emails are written in one transaction."""
REPEAT_WINDOW = timedelta(minutes=10)
"""The same text to the same teams within this time is a second click, not a new announcement."""
_ANNOUNCEMENTS = (
    select(Announcement)
    .where(Announcement.task_id == bindparam("task_id"))
    .options(joinedload(Announcement.phase).load_only(Phase.slug, Phase.title))
    .order_by(Announcement.pinned.desc(), Announcement.id.desc())
)
_ANNOUNCEMENTS_WITH_TEAMS = _ANNOUNCEMENTS.options(selectinload(Announcement.teams))
_TO_TEAM = select(AnnouncementTeam.announcement_id).where(AnnouncementTeam.team_id == bindparam("team_id"))
_VISIBLE_ANNOUNCEMENTS = _ANNOUNCEMENTS.where(
    (Announcement.audience == "all") | Announcement.id.in_(_TO_TEAM)
)


@dataclass(frozen=True, slots=True)
class AnnouncementDraft:
    """An announcement to be published: to teams with incomplete runs in `phase`, to `teams`, or to all."""

    title: str
    text: str
    phase: Phase | None = None
    teams: tuple[Team, ...] = ()

    @property
    def audience(self) -> Audience:
        """Return the audience of the announcement."""
        if self.teams:
            return "chosen"
        return "all" if self.phase is None else "incomplete"


@dataclass(frozen=True, slots=True)
class Recipients:
    """The teams that an announcement is for, and their members who get it by email."""

    teams: tuple[Team, ...]
    people: tuple[User, ...]


def find_recipients(session: Session, actor: Actor, task: Task, draft: AnnouncementDraft) -> Recipients:
    """Return who would get an announcement if it were sent now.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task.
    """
    access.require_organizer(session, actor, task)
    if draft.audience == "chosen":
        teams = list(draft.teams)
    elif draft.phase is None:
        teams = list_addressees(session, task)
    else:
        teams = [gaps.team for gaps in completeness.list_gaps(session, draft.phase)]
    people = completeness.list_members_by_team(session, teams)
    wanted = [user for team in teams for user in people[team.id] if opt_outs.wants_mail(user, "announcement")]
    return Recipients(tuple(teams), tuple(wanted))


def list_addressees(session: Session, task: Task) -> list[Team]:
    """List the teams to which organizers can write."""
    return completeness.list_teams(session, task.id, ("approved", "waiting"))


def announce(
    session: Session, actor: Actor, task: Task, draft: AnnouncementDraft, now: datetime
) -> Announcement:
    """Publish an announcement and add the job that emails it; a second click returns the same one.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task.
        Conflict: it is for teams with incomplete runs, and none with members has any; or the task is a draft.
    """
    reach = find_recipients(session, actor, task, draft)
    access.require_published(task)
    same = _find_repeat(session, task, draft, now)
    if same is not None:
        return same
    if draft.phase is not None and not reach.teams:
        raise Conflict.of(
            "No team with members has incomplete runs in %(phase)s now. Nothing was sent.",
            phase=draft.phase.title,
        )
    announcement = Announcement(
        task_id=task.id,
        audience=draft.audience,
        phase_id=None if draft.phase is None else draft.phase.id,
        teams=[] if draft.audience == "all" else list(reach.teams),
        title=draft.title,
        text=draft.text,
        **actor.made(now),
    )
    session.add(announcement)
    session.flush()
    people = [user.id for user in reach.people]
    jobs.add_job(session, ANNOUNCE_JOB, {"announcement": announcement.id, "people": people}, now)
    details = {
        "announcement": announcement.id,
        "audience": announcement.audience,
        "phase": None if draft.phase is None else draft.phase.slug,
        "teams": len(reach.teams),
        "people": len(people),
    }
    audit.record(session, actor, now, "announcement.add", task.id, **details)
    return announcement


def get_announcement(session: Session, actor: Actor, task: Task, announcement_id: int) -> Announcement:
    """Return an announcement of the task, for organizers.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task, or there is no such announcement.
    """
    access.require_organizer(session, actor, task)
    announcement = session.get(Announcement, announcement_id)
    if announcement is None or announcement.task_id != task.id:
        raise NotFound.of("There is no such announcement.")
    return announcement


def edit_announcement(
    session: Session,
    actor: Actor,
    announcement: Announcement,
    now: datetime,
    *,
    title: str | None = None,
    text: str | None = None,
    pinned: bool | None = None,
) -> list[str]:
    """Change what the task's page shows of an announcement, and return what changed; None: it stays.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task.
    """
    access.require_organizer(session, actor, announcement.task)
    values = {"title": title, "text": text, "pinned": pinned}
    changed = [name for name, new in values.items() if new is not None and new != getattr(announcement, name)]
    for name in changed:
        setattr(announcement, name, values[name])
    if changed:
        if changed != ["pinned"]:
            announcement.edited_at = now
        task_id = announcement.task_id
        audit.record(
            session, actor, now, "announcement.edit", task_id, announcement=announcement.id, changed=changed
        )
    return changed


def list_announcements(session: Session, actor: Actor, task: Task) -> list[Announcement]:
    """List the announcements that `actor` may see: those that are pinned, and then the newest first.

    Everyone sees those to all teams; members of a team also see those to some teams with theirs among them.
    People with a role see all.
    """
    team = access.find_team(session, actor, task)
    query = _ANNOUNCEMENTS_WITH_TEAMS if access.sees_all(session, actor, task) else _VISIBLE_ANNOUNCEMENTS
    return list(session.scalars(query, {"task_id": task.id, "team_id": team and team.id}))


def write_announcement_mails(site: Site, payload: Mapping[str, Any], now: datetime) -> None:
    """Write the emails of an announcement in batches; after an interruption it continues where it was."""
    session = site.session()
    everybody = payload["people"]
    for first in range(0, len(everybody), BATCH):
        people = everybody[first : first + BATCH]
        with db.writing(session):
            announcement = session.get_one(Announcement, payload["announcement"])
            task, cause = (
                announcement.task,
                f"announcement {announcement.id} {announcement.made_at.isoformat()}",
            )
            users = session.scalars(select(User).where(User.id.in_(people)).order_by(User.id))
            mails.queue_mails(site, task, users, "announcement", cause, now, announcement=announcement)


def _find_repeat(
    session: Session, task: Task, draft: AnnouncementDraft, now: datetime
) -> Announcement | None:
    query = select(Announcement).where(
        Announcement.task_id == task.id,
        Announcement.title == draft.title,
        Announcement.text == draft.text,
        Announcement.audience == draft.audience,
        Announcement.made_at > now - REPEAT_WINDOW,
    )
    candidates = session.scalars(query.order_by(Announcement.id.desc()))
    if draft.phase is not None:
        return next((row for row in candidates if row.phase_id == draft.phase.id), None)
    return next((row for row in candidates if set(row.teams) == set(draft.teams)), None)
