"""API: the people with a role in a task, and invitation links for roles."""

from typing import Any

from flask import current_app, url_for

from server.access import role_invitations, roles, service as access, tasks
from server.access.api_auth import OrganizerBlueprint, caller
from server.api.access.schemas import NewRoleLink, PeoplePage, RoleLinksPage, RoleSchema
from server.tasks.models import Task
from server.tasks.rules import RoleName
from server.web import context
from server.web.rest.responses import PageQuery, cut_page

blueprint = OrganizerBlueprint("api_roles", "/people")


@blueprint.get("")
@blueprint.input(PageQuery, location="query", arg_name="query")
@blueprint.output(PeoplePage)
def index(slug: str, query: dict[str, int]) -> dict[str, Any]:
    """List the people with a role, organizers first."""
    session = context.session()
    return cut_page(roles.list_people(session, caller(), tasks.get_task(session, slug)), query)


@blueprint.patch("/<int:user_id>")
@blueprint.input(RoleSchema, arg_name="given")
def change(slug: str, user_id: int, given: dict[str, RoleName]) -> None:
    """Change the role of a person who has one. A task always keeps an organizer."""
    with context.writing() as session:
        task = _get_managed_task(slug)
        roles.change_role(session, caller(), task, user_id, given["role"], context.arrival_time())


@blueprint.delete("/<int:user_id>")
def remove(slug: str, user_id: int) -> None:
    """Remove a person's role.

    They still cannot join a team of the task, because they had access to the gold standard.
    """
    with context.writing() as session:
        roles.remove_person(session, caller(), _get_managed_task(slug), user_id, context.arrival_time())


@blueprint.get("/invitations")
@blueprint.input(PageQuery, location="query", arg_name="query")
@blueprint.output(RoleLinksPage)
def links(slug: str, query: dict[str, int]) -> dict[str, Any]:
    """List the invitation links that can be used. The text of a link is shown only when it is created."""
    session, now = context.session(), context.arrival_time()
    return cut_page(role_invitations.list_open(session, caller(), _get_managed_task(slug), now), query)


@blueprint.post("/invitations")
@blueprint.input(RoleSchema, arg_name="given")
@blueprint.output(NewRoleLink, status_code=201)
def invite(slug: str, given: dict[str, RoleName]) -> dict[str, Any]:
    """Create an invitation link by which one person gets a role. It is valid for seven days."""
    with context.writing() as session:
        task = _get_managed_task(slug)
        invitation = role_invitations.invite(session, caller(), task, given["role"], context.arrival_time())
        fields = {
            name: getattr(invitation, name) for name in ("id", "role", "made_at", "expires_at", "token")
        }
    site = context.site_of(current_app).config.site_url
    return {**fields, "address": site + url_for("roles.accept", slug=slug, token=fields["token"])}


@blueprint.delete("/invitations/<int:link_id>")
def revoke(slug: str, link_id: int) -> None:
    """Revoke an invitation link, so that it can no longer be used."""
    with context.writing() as session:
        role_invitations.revoke(session, caller(), _get_managed_task(slug), link_id, context.arrival_time())


def _get_managed_task(slug: str) -> Task:
    session = context.session()
    task = tasks.get_task(session, slug)
    access.require_people_manager(session, caller(), task)
    return task
