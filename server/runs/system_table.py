"""The table of systems for the overview paper: every run with a submission that counts, and its team."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session, contains_eager

from server.access import service as access, tasks
from server.core.actors import Actor
from server.phases.models import Phase
from server.runs import completeness
from server.runs.models import Run
from server.submissions.models import Standing
from server.teams.models import Team

SYSTEM_COLUMNS = (
    "Team", "Affiliations", "System", "Authors", "Description", "Method", "Resources", "Links", "Primary",
    "Levels", "Late",
)  # fmt: skip
MEMBERS_COLUMN = "Members"
WIDE_COLUMNS = ("Affiliations", "Authors", "Description", "Method", "Resources", "Links", MEMBERS_COLUMN)
"""The columns whose cells may be sentences."""


@dataclass(frozen=True, slots=True)
class System:
    """A run with its texts, and the levels that it entered, on time and late."""

    run: Run
    members: tuple[str, ...]
    on_time: tuple[str, ...]
    late: tuple[str, ...]

    @property
    def cells(self) -> tuple[str, ...]:
        """The cells of the row, in the order of the head."""
        run = self.run
        return (
            run.team.name,
            run.team.affiliations,
            run.name,
            run.authors,
            run.description,
            run.method,
            run.resources,
            run.links,
            "yes" if run.is_primary else "",
            ", ".join(self.on_time),
            ", ".join(self.late),
        )


def list_systems(session: Session, actor: Actor, phase: Phase) -> list[System]:
    """List the systems of a phase by team, in the team's order.

    Raises:
        Forbidden, NotFound: `actor` may not see all of the task.
    """
    access.require_observer(session, actor, phase.task)
    return find_systems(session, phase)


def find_systems(session: Session, phase: Phase) -> list[System]:
    """List the systems of a phase; the caller checks the permission."""
    entered = session.execute(
        select(Standing.run_id, Standing.level_id, Standing.late).join(Run).where(Run.phase_id == phase.id)
    )
    at = {(row.run_id, row.level_id, row.late) for row in entered}
    query = select(Run).join(Run.team).where(Run.phase_id == phase.id, Run.baseline.is_(None))
    query = query.options(contains_eager(Run.team)).order_by(Team.name_key, Run.position, Run.id)
    levels, runs = tasks.levels_of(phase), list(session.scalars(query))
    members = completeness.list_members_by_team(session, [run.team for run in runs])
    systems = [
        System(
            run,
            tuple(member.name for member in members[run.team_id]),
            tuple(level.title for level in levels if (run.id, level.id, False) in at),
            tuple(level.title for level in levels if (run.id, level.id, True) in at),
        )
        for run in runs
    ]
    return [system for system in systems if system.on_time or system.late]


def list_undescribed(systems: Sequence[System]) -> list[tuple[Team, list[Run]]]:
    """List the teams with runs that have neither a description nor a method, and these runs."""
    runs_by_team: dict[Team, list[Run]] = {}
    for run in (system.run for system in systems):
        if not run.description and not run.method:
            runs_by_team.setdefault(run.team, []).append(run)
    return list(runs_by_team.items())


def make_system_table(systems: list[System], *, with_members: bool) -> tuple[list[str], list[list[str]]]:
    """Return head and rows; with the members' names only if requested."""
    head, rows = list(SYSTEM_COLUMNS), [list(system.cells) for system in systems]
    if with_members:
        head.insert(2, MEMBERS_COLUMN)
        for row, system in zip(rows, systems, strict=True):
            row.insert(2, ", ".join(system.members))
    return head, rows
