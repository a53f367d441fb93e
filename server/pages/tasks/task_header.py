"""The header of a task's pages."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from flask import request
from markupsafe import Markup

from server.access import request_tasks, service as access, tasks
from server.phases.models import Phase
from server.tasks.models import Task
from server.tasks.rules import TaskState
from server.web import context, fragments, times

_BOARD_BLUEPRINTS = ("boards", "published", "release_systems", "comparisons", "stability")
"""Blueprints of the pages below a leaderboard."""


@dataclass(frozen=True, slots=True)
class PhaseStatus:
    """The phase that matters most now, and the others, in one line."""

    title: str
    state: str
    at: datetime | None
    """When it opens or ends, including the grace period, or when it closed; None: it has no deadline."""
    left: Markup | None
    """The time until then."""
    others: tuple[tuple[str, str], ...]
    """The titles and states of the others that accept files."""
    next: tuple[str, Markup] | None
    """The title of the next phase to open, and the time until then."""


@dataclass(frozen=True, slots=True)
class TaskHeader:
    """A task's name, the links to its pages, and its phases."""

    task: str
    title: str
    logo: str | None
    here: str
    """The endpoint of the page."""
    on_board: bool
    sees_all: bool
    organizes: bool
    signed_in: bool
    board: str | None
    """The phase whose leaderboard is linked."""
    phase: str | None
    """The phase of a page below a leaderboard."""
    boards: tuple[tuple[str, str], ...]
    """The phases, by slug and title."""
    now: PhaseStatus | None
    """None on pages that never change, and for an archived task."""
    state: TaskState


def render_task_header(
    task: Task,
    phases: Sequence[tasks.PhaseView] | None,
    phase: Phase | None,
    *,
    still: bool,
) -> Markup:
    """Render the header of this request's page; `phases`: those of the task, if the page has listed them."""
    return fragments.render_fragment("tasks/_head.html", _build_task_header(task, phases, phase, still=still))


def _build_task_header(
    task: Task, phases: Sequence[tasks.PhaseView] | None, phase: Phase | None, *, still: bool
) -> TaskHeader:
    if phases is None:
        phases = request_tasks.list_phases(task)  # first: its query also finds the person's role
    session, actor = context.session(), context.actor()
    endpoint_name = request.endpoint or ""
    on_board = endpoint_name.split(".")[0] in _BOARD_BLUEPRINTS
    begun = [view for view in phases if view.state != "early"] or phases
    last = begun[-1].phase if begun else None
    shown = phase if on_board and phase is not None else last
    return TaskHeader(
        task=task.slug,
        title=task.title,
        logo=task.logo,
        here=endpoint_name,
        on_board=on_board,
        sees_all=access.sees_all(session, actor, task),
        organizes=access.is_organizer(session, actor, task),
        signed_in=actor.user_id is not None,
        board=None if shown is None else shown.slug,
        phase=phase.slug if on_board and phase is not None else None,
        boards=tuple((view.phase.slug, view.phase.title) for view in phases),
        now=None if still or not phases or task.state == "archived" else find_phase_status(phases),
        state=task.state,
    )


def find_phase_status(phases: Sequence[tasks.PhaseView]) -> PhaseStatus:
    """Return what is open and what opens next, given at least one phase."""
    arrived, current_phases = context.arrival_time(), tasks.find_current_phases(phases)
    draft = phases[0].phase.task.state == "draft"
    view, window = current_phases.view, current_phases.view.window
    at = {"early": window.opens, "grace": window.grace_ends}.get(view.state, window.closes)
    opens = None if current_phases.next is None else current_phases.next.window.opens
    return PhaseStatus(
        title=view.phase.title,
        state="unpublished" if draft and view.state == "open" else view.state,
        at=at,
        left=None if at is None or view.state == "over" else times.countdown(at, arrived),
        others=() if draft else tuple((other.phase.title, other.state) for other in current_phases.others),
        next=None
        if current_phases.next is None or opens is None
        else (current_phases.next.phase.title, times.countdown(opens, arrived)),
    )
