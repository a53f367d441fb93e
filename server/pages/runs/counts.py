"""The page that shows which submissions count for a team: its own, or any for people who see the task."""

from flask import render_template

from server.access import request_tasks, service as access, tasks
from server.runs import completeness
from server.teams import service as teams
from server.web import context
from server.web.page_rules import SignedInBlueprint

blueprint = SignedInBlueprint("counts", __name__, url_prefix="/tasks/<slug>")


@blueprint.get("/counts")
def show(slug: str) -> str:
    """Show what counts now for the reader's team, what is missing, and for how long it can be uploaded."""
    session, actor, now = context.session(), context.actor(), context.arrival_time()
    task = request_tasks.get_task(slug)
    team = access.find_team(session, actor, task)
    phases = request_tasks.list_phases(task)
    if team is None:
        role = access.find_role(session, actor, task)
        return render_template("teams/none.html", task=task, phases=phases, role=role)
    counted = completeness.list_counts(session, team, phases, now)
    return render_template(
        "runs/counting.html", task=task, phases=phases, team=team, counted=counted, own=True
    )


@blueprint.get("/organize/teams/<int:team_id>/counts")
def of_team(slug: str, team_id: int) -> str:
    """Show this page for any team, as that team sees it."""
    session, now = context.session(), context.arrival_time()
    task = request_tasks.get_observed_task(slug)
    team = teams.get_team(session, task, team_id)
    counted = completeness.list_counts(session, team, tasks.list_phases(session, task, now, team), now)
    return render_template("runs/counting.html", task=task, team=team, counted=counted, own=False)
