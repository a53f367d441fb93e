"""Pages of invitation links by which people join a team."""

from flask import flash, redirect, render_template, url_for
from flask.typing import ResponseReturnValue

from server.access import request_tasks, service as access
from server.accounts.models import User
from server.core.i18n import _
from server.teams import invitations, service as teams
from server.web import context
from server.web.form_errors import flash_error
from server.web.page_rules import TeamBlueprint, open_to_all

blueprint = TeamBlueprint("invitations", __name__, url_prefix="/tasks/<slug>")


@blueprint.post("/team/invitations")
def invite(slug: str) -> ResponseReturnValue:
    """Create an invitation link for the reader's team."""
    with flash_error(), context.writing() as session:
        team = access.require_team(session, context.actor(), request_tasks.get_task(slug))
        invitations.invite(session, context.actor(), team, context.arrival_time())
    return redirect(url_for("teams.members", slug=slug) + "#invitations")


@blueprint.post("/team/invitations/<int:invitation_id>/revoke")
def revoke(slug: str, invitation_id: int) -> ResponseReturnValue:
    """Revoke an invitation link of the reader's team."""
    with context.writing() as session:
        team = access.require_team(session, context.actor(), request_tasks.get_task(slug))
        invitations.revoke(session, context.actor(), team, invitation_id, context.arrival_time())
    flash(_("The invitation link was revoked."), "success")
    return redirect(url_for("teams.members", slug=slug) + "#invitations")


@blueprint.post("/team/invitations/<int:invitation_id>/replace")
def replace(slug: str, invitation_id: int) -> ResponseReturnValue:
    """Revoke an invitation link of the reader's team, and create a new one."""
    with flash_error():
        with context.writing() as session:
            team = access.require_team(session, context.actor(), request_tasks.get_task(slug))
            invitations.replace(session, context.actor(), team, invitation_id, context.arrival_time())
        flash(_("There is a new invitation link. The old one no longer works."), "success")
    return redirect(url_for("teams.members", slug=slug) + "#invitations")


@blueprint.get("/join/<token>")
@open_to_all
def join(slug: str, token: str) -> ResponseReturnValue:
    """Show who invites to which team, also to people who are not signed in yet."""
    session, task, actor = context.session(), request_tasks.get_task(slug), context.actor()
    invitation = invitations.get_invitation(session, actor, task, token, context.arrival_time())
    team = invitation.team
    if access.find_team(session, actor, task) == team:
        return redirect(url_for("teams.show", slug=slug))
    if actor.user_id is not None:
        access.require_may_join_team(session, actor, task, team)
    teams.require_room(session, team)
    inviter = None if invitation.made_by is None else session.get_one(User, invitation.made_by)
    return render_template("teams/join.html", task=task, team=team, inviter=inviter)


@blueprint.post("/join/<token>")
def accept(slug: str, token: str) -> ResponseReturnValue:
    """Join the team of an invitation link."""
    with context.writing() as session:
        task, now = request_tasks.get_task(slug), context.arrival_time()
        invitations.join_team(session, context.actor(), task, token, now)
    flash(_("You joined the team."), "success")
    return redirect(url_for("teams.show", slug=slug))
