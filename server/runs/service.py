"""Runs, the systems of a team in a phase, with their submissions."""

from collections.abc import Sequence, Set
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from typing import Literal

from sqlalchemy import Integer, bindparam, case, func, select
from sqlalchemy.orm import Session, defer, joinedload

from server.access import service as access
from server.accounts.models import User
from server.audit import service as audit
from server.core.actors import Actor
from server.core.errors import NameTaken, NotFound, QuotaExceeded, require_found
from server.core.i18n import _
from server.phases import windows
from server.phases.models import Phase
from server.phases.quotas import FilesLeft, FilesUsed, files_left, utc_day
from server.runs.models import Run
from server.submissions import standings
from server.submissions.models import Rejection, Standing, Submission
from server.tasks.models import Level, Split
from server.teams.models import Membership, Team

FileSelection = Literal["none", "rejected", "recent", "every"]
"""Which uploads are listed.

None; the newest rejected file of each level; the submissions that count, the newest of each level and some
rejected files; or all submissions.
"""


_RUN_WITH_TEAM = (
    select(Run)
    .where(Run.id == bindparam("run_id"))
    .options(joinedload(Run.team).joinedload(Team.task), joinedload(Run.phase))
)
_RUN_OF_MEMBER = _RUN_WITH_TEAM.join(
    Membership, (Membership.team_id == Run.team_id) & (Membership.user_id == bindparam("user_id"))
)
_REJECTION_COUNT = (
    select(func.count(Rejection.id)).where(Rejection.run_id == Run.id).correlate(Run).scalar_subquery()
)
_TODAY = (Submission.arrived_at >= bindparam("day")) & (Submission.arrived_at < bindparam("next_day"))
_FILES_USED = (
    select(func.count(Submission.id), func.coalesce(func.sum(case((_TODAY, 1), else_=0)), 0))
    .join(Run)
    .where(
        Run.team_id == bindparam("team_id"),
        Run.phase_id == bindparam("phase_id"),
        Submission.level_id == bindparam("level_id"),
    )
)
_FILE_COUNTS = (
    select(
        Submission.run_id,
        Submission.level_id,
        func.count(Submission.id).label("in_all"),
        func.sum(case((_TODAY, 1), else_=0)).label("today"),
        func.max(Submission.id).label("newest"),
    )
    .where(Submission.run_id.in_(select(Run.id).where(Run.team_id == bindparam("team_id"))))
    .group_by(Submission.run_id, Submission.level_id)
    .subquery()
)
"""The number of files for each run and level, in total and today, and the newest; an index covers it."""
_RUNS_OF_TEAM = (
    select(
        Run,
        standings.RUN_WITHDRAWN,
        _REJECTION_COUNT,
        Level,
        _FILE_COUNTS.c.in_all,
        _FILE_COUNTS.c.today,
        _FILE_COUNTS.c.newest,
        Submission.id,
        Submission.sha256,
        Submission.size,
        Submission.filename,
        func.json_array_length(Submission.warnings, type_=Integer),
        Submission.late,
        Submission.arrived_at,
        User.name,
    )
    .join(Run.phase)
    .outerjoin(Level, (Level.task_id == Phase.task_id) & Level.splits.any(Split.name == Phase.split))
    .outerjoin(_FILE_COUNTS, (_FILE_COUNTS.c.run_id == Run.id) & (_FILE_COUNTS.c.level_id == Level.id))
    .outerjoin(Standing, (Standing.run_id == Run.id) & (Standing.level_id == _FILE_COUNTS.c.level_id))
    .outerjoin(Standing.submission)
    .outerjoin(Submission.sender)
    .options(defer(Level.sides), defer(Level.layout))
    .where(Run.team_id == bindparam("team_id"))
    .order_by(Run.position, Run.id, Level.position, Submission.id.desc())
)
"""The runs of a team, with a row for each level of the phase, and for each of two files that count there."""
_SUBMISSIONS = select(Submission, standings.WITHDRAWN).order_by(Submission.id.desc())
_SELECTED_FILES = {
    "recent": _SUBMISSIONS.where(Submission.id.in_(bindparam("ids", expanding=True))),
    "every": _SUBMISSIONS.where(Submission.run_id.in_(bindparam("run_ids", expanding=True))),
}


