"""Permissions: may this person see or do this now? `server.runs.permissions` covers runs and files.

Three groups of people have more rights than the public: people with a role in the task
(`server.tasks.rules`), teams, and site administrators, who have no rights in a task. The console may do
everything.
"""

from dataclasses import replace
from datetime import datetime
from typing import Literal

from sqlalchemy import bindparam, func, or_, select
from sqlalchemy.orm import Session, joinedload

from server.access import participation
from server.access.tables_above import tables_above
from server.accounts.models import Role, User
from server.core.actors import Actor
from server.core.errors import Conflict, Forbidden, NotCompeting, NotFound, PhaseClosed, ScopeMissing
from server.core.i18n import N_, _
from server.core.identity import get_identity
from server.phases.models import Phase
from server.phases.rules import ArrivalKind, Window, explain_closed_phase
from server.tasks.models import Level, Split, Task, TaskRole
from server.tasks.rules import HIDDEN_STATES, VISIBLE_STATES, Capability, RoleName, grants
from server.teams.models import Membership, Team

HiddenResource = Literal["run", "team", "submission", "upload"]
NO_TASK = N_("There is no such task.")
NOT_FOUND_MESSAGES: dict[HiddenResource, str] = {
    "run": N_("There is no such run."),
    "team": N_("There is no such team."),
    "submission": N_("There is no such submission."),
    "upload": N_("There is no such upload."),
}

MAX_DRAFTS = 20
"""How many drafts that were never published a person can organize at a time."""

ADMIN = "admin"
"""The name of the site-wide role."""


# Roles of a task


def find_role(session: Session, actor: Actor, task: Task) -> RoleName | None:
    """Return the role of `actor` in the task; the console has the first role."""
    if actor.console:
        return "organizer"
    if actor.user_id is None or actor.without_roles:
        return None
    return participation.find_participation(session, actor.user_id, task).role


def list_roles(session: Session, actor: Actor) -> dict[int, RoleName]:
    """Return the roles of `actor`, by the ids of their tasks."""
    query = select(TaskRole).where(TaskRole.user_id == actor.user_id, TaskRole.ended_at.is_(None))
    if actor.user_id is None or actor.without_roles:
        return {}
    return {task_role.task_id: task_role.role for task_role in session.scalars(query)}


def sees_all(session: Session, actor: Actor, task: Task) -> bool:
    """Whether `actor` may see the gold standard, every submission and every score of the task."""
    return grants(find_role(session, actor, task), "see")


def is_organizer(session: Session, actor: Actor, task: Task) -> bool:
    """Whether `actor` organizes the task: uploads gold labels, releases leaderboards, approves teams."""
    return grants(find_role(session, actor, task), "run")


def manages_people(session: Session, actor: Actor, task: Task) -> bool:
    """Whether `actor` may give and end roles in the task."""
    return grants(find_role(session, actor, task), "people")


_READERS_ROLES = select(TaskRole.task_id).where(
    TaskRole.user_id == bindparam("reader_id"), TaskRole.ended_at.is_(None)
)
IS_VISIBLE = or_(  # without `in_`, which SQLAlchemy would expand at each execution
    *(Task.state == state for state in sorted(VISIBLE_STATES)),
    (Task.state == "draft") & Task.id.in_(_READERS_ROLES),
)
"""Whether a task exists for a reader, as part of the query that looks for it; `reader_of` has its parameter.

So the answer to a stranger takes as many queries for a hidden task as for an unknown one.
"""


def reader_of(actor: Actor) -> dict[str, int | None]:
    """Return the parameter of `IS_VISIBLE`."""
    return {"reader_id": None if actor.without_roles else actor.user_id}


def require_published(task: Task) -> None:
    """Raise if the task is a draft: nothing of it may reach teams or the public.

    Raises:
        Conflict: it is a draft.
    """
    if task.state in HIDDEN_STATES:
        raise Conflict.of("This task is a draft. Publish it first.")


def require_not_archived(task: Task) -> None:
    """Raise if the task is archived: its submissions, teams and phases stay as they are.

    Raises:
        Conflict: it is archived.
    """
    if task.state == "archived":
        raise Conflict.of(
            "This task is archived: it takes no submissions and no teams, and its phases cannot change."
        )


