"""The terms of a task: reading and accepting them."""

from flask import Blueprint, flash, redirect, render_template, url_for
from flask.typing import ResponseReturnValue
from flask_security import auth_required

from server.access import request_tasks, service as access, terms
from server.access.forms import AcceptTermsForm
from server.core.errors import require_found
from server.core.i18n import _
from server.web import context
from server.web.form_errors import flash_error

blueprint = Blueprint("terms", __name__, url_prefix="/tasks/<slug>")


@blueprint.get("/terms")
def show(slug: str) -> str:
    """Show the terms in force, and whether the reader accepted them."""
    session, actor, task = context.session(), context.actor(), request_tasks.get_task(slug)
    version = require_found(terms.find_terms(session, task), _("This task has no terms."))
    return render_template(
        "access/terms.html",
        task=task,
        version=version,
        sha256=terms.version_hash(version),
        acceptance=terms.find_acceptance(session, actor, version),
        organizer=access.is_organizer(session, actor, task),
        form=AcceptTermsForm(formdata=None, version=terms.version_hash(version)),
    )


@blueprint.post("/terms")
@auth_required("session")
def accept(slug: str) -> ResponseReturnValue:
    """Accept the version that was read."""
    form = AcceptTermsForm()
    with flash_error():
        with context.writing() as session:
            task, read = request_tasks.get_task(slug), form.version.data or ""
            terms.accept_terms(session, context.actor(), task, read, context.arrival_time())
            team = access.find_team(session, context.actor(), task)
        if team is None:
            words = _("You accepted the terms. You can download the data below.")
        elif team.state == "waiting":
            words = _(
                "You accepted the terms. You can now download the data, and upload files once the team is "
                "approved."
            )
        elif team.state == "approved":
            words = _("You accepted the terms. You can now upload files and download the data.")
        else:
            words = _("You accepted the terms. You can now download the data.")
        flash(words, "success")
        return redirect(
            url_for("tasks.show", slug=slug) + "#data" if team is None else url_for("teams.show", slug=slug)
        )
    return redirect(url_for("terms.show", slug=slug))
