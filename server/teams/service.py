"""Teams: creating them, their names and affiliations, and their members."""

import itertools
import unicodedata
from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from server.access import service as access
from server.accounts.models import User
from server.audit import service as audit
from server.core.actors import Actor
from server.core.errors import Conflict, NameTaken, NotFound
from server.jobs import service as jobs
from server.tasks.models import Task
from server.teams.models import Membership, Team, TeamState

WAITING_JOB = "mail.waiting"
"""The kind of job that tells organizers which teams wait for approval."""
WAITING_DELAY = timedelta(minutes=10)
"""Teams that are created within this time make one email."""
ORGANIZERS = "organizers"
"""The team that the baselines belong to."""


def create_team(session: Session, actor: Actor, task: Task, name: str, now: datetime) -> Team:
    """Create a team with `actor` as its captain; it waits for approval if the task requires that.

    Raises:
        NameTaken: another team of the task has this name, or one that looks like it.
        Conflict: the person is in a team of the task already, or may see its gold standard.
    """
    access.require_may_join_team(session, actor, task)
    _require_competing_name(name)
    state: TeamState = "waiting" if task.registration == "approved" else "approved"
    team = add_team(session, task, name, now, captain_id=actor.user_id, state=state)
    add_member(session, actor, team, now)
    audit.record(session, actor, now, "team.create", task.id, team.id)
    if state == "waiting":
        payload, due_at = {"task": task.id, "since": now.isoformat()}, now + WAITING_DELAY
        jobs.add_job(session, WAITING_JOB, payload, now, due_at=due_at, key=f"{WAITING_JOB}:{task.id}")
    return team


def add_team(
    session: Session,
    task: Task,
    name: str,
    now: datetime,
    captain_id: int | None = None,
    state: TeamState = "approved",
) -> Team:
    """Add a team without members.

    Raises:
        NameTaken: another team of the task has this name, or one that looks like it.
    """
    name = _require_free_name(session, task, name)
    team = Team(
        task_id=task.id,
        name=name,
        name_key=name_key(name),
        captain_id=captain_id,
        affiliations="",
        state=state,
        created_at=now,
    )
    team.task = task
    session.add(team)
    session.flush()
    return team


def edit_team(
    session: Session, actor: Actor, task: Task, name: str | None, affiliations: str, now: datetime
) -> Team:
    """Change the name and affiliations of the actor's team; `name` None: the name does not change.

    Raises:
        Forbidden: `actor` is not in a team, or changes the name and is not its captain.
        Conflict: the name would change, and a file of the team was scored.
        NameTaken: another team of the task has this name, or one that looks like it.
    """
    team = access.require_team(session, actor, task)
    name = team.name if name is None else " ".join(name.split())
    affiliations = "\n".join(" ".join(line.split()) for line in affiliations.splitlines()).strip()
    if name != team.name:
        access.require_captain(actor, team)
        access.require_not_fixed(session, team)
        _require_competing_name(name)
        team.name = _require_free_name(session, task, name, team)
        team.name_key = name_key(name)
        audit.record(session, actor, now, "team.rename", task.id, team.id)
    if affiliations != team.affiliations:
        team.affiliations = affiliations
        audit.record(session, actor, now, "team.affiliations", task.id, team.id)
    session.flush()
    return team


def release_name(session: Session, team: Team) -> None:
    """Change the name of a team that is dissolved, so that another team can use it."""
    marks = itertools.chain(["dissolved"], (f"dissolved {number}" for number in itertools.count(2)))
    names = (f"{team.name[:60]} ({mark})" for mark in marks)
    team.name = next(name for name in names if find_team_by_name(session, team.task, name) is None)
    team.name_key = name_key(team.name)


def may_rename(session: Session, actor: Actor, team: Team) -> bool:
    """Whether `actor` may still rename the team."""
    return access.is_captain(actor, team) and not access.is_fixed(session, team)


