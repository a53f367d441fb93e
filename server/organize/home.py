"""The home page: a card for each task that a person may see, and what their own tasks lack."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from server.access import service as access, tasks
from server.core.actors import Actor
from server.phases.feedback import decimal_places
from server.phases.models import Phase
from server.questions.models import Question
from server.releases import leaders, service as releases
from server.releases.leaders import Leaders
from server.runs.models import Run
from server.submissions.models import Standing
from server.tasks.models import Level, Split, Task
from server.tasks.rules import RoleName
from server.teams import service as teams
from server.teams.models import Membership, Team


@dataclass(frozen=True, slots=True)
class ReleasedLeaders:
    """The first systems of the last released leaderboard of a task, and how many digits it shows."""

    phase: Phase
    first: Leaders
    places: int | None


@dataclass(frozen=True, slots=True)
class TaskCard:
    """A task on the home page; `missing`: levels without a file of the person's team, by the phase's id."""

    task: Task
    phases: Sequence[tasks.PhaseView]
    teams: int
    leaders: ReleasedLeaders | None
    role: RoleName | None
    team: Team | None
    missing: dict[int, list[str]]
    waiting: int
    """Teams that wait for approval, for people with a role."""
    unanswered: int
    """Questions that wait for an answer, for people with a role."""

    @property
    def own(self) -> bool:
        """Whether the person has a team or a role in it."""
        return self.role is not None or self.team is not None


def list_cards(session: Session, actor: Actor, now: datetime) -> list[TaskCard]:
    """List the tasks that exist for `actor`, the newest first, in a constant number of queries."""
    listed = tasks.list_tasks(session, actor)
    phases = tasks.list_phases_by_task(session, listed, now, actor)
    newest = releases.list_newest(session, [view.phase for views in phases.values() for view in views])
    first = leaders.list_leaders(session, newest.values())
    roles, own_teams = access.list_roles(session, actor), access.list_teams(session, actor)
    sizes = teams.count_teams(session, [task.id for task in listed])
    missing = _list_missing_levels(session, actor) if own_teams else {}
    unanswered = _count_unanswered(session, list(roles)) if roles else {}

    def last_leaders(task: Task) -> ReleasedLeaders | None:
        for phase in (view.phase for view in reversed(phases[task.id]) if view.phase.id in newest):
            release = newest[phase.id].release
            if release.id in first:
                places = decimal_places(release.feedback, phase.feedback_places, phase.ladder_step)
                return ReleasedLeaders(phase, first[release.id], places)
        return None

    return [
        TaskCard(
            task=task,
            phases=phases[task.id],
            teams=sizes.get((task.id, "approved"), 0),
            leaders=last_leaders(task),
            role=roles.get(task.id),
            team=own_teams.get(task.id),
            missing=missing,
            waiting=sizes.get((task.id, "waiting"), 0) if task.id in roles else 0,
            unanswered=unanswered.get(task.id, 0),
        )
        for task in listed
    ]


def _list_missing_levels(session: Session, actor: Actor) -> dict[int, list[str]]:
    """List the titles of the levels at which no file of the person's team counts, by the phase's id."""
    filed = (
        select(Standing.run_id)
        .join(Run)
        .where(Run.phase_id == Phase.id, Run.team_id == Membership.team_id, Standing.level_id == Level.id)
    )
    query = (
        select(Phase.id, Level.title)
        .join(Membership, Membership.task_id == Phase.task_id)
        .join(Level, Level.task_id == Phase.task_id)
        .join(Split, (Split.level_id == Level.id) & (Split.name == Phase.split))
        .where(Membership.user_id == actor.user_id, ~filed.exists())
        .order_by(Level.position)
    )
    titles: dict[int, list[str]] = {}
    for phase_id, title in session.execute(query):
        titles.setdefault(phase_id, []).append(title)
    return titles


def _count_unanswered(session: Session, task_ids: Sequence[int]) -> dict[int, int]:
    query = select(Question.task_id, func.count()).where(
        Question.task_id.in_(task_ids), ~Question.answers.any()
    )
    rows = session.execute(query.group_by(Question.task_id))
    return {task_id: count for task_id, count in rows}  # noqa: C416  (rows are no pairs to mypy)


def filter_cards(cards: Sequence[TaskCard], words: str) -> list[TaskCard]:
    """Return the cards whose title, levels or organizers contain all the words."""
    wanted = words.casefold().split()

    def text(card: TaskCard) -> str:
        levels = [level.title for level in card.task.levels]
        return " ".join((card.task.title, card.task.organizers, *levels)).casefold()

    return [card for card in cards if all(word in text(card) for word in wanted)]
