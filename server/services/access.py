"""May this person see or do this? Views and services ask here, and nowhere else."""

from sqlalchemy import select
from sqlalchemy.orm import Session

from server.domain.actors import Actor
from server.errors import Forbidden, NotFound
from server.models import Membership, Organizer, Role, Submission, Task, Team, User


def is_organizer(session: Session, actor: Actor, task: Task) -> bool:
    """Whether `actor` organizes the task; the console may do what organizers do."""
    if actor.console:
        return True
    if actor.user_id is None:
        return False
    return session.get(Organizer, (task.id, actor.user_id)) is not None


def find_team(session: Session, actor: Actor, task: Task) -> Team | None:
    """The team of `actor` in the task."""
    if actor.user_id is None:
        return None
    membership = session.get(Membership, (task.id, actor.user_id))
    return None if membership is None else membership.team


def require_organizer(session: Session, actor: Actor, task: Task) -> None:
    """Let organizers of the task pass.

    Raises:
        Forbidden: for somebody in a team of the task.
        NotFound: for everybody else.
    """
    if is_organizer(session, actor, task):
        return
    if find_team(session, actor, task) is not None:
        raise Forbidden("This page is for the organizers of the task.")
    raise NotFound("There is no such page.")


def require_team(session: Session, actor: Actor, task: Task) -> Team:
    """The team of `actor` in the task.

    Raises:
        Forbidden: for somebody without a team.
    """
    team = find_team(session, actor, task)
    if team is None:
        raise Forbidden("Only members of a team can do this; create a team, or join one by its link.")
    return team


def require_own_run_team(session: Session, actor: Actor, team: Team, what: str = "run") -> None:
    """Let members of the team pass; to others its runs, and what it sent for them, are not there.

    Raises:
        NotFound: for everybody who is not in the team.
    """
    own = find_team(session, actor, team.task)
    if not actor.console and (own is None or own.id != team.id):
        raise NotFound(f"There is no such {what}.")


def require_reader(session: Session, actor: Actor, submission: Submission) -> None:
    """Let the submission's team and the organizers pass.

    Raises:
        NotFound: for everybody else.
    """
    if not is_organizer(session, actor, submission.run.team.task):
        require_own_run_team(session, actor, submission.run.team, "submission")


def team_member_ids(session: Session, team: Team) -> list[int]:
    """The people of a team, the first to join first."""
    rows = select(Membership.user_id).where(Membership.team_id == team.id).order_by(Membership.joined_at)
    return list(session.scalars(rows))


def is_admin(session: Session, actor: Actor) -> bool:
    """Whether `actor` runs the site; by that role nobody sees gold."""
    if actor.console:
        return True
    of_person = select(Role.id).join(User.roles).where(User.id == actor.user_id, Role.name == "admin")
    return actor.user_id is not None and session.scalar(of_person) is not None


def may_import(session: Session, actor: Actor, *, everybody: bool) -> bool:
    """Whether `actor` may host a task: who organizes one, or runs the site; everybody, if it says so."""
    if actor.user_id is None:
        return actor.console
    organized = select(Organizer.task_id).where(Organizer.user_id == actor.user_id).limit(1)
    return everybody or session.scalar(organized) is not None or is_admin(session, actor)


def require_import(session: Session, actor: Actor, *, everybody: bool) -> None:
    """Let those pass who may host a task.

    Raises:
        Forbidden: for everybody else.
    """
    if not may_import(session, actor, everybody=everybody):
        raise Forbidden("Only people who organize a task here may bring another; ask whoever runs this site.")
