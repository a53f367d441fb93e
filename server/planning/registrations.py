"""The teams of a task as its organizers see them: their members, and whether they may compete."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from server.access import service as access
from server.accounts.models import User
from server.activity.entry_sentences import person_id
from server.audit import service as audit
from server.audit.models import AuditEntry
from server.core.actors import Actor
from server.core.errors import Conflict
from server.jobs import service as jobs
from server.runs import completeness
from server.runs.models import Run
from server.submissions.models import Submission
from server.tasks.models import Task
from server.teams import service as teams
from server.teams.models import Membership, Team

DECISION_JOB = "mail.decision"
"""The kind of job that tells a team that it was approved or declined."""


@dataclass(frozen=True, slots=True)
class Registration:
    """A team with its members, in the order in which they joined, and its number of submissions."""

    team: Team
    members: tuple[User, ...]
    files: int


@dataclass(frozen=True, slots=True)
class FormerMember:
    """A person who left a team, or was removed from it."""

    user: User
    at: datetime
    removed: bool


def list_former_members(session: Session, team: Team) -> list[FormerMember]:
    """List the people who left a team or were removed, and did not join it again, by the audit log."""
    query = select(AuditEntry).where(
        AuditEntry.team_id == team.id, AuditEntry.action.in_(("team.leave", "team.remove"))
    )
    ends: dict[int, AuditEntry] = {}
    for entry in session.scalars(query.order_by(AuditEntry.number)):
        user_id = person_id(entry.actor if entry.action == "team.leave" else entry.details.get("user"))
        if user_id is not None:
            ends[user_id] = entry
    if not ends:
        return []
    members = select(Membership.user_id).where(Membership.team_id == team.id)
    people = session.scalars(select(User).where(User.id.in_(ends), User.id.not_in(members)))
    former = [FormerMember(user, ends[user.id].at, ends[user.id].action == "team.remove") for user in people]
    return sorted(former, key=lambda member: (member.at, member.user.id))


def list_registrations(session: Session, actor: Actor, task: Task) -> list[Registration]:
    """List the competing teams of a task, those that wait first, for people who may see all of it."""
    access.require_observer(session, actor, task)
    listed = teams.list_teams(session, task)
    members = completeness.list_members_by_team(session, listed)
    counted = (
        select(Run.team_id, func.count(Submission.id))
        .join(Submission, Submission.run_id == Run.id)
        .join(Team, Team.id == Run.team_id)
        .where(Team.task_id == task.id)
        .group_by(Run.team_id)
    )
    files: dict[int, int] = {row[0]: row[1] for row in session.execute(counted)}
    registrations = [Registration(team, tuple(members[team.id]), files.get(team.id, 0)) for team in listed]
    return sorted(
        registrations,
        key=lambda view: ("waiting", "approved", "declined", "dissolved").index(view.team.state),
    )


def make_team_table(registrations: Sequence[Registration]) -> tuple[list[str], list[list[str]]]:
    """Return head and rows of the table of teams, without the names of people."""
    head = ["Team", "State", "Affiliations", "Members", "Scored submissions"]
    rows = [
        [row.team.name, row.team.state, row.team.affiliations, str(len(row.members)), str(row.files)]
        for row in registrations
    ]
    return head, rows


def get_team(session: Session, actor: Actor, task: Task, team_id: int) -> Team:
    """Return a team of the task, for its organizers.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task.
        NotFound: there is no such team in it.
    """
    access.require_organizer(session, actor, task)
    return teams.get_team(session, task, team_id)


def approve_team(session: Session, actor: Actor, task: Task, team_id: int, now: datetime) -> Team:
    """Approve a team, so that it can compete.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task; there is no such team.
        Conflict: the team is dissolved.
    """
    team = get_team(session, actor, task, team_id)
    if team.state == "dissolved":
        raise Conflict.of("%(team)s has no members.", team=team.name)
    if team.state != "approved":
        team.state, team.reason = "approved", None
        session.flush()
        audit.record(session, actor, now, "team.approve", task.id, team.id)
        _queue_decision(session, team, now)
    return team


def decline_team(
    session: Session, actor: Actor, task: Task, team_id: int, reason: str, now: datetime
) -> Team:
    """Decline a team, so that it cannot compete, with a reason that it reads.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task; there is no such team.
        Conflict: the team is dissolved, or a file of it was scored.
    """
    team = get_team(session, actor, task, team_id)
    if team.state == "dissolved":
        raise Conflict.of("%(team)s has no members.", team=team.name)
    if access.is_fixed(session, team):
        raise Conflict.of(
            "%(team)s has a scored submission, so it can no longer be declined.", team=team.name
        )
    team.state, team.reason = "declined", reason.strip()
    session.flush()
    audit.record(session, actor, now, "team.decline", task.id, team.id)
    _queue_decision(session, team, now)
    return team


def _queue_decision(session: Session, team: Team, now: datetime) -> None:
    payload = {"team": team.id, "at": now.isoformat()}
    jobs.add_job(session, DECISION_JOB, payload, now, key=f"{DECISION_JOB}:{team.id}")
