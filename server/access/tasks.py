"""Tasks: finding them, their phases and files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from operator import itemgetter
from typing import Any

from sqlalchemy import Integer, Select, bindparam, select
from sqlalchemy.orm import Session, contains_eager, joinedload, selectinload
from sqlalchemy.orm.attributes import set_committed_value

from server.access import participation
from server.access import service as access
from server.core.actors import VISITOR, Actor
from server.core.errors import NotFound
from server.core.i18n import _
from server.core.storage import Storage
from server.gold import versions as gold_versions
from server.gold.models import GoldVersion
from server.phases import windows
from server.phases.models import Phase
from server.phases.quotas import upload_limit
from server.phases.rules import PhaseState, Window
from server.tasks.models import Level, Split, Task
from server.teams.models import Membership, Team

_PHASES_OF_TASKS = (
    select(Phase, windows.MEMBER_DEADLINES)
    .outerjoin(
        Membership,
        (Membership.task_id == Phase.task_id) & (Membership.user_id == bindparam("user_id", type_=Integer)),
    )
    .where(Phase.task_id.in_(bindparam("task_ids", expanding=True)))
    .order_by(Phase.position)
)
_PHASES_OF_TASK = select(Phase).where(Phase.task_id == bindparam("task_id")).order_by(Phase.position)
_PHASES_FOR_TEAM = _PHASES_OF_TASK.add_columns(windows.TEAM_DEADLINES)
_PHASES_FOR_MEMBER = participation.add_participation(
    _PHASES_OF_TASK.add_columns(windows.MEMBER_DEADLINES), Phase.task_id
)
TASK_WITH_PHASES = (
    participation.add_participation(
        select(Task, Phase, windows.MEMBER_DEADLINES).outerjoin(Phase, Phase.task_id == Task.id), Task.id
    )
    .where(Task.slug == bindparam("slug"))
    .order_by(Phase.position)
)
"""A task and its phases for whoever asks; with more columns it is asked by `query_task_phases`."""


@dataclass(frozen=True, slots=True)
class PhaseView:
    """A phase together with its state at one instant."""

    phase: Phase
    window: Window
    state: PhaseState


@dataclass(frozen=True, slots=True)
class DataFile:
    """One file that can be downloaded: of a level and split, of a kind (items, gold, senses, public)."""

    level: Level
    split: str
    kind: str
    sha256: str
    n_items: int

    @property
    def filename(self) -> str:
        """What the file is called on the reader's disk."""
        return f"{self.level.slug}.{self.split}.{self.kind}.{self._ending}"

    @property
    def run_limit(self) -> int | None:
        """Of items: the most bytes that a run file for them may have."""
        if self.kind != "items":
            return None
        return upload_limit(self.n_items, keyed=self.level.task.keyed is not None)

    @property
    def _ending(self) -> str:
        """How names of such files end."""
        keyed = self.level.task.keyed or {}
        delimiter = {"items": self.level.layout["delimiter"], "gold": keyed.get("delimiter")}.get(self.kind)
        return "csv" if delimiter == "comma" else "tsv"


def list_tasks(session: Session) -> list[Task]:
    """All tasks, the newest first."""
    return list(session.scalars(select(Task).options(selectinload(Task.levels)).order_by(Task.id.desc())))


def get_task(session: Session, slug: str) -> Task:
    """A task by its slug, with levels and splits.

    Raises:
        NotFound: there is none.
    """
    query = select(Task).where(Task.slug == slug).options(joinedload(Task.levels).joinedload(Level.splits))
    task = session.scalars(query).unique().one_or_none()
    if task is None:
        raise NotFound(_("There is no such task."))
    return task


def list_phases(session: Session, task: Task, now: datetime, team: Team | None = None) -> list[PhaseView]:
    """The phases of a task in their order, each with its state now: for a team, by its own deadlines."""
    if team is None:
        return list_phases_by_task(session, [task], now)[task.id]
    rows = session.execute(_PHASES_FOR_TEAM, {"task_id": task.id, "team_id": team.id})
    return [_make_phase_view(task, phase, closes, now) for phase, closes in rows]


