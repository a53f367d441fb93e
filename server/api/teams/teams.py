"""API: the caller's team, and all teams of a task."""

from collections.abc import Sequence
from typing import Any

from server.access import service as access, tasks
from server.access.api_auth import READ_SCOPES, ApiBlueprint, caller, get_own_team
from server.accounts.models import User
from server.api.teams.schemas import OwnTeam, TeamsPage
from server.planning import registrations
from server.teams import service as teams
from server.teams.models import Team
from server.web import context
from server.web.rest.responses import PageQuery, cut_page

blueprint = ApiBlueprint("api_teams", url_prefix="/tasks/<slug>", tag="Teams")


@blueprint.get("/team", scopes=READ_SCOPES)
@blueprint.output(OwnTeam)
def show(slug: str) -> dict[str, Any]:
    """Read your own team. The status is 403 if you are not in a team."""
    session = context.session()
    team = get_own_team(slug)
    members = teams.list_members(session, team)
    return {**_team(team, members), "is_fixed": access.is_fixed(session, team)}


@blueprint.get("/teams", scopes=["organize"])
@blueprint.input(PageQuery, location="query", arg_name="query")
@blueprint.output(TeamsPage)
def index(slug: str, query: dict[str, int]) -> dict[str, Any]:
    """List all competing teams, those that wait for approval first."""
    session = context.session()
    rows = registrations.list_registrations(session, caller(), tasks.get_task(session, slug))
    return cut_page([{**_team(row.team, row.members), "files": row.files} for row in rows], query)


def _team(team: Team, members: Sequence[User]) -> dict[str, Any]:
    people = [
        {"id": member.id, "name": member.name, "is_captain": member.id == team.captain_id}
        for member in members
    ]
    return {"team": team, "members": people}