def require_observer(session: Session, actor: Actor, task: Task) -> None:
    """Raise unless `actor` may see all of the task.

    Raises:
        Forbidden: `actor` is in a team of the task.
        NotFound: for anyone else.
    """
    _require(session, actor, task, "see", _("Only the task’s organizers and observers can see this."))


def require_organizer(session: Session, actor: Actor, task: Task) -> None:
    """Raise unless `actor` organizes the task.

    Raises:
        Forbidden: `actor` is an observer, or in a team of the task.
        NotFound: for anyone else.
    """
    _require(session, actor, task, "run", _("Only organizers of the task can do this."))


def require_people_manager(session: Session, actor: Actor, task: Task) -> None:
    """Let those pass who say who has which role; raises as `require_organizer` does."""
    _require(session, actor, task, "people", _("Only organizers of the task can do this. Ask one of them."))


def _require(session: Session, actor: Actor, task: Task, capability: Capability, words: str) -> None:
    role = find_role(session, actor, task)
    if grants(role, capability):
        return
    if role is not None or find_team(session, actor, task) is not None:
        raise Forbidden(words)
    raise NotFound.of("There is no such page.")


# Site administrators


def is_admin(session: Session, actor: Actor) -> bool:
    """Whether `actor` is a site administrator. This gives no rights in any task."""
    if actor.console:
        return True
    if actor.user_id is None or actor.without_roles:
        return False
    query = select(User.id).where(User.id == actor.user_id, User.site_roles.any(Role.name == ADMIN))
    return session.scalar(query) is not None


def require_admin(session: Session, actor: Actor) -> None:
    """Raise unless `actor` is a site administrator.

    Raises:
        NotFound: for anyone else.
    """
    if not is_admin(session, actor):
        raise NotFound.of("There is no such page.")


def require_organizer_or_admin(session: Session, actor: Actor, task: Task | None) -> None:
    """Raise as `require_organizer` does for a task, and as `require_admin` does for the site (None)."""
    if task is None:
        require_admin(session, actor)
    else:
        require_organizer(session, actor, task)


# Teams


def find_team(session: Session, actor: Actor, task: Task) -> Team | None:
    """Return the team of `actor` in the task."""
    if actor.user_id is None:
        return None
    return participation.find_participation(session, actor.user_id, task).team


def list_teams(session: Session, actor: Actor) -> dict[int, Team]:
    """Return the teams of `actor`, by the ids of their tasks."""
    query = select(Membership).where(Membership.user_id == actor.user_id).options(joinedload(Membership.team))
    return (
        {}
        if actor.user_id is None
        else {membership.task_id: membership.team for membership in session.scalars(query)}
    )


def require_team(session: Session, actor: Actor, task: Task) -> Team:
    """Return the team of `actor` in the task, or raise.

    Raises:
        Forbidden: `actor` has no team.
        ScopeMissing: the token does not include the role of its person.
    """
    team = find_team(session, actor, task)
    if team is None and actor.without_roles and sees_all(session, replace(actor, without_roles=False), task):
        raise ScopeMissing.of(
            "This token lacks the scope “%(scope)s”, which is needed for what your role allows.",
            scope="organize",
        )
    if team is None and sees_all(session, actor, task):
        raise Forbidden.of(
            "This page is for teams. People with access to the gold standard cannot be in a team."
        )
    if team is None:
        raise Forbidden.of(
            "Only team members can do this. Create a team, or join one with its invitation link."
        )
    return team


def is_captain(actor: Actor, team: Team) -> bool:
    """Whether `actor` is the captain of the team; the console may do what captains may."""
    return actor.console or (actor.user_id is not None and team.captain_id == actor.user_id)


def require_captain(actor: Actor, team: Team) -> None:
    """Raise unless `actor` is the captain of the team.

    Raises:
        Forbidden: for anyone else.
    """
    if not is_captain(actor, team):
        raise Forbidden.of("Only the captain of %(team)s can do this. Ask the captain.", team=team.name)