@dataclass(frozen=True, slots=True)
class RunTexts:
    """The texts about a run, for its pages and the paper; organizers alone give the last three."""

    description: str = ""
    method: str = ""
    resources: str = ""
    links: str = ""
    authors: str = ""
    version: str = ""
    licence: str = ""
    command: str = ""


@dataclass(frozen=True, slots=True)
class CountingFile:
    """A submission that counts; `warnings` is their number."""

    id: int
    sha256: str
    size: int
    filename: str
    warnings: int
    late: bool
    arrived_at: datetime
    sender: str | None


@dataclass(frozen=True, slots=True)
class SubmissionState:
    """A submission, whether it counts now, and whether it was withdrawn."""

    submission: Submission
    withdrawn: bool
    counts: bool


_MAX_LISTED_REJECTIONS = 20
"""How many rejected uploads of a phase are listed with recent files."""


@dataclass(frozen=True, slots=True)
class LevelState:
    """A run at one level: the submissions that count, all uploads, and the quota."""

    level: Level
    on_time: CountingFile | None
    late: CountingFile | None
    files: tuple[SubmissionState, ...]
    """The requested submissions, the newest first."""
    scored: int
    """The number of scored files."""
    rejections: tuple[Rejection, ...]
    """Some rejected uploads if they were requested, the newest first."""
    left: FilesLeft

    @property
    def last_rejection(self) -> Rejection | None:
        """The newest rejected upload, unless a file that counts arrived later."""
        accepted = [file.arrived_at for file in (self.on_time, self.late) if file is not None]
        newest = next(iter(self.rejections), None)
        return newest if newest is not None and all(at <= newest.arrived_at for at in accepted) else None


@dataclass(frozen=True, slots=True)
class _RunLevels:
    """A run with the levels of its phase, by their ids."""

    run: Run
    withdrawn: bool
    refused: int
    levels: dict[int, Level]


_RunLevelIds = tuple[int, int]
"""The ids of a run and a level."""


