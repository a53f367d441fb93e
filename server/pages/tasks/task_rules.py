"""The page with the rules of a task, as sentences made from its settings."""

from flask import Blueprint, render_template

from server.access import request_tasks, service as access, tasks, terms
from server.core.clock import MAX_BODY_TIME
from server.phases import windows
from server.phases.quotas import MAX_REJECTIONS
from server.planning import extensions
from server.releases import release_gold, service as releases
from server.scoring import service as scoring
from server.web import context

blueprint = Blueprint("task_rules", __name__, url_prefix="/tasks/<slug>")


@blueprint.get("/rules")
def show(slug: str) -> str:
    """Show the rules for files, scores, ranks, deadlines and gold, with the times for the reader."""
    session, task = context.session(), request_tasks.get_task(slug)
    phases = request_tasks.list_phases(task)
    newest = releases.list_newest(session, [view.phase for view in phases])
    public = {phase_id: state.release for phase_id, state in newest.items() if state.withdrawal is None}
    team = access.find_team(session, context.actor(), task)
    return render_template(
        "tasks/rules.html",
        task=task,
        phases=phases,
        levels={view.phase.id: tasks.splits_of(view.phase) for view in phases},
        counted=[level for level in task.levels if level.counts],
        lower_is_better=scoring.lower_is_better(name for level in task.levels for name in level.metrics),
        extensions=extensions.list_visible_extensions(session, [view.phase for view in phases], team),
        without_baselines={
            view.phase.id
            for view in phases
            if windows.baselines_hidden_until(session, view.phase, context.arrival_time())
        },
        releases={view.phase.id: public.get(view.phase.id) for view in phases},
        gold_opened=release_gold.list_opening_dates(session, task),
        terms=terms.find_terms(session, task),
        whole_within=MAX_BODY_TIME,
        rejections=MAX_REJECTIONS,
        scorer=scoring.VERSION,
    )
