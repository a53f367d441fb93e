"""Queries for tasks, their phases and files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from operator import itemgetter
from typing import Any

from sqlalchemy import ColumnElement, Integer, Select, bindparam, select
from sqlalchemy.orm import Session, contains_eager, joinedload, selectinload
from sqlalchemy.orm.attributes import set_committed_value

from server.access import participation, service as access
from server.core.actors import VISITOR, Actor
from server.core.dates import NEVER
from server.core.errors import Conflict, NotFound, require_found
from server.core.i18n import _
from server.core.storage import storage_of
from server.gold import versions as gold_versions
from server.gold.models import GoldVersion
from server.phases import windows
from server.phases.models import Phase
from server.phases.quotas import upload_limit
from server.phases.rules import PhaseState, Window
from server.tasks.models import Level, Split, Task, TaskRole
from server.tasks.rules import DRAFT_MARK, HIDDEN_STATES
from server.teams.models import Membership, Team

_TASK_WITH_LEVELS = (
    select(Task)
    .where(Task.slug == bindparam("slug"))
    .options(joinedload(Task.levels).joinedload(Level.splits))
)
_LEVELS = (
    select(Level)
    .where(Level.task_id == bindparam("task_id"))
    .options(joinedload(Level.splits))
    .order_by(Level.position)
)
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
"""Columns of a task and its phases as the person sees them; `query_task_phases` runs it with more columns."""


@dataclass(frozen=True, slots=True)
class PhaseView:
    """A phase together with its state at one instant."""

    phase: Phase
    window: Window
    state: PhaseState


@dataclass(frozen=True, slots=True)
class DataFile:
    """A file for download: of a level and split, and of a kind (items, gold, senses, public)."""

    level: Level
    split: str
    kind: str
    sha256: str
    n_items: int
    hidden: bool = False
    """Whether only people who see all of the task may download it."""

    @property
    def filename(self) -> str:
        """The file's name for the download."""
        return f"{self.level.slug}.{self.split}.{self.kind}.{self._ending}"

    @property
    def run_limit(self) -> int | None:
        """The maximum size of a run file for these items; None for other kinds of files."""
        if self.kind != "items":
            return None
        return upload_limit(self.n_items, keyed=self.level.task.keyed is not None)

    @property
    def _ending(self) -> str:
        """The end of the names of such files."""
        keyed = self.level.task.keyed or {}
        delimiter = {"items": self.level.layout["delimiter"], "gold": keyed.get("delimiter")}.get(self.kind)
        return "csv" if delimiter == "comma" else "tsv"


def list_tasks(session: Session, actor: Actor) -> list[Task]:
    """List the tasks that exist for `actor`, the newest first: a draft is listed for people with a role."""
    query = select(Task).options(selectinload(Task.levels)).order_by(Task.id.desc())
    visible: ColumnElement[bool] = Task.state.not_in(HIDDEN_STATES)
    if actor.console:
        visible = Task.state != "deleted"
    elif actor.user_id is not None and not actor.without_roles:
        roles = select(TaskRole.task_id).where(TaskRole.user_id == actor.user_id, TaskRole.ended_at.is_(None))
        visible |= (Task.state == "draft") & Task.id.in_(roles)
    return list(session.scalars(query.where(visible)))


def get_task(session: Session, slug: str, reader: Actor | None = None) -> Task:
    """Return a task by its slug, with levels and splits.

    It may be a draft: `visibility` hides drafts before the view of a request runs. With `reader`, it exists
    for that person.

    Raises:
        NotFound: there is none.
    """
    query = _TASK_WITH_LEVELS if reader is None else _TASK_WITH_LEVELS.where(access.IS_VISIBLE)
    found = session.scalars(query, {"slug": slug, **access.reader_of(reader or VISITOR)})
    return require_found(found.unique().one_or_none(), _(access.NO_TASK))


def load_levels(session: Session, task: Task) -> None:
    """Load the levels and splits of a task by one query."""
    levels = session.scalars(_LEVELS, {"task_id": task.id}).unique().all()
    set_committed_value(task, "levels", list(levels))


