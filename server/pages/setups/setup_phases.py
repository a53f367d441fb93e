"""The phases of a task that is being set up."""

from flask import Blueprint, flash, redirect, render_template, url_for
from flask.typing import ResponseReturnValue
from flask_security import auth_required

from server.core.errors import InvalidDates, NameTaken
from server.core.i18n import _, translate
from server.phases.forms import FEEDBACK_RISKS
from server.setups import overview, phases, service
from server.setups.forms import SetupPhaseForm
from server.setups.models import TaskSetup
from server.web import context
from server.web.form_errors import show_error_at

blueprint = Blueprint("setup_phases", __name__, url_prefix="/setups/<int:setup_id>/phases")


def _get_setup(setup_id: int) -> TaskSetup:
    return service.get_setup(context.session(), context.actor(), setup_id)


@blueprint.route("/new", methods=["GET", "POST"])
@auth_required("session")
def add(setup_id: int) -> ResponseReturnValue:
    """Add a phase; the form has the usual values of the first one."""
    setup = _get_setup(setup_id)
    return _handle_form(setup, None, SetupPhaseForm(data=phases.suggest_phase(setup)))


@blueprint.route("/<phase>/edit", methods=["GET", "POST"])
@auth_required("session")
def edit(setup_id: int, phase: str) -> ResponseReturnValue:
    """Change a phase."""
    setup = _get_setup(setup_id)
    fields = phases.fields_of(phases.get_phase(setup, phase))
    return _handle_form(setup, phase, SetupPhaseForm(data=fields))


@blueprint.post("/<phase>/remove")
@auth_required("session")
def remove(setup_id: int, phase: str) -> ResponseReturnValue:
    """Remove a phase."""
    title = phases.get_phase(_get_setup(setup_id), phase)["title"]
    with context.writing():
        phases.remove_phase(_get_setup(setup_id), phase, context.arrival_time())
    flash(_("%(title)s was removed.", title=title), "success")
    return redirect(url_for("setups.show", setup_id=setup_id) + "#phases")


def _handle_form(setup: TaskSetup, slug: str | None, form: SetupPhaseForm) -> ResponseReturnValue:
    setup_id = setup.id
    form.split.choices = {name: _("the %(split)s split", split=name) for name in phases.list_splits(setup)}
    if form.validate_on_submit():
        with show_error_at({NameTaken: form.slug, InvalidDates: form.closes}):
            with context.writing():
                phases.save_phase(_get_setup(setup_id), slug, form.data, context.arrival_time())
            flash(_("Saved."), "success")
            saved = phases.get_phase(_get_setup(setup_id), form.data["slug"])
            if overview.is_over(saved, context.arrival_time()):
                words = _("%(phase)s is already closed. Check its dates.", phase=saved["title"])
                flash(words, "error")
            return redirect(url_for("setups.show", setup_id=setup_id) + "#phases")
    page = render_template(
        "setups/phase.html",
        setup=setup,
        phase=slug,
        form=form,
        given_away={kind: translate(words) for kind, words in FEEDBACK_RISKS.items()},
    )
    return page, 422 if form.errors else 200
