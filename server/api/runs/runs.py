"""API: lists of runs, a run with all its files, and what counts for a team."""

from typing import Any

from server.access import service as access, tasks
from server.access.api_auth import READ_SCOPES, ApiBlueprint, caller
from server.api.runs.schemas import Counts, RunsPage, RunsQuery, RunWithFiles, TeamQuery
from server.core.i18n import _
from server.runs import completeness, service as runs
from server.submissions import listings
from server.teams import service as teams
from server.web import context
from server.web.rest.fields import invalid_fields
from server.web.rest.responses import limit_and_offset, page_values

blueprint = ApiBlueprint("api_runs", tag="Runs", scopes=READ_SCOPES)


@blueprint.get("/tasks/<slug>/runs")
@blueprint.input(RunsQuery, location="query", arg_name="query")
@blueprint.output(RunsPage)
def index(slug: str, query: dict[str, Any]) -> dict[str, Any]:
    """List the runs of your team, or of all teams if you may see all of the task."""
    listing_query = listings.ListingQuery(
        *limit_and_offset(query), team_id=query.get("team"), phase=query.get("phase")
    )
    session = context.session()
    rows, total = listings.list_runs(session, caller(), tasks.get_task(session, slug), listing_query)
    return page_values(rows, total, query)


@blueprint.get("/runs/<int:run_id>")
@blueprint.output(RunWithFiles)
def show(run_id: int) -> runs.RunState:
    """Read a run: its description, the submissions that count, and all its submissions."""
    session = context.session()
    run = runs.read_run(session, caller(), None, run_id)
    listed = runs.list_runs(session, run.team, [run.phase], context.arrival_time(), "every")[run.phase_id]
    return next(state for state in listed if state.run.id == run.id)


@blueprint.get("/tasks/<slug>/counts")
@blueprint.input(TeamQuery, location="query", arg_name="query")
@blueprint.output(Counts)
def what_counts(slug: str, query: dict[str, int]) -> dict[str, Any]:
    """Read what counts for your team now, what is missing, and how many files are left.

    If you may see all of the task, name the team.
    """
    session, actor, now = context.session(), caller(), context.arrival_time()
    task = tasks.get_task(session, slug)
    if "team" in query:
        team = teams.get_observed_team(session, actor, task, query["team"])
    elif access.sees_all(session, actor, task):
        raise invalid_fields({"team": [_("Name the team whose page you want.")]}, "query")
    else:
        team = access.require_team(session, actor, task)
    phases = tasks.list_phases(session, task, now, team)
    return {
        "team": team,
        "phases": completeness.list_counts(session, team, phases, now),
        "early": [{"view": view} for view in phases if view.state == "early"],
    }