def get_named_task(session: Session, name: str) -> Task:
    """Return a task by its slug, or a draft by its short name.

    Raises:
        NotFound: there is none.
        Conflict: several drafts have this short name.
    """
    query = select(Task.slug).where(Task.slug.startswith(f"{name}{DRAFT_MARK}", autoescape=True))
    drafts = session.scalars(query.where(Task.state == "draft").order_by(Task.id)).all()
    if session.scalar(select(Task.id).where(Task.slug == name)) is not None or not drafts:
        return get_task(session, name)
    if len(drafts) > 1:
        raise Conflict.of(
            "Several drafts have this short name. Choose one of: %(slugs)s.", slugs=", ".join(drafts)
        )
    return get_task(session, drafts[0])


def list_phases(session: Session, task: Task, now: datetime, team: Team | None = None) -> list[PhaseView]:
    """List the phases of a task in order with their states now, for a team by its own deadlines."""
    if team is None:
        return list_phases_by_task(session, [task], now)[task.id]
    rows = session.execute(_PHASES_FOR_TEAM, {"task_id": task.id, "team_id": team.id})
    return [_make_phase_view(task, phase, closes, now) for phase, closes in rows]


def list_phases_for_actor(session: Session, actor: Actor, task: Task, now: datetime) -> list[PhaseView]:
    """List the phases with their states for `actor`, by the deadlines of their team, if they have one."""
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
    """Return a task and its phases as `actor` sees them, with the other columns of `query`.

    The task's levels are loaded lazily.

    Raises:
        NotFound: there is none.
    """
    parameters = {"slug": slug, "user_id": actor.user_id, **access.reader_of(actor)}
    rows = session.execute(query, parameters).all()
    if not rows:
        raise NotFound.of(access.NO_TASK)
    task, _phase, _closes, *place = rows[0][:6]
    if actor.user_id is not None:
        participation.cache_participation(
            session, actor.user_id, task.id, participation.Participation(*place)
        )
    return task, [
        (_make_phase_view(task, row[1], row[2], now), list(row[6:])) for row in rows if row[1] is not None
    ]


def _make_phase_view(task: Task, phase: Phase, closes: datetime | None, now: datetime) -> PhaseView:
    """Make the view of a phase, with a team's own deadline; None: with the phase's deadline."""
    set_committed_value(phase, "task", task)  # `phase.task` then needs no query
    window = windows.extend_window(phase.window, closes)
    return PhaseView(phase, window, window.state(now))


def list_phases_by_task(
    session: Session, listed: Sequence[Task], now: datetime, actor: Actor = VISITOR
) -> dict[int, list[PhaseView]]:
    """List the phases of each task, by the task's id, with their states for `actor`."""
    views: dict[int, list[PhaseView]] = {task.id: [] for task in listed}
    tasks_by_id = {task.id: task for task in listed}
    for phase, closes in session.execute(
        _PHASES_OF_TASKS, {"task_ids": list(views), "user_id": actor.user_id}
    ):
        views[phase.task_id].append(_make_phase_view(tasks_by_id[phase.task_id], phase, closes, now))
    return views


def get_phase(session: Session, task: Task, slug: str) -> Phase:
    """Return a phase by its slug.

    Raises:
        NotFound: there is none.
    """
    phase = session.scalar(select(Phase).where(Phase.task_id == task.id, Phase.slug == slug))
    return require_found(phase, _("There is no such phase."))


def pick_phase(phases: Sequence[PhaseView], slug: str) -> Phase:
    """Return the phase with this slug among those of a task.

    Raises:
        NotFound: there is none.
    """
    phase = next((view.phase for view in phases if view.phase.slug == slug), None)
    return require_found(phase, _("There is no such phase."))


def levels_of(phase: Phase) -> list[Level]:
    """List the levels that have items in the phase's split, in order."""
    return [level for level, _split in splits_of(phase)]


def find_split(level: Level, name: str) -> Split | None:
    """Return a split of a level by its name."""
    return next((split for split in level.splits if split.name == name), None)


def splits_of(phase: Phase) -> list[tuple[Level, Split]]:
    """List the levels of a phase in order, each with its split for the phase."""
    pairs = [(level, find_split(level, phase.split)) for level in phase.task.levels]
    return [(level, split) for level, split in pairs if split is not None]


