"""The organizers' overview: the teams of a phase, those that need attention first; uploads over time."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

from sqlalchemy import Row, Select, func, select, tuple_
from sqlalchemy.orm import Session

from server.access import service as access, tasks
from server.core.actors import Actor
from server.organize.upload_chart import ChartBar, UploadChart, build_upload_chart
from server.phases.models import Extension, Phase
from server.runs.models import Run
from server.submissions import listings, standings
from server.submissions.models import Flag, Rejection, Standing, Submission
from server.tasks.models import Level, Task
from server.teams import service as teams
from server.teams.models import Membership, Team

AttentionReason = Literal["waiting", "stuck", "flagged", "equal", "missing", "nothing", "all in", "out"]
REASONS_BY_URGENCY: tuple[AttentionReason, ...] = (
    "waiting", "stuck", "flagged", "equal", "missing", "nothing", "all in", "out",
)  # fmt: skip
"""From the most urgent: organizers have to act, a team has problems, hints, missing files."""


@dataclass(frozen=True, slots=True)
class TeamFacts:
    """The facts about a team in a phase."""

    state: str
    scored: int
    refused_last: bool
    """Whether its newest upload was rejected."""
    flagged: int
    equal: bool
    """Whether a file of it that counts is identical to one of another team that counts."""
    levels_missing: int
    """The number of levels at which one of its runs lacks a file on time."""


def list_reasons(facts: TeamFacts) -> tuple[AttentionReason, ...]:
    """List the reasons for a team, the most urgent first; a team that takes no part has only that reason."""
    if facts.state == "waiting":
        return ("waiting",)
    if facts.state != "approved":
        return ("out",)
    complete = facts.scored > 0 and not facts.levels_missing
    reasons: dict[AttentionReason, bool] = {
        "stuck": facts.refused_last and not complete,
        "flagged": facts.flagged > 0,
        "equal": facts.equal,
        "missing": facts.scored > 0 and facts.levels_missing > 0,
        "nothing": not facts.scored,
        "all in": complete,
    }
    return tuple(reason for reason, applies in reasons.items() if applies)


@dataclass(frozen=True, slots=True)
class LevelCell:
    """A team at a level: runs with a submission that counts, on time and late, and the used quota."""

    on_time: int
    late: int
    used: int


@dataclass(frozen=True, slots=True)
class TeamLine:
    """A team in a phase."""

    team_id: int
    name: str
    state: str
    reasons: tuple[AttentionReason, ...]
    """The reasons why it needs attention, the most urgent first."""
    people: int
    runs: int
    cells: tuple[LevelCell, ...]
    flagged: int
    refused: int
    last_at: datetime | None
    """When its newest submission arrived."""
    closes: datetime | None
    """Its own deadline, if it has one."""

    @property
    def reason(self) -> AttentionReason:
        """The most urgent reason."""
        return self.reasons[0]

    @property
    def used(self) -> int:
        """The largest number of submissions that it has at a level."""
        return max((cell.used for cell in self.cells), default=0)


@dataclass(frozen=True, slots=True)
class PhaseDashboard:
    """The teams of a phase, those that need attention first."""

    phase: Phase
    levels: tuple[Level, ...]
    lines: tuple[TeamLine, ...]

    def count(self, reason: AttentionReason) -> int:
        """Count the teams that need attention for this reason."""
        return sum(reason in line.reasons for line in self.lines)

    @property
    def reasons(self) -> list[tuple[AttentionReason, int]]:
        """The reasons that occur, the most urgent first, each with its number of teams."""
        return [(reason, count) for reason in REASONS_BY_URGENCY if (count := self.count(reason))]

    @property
    def entered(self) -> int:
        """The number of teams with a submission that counts."""
        return sum(any(cell.on_time or cell.late for cell in line.cells) for line in self.lines)


def choose_phase(views: Sequence[tasks.PhaseView], slug: str | None) -> tasks.PhaseView | None:
    """Return the requested phase, or the one with the next deadline, the last deadline, or an open one."""
    for view in views:
        if view.phase.slug == slug:
            return view
    dated = [view for view in views if view.window.closes is not None]
    running = [view for view in dated if view.state in ("open", "grace")]
    if running:
        return min(running, key=_deadline)
    over = [view for view in dated if view.state == "over"]
    if over:
        return max(over, key=_deadline)
    return next((view for view in views if view.state == "open"), views[0] if views else None)


def _deadline(view: tasks.PhaseView) -> datetime:
    return view.window.closes or datetime.max.replace(tzinfo=UTC)


def build_dashboard(session: Session, actor: Actor, phase: Phase) -> PhaseDashboard:
    """Read the state of every competing team in the phase, in a constant number of queries.

    Raises:
        Forbidden, NotFound: `actor` may not see all of the task.
    """
    access.require_observer(session, actor, phase.task)
    levels = tuple(tasks.levels_of(phase))
    counts = _TeamCounts(session, phase)
    lines = [counts.line(row, levels) for row in session.execute(_competing_teams(phase.task))]
    lines.sort(key=lambda line: (REASONS_BY_URGENCY.index(line.reason), line.name.casefold(), line.team_id))
    return PhaseDashboard(phase, levels, tuple(lines))


def _competing_teams(task: Task) -> Select[Any, Any, Any]:
    organizers_key = teams.name_key(teams.ORGANIZERS)
    return select(Team.id, Team.name, Team.state).where(
        Team.task_id == task.id, Team.name_key != organizers_key
    )


class _TeamCounts:
    """Counts of all teams, by one query each."""

    def __init__(self, session: Session, phase: Phase) -> None:
        self.session = session
        self.phase = phase
        members = select(Membership.team_id, func.count()).where(Membership.task_id == phase.task_id)
        self.people = self._by_team(members.group_by(Membership.team_id))
        runs = session.execute(select(Run.id, Run.team_id).where(Run.phase_id == phase.id)).all()
        withdrawn = standings.withdrawn_run_ids(session, [run.id for run in runs])
        self.runs = Counter(run.team_id for run in runs if run.id not in withdrawn)
        self.standing = self._standing()
        self.sent = self._sent()
        refused = select(Run.team_id, func.count(), func.max(Rejection.arrived_at)).join(
            Run, Rejection.run_id == Run.id
        )
        rows = session.execute(refused.where(Run.phase_id == phase.id).group_by(Run.team_id))
        self.refused: dict[int, tuple[int, datetime]] = {row[0]: (row[1], row[2]) for row in rows}
        flagged = (
            select(Run.team_id, func.count(Flag.submission_id.distinct()))
            .join(Submission, Submission.id == Flag.submission_id)
            .join(Run, Run.id == Submission.run_id)
        )
        self.flagged = self._by_team(flagged.where(Run.phase_id == phase.id).group_by(Run.team_id))
        self.equal = self._find_equal()
        deadlines = select(Extension.team_id, Extension.closes).where(Extension.phase_id == phase.id)
        newest = session.execute(deadlines.where(Extension.team_id.is_not(None)).order_by(Extension.id))
        self.closes: dict[int | None, datetime] = {row[0]: row[1] for row in newest}

    def _by_team(self, query: Select[Any, Any]) -> Mapping[int, int]:
        return {row[0]: row[1] for row in self.session.execute(query)}

    def _standing(self) -> Mapping[tuple[int, int, bool], int]:
        """Count the runs with a submission that counts, by team, level and whether it is late."""
        query = (
            select(Run.team_id, Standing.level_id, Standing.late, func.count())
            .join(Run, Run.id == Standing.run_id)
            .where(Run.phase_id == self.phase.id)
            .group_by(Run.team_id, Standing.level_id, Standing.late)
        )
        return {(row[0], row[1], row[2]): row[3] for row in self.session.execute(query)}

    def _find_equal(self) -> set[int]:
        """Return the teams with a file that counts and is identical to another team's at its level."""
        query = select(Run.team_id, Submission.level_id, Submission.sha256)
        query = query.join(Standing, Standing.submission_id == Submission.id).join(Submission.run)
        files = query.where(Run.phase_id == self.phase.id, Run.baseline.is_(None)).cte()
        same = (files.c.level_id, files.c.sha256)
        shared = select(*same).group_by(*same).having(func.count(files.c.team_id.distinct()) > 1)
        return set(self.session.scalars(select(files.c.team_id).where(tuple_(*same).in_(shared))))

    def _sent(self) -> Mapping[int, list[Row[Any, Any, Any, Any]]]:
        """Count the submissions by team: for each level how many, and the time of the newest."""
        query = (
            select(Run.team_id, Submission.level_id, func.count(), func.max(Submission.arrived_at))
            .join(Run, Run.id == Submission.run_id)
            .where(Run.phase_id == self.phase.id)
            .group_by(Run.team_id, Submission.level_id)
        )
        rows_by_team: dict[int, list[Row[Any, Any, Any, Any]]] = defaultdict(list)
        for row in self.session.execute(query):
            rows_by_team[row[0]].append(row)
        return rows_by_team

    def line(self, team: Row[Any, Any, Any], levels: Sequence[Level]) -> TeamLine:
        """Return one team's line."""
        rows = self.sent.get(team.id, [])
        used = {row[1]: row[2] for row in rows}
        cells = tuple(
            LevelCell(
                self.standing.get((team.id, level.id, False), 0),
                self.standing.get((team.id, level.id, True), 0),
                used.get(level.id, 0),
            )
            for level in levels
        )
        last_at = max((row[3] for row in rows), default=None)
        refused, refused_at = self.refused.get(team.id, (0, None))
        flagged, runs = self.flagged.get(team.id, 0), self.runs.get(team.id, 0)
        facts = TeamFacts(
            state=team.state,
            scored=sum(used.values()),
            refused_last=refused_at is not None and (last_at is None or last_at < refused_at),
            flagged=flagged,
            equal=team.id in self.equal,
            levels_missing=sum(cell.on_time < max(1, runs) for cell in cells),
        )
        closes = self.closes.get(team.id)
        later = closes is not None and self.phase.closes is not None and closes > self.phase.closes
        return TeamLine(
            team_id=team.id,
            name=team.name,
            state=team.state,
            reasons=list_reasons(facts),
            people=self.people.get(team.id, 0),
            runs=runs,
            cells=cells,
            flagged=flagged,
            refused=refused,
            last_at=last_at,
            closes=closes if later else None,
        )


def chart_uploads(session: Session, actor: Actor, phase: Phase, now: datetime) -> UploadChart:
    """Chart the submissions of teams in a phase over time, including withdrawn ones.

    Raises:
        Forbidden, NotFound: `actor` may not see all of the task.
    """
    access.require_observer(session, actor, phase.task)
    counts = listings.count_uploads(session, [phase], timedelta(hours=1))[phase.id]
    arrivals = [ChartBar(hour, *on_time_and_late) for hour, on_time_and_late in counts.items()]
    return build_upload_chart(arrivals, phase.window, now)
