"""Pages of invitation links by which people join a team."""

from flask import flash, redirect, render_template, url_for
from flask.typing import ResponseReturnValue

from server.access import request_tasks
from server.access import service as access
from server.core.i18n import _
from server.teams import invitations
from server.teams import service as teams
from server.web import context
from server.web.fields import ConfirmForm
from server.web.form_errors import flash_error
from server.web.page_rules import TeamBlueprint

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


@blueprint.route("/join/<token>", methods=["GET", "POST"])
def join(slug: str, token: str) -> ResponseReturnValue:
    """Join the team of an invitation link."""
    form, actor, now = ConfirmForm(), context.actor(), context.arrival_time()
    if form.validate_on_submit():
        with context.writing() as session:
            invitations.join_team(session, actor, request_tasks.get_task(slug), token, now)
        flash(_("You joined the team."), "success")
        return redirect(url_for("teams.show", slug=slug))
    session, task = context.session(), request_tasks.get_task(slug)
    team = invitations.get_team(session, actor, task, token, now)
    if access.find_team(session, actor, task) == team:
        return redirect(url_for("teams.show", slug=slug))
    access.require_may_join_team(session, actor, task, team)
    teams.require_room(session, team)
    return render_template("teams/join.html", task=task, team=team, form=form)
