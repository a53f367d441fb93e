"""API: invitation links by which people join the caller's team."""

from typing import Any

from flask import current_app, url_for

from server.access.api_auth import READ_SCOPES, ApiBlueprint, caller, get_own_team
from server.api.teams.schemas import LinksPage, NewLinkSchema
from server.teams import invitations
from server.teams.models import TeamInvitation
from server.web import context
from server.web.rest.responses import PageQuery, cut_page

blueprint = ApiBlueprint("api_invitations", url_prefix="/tasks/<slug>/team/invitations", tag="Teams")


@blueprint.get("", scopes=READ_SCOPES)
@blueprint.input(PageQuery, location="query", arg_name="query")
@blueprint.output(LinksPage)
def index(slug: str, query: dict[str, int]) -> dict[str, Any]:
    """List the invitation links of your team that can be used. Their texts are shown only when created."""
    return cut_page(
        invitations.list_open(context.session(), get_own_team(slug), context.arrival_time()), query
    )


@blueprint.post("", scopes=["submit"])
@blueprint.output(NewLinkSchema, status_code=201)
def invite(slug: str) -> dict[str, Any]:
    """Create an invitation link for your team. Anyone with the link can join the team for seven days."""
    with context.writing() as session:
        invitation = invitations.invite(session, caller(), get_own_team(slug), context.arrival_time())
        return _new_link(slug, invitation)


@blueprint.post("/<int:invitation_id>/replace", scopes=["submit"])
@blueprint.output(NewLinkSchema, status_code=201)
def replace(slug: str, invitation_id: int) -> dict[str, Any]:
    """Revoke an invitation link of your team, and create a new one in its place."""
    with context.writing() as session:
        team, now = get_own_team(slug), context.arrival_time()
        return _new_link(slug, invitations.replace(session, caller(), team, invitation_id, now))


@blueprint.delete("/<int:invitation_id>", scopes=["submit"])
def revoke(slug: str, invitation_id: int) -> None:
    """Revoke an invitation link of your team, so that it can no longer be used."""
    with context.writing() as session:
        invitations.revoke(session, caller(), get_own_team(slug), invitation_id, context.arrival_time())


def _new_link(slug: str, invitation: TeamInvitation) -> dict[str, Any]:
    fields = {name: getattr(invitation, name) for name in ("id", "made_at", "expires_at", "token")}
    site = context.site_of(current_app).config.site_url
    return {**fields, "address": site + url_for("invitations.join", slug=slug, token=invitation.token)}
