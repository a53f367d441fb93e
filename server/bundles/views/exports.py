"""A task as a bundle, for its organizers to take along."""

from tempfile import SpooledTemporaryFile

from flask import Blueprint, Response, flash, redirect, url_for
from flask.typing import ResponseReturnValue
from flask_security import auth_required

from server import bundles
from server.access import requests
from server.bundles.exporting import People
from server.bundles.forms import ExportForm
from server.core import db
from server.core.actors import Actor
from server.core.i18n import _
from server.core.zips import MEGABYTE, write_zip
from server.web import context
from server.web.downloads import send_zip

blueprint = Blueprint("exports", __name__, url_prefix="/tasks/<slug>/organize")


@blueprint.post("/export")
@auth_required("session")
def download(slug: str) -> ResponseReturnValue:
    """Everything of the task as a zip, gold too; who took it is noted."""
    requests.organized(slug)
    form = ExportForm()
    if not form.validate_on_submit():
        flash(_("Choose how people are to stand in the bundle."), "error")
        return redirect(url_for("organize.show", slug=slug) + "#bundle")
    return send_export(slug, context.actor(), form.people.data)


def send_export(slug: str, actor: Actor, people: People) -> Response:
    """A task as a zip, for one of its organizers; that they took it is noted."""
    session = context.session()
    with db.reading(session):
        export = bundles.collect_export(session, actor, requests.task(slug), people)
    with context.writing() as session:
        bundles.record_export(session, actor, requests.task(slug), export, context.arrived())
    file = SpooledTemporaryFile(max_size=8 * MEGABYTE)  # noqa: SIM115  (the server closes it when it is sent)
    write_zip(file, export.slug, export.readers(context.storage()))
    return send_zip(file, f"{export.slug}.zip")
