"""API: organizers approve and decline teams, and remove members."""

from server.access.api_auth import OrganizerBlueprint, caller, get_organized_task, organizers_only
from server.planning import registrations
from server.teams import memberships
from server.web import context
from server.web.rest.requests import ReasonSchema

blueprint = OrganizerBlueprint("api_registrations")


@blueprint.post("/teams/<int:team_id>/approve")
def approve(slug: str, team_id: int) -> None:
    """Approve a team, so that it can compete."""
    with context.writing() as session:
        registrations.approve_team(
            session, caller(), get_organized_task(slug), team_id, context.arrival_time()
        )


@blueprint.post("/teams/<int:team_id>/decline")
@organizers_only
@blueprint.input(ReasonSchema, arg_name="given")
def decline(slug: str, team_id: int, given: dict[str, str]) -> None:
    """Decline a team, with a reason that its members can read."""
    with context.writing() as session:
        registrations.decline_team(
            session, caller(), get_organized_task(slug), team_id, given["reason"], context.arrival_time()
        )


@blueprint.delete("/teams/<int:team_id>/members/<int:user_id>")
def remove_member(slug: str, team_id: int, user_id: int) -> None:
    """Remove a member from a team. If it is the captain, the member who joined first becomes captain."""
    with context.writing() as session:
        team = registrations.get_team(session, caller(), get_organized_task(slug), team_id)
        memberships.remove_member(session, caller(), team, user_id, context.arrival_time())
