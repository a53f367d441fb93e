"""All runs and descriptions of a phase as one zip."""

from flask.typing import ResponseReturnValue

from server.access import request_tasks
from server.runs.responses import send_run_archive
from server.web import context
from server.web.page_rules import SignedInBlueprint

blueprint = SignedInBlueprint("run_archives", __name__, url_prefix="/tasks/<slug>/organize")


@blueprint.post("/phases/<phase>/runs.zip")
def download(slug: str, phase: str) -> ResponseReturnValue:
    """Download every submission of the phase, separately those that count, and the descriptions of runs."""
    request_tasks.get_observed_task(slug)
    return send_run_archive(slug, phase, context.actor())