def get_level_split(task: Task, level_slug: str, split_name: str) -> tuple[Level, Split]:
    """Return a level and its split by their names.

    Raises:
        NotFound: there is no such level, or it has no such split.
    """
    for level in task.levels:
        split = find_split(level, split_name) if level.slug == level_slug else None
        if split is not None:
            return level, split
    raise NotFound.of("There is no such level, or it has no such split.")


def load_level_split(session: Session, task: Task, level_slug: str, split_name: str) -> tuple[Level, Split]:
    """Return a level and its split by one query, without other levels; raises as `get_level_split` does."""
    query = select(Split).join(Split.level).options(contains_eager(Split.level))
    of_level = Level.task_id == task.id, Level.slug == level_slug
    split = session.scalar(query.where(*of_level, Split.name == split_name))
    split = require_found(split, _("There is no such level, or it has no such split."))
    return split.level, split


def list_files(
    session: Session, actor: Actor, task: Task, now: datetime, views: Sequence[PhaseView] | None = None
) -> list[DataFile]:
    """List what `actor` may download: items once a phase on them has opened, gold if it is public.

    `views`: the phases of the task, if the caller has them.
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
    session: Session, actor: Actor, task: Task, level: str, split: str, kind: str, now: datetime
) -> tuple[DataFile, bytes]:
    """Return a file that `actor` may download now, and its contents.

    Raises:
        NotFound: there is no such file, or not yet, or not for this person.
    """
    for file in list_files(session, actor, task, now):
        if (file.level.slug, file.split, file.kind) == (level, split, kind):
            return file, storage_of(session).get(file.sha256)
    raise NotFound.of("This file does not exist or is not available yet.")


def _files_of(level: Level, split: Split, gold: GoldVersion | None) -> list[DataFile]:
    files = [DataFile(level, split.name, "items", split.items_sha256, split.n_items)]
    if gold is not None:
        files.append(DataFile(level, split.name, "gold", gold.sha256, split.n_items, not split.public_gold))
    if split.public_items_sha256 is not None:
        files.append(DataFile(level, split.name, "public", split.public_items_sha256, split.n_public or 0))
    if level.senses_sha256 is not None:
        files.append(DataFile(level, split.name, "senses", level.senses_sha256, split.n_items))
    return files


@dataclass(frozen=True, slots=True)
class CurrentPhases:
    """The phase that matters most now, the others that take files, and the one that opens next."""

    view: PhaseView
    others: tuple[PhaseView, ...]
    next: PhaseView | None


def find_current_phases(phases: Sequence[PhaseView]) -> CurrentPhases:
    """Pick the open phase that ends first; if there is none, the next to open, or the last that closed."""

    def end(view: PhaseView) -> datetime:
        return (view.window.closes if view.state == "open" else view.window.grace_ends) or NEVER

    taking = sorted((view for view in phases if view.state in ("open", "grace")), key=end)
    early = [view for view in phases if view.state == "early"]
    early.sort(key=lambda view: view.window.opens or NEVER)
    over = sorted((view for view in phases if view.state == "over"), key=end)
    view = [*taking, *early, *reversed(over)][0]
    following = [other for other in early if other is not view]
    return CurrentPhases(view, tuple(taking[1:]), following[0] if following else None)


def group_by_state(tasks: Sequence[Task], phases: Mapping[int, Sequence[PhaseView]]) -> dict[str, list[Task]]:
    """Group tasks by `open`, `early` or `over`, sorted by the nearest end or beginning.

    Drafts come first, and archived tasks last, whatever their dates are.
    """
    names, past_groups = ("draft", "open", "early", "over", "archived"), ("over", "archived")
    groups: dict[str, list[tuple[datetime, Task]]] = {name: [] for name in names}
    for task in tasks:
        if task.state != "published":
            groups[task.state].append((task.created_at, task))
            continue
        if not phases[task.id]:
            groups["early"].append((NEVER, task))
            continue
        view = find_current_phases(phases[task.id]).view
        group = "open" if view.state in ("open", "grace") else view.state
        ends = view.window.opens if group == "early" else view.window.grace_ends
        groups[group].append((ends or NEVER, task))
    return {
        group: [task for _ends, task in sorted(dated_tasks, key=itemgetter(0), reverse=group in past_groups)]
        for group, dated_tasks in groups.items()
        if dated_tasks
    }