def require_may_join_team(session: Session, actor: Actor, task: Task, target: Team | None = None) -> None:
    """Raise unless `actor` may join `target`, or a new team of the task (None), and is in none.

    Raises:
        Forbidden: nobody is signed in.
        Conflict: the person has, or had, a role that shows the gold standard, agreed to annotate hidden
            data, is in a team of the task, or uploaded files for another; or the task is archived.
    """
    if actor.user_id is None:
        raise Forbidden.of("Sign in first.")
    require_not_archived(task)
    task_role = session.get(TaskRole, (task.id, actor.user_id))
    if task_role is not None and task_role.ended_at is not None:
        raise Conflict.of(
            "You had a role in this task with access to its gold standard, so you cannot join a team."
        )
    if task_role is not None and grants(task_role.role, "run"):
        raise Conflict.of(
            "You organize this task. Organizers have access to the gold standard, so they cannot join a team."
        )
    if task_role is not None:
        raise Conflict.of(
            "You observe this task. Observers have access to the gold standard, so they cannot join a team."
        )
    if is_annotator(session, actor.user_id, task):
        raise Conflict.of("You agreed to annotate the test data of this task, so you cannot join a team.")
    team = find_team(session, actor, task)
    if team is not None:
        raise Conflict.of(
            'You are already in the team "%(team)s". Each person can be in one team per task.', team=team.name
        )
    former_team = _find_team_of_uploads(session, actor.user_id, task)
    if former_team is not None and former_team is not target:
        raise Conflict.of(
            "You uploaded files for %(team)s, so you cannot join another team of this task. To join "
            "%(team)s again, ask its captain for an invitation link.",
            team=former_team.name,
        )


def is_annotator(session: Session, user_id: int, task: Task) -> bool:
    """Whether a person agreed to annotate data of the task whose gold is hidden, or that are in no split yet.

    People are compared by their account, and by the confirmed email address of their account; those whose
    identity was erased, by the keyed hashes of these.
    """
    campaign, annotator, identity = tables_above("campaign", "annotator", "annotator_identity")
    consent, bar = tables_above("consent", "annotation_bar")
    user = session.get(User, user_id)
    email = None if user is None or user.confirmed_at is None else user.email  # a preview has no account
    person = identity.c.user_id == user_id
    if email is not None:
        person = or_(person, identity.c.email == email)
    public = (
        select(Split.id)
        .join(Split.level)
        .where(
            Level.task_id == task.id,
            Level.slug == campaign.c.level,
            Split.name == campaign.c.split,
            Split.public_gold.is_(True),
        )
        .exists()
    )
    hidden = (campaign.c.task_id == task.id) & campaign.c.level.is_not(None) & ~public
    query = (
        select(annotator.c.id)
        .join(campaign, campaign.c.id == annotator.c.campaign_id)
        .join(identity, identity.c.annotator_id == annotator.c.id)
        .join(consent, consent.c.annotator_id == annotator.c.id)
        .where(hidden, annotator.c.trial.is_(False), consent.c.given.is_(True), person)
    )
    erased = (
        select(campaign.c.id)
        .join(bar, bar.c.campaign_id == campaign.c.id)
        .where(hidden, bar.c.person_hash.in_(hash_person(session, user_id, email)))
    )
    return session.execute(query.union_all(erased).limit(1)).first() is not None


def hash_person(session: Session, user_id: int | None, email: str | None) -> list[str]:
    """Return the keyed hashes of an account and an address, by which an erased annotator is known again."""
    identity = get_identity(session)
    texts = [] if user_id is None else [f"account {user_id}"]
    return [identity.hash_person(text) for text in [*texts, *([] if email is None else [f"address {email}"])]]


def _find_team_of_uploads(session: Session, user_id: int, task: Task) -> Team | None:
    """Return the team of the task for which the person last uploaded a file that was scored."""
    run, submission = tables_above("run", "submission")
    query = (
        select(Team)
        .join(run, run.c.team_id == Team.id)
        .join(submission, submission.c.run_id == run.c.id)
        .where(Team.task_id == task.id, submission.c.submitted_by == user_id)
    )
    return session.scalar(query.order_by(submission.c.id.desc()).limit(1))


def is_fixed(session: Session, team: Team) -> bool:
    """Whether a file of the team was scored: then the team cannot be renamed or declined."""
    run, submission = tables_above("run", "submission")
    query = select(submission.c.id).join(run, run.c.id == submission.c.run_id)
    return session.scalar(query.where(run.c.team_id == team.id).limit(1)) is not None


def require_not_fixed(session: Session, team: Team) -> None:
    """Raise if a file of the team was scored.

    Raises:
        Conflict: the team has a scored file.
    """
    if is_fixed(session, team):
        raise Conflict.of(
            "%(team)s can no longer be renamed because it has a scored submission. If something is wrong "
            "with the team, write to the organizers.",
            team=team.name,
        )


