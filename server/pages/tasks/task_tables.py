"""The tables on the page of a task: its phases with their leaderboards, and its levels with their data."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from markupsafe import Markup

from server.access import tasks
from server.phases.feedback import Feedback
from server.phases.models import Extension
from server.phases.rules import PhaseState, Window
from server.releases.service import ReleaseState
from server.tasks.models import Level, Task
from server.tasks.rules import TaskState
from server.tasks.split_names import list_split_names
from server.web.fragments import render_fragment


@dataclass(frozen=True, slots=True)
class ReleaseLine:
    """The newest release of a phase."""

    number: int
    made_at: datetime
    is_live: bool
    is_withdrawn: bool


@dataclass(frozen=True, slots=True)
class ExtensionLine:
    """An extension of a phase; `is_own`: for the reader's team alone."""

    closes: datetime
    reason: str
    made_at: datetime
    is_own: bool


@dataclass(frozen=True, slots=True)
class PhaseRow:
    """A phase as the reader sees it."""

    slug: str
    title: str
    split: str
    state: PhaseState
    window: Window
    feedback: Feedback
    feedback_places: int | None
    ladder_step: float | None
    board: str
    is_paused: bool
    """Whether its live leaderboard is released manually."""
    runs_public: bool
    runs_per_team: int
    files_per_level: int | None
    files_per_day: int | None
    release: ReleaseLine | None
    gold_since: datetime | None
    extensions: tuple[ExtensionLine, ...]


@dataclass(frozen=True, slots=True)
class DatesTable:
    """The phases of a task."""

    slug: str
    state: TaskState
    phases: tuple[PhaseRow, ...]


@dataclass(frozen=True, slots=True)
class SplitCell:
    """The items of a level in a split, and the kinds of its files, with whether they are hidden."""

    n_items: int
    files: tuple[tuple[str, bool], ...]


@dataclass(frozen=True, slots=True)
class LevelRow:
    """A level with its items, by split."""

    slug: str
    title: str
    counts: bool
    sides: tuple[str, ...]
    metrics: tuple[str, ...]
    cells: tuple[tuple[str, SplitCell | None], ...]


@dataclass(frozen=True, slots=True)
class DataTable:
    """The levels of a task, and the files of its starter kit."""

    slug: str
    licence: str
    splits: tuple[str, ...]
    levels: tuple[LevelRow, ...]
    kit: tuple[str, ...]
    has_files: bool
    is_pending: bool
    """Whether the reader has still to accept the terms."""


def render_dates(
    task: Task,
    views: Sequence[tasks.PhaseView],
    newest: Mapping[int, ReleaseState],
    paused: Mapping[int, bool],
    gold_opened: Mapping[str, datetime],
    extensions: Sequence[Extension],
) -> Markup:
    """Render the table of phases; `newest` and `paused` are by their ids, `gold_opened` by split."""
    phases = tuple(
        PhaseRow(
            slug=view.phase.slug,
            title=view.phase.title,
            split=view.phase.split,
            state=view.state,
            window=view.window,
            feedback=view.phase.feedback,
            feedback_places=view.phase.feedback_places,
            ladder_step=view.phase.ladder_step,
            board=view.phase.board,
            is_paused=paused[view.phase.id],
            runs_public=view.phase.runs_public,
            runs_per_team=view.phase.runs_per_team,
            files_per_level=view.phase.files_per_level,
            files_per_day=view.phase.files_per_day,
            release=_release_line(newest.get(view.phase.id)),
            gold_since=gold_opened.get(view.phase.split),
            extensions=tuple(
                ExtensionLine(one.closes, one.reason, one.made_at, one.team_id is not None)
                for one in extensions
                if one.phase_id == view.phase.id
            ),
        )
        for view in views
    )
    return render_fragment("tasks/_dates.html", DatesTable(task.slug, task.state, phases))


def _release_line(state: ReleaseState | None) -> ReleaseLine | None:
    if state is None:
        return None
    release = state.release
    is_live, is_withdrawn = release.feedback is not None, state.withdrawal is not None
    return ReleaseLine(release.number, release.made_at, is_live, is_withdrawn)


def render_data(
    task: Task, files: Sequence[tasks.DataFile], kit: Sequence[str], *, is_pending: bool
) -> Markup:
    """Render the table of levels; `files`: those that the reader may download."""
    splits = list_split_names(task)
    levels = tuple(
        LevelRow(
            level.slug,
            level.title,
            level.counts,
            tuple(level.sides),
            tuple(level.metrics),
            tuple((name, _split_cell(level, name, files)) for name in splits),
        )
        for level in task.levels
    )
    table = DataTable(task.slug, task.licence, tuple(splits), levels, tuple(kit), bool(files), is_pending)
    return render_fragment("tasks/_data.html", table)


def _split_cell(level: Level, name: str, files: Sequence[tasks.DataFile]) -> SplitCell | None:
    split = tasks.find_split(level, name)
    if split is None:
        return None
    shown = tuple((file.kind, file.hidden) for file in files if file.level is level and file.split == name)
    return SplitCell(split.n_items, shown)