@dataclass(frozen=True, slots=True)
class _TeamFiles:
    """The uploads for the runs of a team: scored files, and those that are to be listed."""

    counting: dict[_RunLevelIds, list[CountingFile]]
    used: dict[_RunLevelIds, FilesUsed]
    newest: dict[_RunLevelIds, int]
    files: dict[_RunLevelIds, list[SubmissionState]] = field(default_factory=dict)
    rejections: dict[_RunLevelIds, list[Rejection]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RunState:
    """A run with its levels; in a withdrawn run no submission counts."""

    run: Run
    levels: tuple[LevelState, ...]
    withdrawn: bool
    refused: int
    """The number of its rejected uploads."""


def create_run(
    session: Session, actor: Actor, phase: Phase, name: str, texts: RunTexts, now: datetime
) -> Run:
    """Add a run to the actor's team.

    Raises:
        Forbidden: the person is in no team of the task.
        NotCompeting: the team is not approved.
        PhaseClosed: the phase takes no files now.
        QuotaExceeded: the team has the maximum number of runs.
        NameTaken: the team has a run of this name in the phase.
    """
    team = access.require_team(session, actor, phase.task)
    access.require_not_archived(team.task)
    access.require_competing(team)
    access.require_in_window(windows.window_of(session, phase, team), phase, now, "run")
    if count_runs(session, team, phase) >= phase.runs_per_team:
        raise QuotaExceeded.of_count(
            "A team can have 1 run in %(phase)s, and yours already has one.",
            "A team can have %(num)d runs in %(phase)s, and yours already has them.",
            phase.runs_per_team,
            phase=phase.title,
        )
    run = add_run(session, team, phase, name, texts.description, now)
    set_texts(run, texts)
    session.flush()
    audit.record(session, actor, now, "run.create", team.task_id, team.id, run=run.id)
    return run


def add_run(
    session: Session,
    team: Team,
    phase: Phase,
    name: str,
    description: str,
    now: datetime,
    baseline: str | None = None,
) -> Run:
    """Add a run, without checking whether the phase is open.

    Raises:
        NameTaken: the team has a run of this name in the phase.
    """
    name = require_free_name(session, team, phase, name)
    number = count_runs(session, team, phase) + 1
    run = Run(
        team_id=team.id,
        phase_id=phase.id,
        number=number,
        name=name,
        description=description.strip(),
        position=number,
        baseline=baseline,
        created_at=now,
    )
    run.team, run.phase = team, phase
    session.add(run)
    session.flush()
    return run


def texts_of(run: Run) -> dict[str, str]:
    """Return the texts of a run by their names."""
    return {name: getattr(run, name) for name in asdict(RunTexts())}


def set_texts(run: Run, texts: RunTexts) -> None:
    """Set the texts of a run, without whitespace around them."""
    for name, text in asdict(texts).items():
        setattr(run, name, text.strip())


def require_free_name(session: Session, team: Team, phase: Phase, name: str) -> str:
    """Return the name in one line, if no run of the team in the phase has it.

    Raises:
        NameTaken: a run has this name.
    """
    name = " ".join(name.split())
    same = select(Run.id).where(Run.team_id == team.id, Run.phase_id == phase.id, Run.name == name)
    if session.scalar(same) is not None:
        raise NameTaken.of(
            'The team already has a run "%(name)s" in this phase. Choose another name.', name=name
        )
    return name


def get_run(session: Session, actor: Actor, run_id: int) -> Run:
    """Return a run of the person's own team.

    Raises:
        NotFound: there is none, or it is another team's.
    """
    run = session.scalar(_RUN_OF_MEMBER, {"run_id": run_id, "user_id": actor.user_id})
    if run is not None:
        return run
    run = require_found(session.scalar(_RUN_WITH_TEAM, {"run_id": run_id}), _("There is no such run."))
    access.require_member(session, actor, run.team)
    return run


def read_run(session: Session, actor: Actor, task_id: int | None, run_id: int) -> Run:
    """Return a run of the task (None: of any), for its team and people who may see all of the task.

    Raises:
        NotFound: there is none, or this person may not see it.
    """
    run = session.scalar(_RUN_WITH_TEAM, {"run_id": run_id})
    if run is None or task_id not in (None, run.team.task_id):
        raise NotFound.of("There is no such run.")
    access.require_reader(session, actor, run.team, "run")
    return run


def list_runs(
    session: Session,
    team: Team,
    phases: Sequence[Phase],
    now: datetime,
    listed: FileSelection = "none",
) -> dict[int, list[RunState]]:
    """List the runs of a team by the ids of their phases, in a constant number of queries.

    `listed` selects the uploads.
    """
    entries, uploads = _query_runs(session, team, {phase.id for phase in phases}, now)
    run_ids = [entry.run.id for entry in entries]
    if listed in ("recent", "every"):
        uploads = replace(uploads, files=_query_files(session, run_ids, uploads, listed))
    if listed in ("rejected", "recent") and any(entry.refused for entry in entries):
        most = None if listed == "rejected" else _MAX_LISTED_REJECTIONS * len(phases)
        uploads = replace(uploads, rejections=_query_rejections(session, run_ids, most))
    states: dict[int, list[RunState]] = {}
    for phase in phases:
        phase_entries = [entry for entry in entries if entry.run.phase_id == phase.id]
        levels = phase_entries[0].levels if phase_entries else {}
        left_by_level = {
            level_id: _files_left_at(phase, level_id, [entry.run.id for entry in phase_entries], uploads)
            for level_id in levels
        }
        states[phase.id] = [
            RunState(
                entry.run,
                tuple(
                    _level_state(entry.run.id, level, uploads, left_by_level[level.id])
                    for level in levels.values()
                ),
                entry.withdrawn,
                entry.refused,
            )
            for entry in phase_entries
        ]
    return states


def _files_left_at(phase: Phase, level_id: int, run_ids: Sequence[int], uploads: _TeamFiles) -> FilesLeft:
    """Return how many more files the phase's quotas allow at a level, given all files of the team."""
    used = [uploads.used[at] for run_id in run_ids if (at := (run_id, level_id)) in uploads.used]
    in_all, today = sum(usage.in_all for usage in used), sum(usage.today for usage in used)
    return files_left(FilesUsed(in_all, today), phase.files_per_level, phase.files_per_day)


def count_files_used(session: Session, team: Team, phase: Phase, level: Level, now: datetime) -> FilesUsed:
    """Count the scored files of a team, phase and level, even withdrawn ones: in total, and on this day."""
    day, next_day = utc_day(now)
    place = {"team_id": team.id, "phase_id": phase.id, "level_id": level.id}
    in_all, of_day = session.execute(_FILES_USED, {**place, "day": day, "next_day": next_day}).one()
    return FilesUsed(in_all, of_day)


def count_runs(session: Session, team: Team, phase: Phase) -> int:
    """Count the runs of a team in a phase, including withdrawn runs."""
    query = select(func.count(Run.id)).where(Run.team_id == team.id, Run.phase_id == phase.id)
    return session.scalar(query) or 0


def _query_runs(
    session: Session, team: Team, phase_ids: Set[int], now: datetime
) -> tuple[list[_RunLevels], _TeamFiles]:
    """Query the runs of a team in some phases, in order, and their scored files."""
    day, next_day = utc_day(now)
    rows = session.execute(_RUNS_OF_TEAM, {"team_id": team.id, "day": day, "next_day": next_day})
    entries: dict[int, _RunLevels] = {}
    uploads = _TeamFiles({}, {}, {})
    for run, withdrawn, refused, level, in_all, today, newest, *file in rows:
        if run.phase_id not in phase_ids:
            continue
        entry = entries.setdefault(run.id, _RunLevels(run, bool(withdrawn), refused, {}))
        if level is None:
            continue
        entry.levels[level.id] = level
        if in_all is None:
            continue
        at = run.id, level.id
        uploads.used[at], uploads.newest[at] = FilesUsed(in_all, today), newest
        if file[0] is not None:
            uploads.counting.setdefault(at, []).append(CountingFile(*file))
    return list(entries.values()), uploads


def _query_files(
    session: Session, run_ids: Sequence[int], uploads: _TeamFiles, listed: FileSelection
) -> dict[_RunLevelIds, list[SubmissionState]]:
    """Query the files to be listed, the newest first."""
    counting = {file.id for files in uploads.counting.values() for file in files}
    parameters = {"run_ids": run_ids} if listed == "every" else {"ids": [*counting, *uploads.newest.values()]}
    files: dict[_RunLevelIds, list[SubmissionState]] = {}
    for submission, withdrawn in session.execute(_SELECTED_FILES[listed], parameters):
        state = SubmissionState(submission, bool(withdrawn), submission.id in counting)
        files.setdefault((submission.run_id, submission.level_id), []).append(state)
    return files


def _query_rejections(
    session: Session, run_ids: Sequence[int], most: int | None
) -> dict[_RunLevelIds, list[Rejection]]:
    """Query the newest rejected uploads; None: one of each run and level, its problems loaded lazily."""
    query = select(Rejection).where(Rejection.run_id.in_(run_ids)).order_by(Rejection.id.desc()).limit(most)
    if most is None:
        newest = select(func.max(Rejection.id)).where(Rejection.run_id.in_(run_ids))
        newest = newest.group_by(Rejection.run_id, Rejection.level_id)
        query = query.where(Rejection.id.in_(newest)).options(
            defer(Rejection.problems), joinedload(Rejection.sender)
        )
    rejections: dict[_RunLevelIds, list[Rejection]] = {}
    for rejection in session.scalars(query):
        rejections.setdefault((rejection.run_id, rejection.level_id), []).append(rejection)
    return rejections


def _level_state(run_id: int, level: Level, uploads: _TeamFiles, left: FilesLeft) -> LevelState:
    at = run_id, level.id
    counting = uploads.counting.get(at, ())
    return LevelState(
        level=level,
        on_time=next((file for file in counting if not file.late), None),
        late=next((file for file in counting if file.late), None),
        files=tuple(uploads.files.get(at, ())),
        scored=uploads.used[at].in_all if at in uploads.used else 0,
        rejections=tuple(uploads.rejections.get(at, ())),
        left=left,
    )
