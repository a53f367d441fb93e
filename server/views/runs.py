"""Adding a run to one's team."""

from flask import Blueprint, flash, redirect, render_template, url_for
from flask.typing import ResponseReturnValue
from flask_security import auth_required

from server.errors import Conflict
from server.forms.runs import RunForm
from server.services import access, runs, tasks
from server.views import context

blueprint = Blueprint("runs", __name__, url_prefix="/tasks/<slug>")


@blueprint.route("/phases/<phase>/runs/new", methods=["GET", "POST"])
@auth_required("session")
def create(slug: str, phase: str) -> ResponseReturnValue:
    """Add a run to one's team in a phase."""
    form = RunForm()
    if form.validate_on_submit():
        try:
            with context.writing() as session:
                target = tasks.get_phase(session, context.task(slug), phase)
                runs.create_run(
                    session,
                    context.actor(),
                    target,
                    form.name.data or "",
                    form.description.data or "",
                    context.arrived(),
                )
        except Conflict as error:
            form.name.errors = [*form.name.errors, error.message]
        else:
            flash("The run is there; now upload its files.", "success")
            return redirect(url_for("teams.show", slug=slug) + f"#{phase}")
    task = context.task(slug)
    target = tasks.get_phase(context.session(), task, phase)
    access.require_competing(access.require_team(context.session(), context.actor(), task))
    status = 422 if form.errors else 200
    phases = context.phases(task)
    return render_template("runs/new.html", task=task, phases=phases, phase=target, form=form), status
