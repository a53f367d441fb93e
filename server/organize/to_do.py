"""The organizers' to-do list, the most urgent first: each item is one task on one page."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from sqlalchemy import select
from sqlalchemy.orm import Session

from server.access import service as access, tasks
from server.annotation.results import campaign_needs
from server.core.actors import Actor
from server.corrections import preview as gold_previews
from server.gold.models import GoldVersion
from server.mail import service as mails
from server.organize.dashboard import PhaseDashboard
from server.phases.models import Phase
from server.questions import service as questions
from server.releases import scheduling as release_scheduling, service as releases
from server.releases.models import ReleasePlan
from server.releases.service import ReleaseState
from server.runs.models import Run
from server.submissions.models import Standing
from server.tasks.models import Level, Task

ToDoKind = Literal[
    "no gold", "plan failed", "plan overdue", "mails", "waiting", "questions", "flagged", "equal", "stuck",
    "campaign stalled", "candidate", "release due", "campaign complete", "campaign gold", "unnamed",
    "outdated", "campaign planned",
]  # fmt: skip
Urgency = Literal["blocked", "problem", "decision"]
"""People are blocked; they wait or have problems; or a decision is needed."""
URGENCY: dict[ToDoKind, Urgency] = {
    "no gold": "blocked", "plan failed": "blocked", "plan overdue": "blocked",
    "mails": "problem", "waiting": "problem", "questions": "problem",
    "flagged": "problem", "equal": "problem", "stuck": "problem",
    "campaign stalled": "decision", "candidate": "decision", "release due": "decision",
    "campaign complete": "decision", "campaign gold": "decision", "unnamed": "decision",
    "outdated": "decision", "campaign planned": "decision",
}  # fmt: skip
"""The urgency of each kind, in the order of the list."""
COUNTED_KINDS: frozenset[ToDoKind] = frozenset({"waiting", "questions", "flagged", "equal", "stuck", "mails"})
"""Kinds of items that are listed only if their count is not zero."""
OVERDUE_AFTER = timedelta(minutes=1)
"""When a scheduled release is late by this much, no worker seems to run."""


@dataclass(frozen=True, slots=True)
class ToDoItem:
    """One item; its kind determines which fields are set."""

    kind: ToDoKind
    phase: Phase | None = None
    count: int = 0
    levels: tuple[Level, ...] = ()
    plan: ReleasePlan | None = None
    release: ReleaseState | None = None
    gold: gold_previews.GoldVersionView | None = None
    version: GoldVersion | None = None
    campaign: campaign_needs.CampaignNeed | None = None

    @property
    def grave(self) -> bool:
        """Whether it blocks people, or may be a problem."""
        return URGENCY[self.kind] != "decision"


@dataclass(frozen=True, slots=True)
class TaskOverview:
    """What the overview has queried about all phases of a task."""

    views: tuple[tasks.PhaseView, ...]
    releases: dict[int, ReleaseState]
    plans: dict[int, ReleasePlan]
    failed: dict[int, ReleasePlan]
    golds: list[gold_previews.GoldVersionView]


def read_task_overview(
    session: Session, actor: Actor, task: Task, views: Sequence[tasks.PhaseView], now: datetime
) -> TaskOverview:
    """Query the leaderboards and gold versions of a task.

    Raises:
        Forbidden, NotFound: `actor` may not see all of the task.
    """
    phases = [view.phase for view in views]
    return TaskOverview(
        tuple(views),
        releases.list_newest(session, phases),
        release_scheduling.list_scheduled(session, phases),
        release_scheduling.list_failed(session, phases, now),
        gold_previews.list_version_views(session, actor, task),
    )


def list_to_do_items(
    session: Session,
    actor: Actor,
    task: Task,
    overview: TaskOverview,
    desk: PhaseDashboard | None,
    now: datetime,
) -> list[ToDoItem]:
    """List what there is to do in all phases, and for the teams of the phase that the overview shows.

    Raises:
        Forbidden, NotFound: `actor` may not see all of the task.
    """
    access.require_observer(session, actor, task)
    items = [need for view in overview.views for need in _list_phase_items(view, overview, now)]
    items += [ToDoItem("release due", phase=phase) for phase in _unreleased_phases(session, overview)]
    items += [
        ToDoItem("candidate", gold=gold_view)
        for gold_view in overview.golds
        if gold_view.state == "candidate"
    ]
    items += [
        ToDoItem("outdated", version=version) for version in gold_previews.list_outdated(overview.golds)
    ]
    items += [
        ToDoItem(need.kind, campaign=need)
        for need in campaign_needs.list_campaign_needs(session, actor, task, now)
    ]
    if desk is not None:
        items += [
            ToDoItem(kind, desk.phase, desk.count(kind)) for kind in ("waiting", "flagged", "equal", "stuck")
        ]
    items.append(ToDoItem("mails", count=mails.count_failed_mails(session, task, now)))
    items.append(ToDoItem("questions", count=questions.count_unanswered(session, task)))
    present_items = [need for need in items if need.count or need.kind not in COUNTED_KINDS]
    order = list(URGENCY)
    return sorted(present_items, key=lambda need: order.index(need.kind))


def _list_phase_items(view: tasks.PhaseView, overview: TaskOverview, now: datetime) -> list[ToDoItem]:
    phase, items = view.phase, list[ToDoItem]()
    lacking = () if view.state == "over" else levels_without_gold(phase, overview.golds)
    if lacking:
        items.append(ToDoItem("no gold", phase, levels=lacking))
    if plan := overview.failed.get(phase.id):
        items.append(ToDoItem("plan failed", phase, plan=plan))
    if (plan := overview.plans.get(phase.id)) and plan.due_at + OVERDUE_AFTER < now:
        items.append(ToDoItem("plan overdue", phase, plan=plan))
    newest = overview.releases.get(phase.id)
    if newest and newest.anonymous and not newest.withdrawal:
        items.append(ToDoItem("unnamed", phase, release=newest))
    return items


def levels_without_gold(phase: Phase, golds: Sequence[gold_previews.GoldVersionView]) -> tuple[Level, ...]:
    """List the levels of a phase that have no gold version in force."""
    split_ids_with_gold = {gold_view.version.split_id for gold_view in golds if gold_view.state == "in force"}
    return tuple(level for level, split in tasks.splits_of(phase) if split.id not in split_ids_with_gold)


def list_levels_without_gold(overview: TaskOverview) -> dict[int, tuple[Level, ...]]:
    """List the levels without a gold version in force, by the ids of the phases."""
    return {view.phase.id: levels_without_gold(view.phase, overview.golds) for view in overview.views}


def _unreleased_phases(session: Session, overview: TaskOverview) -> list[Phase]:
    """List closed phases with submissions that count, without a public release, or a schedule."""
    public = {id_ for id_, state in overview.releases.items() if state.withdrawal is None}
    stand = public | overview.plans.keys() | overview.failed.keys()
    over = [view.phase for view in overview.views if view.state == "over" and view.phase.id not in stand]
    if not over:
        return []
    of_these = Run.phase_id.in_([phase.id for phase in over]) & Run.baseline.is_(None)
    query = select(Run.phase_id).join(Standing, Standing.run_id == Run.id).where(of_these).distinct()
    entered = set(session.scalars(query))
    return [phase for phase in over if phase.id in entered]