def took_part(session: Session, membership: Membership) -> bool:
    """Whether a member uploaded a file of the team, or was in it when its first file was scored."""
    run, submission = tables_above("run", "submission")
    files = (
        select(func.min(submission.c.arrived_at))
        .join(run, run.c.id == submission.c.run_id)
        .where(run.c.team_id == membership.team_id)
    )
    first_at = session.scalar(files)
    own_at = session.scalar(files.where(submission.c.submitted_by == membership.user_id))
    return own_at is not None or (first_at is not None and membership.joined_at <= first_at)


def require_competing(team: Team) -> None:
    """Raise unless the team may have runs and files.

    Raises:
        NotCompeting: the organizers have not approved it, or have declined it, or it is dissolved.
    """
    if team.state == "waiting":
        raise NotCompeting.of(
            "%(team)s is waiting for the organizers' approval. You can submit once it is approved.",
            team=team.name,
        )
    if team.state == "declined":
        raise NotCompeting.of(
            "The organizers have declined %(team)s: %(reason)s", team=team.name, reason=team.reason
        )
    if team.state == "dissolved":
        raise NotCompeting.of("%(team)s has no members.", team=team.name)


# Files, submissions, scores


def open_splits(phases: list[Phase], now: datetime) -> set[str]:
    """Return the splits whose items are out: a phase on them has opened, or they are in none and not test."""
    opened = {phase.split for phase in phases if phase.window.state(now) != "early"}
    return opened | ({"trial", "training"} - {phase.split for phase in phases})


def require_in_window(window: Window, phase: Phase, now: datetime, subject: ArrivalKind = "file") -> None:
    """Raise unless a file that arrives now is accepted by the phase, on time or late.

    Raises:
        PhaseClosed: the phase takes no files then; the message has both times.
    """
    reason = explain_closed_phase(window, now, phase.title, subject)
    if reason is not None:
        raise PhaseClosed(reason)


def require_member(session: Session, actor: Actor, team: Team, what: HiddenResource = "run") -> None:
    """Raise unless `actor` is in the team; for others its runs and submissions do not exist.

    Raises:
        NotFound: `actor` is not in the team.
    """
    own_team = find_team(session, actor, team.task)
    if not actor.console and (own_team is None or own_team.id != team.id):
        raise NotFound.of(NOT_FOUND_MESSAGES[what])


def require_reader(session: Session, actor: Actor, team: Team, what: HiddenResource = "submission") -> None:
    """Raise unless `actor` is in the team or may see all of the task, and so may read its submissions.

    Raises:
        NotFound: for anyone else.
    """
    if not sees_all(session, actor, team.task):
        require_member(session, actor, team, what)


# Hosting

WHO_HOSTS = N_(
    "Only site administrators and people who already organize a task can create or import tasks on this "
    "site. Ask a site administrator, or the operator of the site, who can make you one."
)


def may_import(session: Session, actor: Actor, *, everybody: bool) -> bool:
    """Whether `actor` may host a task: organizers and site administrators, or `everybody`."""
    if actor.user_id is None:
        return actor.console
    query = select(TaskRole.role).where(TaskRole.user_id == actor.user_id, TaskRole.ended_at.is_(None))
    organizes = not actor.without_roles and any(grants(role, "run") for role in session.scalars(query))
    return everybody or organizes or is_admin(session, actor)


def require_import(session: Session, actor: Actor, *, everybody: bool) -> None:
    """Raise unless `actor` may host a task.

    Raises:
        Forbidden: for anyone else.
    """
    if not may_import(session, actor, everybody=everybody):
        raise Forbidden.of(WHO_HOSTS)


def require_room_for_draft(session: Session, actor: Actor) -> None:
    """Raise if a person organizes as many drafts as they may.

    Raises:
        Conflict: they do.
    """
    query = select(func.count(Task.id)).join(TaskRole, TaskRole.task_id == Task.id)
    own = TaskRole.user_id == actor.user_id, TaskRole.role == "organizer", TaskRole.ended_at.is_(None)
    drafts = session.scalar(query.where(*own, Task.state == "draft", Task.published_at.is_(None))) or 0
    if drafts >= MAX_DRAFTS:
        raise Conflict.of("You have %(most)d drafts already. Publish or delete one first.", most=MAX_DRAFTS)
