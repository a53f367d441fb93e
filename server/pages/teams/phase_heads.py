"""What the page "My runs" shows of a phase above the cards of its runs."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from markupsafe import Markup

from server.access.tasks import PhaseView
from server.phases.rules import PhaseState, Window
from server.releases.placements import SystemPlacement, TeamPlacements
from server.runs.completeness import PhaseCompleteness
from server.runs.service import RunState
from server.tasks.models import Task
from server.tasks.rules import TaskState
from server.web import context, fragments, times


@dataclass(frozen=True, slots=True)
class RankedRelease:
    """A public release, and the team's ranks in it."""

    number: int
    made_at: datetime
    pseudonym: str | None
    places: tuple[SystemPlacement, ...]


@dataclass(frozen=True, slots=True)
class PhaseHead:
    """A phase, the files that it lacks, its release, and hints."""

    task: str
    task_state: TaskState
    slug: str
    title: str
    state: PhaseState
    window: Window
    left: Markup | None
    """The time until it opens or closes."""
    needed: int
    """The number of files that the runs need."""
    counting: int
    late: int
    missing: tuple[tuple[str, str], ...]
    """The titles of levels and the names of runs without a file on time."""
    release: RankedRelease | None
    has_several_runs: bool
    has_primary: bool
    has_quota: bool


def render_phase_head(
    task: Task,
    view: PhaseView,
    own: Sequence[RunState],
    outlook: PhaseCompleteness,
    placements: TeamPlacements | None,
) -> Markup:
    """Render what stands above the runs of a team in a phase."""
    phase, window = view.phase, view.window
    until = {"early": window.opens, "open": window.closes}.get(view.state)
    head = PhaseHead(
        task=task.slug,
        task_state=task.state,
        slug=phase.slug,
        title=phase.title,
        state=view.state,
        window=window,
        left=None if until is None else times.countdown(until, context.arrival_time()),
        needed=outlook.of,
        counting=outlook.counting,
        late=outlook.late,
        missing=tuple((missing.level.title, missing.run.name) for missing in outlook.missing),
        release=None if placements is None else _ranked_release(placements),
        has_several_runs=len(own) > 1,
        has_primary=any(state.run.is_primary and not state.withdrawn for state in own),
        has_quota=phase.files_per_level is not None or phase.files_per_day is not None,
    )
    return fragments.render_fragment("teams/_phase_head.html", head)


def _ranked_release(placements: TeamPlacements) -> RankedRelease:
    release = placements.state.release
    pseudonym = placements.name if placements.state.anonymous else None
    return RankedRelease(release.number, release.made_at, pseudonym, placements.places)