def list_phases_for_actor(session: Session, actor: Actor, task: Task, now: datetime) -> list[PhaseView]:
    """The phases as they stand for whoever asks: by the deadlines of the own team, if there is one."""
    if actor.user_id is None:
        return list_phases(session, task, now)
    rows = session.execute(_PHASES_FOR_MEMBER, {"task_id": task.id, "user_id": actor.user_id}).all()
    if rows:
        _phase, _closes, *place = rows[0]
        participation.cache_participation(
            session, actor.user_id, task.id, participation.Participation(*place)
        )
    return [_make_phase_view(task, phase, closes, now) for phase, closes, *_place in rows]


def query_task_phases(
    session: Session, actor: Actor, slug: str, now: datetime, query: Select[*tuple[Any, ...]]
) -> tuple[Task, list[tuple[PhaseView, list[Any]]]]:
    """A task and its phases as they stand for whoever asks, with what `query` has beyond `TASK_WITH_PHASES`.

    Its levels are read when they are wanted.

    Raises:
        NotFound: there is none.
    """
    rows = session.execute(query, {"slug": slug, "user_id": actor.user_id}).all()
    if not rows:
        raise NotFound(_("There is no such task."))
    task, _phase, _closes, *place = rows[0][:6]
    if actor.user_id is not None:
        participation.cache_participation(
            session, actor.user_id, task.id, participation.Participation(*place)
        )
    return task, [
        (_make_phase_view(task, row[1], row[2], now), list(row[6:])) for row in rows if row[1] is not None
    ]


def _make_phase_view(task: Task, phase: Phase, closes: datetime | None, now: datetime) -> PhaseView:
    """A phase, with the deadline that a team has of its own; None: with its own alone."""
    set_committed_value(phase, "task", task)  # a phase that somebody holds has its task, and asks no more
    window = windows.extend_window(phase.window, closes)
    return PhaseView(phase, window, window.state(now))


def list_phases_by_task(
    session: Session, listed: Sequence[Task], now: datetime, actor: Actor = VISITOR
) -> dict[int, list[PhaseView]]:
    """The phases of each of the tasks, by the task's id, as they stand for `actor`."""
    views: dict[int, list[PhaseView]] = {task.id: [] for task in listed}
    tasks_by_id = {task.id: task for task in listed}
    for phase, closes in session.execute(
        _PHASES_OF_TASKS, {"task_ids": list(views), "user_id": actor.user_id}
    ):
        views[phase.task_id].append(_make_phase_view(tasks_by_id[phase.task_id], phase, closes, now))
    return views


def get_phase(session: Session, task: Task, slug: str) -> Phase:
    """A phase by its slug.

    Raises:
        NotFound: there is none.
    """
    phase = session.scalar(select(Phase).where(Phase.task_id == task.id, Phase.slug == slug))
    if phase is None:
        raise NotFound(_("There is no such phase."))
    return phase


def pick_phase(phases: Sequence[PhaseView], slug: str) -> Phase:
    """The phase with this slug among those of a task.

    Raises:
        NotFound: there is none.
    """
    for view in phases:
        if view.phase.slug == slug:
            return view.phase
    raise NotFound(_("There is no such phase."))


def levels_of(phase: Phase) -> list[Level]:
    """The levels that have items in the phase's split, in order."""
    return [level for level, _split in splits_of(phase)]


def find_split(level: Level, name: str) -> Split | None:
    """A split of a level by its name."""
    return next((split for split in level.splits if split.name == name), None)


def splits_of(phase: Phase) -> list[tuple[Level, Split]]:
    """The levels of a phase in order, each with the split that the phase is on."""
    pairs = [(level, find_split(level, phase.split)) for level in phase.task.levels]
    return [(level, split) for level, split in pairs if split is not None]


def get_level_split(task: Task, level_slug: str, split_name: str) -> tuple[Level, Split]:
    """A level and its split by their names.

    Raises:
        NotFound: there is no such level, or it has no such split.
    """
    for level in task.levels:
        split = find_split(level, split_name) if level.slug == level_slug else None
        if split is not None:
            return level, split
    raise NotFound(_("There is no such level, or it has no such split."))


