"""Leaving a team, removing a member, changing the captain: each asks for confirmation first."""

from flask import flash, redirect, render_template, url_for
from flask.typing import ResponseReturnValue

from server.access import request_tasks, service as access
from server.core.i18n import _
from server.tasks.models import Task
from server.teams import memberships, service as teams
from server.teams.models import Team
from server.web import context
from server.web.fields import ConfirmForm
from server.web.page_rules import TeamBlueprint

blueprint = TeamBlueprint("memberships", __name__, url_prefix="/tasks/<slug>/team")


@blueprint.route("/leave", methods=["GET", "POST"])
def leave(slug: str) -> ResponseReturnValue:
    """Leave the reader's team."""
    form = ConfirmForm()
    if form.validate_on_submit():
        with context.writing() as session:
            task, now = request_tasks.get_task(slug), context.arrival_time()
            team = memberships.leave_team(session, context.actor(), task, now)
            name = team.name
        flash(_("You have left %(team)s.", team=name), "success")
        return redirect(url_for("teams.show", slug=slug))
    task, team = _own_team(slug)
    memberships.require_may_leave(context.session(), context.actor(), team)
    last = teams.count_members(context.session(), team) == 1
    return render_template("teams/leave.html", task=task, team=team, last=last, form=form)


@blueprint.route("/members/<int:user_id>/remove", methods=["GET", "POST"])
def remove(slug: str, user_id: int) -> ResponseReturnValue:
    """Remove a member from the reader's team."""
    form = ConfirmForm()
    if form.validate_on_submit():
        with context.writing() as session:
            team = access.require_team(session, context.actor(), request_tasks.get_task(slug))
            memberships.remove_member(session, context.actor(), team, user_id, context.arrival_time())
        flash(_("Removed from the team."), "success")
        return redirect(url_for("teams.members", slug=slug))
    task, team = _own_team(slug)
    member = memberships.get_removable_member(context.session(), context.actor(), team, user_id)
    return render_template("teams/remove_member.html", task=task, team=team, member=member, form=form)


@blueprint.route("/members/<int:user_id>/captain", methods=["GET", "POST"])
def hand_over(slug: str, user_id: int) -> ResponseReturnValue:
    """Make another member the captain of the reader's team."""
    form = ConfirmForm()
    if form.validate_on_submit():
        with context.writing() as session:
            team = access.require_team(session, context.actor(), request_tasks.get_task(slug))
            memberships.hand_over(session, context.actor(), team, user_id, context.arrival_time())
        flash(_("The team has a new captain."), "success")
        return redirect(url_for("teams.members", slug=slug))
    task, team = _own_team(slug)
    access.require_captain(context.actor(), team)
    member = memberships.get_member(context.session(), team, user_id)
    return render_template("teams/hand_over.html", task=task, team=team, member=member, form=form)


def _own_team(slug: str) -> tuple[Task, Team]:
    task = request_tasks.get_task(slug)
    return task, access.require_team(context.session(), context.actor(), task)