def list_teams(session: Session, task: Task) -> list[Team]:
    """List the teams of a task by name, without the organizers' own."""
    organizers_key = name_key(ORGANIZERS)
    query = (
        select(Team).where(Team.task_id == task.id, Team.name_key != organizers_key).order_by(Team.name_key)
    )
    return list(session.scalars(query))


def count_teams(session: Session, task_ids: Sequence[int]) -> dict[tuple[int, TeamState], int]:
    """Count the teams of tasks, without the organizers' own, by the task's id and the team's state."""
    query = (
        select(Team.task_id, Team.state, func.count())
        .where(Team.task_id.in_(task_ids), Team.name_key != name_key(ORGANIZERS))
        .group_by(Team.task_id, Team.state)
    )
    return {(task_id, state): count for task_id, state, count in session.execute(query)}


def find_team_by_name(session: Session, task: Task, name: str) -> Team | None:
    """Return a team of the task by its name, or one whose name looks like it."""
    return session.scalar(select(Team).where(Team.task_id == task.id, Team.name_key == name_key(name)))


def get_team(session: Session, task: Task, team_id: int, *, own: bool = False) -> Team:
    """Return a team of the task by its id, including the organizers' own if `own`.

    Raises:
        NotFound: there is no such team in the task.
    """
    team = session.get(Team, team_id)
    if team is None or team.task_id != task.id or (team.name_key == name_key(ORGANIZERS) and not own):
        raise NotFound.of("There is no such team in this task.")
    return team


def add_member(session: Session, actor: Actor, team: Team, now: datetime) -> None:
    """Add `actor` to the team; the first to join a team without a captain becomes its captain.

    Raises:
        Conflict: the team has the maximum number of members.
    """
    require_room(session, team)
    session.add(Membership(task_id=team.task_id, user_id=actor.user_id, team_id=team.id, joined_at=now))
    if team.captain_id is None:
        team.captain_id = actor.user_id
    session.flush()


def require_room(session: Session, team: Team) -> None:
    """Raise if the team is full.

    Raises:
        Conflict: the team has the maximum number of members.
    """
    size = team.task.team_size
    if size is not None and count_members(session, team) >= size:
        raise Conflict.of_count(
            "%(team)s is full: a team of this task can have %(num)d member. Ask its members, or "
            "create your own team.",
            "%(team)s is full: a team of this task can have %(num)d members. Ask its members, or "
            "create your own team.",
            size,
            team=team.name,
        )


def count_members(session: Session, team: Team) -> int:
    """Count the members of the team."""
    query = select(func.count()).select_from(Membership).where(Membership.team_id == team.id)
    return session.scalar(query) or 0


def list_members(session: Session, team: Team) -> list[User]:
    """List the members of a team, in the order in which they joined."""
    query = select(User).join(Membership, Membership.user_id == User.id).where(Membership.team_id == team.id)
    return list(session.scalars(query.order_by(Membership.joined_at, User.id)))


def name_key(name: str) -> str:
    """Fold a name, so that names that look alike are equal: case, letter variants, invisible characters."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    return "".join(char for char in folded if unicodedata.category(char) != "Cf")[:160]


def _require_competing_name(name: str) -> None:
    if name_key(name) == name_key(ORGANIZERS):
        raise NameTaken.of('"%(name)s" is reserved for baselines. Choose another name.', name=ORGANIZERS)


def _require_free_name(session: Session, task: Task, name: str, team: Team | None = None) -> str:
    name = " ".join(name.split())
    other = find_team_by_name(session, task, name)
    if other is not None and other is not team:
        raise NameTaken.of('There is already a team "%(name)s" in this task. Choose another name.', name=name)
    return name


def get_observed_team(session: Session, actor: Actor, task: Task, team_id: int) -> Team:
    """Return a competing team of the task, for people who may see all of the task.

    Raises:
        Forbidden, NotFound: `actor` may not see all of the task.
        NotFound: there is no such team in it.
    """
    access.require_observer(session, actor, task)
    return get_team(session, task, team_id)
