"""All runs and descriptions of a phase as one zip."""

from flask import Blueprint
from flask.typing import ResponseReturnValue
from flask_security import auth_required

from server.access import request_tasks
from server.runs.responses import send_run_archive
from server.web import context

blueprint = Blueprint("run_archives", __name__, url_prefix="/tasks/<slug>/organize")


@blueprint.post("/phases/<phase>/runs.zip")
@auth_required("session")
def download(slug: str, phase: str) -> ResponseReturnValue:
    """Every scored file of the phase, those that count apart, and what teams say of their runs."""
    request_tasks.get_observed_task(slug)
    return send_run_archive(slug, phase, context.actor())
