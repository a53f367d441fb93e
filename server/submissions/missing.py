"""What teams have not sent: for each run, the levels without a file on time that counts."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from server.access import tasks
from server.accounts.models import User
from server.phases.models import Phase
from server.runs.models import Run
from server.submissions import counting as standings
from server.submissions.models import Standing
from server.tasks.models import Level
from server.teams.models import Membership, Team, TeamState


@dataclass(frozen=True, slots=True)
class RunGaps:
    """A run, and the levels that it lacks."""

    run: Run
    levels: tuple[Level, ...]


@dataclass(frozen=True, slots=True)
class TeamGaps:
    """A team whose runs of a phase are incomplete; one without a run lacks everything."""

    team: Team
    runs: tuple[Run, ...]
    gaps: tuple[RunGaps, ...]


def list_gaps(session: Session, phase: Phase) -> list[TeamGaps]:
    """The competing teams that lack something in a phase: a run, or a file on time of one of its runs."""
    levels = tasks.levels_of(phase)
    runs = _runs_by_team(session, phase)
    there = _files_on_time(session, phase)
    found = []
    for team in list_competing(session, phase.task_id):
        own = tuple(runs[team.id])
        lacks = [(run, tuple(lev for lev in levels if (run.id, lev.id) not in there)) for run in own]
        gaps = tuple(RunGaps(run, missing) for run, missing in lacks if missing)
        if gaps or not own:
            found.append(TeamGaps(team, own, gaps))
    return found


def list_competing(session: Session, task_id: int) -> list[Team]:
    """The teams of people that may send files, by name."""
    return list_teams(session, task_id, ("approved",))


def list_teams(session: Session, task_id: int, states: Sequence[TeamState]) -> list[Team]:
    """The teams of people in one of these states, by name."""
    of_people = select(Membership.team_id).where(Membership.task_id == task_id)
    query = select(Team).where(Team.task_id == task_id, Team.state.in_(states), Team.id.in_(of_people))
    return list(session.scalars(query.order_by(Team.name_key)))


def list_people(session: Session, teams: Sequence[Team]) -> dict[int, list[User]]:
    """The members of the teams, by the teams' ids, in the order in which they joined."""
    people: dict[int, list[User]] = {team.id: [] for team in teams}
    query = select(Membership.team_id, User).join(User, User.id == Membership.user_id)
    query = query.where(Membership.team_id.in_(people)).order_by(Membership.joined_at, User.id)
    for team_id, user in session.execute(query):
        people[team_id].append(user)
    return people


def _runs_by_team(session: Session, phase: Phase) -> dict[int, list[Run]]:
    query = select(Run).where(Run.phase_id == phase.id, Run.baseline.is_(None))
    runs = list(session.scalars(query.order_by(Run.position, Run.id)))
    withdrawn = standings.withdrawn_run_ids(session, [run.id for run in runs])
    by_team: dict[int, list[Run]] = defaultdict(list)
    for run in runs:
        if run.id not in withdrawn:
            by_team[run.team_id].append(run)
    return by_team


def _files_on_time(session: Session, phase: Phase) -> set[tuple[int, int]]:
    query = select(Standing.run_id, Standing.level_id).join(Run, Run.id == Standing.run_id)
    rows = session.execute(query.where(Run.phase_id == phase.id, Standing.late.is_(False)))
    return {(row.run_id, row.level_id) for row in rows}
