"""The page by which organizers export a task as a bundle."""

from flask import flash, redirect, url_for
from flask.typing import ResponseReturnValue

from server.access import request_tasks
from server.bundles.forms import ExportForm
from server.bundles.responses import send_export
from server.core.i18n import _
from server.web import context
from server.web.page_rules import SignedInBlueprint

blueprint = SignedInBlueprint("exports", __name__, url_prefix="/tasks/<slug>/organize")


@blueprint.post("/export")
def download(slug: str) -> ResponseReturnValue:
    """Download everything in the task as a zip, including the gold standard; the download is recorded."""
    request_tasks.get_organized_task(slug)
    form = ExportForm()
    if not form.validate_on_submit():
        flash(_("Choose how people appear in the bundle."), "error")
        return redirect(url_for("dashboard.show", slug=slug) + "#bundle")
    return send_export(slug, context.actor(), form.people.data)
