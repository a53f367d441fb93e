"""Runs: lists, one with all its files, and what counts of a team."""

from typing import Any

from apiflask import APIBlueprint
from apiflask.exceptions import HTTPError

from server.access import service as access
from server.access import tasks
from server.access.api_auth import READ_SCOPES, auth, caller
from server.core.i18n import _
from server.runs import completeness
from server.runs import service as runs
from server.runs.service import LevelState, RunState
from server.submissions import listings
from server.submissions.listings import ListingQuery
from server.submissions.schemas.runs import Counts, RunsPage, RunsQuery, RunWithFiles, TeamQuery
from server.teams import service as teams
from server.web import context
from server.web.rest.responses import limit_and_offset, page_values

blueprint = APIBlueprint("api_runs", __name__, url_prefix="/api/v1", tag="Runs")


@blueprint.get("/tasks/<slug>/runs")
@blueprint.input(RunsQuery, location="query", arg_name="query")
@blueprint.output(RunsPage)
@blueprint.auth_required(auth, roles=READ_SCOPES)
def index(slug: str, query: dict[str, Any]) -> dict[str, Any]:
    """List runs: of your team, or of all teams for those who see all of the task."""
    listing_query = ListingQuery(
        *limit_and_offset(query), team_id=query.get("team"), phase=query.get("phase")
    )
    session = context.session()
    rows, total = listings.list_runs(session, caller(), tasks.get_task(session, slug), listing_query)
    return page_values(rows, total, query)


@blueprint.get("/runs/<int:run_id>")
@blueprint.output(RunWithFiles)
@blueprint.auth_required(auth, roles=READ_SCOPES)
def show(run_id: int) -> dict[str, Any]:
    """Read one run: what is said of it, what counts, and everything that ever came."""
    session = context.session()
    run = runs.read_run(session, caller(), None, run_id)
    listed = runs.list_runs(session, run.team, [run.phase], context.arrival_time(), "every")[run.phase_id]
    state = next(state for state in listed if state.run.id == run.id)
    return _describe_run(state)


@blueprint.get("/tasks/<slug>/counts")
@blueprint.input(TeamQuery, location="query", arg_name="query")
@blueprint.output(Counts)
@blueprint.auth_required(auth, roles=READ_SCOPES)
def what_counts(slug: str, query: dict[str, int]) -> dict[str, Any]:
    """Read what counts of your team now, what is missing, and how many files are left.

    Those who see all of the task name the team whose page they want.
    """
    session, actor, now = context.session(), caller(), context.arrival_time()
    task = tasks.get_task(session, slug)
    if "team" in query:
        team = teams.get_observed_team(session, actor, task, query["team"])
    elif access.sees_all(session, actor, task):
        raise HTTPError(422, detail={"query": {"team": [_("Name the team whose page you want.")]}})
    else:
        team = access.require_team(session, actor, task)
    phases = tasks.list_phases(session, task, now, team)
    return {
        "team": team,
        "phases": [
            _describe_phase(phase_counts)
            for phase_counts in completeness.list_counts(session, team, phases, now)
        ],
        "early": [{"view": view} for view in phases if view.state == "early"],
    }


def _describe_phase(found: completeness.PhaseCounts) -> dict[str, Any]:
    return {
        "view": found.view,
        "runs": [_describe_run(state) for state in found.runs],
        "withdrawn": [_describe_run(state) for state in found.withdrawn],
        "missing": [{"run": run.id, "level": level.slug} for run, level in found.missing],
        "quotas": found.quotas,
        "next_day": found.next_day,
    }


def _describe_run(state: RunState) -> dict[str, Any]:
    levels = [_describe_level(level) for level in state.levels]
    return {"run": state.run, "withdrawn": state.withdrawn, "levels": levels}


def _describe_level(state: LevelState) -> dict[str, Any]:
    return {
        "level": state.level.slug,
        "on_time": None if state.on_time is None else state.on_time.id,
        "late": None if state.late is None else state.late.id,
        "left": state.left,
        "files": state.files,
    }
