"""Creating a team, joining one, and the team's own page."""

from flask import Blueprint, flash, redirect, render_template, url_for
from flask.typing import ResponseReturnValue
from flask_security import auth_required

from server.errors import NameTaken
from server.forms.fields import ConfirmForm
from server.forms.teams import TeamForm
from server.services import access, runs, tasks, teams
from server.views import context

blueprint = Blueprint("teams", __name__, url_prefix="/tasks/<slug>")


@blueprint.get("/team/")
@auth_required("session")
def show(slug: str) -> ResponseReturnValue:
    """The runs of one's own team, phase by phase; without a team, how to get one."""
    session, actor, now = context.session(), context.actor(), context.arrived()
    task = context.task(slug)
    phases = tasks.list_phases(session, task, now)
    team = access.find_team(session, actor, task)
    if team is None:
        organizer = access.is_organizer(session, actor, task)
        return render_template("teams/none.html", task=task, phases=phases, organizer=organizer)
    return render_template(
        "teams/show.html",
        task=task,
        phases=phases,
        team=team,
        members=teams.list_members(session, team),
        runs=runs.list_runs(session, team, [view.phase for view in phases]),
    )


@blueprint.route("/teams/new", methods=["GET", "POST"])
@auth_required("session")
def create(slug: str) -> ResponseReturnValue:
    """Create a team."""
    task, form = context.task(slug), TeamForm()
    teams.require_free(context.session(), context.actor(), task)
    if form.validate_on_submit():
        try:
            with context.writing() as session:
                teams.create_team(
                    session, context.actor(), context.task(slug), form.name.data or "", context.arrived()
                )
        except NameTaken as error:
            form.name.errors = [*form.name.errors, error.message]
        else:
            flash("Your team is set up. Share its link with the people you work with.", "success")
            return redirect(url_for("teams.show", slug=slug))
    status = 422 if form.errors else 200
    phases = tasks.list_phases(context.session(), task, context.arrived())
    return render_template("teams/new.html", task=task, phases=phases, form=form), status


@blueprint.route("/join/<token>", methods=["GET", "POST"])
@auth_required("session")
def join(slug: str, token: str) -> ResponseReturnValue:
    """Join the team that the link belongs to."""
    form = ConfirmForm()
    if form.validate_on_submit():
        with context.writing() as session:
            teams.join_team(session, context.actor(), context.task(slug), token, context.arrived())
        flash("You are in the team now.", "success")
        return redirect(url_for("teams.show", slug=slug))
    session, task = context.session(), context.task(slug)
    team = teams.get_invitation(session, task, token)
    if access.find_team(session, context.actor(), task) == team:
        return redirect(url_for("teams.show", slug=slug))
    teams.require_free(session, context.actor(), task)
    phases = tasks.list_phases(session, task, context.arrived())
    return render_template("teams/join.html", task=task, phases=phases, team=team, form=form)
