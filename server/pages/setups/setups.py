"""Setting up a task: beginning it, its overview, the steps that are one form, its bundle, deleting it."""

from flask import Blueprint, Response, flash, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from flask_security import auth_required

from server.access import service as access
from server.bundles.responses import is_import_open
from server.core.errors import Conflict
from server.core.i18n import _
from server.setups import levels, overview, phases, service
from server.setups.bundle_files import content_of, list_bundle_files
from server.setups.forms import TEXT_LIMIT, BeginForm
from server.setups.rules import StepName
from server.setups.steps import FORM_STEPS
from server.web import context
from server.web.downloads import send_zip
from server.web.form_errors import show_error_at
from server.web.page_rules import takes_texts

blueprint = Blueprint("setups", __name__, url_prefix="/setups")


def limit_body() -> int | None:
    """The maximum size of a form with a task's texts; None: that of other forms."""
    if context.actor().user_id is None:
        return None
    arguments = request.view_args or {}
    service.get_setup(context.session(), context.actor(), arguments["setup_id"])
    return TEXT_LIMIT if arguments["step"] == "texts" else None


@blueprint.route("/new", methods=["GET", "POST"])
@auth_required("session")
def create() -> ResponseReturnValue:
    """Begin to set up a task; the page lists those that the person has begun."""
    session, actor = context.session(), context.actor()
    access.require_import(session, actor, everybody=is_import_open())
    form = BeginForm()
    if form.validate_on_submit():
        with show_error_at({Conflict: form.title}):
            with context.writing() as session:
                title, slug = form.title.data or "", form.slug.data or ""
                setup_id = service.begin_setup(session, actor, title, slug, context.arrival_time()).id
            return redirect(url_for("setups.show", setup_id=setup_id))
    begun = service.list_setups(session, actor)
    return render_template("setups/new.html", form=form, begun=begun), 422 if form.errors else 200


@blueprint.get("/<int:setup_id>/")
@auth_required("session")
def show(setup_id: int) -> str:
    """Show the steps of a task that is being set up, with what is done and what is missing."""
    setup = service.get_setup(context.session(), context.actor(), setup_id)
    return render_template(
        "setups/show.html",
        setup=setup,
        steps=overview.list_steps(setup),
        levels=levels.list_levels(setup),
        level_words={level["slug"]: overview.describe_level(level) for level in levels.list_levels(setup)},
        phases=phases.list_phases(setup),
        phase_words={phase["slug"]: overview.describe_phase(phase) for phase in phases.list_phases(setup)},
    )


@blueprint.route("/<int:setup_id>/<any(texts, scale, teams, baselines):step>", methods=["GET", "POST"])
@auth_required("session")
@takes_texts(limit_body)
def edit(setup_id: int, step: StepName) -> ResponseReturnValue:
    """Change the values of a step that is one form."""
    setup, form_step = service.get_setup(context.session(), context.actor(), setup_id), FORM_STEPS[step]
    form = form_step.form(data=form_step.read(setup))
    if form.validate_on_submit():
        with context.writing() as session:
            setup = service.get_setup(session, context.actor(), setup_id)
            form_step.save(setup, form.data, context.arrival_time())
        flash(_("Saved."), "success")
        return redirect(url_for("setups.show", setup_id=setup_id))
    page = render_template(
        f"setups/{step}.html",
        setup=setup,
        form=form,
        heading=_(overview.STEP_TITLES[step]),
        lead=_(form_step.lead),
    )
    return page, 422 if form.errors else 200


@blueprint.get("/<int:setup_id>/bundle.zip")
@auth_required("session")
def download(setup_id: int) -> Response:
    """Download the bundle as it is now, with the gold standard."""
    setup = service.get_setup(context.session(), context.actor(), setup_id)
    return send_zip(setup.slug, list_bundle_files(content_of(setup), context.storage()))


@blueprint.post("/<int:setup_id>/delete")
@auth_required("session")
def delete(setup_id: int) -> ResponseReturnValue:
    """Delete a task that was being set up."""
    service.get_setup(context.session(), context.actor(), setup_id)
    with context.writing() as session:
        setup = service.get_setup(session, context.actor(), setup_id)
        title = setup.title
        service.delete_setup(session, setup)
    flash(_("%(title)s was deleted.", title=title), "success")
    return redirect(url_for("setups.create"))