def load_level_split(session: Session, task: Task, level_slug: str, split_name: str) -> tuple[Level, Split]:
    """The same by one question, without the other levels; raises as `get_level_split` does."""
    query = select(Split).join(Split.level).options(contains_eager(Split.level))
    of_level = Level.task_id == task.id, Level.slug == level_slug
    split = session.scalar(query.where(*of_level, Split.name == split_name))
    if split is None:
        raise NotFound(_("There is no such level, or it has no such split."))
    return split.level, split


def list_files(
    session: Session, actor: Actor, task: Task, now: datetime, views: Sequence[PhaseView] | None = None
) -> list[DataFile]:
    """What `actor` may download: items once a phase on their split has opened, gold where it is public.

    `views`: the phases of the task, where the caller has them.
    """
    sees_all = access.sees_all(session, actor, task)
    phases = list_phases(session, task, now) if views is None else views
    open_splits = access.open_splits([view.phase for view in phases], now)
    pairs = [
        (level, split)
        for level in task.levels
        for split in level.splits
        if sees_all or split.name in open_splits
    ]
    golds = gold_versions.list_golds(session, [split for _, split in pairs if sees_all or split.public_gold])
    return [file for level, split in pairs for file in _files_of(level, split, golds.get(split.id))]


def read_file(
    session: Session,
    storage: Storage,
    actor: Actor,
    task: Task,
    level: str,
    split: str,
    kind: str,
    now: datetime,
) -> tuple[DataFile, bytes]:
    """One file that `actor` may download now.

    Raises:
        NotFound: there is no such file, or not yet, or not for this person.
    """
    for file in list_files(session, actor, task, now):
        if (file.level.slug, file.split, file.kind) == (level, split, kind):
            return file, storage.get(file.sha256)
    raise NotFound(_("This file does not exist or is not available yet."))


def _files_of(level: Level, split: Split, gold: GoldVersion | None) -> list[DataFile]:
    files = [DataFile(level, split.name, "items", split.items_sha256, split.n_items)]
    if gold is not None:
        files.append(DataFile(level, split.name, "gold", gold.sha256, split.n_items))
    if split.public_items_sha256 is not None:
        files.append(DataFile(level, split.name, "public", split.public_items_sha256, split.n_public or 0))
    if level.senses_sha256 is not None:
        files.append(DataFile(level, split.name, "senses", level.senses_sha256, split.n_items))
    return files


@dataclass(frozen=True, slots=True)
class CurrentPhases:
    """The phase that matters now, those that take files as well, and the one that opens next."""

    view: PhaseView
    others: tuple[PhaseView, ...]
    next: PhaseView | None


_LAST = datetime.max.replace(tzinfo=UTC)


def find_current_phases(phases: Sequence[PhaseView]) -> CurrentPhases:
    """Of phases: what takes files, the nearest end first; else what opens; else what closed last."""

    def end(view: PhaseView) -> datetime:
        return (view.window.closes if view.state == "open" else view.window.grace_ends) or _LAST

    taking = sorted((view for view in phases if view.state in ("open", "grace")), key=end)
    early = [view for view in phases if view.state == "early"]
    early.sort(key=lambda view: view.window.opens or _LAST)
    over = sorted((view for view in phases if view.state == "over"), key=end)
    view = [*taking, *early, *reversed(over)][0]
    following = [other for other in early if other is not view]
    return CurrentPhases(view, tuple(taking[1:]), following[0] if following else None)


def group_by_state(tasks: Sequence[Task], phases: Mapping[int, Sequence[PhaseView]]) -> dict[str, list[Task]]:
    """Tasks by what they do now, `open`, `early` or `over`: the nearest end, or beginning, first."""
    groups: dict[str, list[tuple[datetime, Task]]] = {"open": [], "early": [], "over": []}
    for task in tasks:
        if not phases[task.id]:
            groups["early"].append((_LAST, task))
            continue
        view = find_current_phases(phases[task.id]).view
        group = "open" if view.state in ("open", "grace") else view.state
        ends = view.window.opens if group == "early" else view.window.grace_ends
        groups[group].append((ends or _LAST, task))
    return {
        group: [task for _ends, task in sorted(dated_tasks, key=itemgetter(0), reverse=group == "over")]
        for group, dated_tasks in groups.items()
        if dated_tasks
    }
