"""API: creating, joining, editing and leaving a team, and its members."""

from typing import Any

from server.access import tasks
from server.access.api_auth import ApiBlueprint, caller, get_own_team
from server.api.teams.schemas import JoinSchema, NewTeamSchema, OwnTeamSchema, TeamChange
from server.teams import invitations, memberships, service as teams
from server.teams.models import Team
from server.web import context

blueprint = ApiBlueprint("api_memberships", url_prefix="/tasks/<slug>", tag="Teams", scopes=["submit"])


@blueprint.post("/teams")
@blueprint.input(NewTeamSchema, arg_name="given")
@blueprint.output(OwnTeamSchema, status_code=201)
def create(slug: str, given: dict[str, Any]) -> Team:
    """Create a team, with you as its captain. Each person can be in one team per task."""
    with context.writing() as session:
        task = tasks.get_task(session, slug)
        teams.create_team(session, caller(), task, given["name"], context.arrival_time())
    return get_own_team(slug)


@blueprint.patch("/team")
@blueprint.input(TeamChange, arg_name="given")
@blueprint.output(OwnTeamSchema)
def edit(slug: str, given: dict[str, str]) -> Team:
    """Edit your team. Its name can be changed until one of its files has been scored."""
    with context.writing() as session:
        team = get_own_team(slug)
        affiliations, now = given.get("affiliations", team.affiliations), context.arrival_time()
        teams.edit_team(session, caller(), team.task, given.get("name"), affiliations, now)
    return get_own_team(slug)


@blueprint.delete("/team/members/<int:user_id>")
def remove(slug: str, user_id: int) -> None:
    """Remove a member from the team whose captain you are. What was submitted stays the team's."""
    with context.writing() as session:
        memberships.remove_member(session, caller(), get_own_team(slug), user_id, context.arrival_time())


@blueprint.post("/team/members/<int:user_id>/captain")
def hand_over(slug: str, user_id: int) -> None:
    """Make another member the captain in your place."""
    with context.writing() as session:
        memberships.hand_over(session, caller(), get_own_team(slug), user_id, context.arrival_time())


@blueprint.post("/team/join")
@blueprint.input(JoinSchema, arg_name="given")
@blueprint.output(OwnTeamSchema)
def join(slug: str, given: dict[str, str]) -> Team:
    """Join the team of an invitation link, which its members can give you."""
    with context.writing() as session:
        task = tasks.get_task(session, slug)
        invitations.join_team(session, caller(), task, given["token"], context.arrival_time())
    return get_own_team(slug)


@blueprint.post("/team/leave")
def leave(slug: str) -> None:
    """Leave your team, unless it has a scored file in which you took part."""
    with context.writing() as session:
        memberships.leave_team(session, caller(), tasks.get_task(session, slug), context.arrival_time())
